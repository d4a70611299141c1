"""What several formats say in the same words: the verdict line, places, counts, choices, assumptions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from agent_saga.certify.controls.results import Answer
from agent_saga.certify.findings import Finding, Severity
from agent_saga.certify.outputs.escape import shown
from agent_saga.certify.report import Choices, Exit, InputReport, Report, SagaReport, Verdict

NO_CHECKPOINT: Final = (
    "Without a checkpoint nobody can see whether whole sagas, or the last lines of one, were cut off."
)
EXIT_MEANING: Final = {
    Exit.CERTIFIED: "certified",
    Exit.NOT_CERTIFIED: "not certified",
    Exit.USAGE: "usage or configuration error",
    Exit.INCONCLUSIVE: "inconclusive",
    Exit.NOTHING: "nothing to check",
    Exit.BUG: "a bug of the tool",
    Exit.INTERRUPTED: "interrupted",
}


def plural(count: int, noun: str, many: str = "") -> str:
    """``1 saga``, ``3 sagas``; many: the plural that is not made with an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {many or f'{noun}s'}"


def counts(report: Report) -> dict[str, int]:
    """How many findings of each kind: error, warning, note, inconclusive, suppressed."""
    kinds = Counter("inconclusive" if f.inconclusive else str(f.severity) for f in report.findings)
    named = {kind: kinds[kind] for kind in ("error", "warning", "note", "inconclusive")}
    return named | {"suppressed": len(report.suppressed)}


def verdict_line(report: Report) -> str:
    """The verdict and what it stands on, in one line."""
    if ":" in report.headline:
        return report.headline
    parts = [f"{plural(report.saga_count, 'saga')} judged"]
    number = counts(report)
    parts += [plural(number[kind], kind) for kind in ("error", "warning", "note") if number[kind]]
    if number["inconclusive"]:
        parts.append(f"{number['inconclusive']:,} undecided")
    if number["suppressed"]:
        parts.append(f"{number['suppressed']:,} suppressed")
    failed = sum(1 for item in report.inputs if item.error)
    if failed:
        parts.append(f"{plural(failed, 'input')} not judged")
    return f"{report.headline}: {', '.join(parts)}"


def label(finding: Finding) -> str:
    """The word that stands before a finding: ERROR, WARNING, NOTE or UNDECIDED."""
    return "UNDECIDED" if finding.inconclusive else str(finding.severity).upper()


def place(source: str, line: int) -> str:
    """``file:line``, or the file alone when the source has no lines."""
    name = "standard input" if source == "-" else shown(source)
    return f"{name}:{line}" if line else name


def title(finding: Finding) -> str:
    """``AS201 uncompensated-effect``, with the number of times when the fault stands there more than once."""
    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    return f"{shown(finding.code)} {shown(finding.name)}{times}"


def fails(finding: Finding, choices: Choices) -> bool:
    """Whether this finding alone makes the verdict ``not certified``."""
    limit = {"error": 3, "warning": 2, "note": 1}.get(choices.fail_on, 3)
    if finding.inconclusive:
        return choices.inconclusive == "fail"
    return finding.severity.rank >= limit


def heaviest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then what is undecided, then warnings and notes; each kind in the report's order."""
    return sorted(findings, key=lambda f: -(2.5 if f.inconclusive else f.severity.rank))


def unique_fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Each finding's fingerprint; a repeated one gets ``-2``, ``-3`` ..., for readers that drop doubles."""
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        mark = finding.fingerprint
        seen[mark] += 1
        result.append(mark if seen[mark] == 1 else f"{mark}-{seen[mark]}")
    return result


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one saga of one input; saga is "" for those about the input as a whole."""

    source: str
    saga: str
    findings: tuple[Finding, ...]


def groups(findings: Iterable[Finding]) -> list[Group]:
    """Findings by input and saga, both in order of their first finding."""
    ordered = list(findings)
    rank: dict[tuple[str, str], int] = {}
    sources: dict[str, int] = {}
    for finding in ordered:
        sources.setdefault(finding.source, len(sources))
        rank.setdefault((finding.source, finding.saga), len(rank))
    ordered.sort(key=lambda f: (sources[f.source], rank[f.source, f.saga]))
    return [Group(s, saga, tuple(found)) for (s, saga), found in groupby(ordered, lambda f: (f.source, f.saga))]


def saga_index(report: Report) -> dict[tuple[str, str], SagaReport]:
    """The kept sagas by input and id."""
    return {(item.source, item.saga): item for item in report.sagas}


def input_line(item: InputReport) -> str:
    """An input's format and size in one line, or why it was not judged."""
    size = f"{shown(item.format)}, {plural(item.lines, 'line')}, {plural(item.bytes, 'byte')}"
    return f"{size}, {plural(item.sagas, 'saga')}"


