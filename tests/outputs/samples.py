"""Reports to write out: one rich one, and one for each odd case that every format must hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent_saga.certify.findings import Finding, Severity, Witness
from agent_saga.certify.report import (
    Choices,
    Exit,
    InputReport,
    Mark,
    Report,
    SagaReport,
    Suppressed,
    Verdict,
)

HOSTILE = (
    "a\nb\x1b[31m\u202eevil\u2066 ]]> --> | `` \x00 \ud800 \ufffe <b>x</b> & \"'{0} ](x) @team #12 "
    "https://x.example www.x.example %0A ::error:: # TODO"
)
BAD = "fixtures/demo/bad.jsonl"
GOOD = "fixtures/demo/good.jsonl"
HISTORY = "logs/temporal/history.json"


@dataclass(frozen=True)
class Rule:
    """A stand-in for the shipped rules."""

    code: str
    name: str
    severity: Severity
    family: str = "effects"
    what: str = "An effect took place and nothing undid it."
    why: str = "The outside world keeps a change that the trace calls rolled back."
    bad: str = '{"type":"effect.succeeded"}\n{"type":"saga.ended"}'
    good: str = '{"type":"undo.succeeded"}'
    fix: str = "Undo the effect before the saga ends."


RULES = {
    rule.code: rule
    for rule in (
        Rule("AS108", "clock-went-back", Severity.WARNING, "integrity"),
        Rule("AS201", "uncompensated-effect", Severity.ERROR),
        Rule("AS209", "partial-or-excess-undo", Severity.ERROR),
        Rule("AS602", "value-withheld", Severity.ERROR, "disclosure"),
    )
}


@dataclass(frozen=True)
class LinkedMark(Mark):
    """A mark that says what an undo is for and how a check ended."""

    target: str = ""
    result: str = ""


def _mark(line: int, kind: str, ref: str = "", tool: str = "", target: str = "", result: str = "") -> Mark:
    at = f"2026-11-30T07:00:{line:02d}.{line * 1371:06d}Z"
    return LinkedMark(line, at, kind, ref, tool, target, result)


TRIP = (
    _mark(1, "saga.started"),
    _mark(2, "step.proposed", "s1", "flights.book"),
    _mark(3, "effect.intended", "e1", "flights.book"),
    _mark(4, "effect.succeeded", "e1", "flights.book"),
    _mark(5, "step.proposed", "s2", "payments.charge"),
    _mark(6, "approval.requested", "s2"),
    _mark(7, "approval.recorded", "s2"),
    _mark(8, "effect.intended", "e2", "payments.charge"),
    _mark(9, "effect.succeeded", "e2", "payments.charge"),
    _mark(10, "effect.intended", "e3", "hotels.book"),
    _mark(11, "effect.unknown", "e3", "hotels.book"),
    _mark(12, "effect.reconciled", "e3", "hotels.book", result="absent"),
    _mark(13, "check.evaluated", "trip-complete", result="failed"),
    _mark(14, "rollback.started"),
    _mark(15, "undo.intended", "u1", "flights.cancel", target="e1"),
    _mark(16, "undo.succeeded", "u1", "flights.cancel", target="e1"),
    _mark(17, "undo.intended", "u2", "payments.refund", target="e2"),
    _mark(18, "undo.failed", "u2", "payments.refund", target="e2"),
    _mark(19, "saga.ended"),
)
ORDER = (
    _mark(1, "saga.started"),
    _mark(2, "step.proposed", "s1", "payments.charge"),
    _mark(3, "effect.intended", "e1", "payments.charge"),
    _mark(4, "effect.succeeded", "e1", "payments.charge"),
    _mark(5, "check.evaluated", "paid", result="passed"),
    _mark(6, "saga.ended"),
)

CHARGED = Finding(
    code="AS201",
    name="uncompensated-effect",
    severity=Severity.ERROR,
    source=BAD,
    saga="k3JxQ0m7y2aTt5v9WcZ1eA",
    subject="effect e2",
    because="payments.charge took effect (e2, 420.00 EUR) and was not undone, yet the saga ended compensated_verified.",
    expected="undo.succeeded of payments.refund for e2 over 420.00 EUR",
    fix="Retry payments.refund with its key until it is confirmed, then end the saga.",
    witness=(Witness(9, "effect.succeeded e2 payments.charge"), Witness(19, "saga.ended compensated_verified")),
)
CLOCK = Finding(
    code="AS108",
    name="clock-went-back",
    severity=Severity.WARNING,
    source=BAD,
    saga="k3JxQ0m7y2aTt5v9WcZ1eA",
    subject="line",
    because="The clock went back by 3 s between two lines.",
    expected="a time at or after 2026-11-30T07:00:11Z",
    fix="Keep the clocks of the workers in step.",
    witness=(Witness(11, "effect.unknown e3 hotels.book"), Witness(12, "effect.reconciled e3 hotels.book")),
    count=2,
)
WITHHELD = Finding(
    code="AS602",
    name="value-withheld",
    severity=Severity.ERROR,
    source=BAD,
    saga="k3JxQ0m7y2aTt5v9WcZ1eA",
    subject="undo u1",
    because="The refund's amount is concealed, so it cannot be compared with the charge.",
    expected="the disclosure of /args/amount of line 15",
    fix="Hand over the disclosure with --disclosures.",
    witness=(Witness(15, "undo.intended u1 flights.cancel"),),
    inconclusive=True,
)
HIDDEN = Finding(
    code="AS209",
    name="partial-or-excess-undo",
    severity=Severity.ERROR,
    source=HISTORY,
    saga="order-77",
    subject="effect e1",
    because="Refunded 10.00 EUR of 12.00 EUR.",
    expected="2.00 EUR more",
    fix="Refund the rest.",
    witness=(Witness(0, "undo.succeeded u1 refund"),),
)

_SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_BAD_INPUT = InputReport(BAD, "agent-saga trace 1.0", 19, 8123, _SHA, 1)
_GOOD_INPUT = InputReport(GOOD, "agent-saga trace 1.0", 6, 2210, _SHA[::-1], 1)
_HISTORY_INPUT = InputReport(
    HISTORY,
    "Temporal workflow history",
    41,
    19004,
    "ab" * 32,
    1,
    not_assessable={"AS104": "a history has no hash chain", "AS215": "a history has no pivot"},
    assumptions=("The server that exported the history did not alter it (integrity not assessable).",),
)
_TRIP = SagaReport(
    BAD,
    CHARGED.saga,
    "book-trip",
    "compensated_verified",
    Verdict.NOT_CERTIFIED,
    1,
    19,
    19,
    applied=2,
    undone=1,
    in_force=1,
    unknown=0,
    timeline=TRIP,
)
_ORDER = SagaReport(
    GOOD, "Zt5v9WcZ1eAk3JxQ0m7y2a", "order", "succeeded_verified", Verdict.CERTIFIED, 1, 6, 6, 1, 0, 1, 0, ORDER
)
_FLOW = SagaReport(
    HISTORY, "order-77", "OrderWorkflow", "succeeded_unverified", Verdict.CERTIFIED, 1, 41, 41, 1, 1, 0, 0
)

RICH = Report(
    tool_version="0.1.0",
    rule_set="5e" * 32,
    verdict=Verdict.NOT_CERTIFIED,
    exit_code=Exit.NOT_CERTIFIED,
    inputs=(_BAD_INPUT, _GOOD_INPUT, _HISTORY_INPUT),
    sagas=(_TRIP, _ORDER, _FLOW),
    saga_count=3,
    findings=(CHARGED, CLOCK, WITHHELD),
    suppressed=(Suppressed(HIDDEN, "baseline"),),
    stale_baseline=("0a" * 32,),
    choices=Choices(
        ignored=("AS407",), config="pyproject.toml", baseline="saga-baseline.json", baseline_sha256="cd" * 32
    ),
    rules_run=("AS108", "AS201", "AS209", "AS602"),
    rules_not_exercised=("AS209",),
)
CLEAN = replace(
    RICH,
    verdict=Verdict.CERTIFIED,
    exit_code=Exit.CERTIFIED,
    inputs=(_GOOD_INPUT,),
    sagas=(_ORDER,),
    saga_count=1,
    findings=(),
    suppressed=(),
    stale_baseline=(),
    choices=Choices(),
)
NOTHING = replace(
    CLEAN, verdict=Verdict.NOTHING, exit_code=Exit.NOTHING, inputs=(), sagas=(), saga_count=0, rules_not_exercised=()
)
EMPTY_FILE = replace(NOTHING, inputs=(InputReport("empty.jsonl", "unknown", 0, 0, _SHA, 0),))
UNREADABLE = replace(
    CLEAN,
    verdict=Verdict.NOT_CERTIFIED,
    exit_code=Exit.NOT_CERTIFIED,
    inputs=(_GOOD_INPUT, InputReport("gone.jsonl", "unknown", 0, 0, "", 0, error="no such file; check the path")),
)
UNDECIDED = replace(
    RICH, verdict=Verdict.INCONCLUSIVE, exit_code=Exit.INCONCLUSIVE, findings=(WITHHELD,), suppressed=()
)
PASSED_OPEN = replace(
    UNDECIDED,
    verdict=Verdict.CERTIFIED,
    exit_code=Exit.CERTIFIED,
    inputs=(_BAD_INPUT,),
    sagas=(replace(_TRIP, verdict=Verdict.INCONCLUSIVE),),
    choices=Choices(inconclusive="pass"),
)
SUPPRESSED = replace(
    CLEAN, suppressed=(Suppressed(HIDDEN, "baseline"), Suppressed(CLOCK, "--ignore AS108")), choices=Choices(now="2026")
)
STDIN = replace(
    RICH,
    inputs=(replace(_BAD_INPUT, path="-"),),
    findings=(replace(CHARGED, source="-"), replace(CHARGED, source="-", saga="", witness=())),
    sagas=(replace(_TRIP, source="-"),),
)
MANY = replace(
    RICH,
    findings=tuple(
        replace(CHARGED, saga=f"saga-{n % 500}", subject=f"effect e{n}", witness=(Witness(n, "effect.succeeded"),))
        for n in range(1, 10_001)
    ),
    sagas=(),
    saga_count=500,
)


def _hostile_saga() -> SagaReport:
    marks = tuple(
        replace(mark, tool=HOSTILE, ref=HOSTILE, at=HOSTILE, type=HOSTILE if mark.line == 5 else mark.type)
        for mark in TRIP
    )
    return replace(_TRIP, source=HOSTILE, saga=HOSTILE, name=HOSTILE, status=HOSTILE, timeline=marks)


HOSTILE_REPORT = replace(
    RICH,
    tool_version=HOSTILE,
    rule_set=HOSTILE,
    inputs=(
        InputReport(HOSTILE, HOSTILE, 1, 1, _SHA, 1, {HOSTILE: HOSTILE}, (HOSTILE,)),
        InputReport(f"/{HOSTILE}", HOSTILE, 0, 0, "", 0, error=HOSTILE),
    ),
    sagas=(_hostile_saga(),),
    findings=(
        replace(
            CHARGED,
            name=HOSTILE,
            source=HOSTILE,
            saga=HOSTILE,
            subject=HOSTILE,
            because=HOSTILE,
            expected=HOSTILE,
            fix=HOSTILE,
            witness=(Witness(9, HOSTILE),),
        ),
    ),
    suppressed=(Suppressed(replace(HIDDEN, source=HOSTILE, because=HOSTILE), HOSTILE),),
    stale_baseline=(HOSTILE,),
    choices=Choices(ignored=(HOSTILE,), config=HOSTILE, baseline=HOSTILE, now=HOSTILE),
    rules_not_exercised=(HOSTILE,),
)

SAMPLES = {
    "rich": RICH,
    "clean": CLEAN,
    "nothing": NOTHING,
    "empty-file": EMPTY_FILE,
    "unreadable": UNREADABLE,
    "undecided": UNDECIDED,
    "passed-open": PASSED_OPEN,
    "suppressed": SUPPRESSED,
    "stdin": STDIN,
    "many": MANY,
    "hostile": HOSTILE_REPORT,
}
