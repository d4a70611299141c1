"""The options of ``certify``. None means "not given", so that the configuration can speak."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

FORMATS = "text, json, sarif, junit, github, gitlab, tap, markdown, html"


def _rule_words() -> list[str]:
    from agent_saga.certify.rules import all_rules

    return sorted({*all_rules(), *(code[:3] for code in all_rules())})


def _one_of(*words: str) -> Callable[[], list[str]]:
    return lambda: list(words)


def _choice(flag: str, words: str, says: str) -> Any:
    return typer.Option(flag, metavar=words, autocompletion=_one_of(*words.split("|")), help=says)


def _formats() -> list[str]:
    return FORMATS.split(", ")


def _frameworks() -> list[str]:
    from agent_saga.certify.controls.reading import framework_ids

    return list(framework_ids())


_Text = str | None
_Many = list[str] | None

Paths = Annotated[
    _Many,
    typer.Argument(metavar="PATH", help="Files, folders, globs, or - for standard input.", show_default=False),
]
Output = Annotated[
    _Many,
    typer.Option("--output", "-o", metavar="FORMAT=PATH", help="Write a report to a file; repeatable; - is stdout."),
]
Format = Annotated[
    _Many,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        autocompletion=_formats,
        help=f"Report on stdout: {FORMATS}; oscal with --controls.",
    ),
]
Select = Annotated[
    _Many,
    typer.Option(
        "--select", metavar="RULE", autocompletion=_rule_words, help="Run only these rules: AS201, AS2, or a name."
    ),
]
Ignore = Annotated[
    _Many,
    typer.Option(
        "--ignore", metavar="RULE", autocompletion=_rule_words, help="Leave these rules out; every report says so."
    ),
]
FailOn = Annotated[_Text, _choice("--fail-on", "error|warning|note", "The lightest finding that refuses. [error]")]
Inconclusive = Annotated[
    _Text, _choice("--inconclusive", "strict|fail|pass", "What an undecided rule means: exit 3, 1 or 0. [strict]")
]
Open = Annotated[
    _Text,
    _choice("--open", "error|inconclusive", "A saga that never ended: an error, or undecided (live stores). [error]"),
]
BaselineFile = Annotated[_Text, typer.Option("--baseline", metavar="FILE", help="Findings that are not counted.")]
WriteBaseline = Annotated[
    _Text,
    typer.Option(
        "--write-baseline", metavar="FILE", help="Write this run's findings as a baseline; the exit code stays."
    ),
]
ShowSuppressed = Annotated[
    bool | None,
    typer.Option("--show-suppressed/--hide-suppressed", help="Show findings that are not counted.", show_default=False),
]
Now = Annotated[
    _Text,
    typer.Option("--now", metavar="TIME", help="Judge by this time (RFC 3339); else SOURCE_DATE_EPOCH; else by none."),
]
Config = Annotated[_Text, typer.Option("--config", metavar="FILE", help="A TOML file of settings.")]
NoConfig = Annotated[
    bool, typer.Option("--no-config", help="For auditors: heed no configuration file and no AGENT_SAGA_* variable.")
]
StdinFilename = Annotated[_Text, typer.Option("--stdin-filename", metavar="NAME", help="Name for - in reports.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", help="Processes to judge with; 0: one a processor, where it pays. [0]"),
]
ExpectRoot = Annotated[
    _Text,
    typer.Option("--expect-root", metavar="HEX|BASE64", help="The Merkle root that all lines of the log must have."),
]
ExpectSize = Annotated[
    int | None, typer.Option("--expect-size", metavar="N", help="The number of lines that the log must have.")
]
Checkpoint = Annotated[
    _Many,
    typer.Option("--checkpoint", metavar="FILE", help="A signed checkpoint the log must stand under; repeatable."),
]
Pin = Annotated[
    _Text, typer.Option("--pin", metavar="PIN", help="Whose signatures count: for --checkpoint, and for bundles.")
]
Registry = Annotated[
    _Text, typer.Option("--registry", metavar="FILE", help="Key registry that people's signatures are judged by.")
]
RegistryDigest = Annotated[
    _Text,
    typer.Option("--registry-digest", metavar="HEX", help="The digest that the log's own key registry must have."),
]
TrustOnFirstUse = Annotated[
    bool | None,
    typer.Option("--trust-on-first-use/--no-trust-on-first-use", help="Take the registry that the log names."),
]
Policy = Annotated[
    _Many,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="Judge the calls by this policy: your own copy of it. Repeatable for a log whose policy changed, in the "
        "order in which they came into force.",
    ),
]
RequirePolicyDigest = Annotated[
    _Text,
    typer.Option("--require-policy-digest", metavar="HEX", help="The digest that --policy, or its last, must have."),
]
WaiversFile = Annotated[
    _Text,
    typer.Option("--waivers", metavar="FILE", help="With --policy: signed waivers of its rules; they need --registry."),
]
Sign = Annotated[
    _Text,
    typer.Option("--sign", metavar="KEYFILE", help="Sign a certificate: keys new --purpose certificate."),
]
Certificate = Annotated[
    _Text, typer.Option("--certificate", metavar="FILE", help="The file that the certificate is written to.")
]
State = Annotated[
    _Text,
    typer.Option("--state", metavar="FILE", help="Judge what came since the run that left this file; leave a new one."),
]
EngineName = Annotated[
    _Text, typer.Option("--engine", metavar="NAME", help="temporal: the workers of a Temporal server judge the parts.")
]
Parts = Annotated[
    int | None,
    typer.Option("--parts", min=1, metavar="N", help="With --engine: parts of the sagas. [--jobs]", show_default=False),
]
WorkFolder = Annotated[
    _Text, typer.Option("--work", metavar="FOLDER", help="With --engine: the folder that all workers share.")
]
TaskQueue = Annotated[
    _Text,
    typer.Option(
        "--task-queue",
        metavar="NAME",
        help="With --engine: the workers' task queue. [agent-saga-certify]",
        show_default=False,
    ),
]
PayloadKeys = Annotated[
    _Text, typer.Option("--payload-keys", metavar="FILE", help="With --engine: seal what passes through the server.")
]
PassphraseFile = Annotated[
    _Text,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        help="The passphrase of the signing key. [AGENT_SAGA_KEY_PASSPHRASE, else asked]",
        show_default=False,
    ),
]
RequireChain = Annotated[
    bool | None,
    typer.Option("--require-chain/--no-require-chain", help="Refuse formats without a hash chain.", show_default=False),
]
MappingFile = Annotated[
    _Text,
    typer.Option("--mapping", metavar="FILE", help="JSON or TOML: which activities are effects, and their undos."),
]
Disclosures = Annotated[
    _Many,
    typer.Option(
        "--disclosures", metavar="FILE", help="Disclosures that open concealed values, one a line; repeatable."
    ),
]
Controls = Annotated[
    _Many,
    typer.Option(
        "--controls",
        metavar="FRAMEWORK",
        autocompletion=_frameworks,
        help="Answer the controls of a framework, such as aisvs-1.0; repeatable; `agent-saga controls list` has them.",
    ),
]
Verbose = Annotated[
    int, typer.Option("--verbose", "-v", count=True, show_default=False, help="Say more; -vv for the inner workings.")
]
Quiet = Annotated[
    int, typer.Option("--quiet", "-q", count=True, show_default=False, help="Only the verdict; -qq only the exit code.")
]
LogFormat = Annotated[_Text, _choice("--log-format", "text|json", "Messages on standard error. [text]")]
