"""Where findings are gathered: drafts become findings, repeats become counts, closed sagas become short reports.

One bench serves one input, or one part of it; the parts' benches are put together by :meth:`Bench.merge`.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush, heapreplace
from typing import Final, NamedTuple

from agent_saga.certify.findings import Finding, Severity, Witness
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.judging.crossing import Crossing
from agent_saga.certify.judging.drafted import finding_of
from agent_saga.certify.report import SagaReport, Verdict
from agent_saga.certify.rule import Draft
from agent_saga.certify.source import Fault
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.limits import LOG_SAGA

MAX_KINDS: Final = 1_000
"""Distinct findings kept of one rule in one input, the first by line; more are counted on the last one, so hostile
input stays small."""

AT_LAST: Final = 1 << 62
"""Stands for the line of what is found when all lines were seen; of a saga that had not ended, with its first line."""

_Key = tuple[str, str, str]
"""What findings are told apart by: rule, saga and subject."""

_Place = tuple[int, int, _Key]
"""The line that gave a finding and its number, both negated, and the finding's key."""

FURTHER: Final = "further findings"
_DIGITS = re.compile(r"\d+")
_UNENDED: Final = ("open", "waiting")
_OPEN: Final = frozenset({"AS503", "AS504"})


class End(NamedTuple):
    """A saga that ended. log: as it says. start, head: hashes of its first and last line. line: where the last stands.

    Nothing may follow there, so the hash of the last line names the whole history.
    """

    log: str
    start: str
    line: int
    head: str


