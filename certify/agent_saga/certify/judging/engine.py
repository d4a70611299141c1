"""The judge of one input: each event once, in the order of its saga; a saga is judged when it ends and then forgotten.

Memory grows with the sagas that are open at once, not with the input. Rules look at an event before it is folded into
its saga's history; what they say is gathered by the :class:`~agent_saga.certify.judging.bench.Bench`.

Source: docs/rules.md.
"""

from functools import cache
from operator import attrgetter
from typing import Final

from msgspec import to_builtins

from agent_saga.certify.approving.use import Use
from agent_saga.certify.approving.using import use_of
from agent_saga.certify.history.closing import close
from agent_saga.certify.history.common import Common
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.judging.bench import AT_LAST, Bench
from agent_saga.certify.judging.book import Moves, RuleBook
from agent_saga.certify.judging.marks import mark_of
from agent_saga.certify.policing.police import Police
from agent_saga.certify.policing.trust import NO_POLICY, PolicyTrust
from agent_saga.certify.rule import POLICY, AtEnd
from agent_saga.certify.standing.authority import Authority
from agent_saga.certify.standing.trust import NOBODY, Trust
from agent_saga.trace.conceal import digests_in
from agent_saga.trace.events import EVENT_TYPES, EffectIntended, Event
from agent_saga.trace.values import CONCEALS, SUSPECT

_NO_PAYLOAD: Final = frozenset({"v", "saga", "seq", "prev", "at", "type", "by", "salt", "tools", "proof"})
"""Members that conceal nothing: a catalogue holds names, and a proof's request may copy what stands elsewhere."""


_first_line = attrgetter("first_line")


