"""The whole answer of one run: what was judged, what was found, and the verdict. Every output format is made from it.

No clock and no absolute path stand in it; the same input gives the same report, byte for byte.

Source: docs/rules.md, "Verdicts and exit codes".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from agent_saga.certify.controls.results import ControlResult
from agent_saga.certify.findings import Finding


class Verdict(StrEnum):
    """What the run says about the evidence as a whole."""

    CERTIFIED = "certified"
    NOT_CERTIFIED = "not certified"
    INCONCLUSIVE = "inconclusive"
    NOTHING = "nothing to check"


class Exit(IntEnum):
    """Exit codes of every command (docs/exit-codes.md)."""

    CERTIFIED = 0
    NOT_CERTIFIED = 1
    USAGE = 2
    INCONCLUSIVE = 3
    NOTHING = 4
    BUG = 70
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Mark:
    """One event on a saga's timeline. ref: the effect, undo, check or step it is about ("" if none).

    target: the effect that an undo is for. result: ``passed``, ``landed``, the status of an end and the like.
    """

    line: int
    at: str
    type: str
    ref: str
    tool: str
    target: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True)
class SagaReport:
    """One judged saga. Counts are of effects that are not previews."""

    source: str
    saga: str
    name: str
    status: str
    """As its last line says; ``open`` when it never ended, ``waiting`` when it waits for a person."""
    verdict: Verdict
    first_line: int
    last_line: int
    lines: int
    applied: int
    undone: int
    in_force: int
    unknown: int
    timeline: tuple[Mark, ...] = ()
    """Filled only when a report needs the picture."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """The signed checkpoint that an input was held against. size: in lines. root: 64 hex digits.

    note: its text with all signatures. agrees: whether the input's lines stand under it.
    earlier: the notes of earlier checkpoints of the log that the lines were held against as well.
    """

    origin: str
    size: int
    root: str
    note: str
    agrees: bool
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InputReport:
    """One input: a file, a member of a directory, or standard input."""

    path: str
    format: str
    """``agent-saga trace 1.0`` and the like; ``unknown`` when it was not recognised."""
    lines: int
    bytes: int
    sha256: str
    """Of the bytes as stored (compressed when they are); "" when they could not be read."""
    sagas: int
    not_assessable: Mapping[str, str] = field(default_factory=dict)
    """Rule code to the reason why this source's format cannot answer it."""
    assumptions: tuple[str, ...] = ()
    """Sentences that a reader of the verdict must accept."""
    error: str = ""
    """Why the input could not be judged; "" when it was."""
    checkpoint: Pinned | None = None
    """None when no signed checkpoint was given, or none that its pinned key signed."""
    registry: str = ""
    """Digest of the pinned key registry, 64 hex digits; "" when none is pinned."""
    policy: str = ""
    """Digest of the policy that the user gave and the calls were judged by, 64 hex digits; "" without one."""
    earlier_policies: tuple[str, ...] = ()
    """Digests of the policies that were in force before it, and that the user gave as well, in their order."""
    since: int = 0
    """Lines that were certified before and not read again, so that :attr:`sha256` is empty; 0 when all were read."""
    waived: Mapping[str, int] = field(default_factory=dict)
    """Waiver to how many calls it let pass that the policy would have refused, in the order of the waivers' ids."""
    own_word: tuple[str, ...] = ()
    """Names of what was taken at the trace's own word (docs/rules.md); the sentences stand among the assumptions."""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that the user chose not to count. by: ``baseline``, ``--ignore AS108`` and the like."""

    finding: Finding
    by: str


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices behind a verdict, as they stand in every report. Anything but the defaults makes it ``custom``."""

    fail_on: str = "error"
    inconclusive: str = "strict"
    """``strict`` (exit 3), ``fail`` (exit 1) or ``pass`` (exit 0)."""
    open: str = "error"
    """``error``, or ``inconclusive`` for live stores."""
    require_chain: bool = False
    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    expected_root: str = ""
    expected_size: int = 0
    """Lines that the log must have; 0 for any number."""
    checkpoints: tuple[str, ...] = ()
    """Files of signed checkpoints that the log must stand under."""
    pin: str = ""
    """The file that says whose signatures count; "" for none."""
    registry: str = ""
    """The file of the key registry that people's signatures are judged by; "" for none."""
    registry_digest: str = ""
    """The digest that the registry must have; "" for any."""
    trust_on_first_use: bool = False
    """The registry that the log holds itself is taken as it is."""
    policies: tuple[str, ...] = ()
    """The files of the policies that calls are judged by, in the order in which they were in force."""
    policy_digest: str = ""
    """The digest that the last policy must have; "" for any."""
    waivers: str = ""
    """The file of signed waivers of the policy's rules; "" for none."""
    waivers_sha256: str = ""
    """Digest of that file."""
    mapping_sha256: str = ""
    controls: tuple[str, ...] = ()
    """Control frameworks that are answered, by id; they only add to the report."""
    now: str = ""
    config: str = ""
    """The configuration file in effect; "" for none."""
    baseline: str = ""
    baseline_sha256: str = ""

    @property
    def _narrower(self) -> bool:
        return bool(self.selected or self.ignored or self.baseline or self.waivers)

    @property
    def profile(self) -> str:
        """``default`` or ``custom``: whether any choice could have made the verdict kinder or narrower."""
        default = (self.fail_on, self.inconclusive, self.open) == ("error", "strict", "error")
        return "default" if default and not self._narrower else "custom"


@dataclass(frozen=True, slots=True)
class Report:
    """What one run found. findings and suppressed are in :attr:`Finding.order`."""

    tool_version: str
    rule_set: str
    """SHA-256 over the codes, names and severities of all rules of this release."""
    verdict: Verdict
    exit_code: Exit
    inputs: tuple[InputReport, ...]
    sagas: tuple[SagaReport, ...]
    """Every judged saga in order of first appearance, when the caller asked to keep them; else those with findings."""
    saga_count: int
    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]
    stale_baseline: tuple[str, ...]
    """Fingerprints of baseline entries that matched nothing."""
    choices: Choices
    rules_run: tuple[str, ...]
    rules_not_exercised: tuple[str, ...]
    """Rules that were run and met no case."""
    exceptions: int = 0
    """Signed exceptions counted in the verdict."""
    policy_traits: tuple[str, ...] = ()
    """What the given policy has that a control may ask for, where one was asked for."""
    controls: tuple[ControlResult, ...] = ()
    """The answer for each control of the frameworks that were asked for."""

    @property
    def headline(self) -> str:
        """The verdict in one line, such as ``certified with exceptions: 3 sagas judged, 1 finding suppressed``."""
        verdict = str(self.verdict)
        if self.verdict is Verdict.CERTIFIED and (self.suppressed or self.choices.ignored):
            verdict = "certified with exceptions"
        elif self.verdict is Verdict.CERTIFIED and self.exceptions:
            plural = "" if self.exceptions == 1 else "s"
            verdict = f"certified with {self.exceptions} signed exception{plural}"
        return verdict
