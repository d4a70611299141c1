"""What policies leave to be told when all lines of an input were seen; two halves of one input can be merged.

Source: docs/rules.md, "Policies".
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from agent_saga.certify.policing.exceeding import Exceeding, exceeded_draft
from agent_saga.certify.policing.spending import Spending
from agent_saga.certify.rule import Draft, at

if TYPE_CHECKING:
    from agent_saga.certify.policing.police import Ruling
    from agent_saga.policies.model import Policy

Found = tuple[str, str, Draft]
"""Rule code, saga, and the draft."""

_KEPT: Final = 16
"""Digests of policies that sagas name which are kept for the report."""


@dataclass(slots=True)
class Policing:
    """Gathered while an input is read. calls: how many were judged. policy: name and version, "" without one.

    waived: waiver to how many calls it let pass. lapsed: waivers that were met and had ended, or not begun. named:
    digests of policies that the input names. unseen: other sagas of the log are not shown (a bundle). since: what calls
    up to this line took from limits was judged before, and only counts.
    """

    policy: str = ""
    digest: str = ""
    calls: int = 0
    waived: Counter[str] = field(default_factory=Counter)
    lapsed: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    spending: Spending = field(default_factory=Spending)
    unseen: bool = False
    since: int = 0

    def judged_by(self, policy: "Policy") -> None:
        """Note the policy that calls are judged by."""
        self.policy, self.digest = f"policy {policy.policy} version {policy.version}", policy.digest

    def ruled(self, ruling: "Ruling") -> None:
        """Note a call that was judged."""
        self.calls += 1
        if ruling.decision.fired:
            self.waived.update(one.waived for one in ruling.decision.fired if one.waived)
            self.lapsed.update(name for name, _ in ruling.lapsed)
        if ruling.spends:
            self.spending.note(ruling)

    def name(self, digest: str) -> None:
        """Note a policy that the input names."""
        if len(self.named) < _KEPT:
            self.named.add(digest)

    def merge(self, other: "Policing") -> None:
        """Take in what was gathered from another part of the same input."""
        self.policy, self.digest = self.policy or other.policy, self.digest or other.digest
        self.calls += other.calls
        self.waived += other.waived
        self.lapsed |= other.lapsed
        self.named |= other.named
        self.spending.merge(other.spending)
        self.unseen = self.unseen or other.unseen

    def judge(self) -> Iterator[Found]:
        """What the calls of all sagas show together: limits."""
        found = Exceeding(self.spending, self.since)
        self.waived += found.waived
        for one in found.exceeded:
            yield "AS403", one.row.saga, exceeded_draft(one, self.policy)
        for row, lack in found.unapproved:
            because = f"{row.tool} (effect {row.effect}) at line {row.line} is irreversible, and by {self.policy}"
            witness = (at(row.line, f"effect.intended {row.effect} {row.tool}"),)
            expected = "the approvals that the policy asks for, named in approvals of effect.intended"
            subject = f"effect {row.effect}"
            yield "AS401", row.saga, Draft(subject, f"{because} {lack.words}", expected, witness, lack.open)
        for name, limit, row in found.lapsed:
            self.lapsed.add(name)
            yield "AS406", row.saga, lapsed_draft(name, limit, row.line, f"{row.tool} (effect {row.effect})")
        if self.unseen and self.spending.lines:
            yield "AS403", "", self._unseen()

    def _unseen(self) -> Draft:
        because = f"limits of {self.policy} count the calls of all sagas, and only one saga of the log is shown"
        return Draft("limits", because, "the log with all its sagas", (), inconclusive=True)


def lapsed_draft(waiver: str, rule: str, line: int, call: str) -> Draft:
    """AS406 of a waiver that would have lifted a rule or limit for a call on another day."""
    because = f"waiver {waiver} of {rule} does not cover the day of {call} at line {line}: it lifts nothing there"
    return Draft(f"waiver {waiver}", because, "a waiver whose days cover the call", (at(line, "effect.intended"),))