class Judge:
    """Judges the events of one input, those of each saga handed to it in order."""

    def __init__(
        self,
        bench: Bench,
        book: RuleBook,
        *,
        foreign: bool,
        timelines: bool = False,
        trust: Trust = NOBODY,
        policy: PolicyTrust = NO_POLICY,
    ) -> None:
        self.bench, self.book = bench, book
        self.foreign, self.timelines = foreign, timelines
        self.open: dict[str, Saga] = {}
        self.closed: dict[str, int] = {}
        authority, approvals = Authority(trust), any(code == "AS305" for code, _ in book.on_use)
        self._police = Police(policy, authority, foreign=foreign, approvals=approvals)
        self._common = Common(authority, bench.crossing.uses, self._police, bench.crossing.policing)
        self._moves = Moves(book, frozenset({POLICY} if self._police else ()))
        if self._police:
            self._common.met.add("policy")
            bench.crossing.policing.judged_by(self._police.statutes.values())

    def see(self, event: Event, traits: int, line: int, leaf: str) -> bool:
        """Judge one event and fold it into its saga; tell whether it became part of the saga's history.

        leaf: "" for events of foreign sources.
        """
        name, kind, seq = event.saga, event.type, event.seq
        saga = self.open.get(name)
        if saga is None:
            if name in self.closed:
                self._late(event, line)
                return False
            saga = self._begin(name, line)
        opens, checks, fold, then = saga.moves[kind]
        follows = not leaf or (
            event.prev == saga.head and seq == saga.next_seq and event.at >= saga.at and (seq == 0) is opens
        )
        if not follows and self._off_chain(saga, event, line, leaf):
            return False
        for code, check in checks:
            draft = check(saga, event, line)
            if draft is not None:
                self.bench.add(draft.code or code, name, draft, line)
        if type(event) is EffectIntended and (self._police or saga.asked or saga.approvals):
            self._used(saga, event, line)
        if traits:
            self._payload(saga, event, traits, line)
        fold(saga, event, line, traits, leaf)
        if then is not None:
            saga.moves = then
        saga.head, saga.next_seq, saga.at = leaf, seq + 1, event.at
        saga.last_line, saga.last_type = line, kind
        saga.lines += 1
        if saga.timeline is not None:
            saga.timeline.append(mark_of(event, line))
        if saga.ended is not None:
            self._end(saga)
        return True

    def skip(self, name: str, seq: int, line: int, leaf: str) -> None:
        """A line of this saga that cannot be read still has a place in its chain."""
        saga = self.open.get(name)
        if saga is None:
            if name in self.closed:
                return
            saga = self._begin(name, line)
        saga.head, saga.next_seq = leaf, seq + 1
        saga.last_line, saga.last_type = line, "unreadable line"
        saga.lines += 1

    def cover(self, size: int | None, origin: str = "") -> None:
        """The input is held against a checkpoint of so many lines; None when it is signed by nobody who counts.

        origin: the pinned log's.
        """
        self._common.met.add("checkpoint")
        self._common.covered, self._common.origin = size, origin

    def for_the_log(self) -> "Judge":
        """A judge of the log's own lines for a part that they do not fall into: it learns, and tells nothing."""
        other = Judge(Bench("", self.bench.disclosures), self.book, foreign=False)
        other._common = self._common
        return other

    @property
    def police(self) -> Police:
        """The user's policies, and what they say of calls."""
        return self._police

    @property
    def authority(self) -> Authority:
        """Who may approve, as the lines seen so far tell."""
        return self._common.authority

    @property
    def met(self) -> set[str]:
        """Line types and features met: what :attr:`Rule.needs` names."""
        return self._common.met | self._moves.met

    def finish(self) -> None:
        """Judge the sagas that had not ended where the input ends."""
        for saga in sorted(self.open.values(), key=_first_line):
            self._close(saga, self.book.at_open, AT_LAST + saga.first_line)
        self.bench.crossing.policing.ends_under = self._police.in_force(AT_LAST) or ""
        self.bench.crossing.policing.lost = self._police.lost()
        history = self.authority.history
        for code, name, draft in self.bench.crossing.uses.lost(history, self.authority.begins) if history else ():
            self.bench.add(code, name, draft)

    def _begin(self, name: str, line: int) -> Saga:
        saga = Saga(
            id=name,
            source=self.bench.source,
            disclosures=self.bench.disclosures,
            foreign=self.foreign,
            first_line=line,
            common=self._common,
            timeline=[] if self.timelines else None,
            moves=self._moves,
        )
        self.open[name] = saga
        return saga

    def _off_chain(self, saga: Saga, event: Event, line: int, leaf: str) -> bool:
        """Ask the chain rules about a line that does not simply follow; tell whether it is no part of the history."""
        skip = False
        for code, check in self.book.on_chain:
            draft = check(saga, event, line, leaf)
            if draft is not None:
                self.bench.add(code, saga.id, draft, line)
                skip = skip or draft.skip
        return skip

    def _used(self, saga: Saga, event: EffectIntended, line: int) -> None:
        """Verify the approvals that an intent relies on, ask the policy, and the rules about both."""
        use = use_of(saga, event, line) if saga.asked or saga.approvals else None
        if use is not None:
            self.bench.crossing.uses.used(use)
            for code, check in self.book.on_use:
                for draft in check(use):
                    self.bench.add(draft.code or code, saga.id, draft, line)
            if use.faulty:
                self._faulted(use)
        if self._police and event.effect not in saga.effects:
            self._ruled(saga, event, line, use)

    def _faulted(self, use: Use) -> None:
        """Ask the rules about each approval that does not count."""
        for answer in use.answers:
            for code, check in self.book.on_answer if answer.code else ():
                draft = check(use, answer)
                if draft is not None:
                    self.bench.add(draft.code or code, use.saga.id, draft, use.line)

    def _ruled(self, saga: Saga, event: EffectIntended, line: int, use: Use | None) -> None:
        """Ask the policy about a call, once for each effect, and the rules about its answer."""
        ruling = self._police.rule(saga, event, line, use)
        if ruling is None:
            return
        self.bench.crossing.policing.ruled(ruling)
        for code, check in self.book.on_call:
            for draft in check(ruling):
                self.bench.add(draft.code or code, saga.id, draft, line)

    def _payload(self, saga: Saga, event: Event, traits: int, line: int) -> None:
        if traits & SUSPECT:
            for code, check in self.book.on_text:
                draft = check(saga, event, line)
                if draft is not None:
                    self.bench.add(code, saga.id, draft, line)
        if traits & CONCEALS:
            for member in _payloads(event.type):
                value = getattr(event, member)
                if value is not None and type(value) is not str:
                    copied = _proposed_at(saga, event) if member == "args" else 0
                    self.bench.crossing.conceal(digests_in(to_builtins(value)), line, copied)

    def _late(self, event: Event, line: int) -> None:
        for code, check in self.book.on_late:
            draft = check(event, self.closed[event.saga], line)
            if draft is not None:
                self.bench.add(code, event.saga, draft, line)

    def _end(self, saga: Saga) -> None:
        close(saga)
        for code, effect in saga.left:
            on_left = self.book.on_left.get(code)
            draft = on_left(saga, effect) if on_left else None
            if draft is not None:
                self.bench.add(code, saga.id, draft, saga.last_line)
        self._close(saga, self.book.at_end, saga.last_line)

    def _close(self, saga: Saga, rules: tuple[tuple[str, AtEnd], ...], line: int) -> None:
        for code, check in rules:
            for draft in check(saga):
                self.bench.add(draft.code or code, saga.id, draft, line)
        self.bench.close(saga)
        del self.open[saga.id]
        self.closed[saga.id] = saga.last_line


@cache
def _payloads(kind: str) -> tuple[str, ...]:
    """The members of a line type in which something may stand concealed."""
    return tuple(name for name in EVENT_TYPES[kind].__struct_fields__ if name not in _NO_PAYLOAD)


def _proposed_at(saga: Saga, event: Event) -> int:
    """The line whose concealed arguments an intent repeats, because persons signed them so; 0 for none."""
    if not isinstance(event, EffectIntended) or not event.approvals or event.step not in saga.steps:
        return 0
    return saga.steps[event.step].line
