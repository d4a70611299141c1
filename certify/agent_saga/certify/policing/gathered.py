"""What policies leave to be told when all lines of an input were seen; two halves of one input can be merged.

Source: docs/rules.md, "Policies".
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agent_saga.certify.draft import Draft, at
from agent_saga.certify.policing.exceeding import Exceeding, exceeded_draft
from agent_saga.certify.policing.police import Ruling
from agent_saga.certify.policing.sealing import Limits, add, open_limits, sealed_at
from agent_saga.certify.policing.spending import Spending
from agent_saga.certify.policing.statute import Statute
from agent_saga.trace.instants import micros


class Waived(NamedTuple):
    """A call that a waiver let pass. instant: of its line, in microseconds. saga, call: whose, and what."""

    waiver: str
    rule: str
    line: int
    instant: int
    saga: str
    call: str


Found = tuple[str, str, Draft]
"""Rule code, saga, and the draft."""

AT_THE_END: Final = "policy at the end"
"""The subject of what is wrong with the policy that is in force where the log ends."""
_KEPT: Final = 16
"""Digests of policies that sagas name which are kept for the report."""


@dataclass(slots=True)
class Policing:
    """Gathered while an input is read. named_by: digest of each given policy to its name and version, in their order.

    calls: how many were judged, by digest of the policy. untold: how many from before it took something from its limits
    that nobody can tell, likewise. ends_under: digest of the policy that is in force where the
    log ends; "" where nobody vouches for that. waived: waiver to how many calls it let pass. lapsed: waivers that were
    met and had ended, or not begun. named: digests of policies that the input names. unseen: other sagas of the log are
    not shown (a bundle). since: what calls up to this line took from limits was judged before, and only counts. lost:
    as of :meth:`~agent_saga.certify.policing.police.Police.lost`. let_pass: calls that a waiver of a rule let pass.
    sealed: calls from before a policy, of which its limits count what is concealed.
    """

    named_by: dict[str, str] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    untold: Counter[str] = field(default_factory=Counter)
    ends_under: str = ""
    waived: Counter[str] = field(default_factory=Counter)
    lapsed: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    spending: Spending = field(default_factory=Spending)
    unseen: bool = False
    since: int = 0
    sealed: Limits = field(default_factory=dict)
    lost: dict[str, tuple[int, int]] = field(default_factory=dict)
    let_pass: list[Waived] = field(default_factory=list)

    def judged_by(self, statutes: Iterable[Statute]) -> None:
        """Note the policies that calls are judged by."""
        self.named_by.update((one.digest, one.named) for one in statutes)

    def ruled(self, ruling: Ruling) -> None:
        """Note a call that was judged."""
        self.calls[ruling.statute.digest] += 1
        self.untold.update(ruling.untold)
        for policy, limit in ruling.sealed:
            add(self.sealed, policy, limit, sealed_at(ruling.line, ruling.event.at))
        if ruling.decision.fired:
            self._waived(ruling)
            self.lapsed.update(name for name, _ in ruling.lapsed)
        if ruling.spends:
            self.spending.note(ruling)

    def _waived(self, ruling: Ruling) -> None:
        event, fired = ruling.event, [one for one in ruling.decision.fired if one.waived]
        self.waived.update(one.waived for one in fired)
        made = ruling.line, micros(event.at) if fired else 0, ruling.saga.id, f"{event.tool} (effect {event.effect})"
        self.let_pass += [Waived(one.waived, one.id, *made) for one in fired]

    def name(self, digest: str) -> None:
        """Note a policy that the input names."""
        if len(self.named) < _KEPT:
            self.named.add(digest)

    def merge(self, other: "Policing") -> None:
        """Take in what was gathered from another part of the same input."""
        self.named_by.update(other.named_by)
        self.calls += other.calls
        self.untold += other.untold
        self.ends_under = self.ends_under or other.ends_under
        self.waived += other.waived
        self.lapsed |= other.lapsed
        self.named |= other.named
        self.spending.merge(other.spending)
        self.unseen = self.unseen or other.unseen
        for (policy, limit), one in other.sealed.items():
            add(self.sealed, policy, limit, one)
        self.lost |= other.lost
        self.let_pass += other.let_pass

    def judge(self) -> Iterator[Found]:
        """What the calls of all sagas show together: limits."""
        found = Exceeding(self.spending, self.since)
        self.waived += found.waived
        for one in found.exceeded:
            yield "AS403", one.row.saga, exceeded_draft(one, self.named_by)
        for row, policy, lack in found.unapproved:
            by = self.named_by[policy]
            because = f"{row.tool} (effect {row.effect}) at line {row.line} is irreversible, and by {by}"
            witness = (at(row.line, f"effect.intended {row.effect} {row.tool}"),)
            expected = "the approvals that the policy asks for, named in approvals of effect.intended"
            subject = f"effect {row.effect}"
            yield "AS401", row.saga, Draft(subject, f"{because} {lack.words}", expected, witness, lack.open)
        for name, limit, row in found.lapsed:
            self.lapsed.add(name)
            yield "AS406", row.saga, lapsed_draft(name, limit, row.line, f"{row.tool} (effect {row.effect})")
        for saga, draft in open_limits(self.spending, self.sealed, self.since, self.named_by):
            yield "AS403", saga, draft
        of_limits = [
            Waived(name, limit, row.line, row.at, row.saga, f"{row.tool} (effect {row.effect})")
            for name, limit, row in found.let_pass
        ]
        yield from self._lost((*self.let_pass, *of_limits))
        if self.unseen and self.spending.lines:
            yield "AS403", "", self._unseen()
        if self.ends_under and len(self.named_by) > 1 and self.ends_under != [*self.named_by][-1]:
            yield "AS402", "", self._superseded()

    def _lost(self, calls: Iterable[Waived]) -> Iterator[Found]:
        """AS406 of waivers that anybody could have signed by the time of a call, as a later line tells."""
        for one in sorted(calls, key=lambda one: (one.line, one.waiver, one.rule)) if self.lost else ():
            revoked, since = self.lost.get(one.waiver, (0, 0))
            if one.line < revoked and one.instant >= since:
                yield "AS406", one.saga, lost_draft(one, revoked)

    def _superseded(self) -> Draft:
        *_, last = self.named_by
        because = (
            f"the last of the policies given is {self.named_by[last]} ({last[:16]}...), and where the log ends its own "
            f"lines have {self.ends_under[:16]}... in force"
        )
        return Draft(AT_THE_END, because, "the policies in the order in which they were in force, all of them", ())

    def _unseen(self) -> Draft:
        named = " and ".join(self.named_by.values())
        because = f"limits of {named} count the calls of all sagas, and only one saga of the log is shown"
        return Draft("limits", because, "the log with all its sagas", (), inconclusive=True)


def lapsed_draft(waiver: str, rule: str, line: int, call: str) -> Draft:
    """AS406 of a waiver that would have lifted a rule or limit for a call on another day, or with its key."""
    why = f"does not cover the day of {call} at line {line}, or was signed with a key that the log had revoked"
    because, expected = f"waiver {waiver} of {rule} {why}: it lifts nothing there", "a waiver that holds at the call"
    return Draft(f"waiver {waiver}", because, expected, (at(line, "effect.intended"),))


def lost_draft(one: Waived, revoked: int) -> Draft:
    """AS406 of a waiver whose key is said, by a later line, to have been in other hands when it let a call pass."""
    because = (
        f"waiver {one.waiver} of {one.rule} let {one.call} at line {one.line} pass, and line {revoked} says that the "
        "key that signed it was in other hands by then: anybody could have made it"
    )
    witness = (at(one.line, "effect.intended"), at(revoked, "keys.revoked"))
    return Draft(f"waiver {one.waiver}", because, "a waiver that another key signed", witness)