def unread(item: InputReport) -> str:
    """Why an input was not judged, without its own name in front; "" when it was."""
    return item.error.removeprefix(f"{item.path}: ")


def not_assessable(report: Report) -> list[tuple[str, str, tuple[str, ...]]]:
    """What the sources cannot answer: reason, format and rules; one entry a reason, however many inputs share it."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for item in report.inputs:
        for rule, reason in sorted(item.not_assessable.items()):
            found.setdefault((item.format, reason), {})[rule] = None
    return [(reason, name, tuple(sorted(rules))) for (name, reason), rules in found.items()]


def assumptions(report: Report) -> list[str]:
    """Every sentence that a reader of the verdict must accept, once; the missing checkpoint last, unless it is said."""
    judged = [item for item in report.inputs if not item.error]
    told = all(any("checkpoint" in sentence for sentence in item.assumptions) for item in judged)
    said = dict.fromkeys(sentence for item in report.inputs for sentence in item.assumptions)
    return [*said, NO_CHECKPOINT] if not told else list(said)


def choices_made(choices: Choices) -> list[tuple[str, str]]:
    """The choices that differ from the defaults, as option and value; the configuration file too."""
    rows = [
        ("--fail-on", choices.fail_on if choices.fail_on != "error" else ""),
        ("--inconclusive", choices.inconclusive if choices.inconclusive != "strict" else ""),
        ("--open", choices.open if choices.open != "error" else ""),
        ("--require-chain", "yes" if choices.require_chain else ""),
        ("--select", ", ".join(choices.selected)),
        ("--ignore", ", ".join(choices.ignored)),
        ("--expect-root", choices.expected_root),
        ("--expect-size", str(choices.expected_size or "")),
        ("--checkpoint", ", ".join(choices.checkpoints)),
        ("--pin", choices.pin),
        ("--registry", choices.registry),
        ("--registry-digest", choices.registry_digest),
        ("--trust-on-first-use", "yes" if choices.trust_on_first_use else ""),
        ("--policy", ", ".join(choices.policies)),
        ("--require-policy-digest", choices.policy_digest),
        ("--waivers", choices.waivers),
        ("waivers SHA-256", choices.waivers_sha256),
        ("mapping SHA-256", choices.mapping_sha256),
        ("--controls", ", ".join(choices.controls)),
        ("--now", choices.now),
        ("configuration", choices.config),
        ("--baseline", choices.baseline),
        ("baseline SHA-256", choices.baseline_sha256),
    ]
    return [(name, value) for name, value in rows if value]


def answers(report: Report) -> dict[str, str]:
    """How many controls of each framework got which answer: ``{"aisvs-1.0": "8 PASS, 0 FAIL, 31 NOT ASSESSABLE"}``."""
    found: dict[str, Counter[Answer]] = {}
    for item in report.controls:
        found.setdefault(item.framework, Counter())[item.answer] += 1
    return {name: ", ".join(f"{count[answer]} {answer}" for answer in Answer) for name, count in found.items()}


def tone(report: Report) -> str:
    """``good``, ``bad`` or ``open``, for colours: an exit code other than 0 is never good."""
    if report.exit_code == Exit.CERTIFIED and report.verdict is not Verdict.NOTHING:
        return "good"
    return "open" if report.exit_code in (Exit.INCONCLUSIVE, Exit.NOTHING) else "bad"


def level(finding: Finding, choices: Choices) -> Severity:
    """The level on a three-step scale for readers without ``undecided``: a warning, or a note when it may pass."""
    if not finding.inconclusive:
        return finding.severity
    by_choice = {"fail": Severity.ERROR, "pass": Severity.NOTE}
    return by_choice.get(choices.inconclusive, Severity.WARNING)


def effects(saga: SagaReport) -> str:
    """How many effects stand where, such as ``3 applied, 2 undone, 1 in force``."""
    numbers = [
        (saga.applied, "applied"),
        (saga.undone, "undone"),
        (saga.in_force, "in force"),
        (saga.unknown, "unknown"),
    ]
    said = [f"{number} {name}" for number, name in numbers if number]
    return ", ".join(said) if said else "no effect"