@dataclass
class Bench:
    """Gathers what the rules say about one input. keep_sagas: report every saga, not only those with findings.

    lost_by: for who wants to know, how many findings beyond those that are kept each saga has, by rule. ends: likewise,
    how each saga ended.
    """

    source: str
    disclosures: Disclosures
    keep_sagas: bool = False
    open_is_inconclusive: bool = False
    lost_by: dict[str, Counter[str]] | None = None
    ends: dict[str, End] | None = None
    crossing: Crossing = field(default_factory=Crossing)
    sagas: list[SagaReport] = field(default_factory=list)
    saga_count: int = 0
    _found: dict[_Key, Finding] = field(default_factory=dict)
    _kinds: dict[str, list[_Place]] = field(default_factory=dict)
    """Rule to the findings kept of it, a heap: the line that gave each and its number, negated so that the last of
    them stands at the head."""
    _number: int = 0
    _marked: set[str] = field(default_factory=set)
    """Sagas with a finding."""
    _lost: dict[str, Verdict] = field(default_factory=dict)
    """Sagas with a finding beyond those that are kept, and the verdict that it leaves them."""

    def add(self, code: str, saga: str, draft: Draft, line: int = AT_LAST) -> None:
        """Take in what a rule says when it sees a line; the same about the same subject is counted.

        Sagas may be judged in any order: which findings are kept depends on the lines that gave them.
        """
        key = (code, saga, draft.subject)
        if key in self._found or self._keep(key, line):
            self._marked.add(saga)
            self._count(key, self._finding(code, saga, draft))
        else:
            lost = self._finding(code, saga, draft)
            self._lose(lost)
            self._count((code, "", FURTHER), replace(lost, saga="", subject=FURTHER))

    def _keep(self, key: _Key, line: int) -> bool:
        """Tell whether a new finding is kept; the last of those kept makes room for one that stands before it."""
        self._number += 1
        kept, place = self._kinds.setdefault(key[0], []), (-line, -self._number, key)
        if len(kept) < MAX_KINDS:
            heappush(kept, place)
            return True
        if place < kept[0]:
            return False
        self._overflow(heapreplace(kept, place)[2])
        return True

    def _overflow(self, key: _Key) -> None:
        """One finding more than are kept: it is counted with others of its rule, and its saga stays marked."""
        finding, further = self._found.pop(key), (key[0], "", FURTHER)
        self._lose(finding)
        others = self._found.get(further)
        self._found[further] = replace(finding, saga="", subject=FURTHER)
        if others is not None:
            self._count(further, others)

    def _lose(self, found: Finding) -> None:
        saga = found.saga
        if saga:
            undecided = found.inconclusive and self._lost.get(saga) is not Verdict.NOT_CERTIFIED
            self._lost[saga] = Verdict.INCONCLUSIVE if undecided else Verdict.NOT_CERTIFIED
            if self.lost_by is not None:
                self.lost_by.setdefault(saga, Counter())[found.code] += found.count

    def _count(self, key: _Key, finding: Finding) -> None:
        """Add a finding to those of its key; together they weigh what the heaviest of them weighs."""
        known = self._found.get(key)
        self._found[key] = finding if known is None else together(known, finding)

    def _finding(self, code: str, saga: str, draft: Draft) -> Finding:
        found = finding_of(code, self.source, saga, draft)
        return replace(found, inconclusive=True) if self.open_is_inconclusive and code in _OPEN else found

    def fault(self, fault: Fault) -> None:
        """Take in a fault of the source. Faults of one kind, whatever numbers they name, are counted as one."""
        witness = (Witness(fault.line, fault.what or "line"),) if fault.line else ()
        severity = Severity(fault.severity) if fault.severity else None
        subject = fault.subject
        if subject == "line":
            subject = "line " + _DIGITS.sub("#", fault.message)[:60]
        expected = fault.expected or "a line as the format's specification has it"
        draft = Draft(subject, fault.message, expected, witness, inconclusive=fault.inconclusive, severity=severity)
        self.add(fault.code, fault.saga, draft, fault.line or AT_LAST)

    def close(self, saga: Saga) -> None:
        """A saga has been judged to its last line: keep its report if wanted, and what other sagas need of it."""
        if saga.id != LOG_SAGA:
            self.saga_count += 1
        self.crossing.close(saga)
        if self.ends is not None and saga.ended is not None and not saga.foreign:
            self.ends[saga.id] = End(saga.log, saga.start, saga.last_line, saga.head)
        if self.keep_sagas or saga.id in self._marked or saga.id in self._lost:
            self.sagas.append(_saga_report(self.source, saga))

    def judge_crossing(self) -> None:
        """Judge what only the whole input shows."""
        for code, saga, draft in self.crossing.judge():
            self.add(code, saga, draft)

    def merge(self, other: "Bench") -> None:
        """Take in the bench of another part of the same input."""
        self.crossing.merge(other.crossing)
        self.sagas = sorted(self.sagas + other.sagas, key=_closing)
        self.saga_count += other.saga_count
        if self.ends is not None:
            self.ends |= other.ends or {}
        self._lost |= other._lost
        for key, finding in other._found.items():
            self._count(key, finding)
        for code, places in other._kinds.items():
            self._fewest(self._kinds.setdefault(code, []), places)

    def _fewest(self, kept: list[_Place], places: list[_Place]) -> None:
        """Keep of one rule's findings in both parts as many as of one part, the first by line."""
        known = {key for _, _, key in kept}
        for place in places:
            if place[2] not in known:
                heappush(kept, place)
        while len(kept) > MAX_KINDS:
            self._overflow(heappop(kept)[2])

    def reports(self) -> list[SagaReport]:
        """The sagas that are reported, in the order in which they end; findings that were not kept count here."""
        return [replace(saga, verdict=self._lost.get(saga.saga, saga.verdict)) for saga in self.sagas]

    def findings(self) -> list[Finding]:
        """All findings, in their order."""
        return sorted(self._found.values(), key=lambda found: found.order)


def together(one: Finding, other: Finding) -> Finding:
    """Two findings of one rule about one subject: the first of them, which weighs what the heavier one weighs."""
    return replace(
        min(one, other, key=lambda each: each.line),
        severity=max(one.severity, other.severity, key=lambda each: each.rank),
        inconclusive=one.inconclusive and other.inconclusive,
        count=one.count + other.count,
    )


def _closing(saga: SagaReport) -> tuple[bool, int]:
    """The order in which sagas are closed: as they end; at last those that do not, as they began."""
    unended = saga.status in _UNENDED
    return unended, saga.first_line if unended else saga.last_line


def _saga_report(source: str, saga: Saga) -> SagaReport:
    real = [effect for effect in saga.effects.values() if not effect.preview]
    return SagaReport(
        source=source,
        saga=saga.id,
        name=saga.name,
        status=saga.ended.status if saga.ended else "waiting" if saga.waits else "open",
        verdict=Verdict.CERTIFIED,
        first_line=saga.first_line,
        last_line=saga.last_line,
        lines=saga.lines,
        applied=sum(effect.applied for effect in real),
        undone=sum(effect.undone > 0 for effect in real),
        in_force=sum(effect.in_force and effect.applied for effect in real),
        unknown=sum(effect.in_force and effect.unknown for effect in real),
        timeline=tuple(saga.timeline or ()),
    )
