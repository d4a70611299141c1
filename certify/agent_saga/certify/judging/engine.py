"""The judge of one input: each event once, in order; a saga is judged when it ends and then forgotten.

Memory grows with the sagas that are open at once, not with the input. Rules look at an event before it is folded into
its saga's history; what they say is gathered by the :class:`~agent_saga.certify.judging.bench.Bench`.

Source: docs/rules.md.
"""

from typing import Final

from msgspec import to_builtins

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import Moves, RuleBook
from agent_saga.certify.judging.marks import mark_of
from agent_saga.certify.rule import AtEnd
from agent_saga.trace.conceal import digests_in
from agent_saga.trace.events import Event
from agent_saga.trace.values import CONCEALS, LONG_TEXT

_OPENINGS: Final = frozenset({"saga.started", "log.opened"})


class Judge:
    """Judges the events of one input, handed to it in order."""

    def __init__(self, bench: Bench, book: RuleBook, *, foreign: bool, timelines: bool = False) -> None:
        self.bench, self.book = bench, book
        self.foreign, self.timelines = foreign, timelines
        self.open: dict[str, Saga] = {}
        self.closed: dict[str, int] = {}
        self._moves = Moves(book)
        self._features: set[str] = set()

    def see(self, event: Event, traits: int, line: int, leaf: str) -> bool:
        """Judge one event and fold it into its saga; tell whether it became part of the saga's history.

        leaf: "" for events of foreign sources.
        """
        name = event.saga
        saga = self.open.get(name)
        if saga is None:
            if name in self.closed:
                self._late(event, line)
                return False
            saga = self._begin(name, line)
        kind = event.type
        checks, fold = self._moves[kind]
        follows = (
            event.prev == saga.head
            and event.seq == saga.next_seq
            and event.at >= saga.at
            and (event.seq == 0) == (kind in _OPENINGS)
        )
        if leaf and not follows and self._off_chain(saga, event, line, leaf):
            return False
        for code, check in checks:
            draft = check(saga, event, line)
            if draft is not None:
                self.bench.add(draft.code or code, name, draft)
        if traits:
            self._payload(saga, event, traits, line)
        fold(saga, event, line, traits, leaf)
        saga.head, saga.next_seq, saga.at = leaf, event.seq + 1, event.at
        saga.last_line, saga.last_type = line, kind
        saga.lines += 1
        if saga.timeline is not None:
            saga.timeline.append(mark_of(event, line))
        if kind == "effect.intended" and event.reads:  # type: ignore[union-attr]
            self._features.add("reads")
            self.bench.crossing.read(name, event, line)  # type: ignore[arg-type]
        if saga.ended is not None:
            self._close(saga, self.book.at_end)
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

    @property
    def met(self) -> set[str]:
        """Line types and features met: what :attr:`Rule.needs` names."""
        return self._features | self._moves.keys()

    def finish(self) -> None:
        """Judge the sagas that had not ended where the input ends."""
        for saga in list(self.open.values()):
            self._close(saga, self.book.at_open)

    def _begin(self, name: str, line: int) -> Saga:
        saga = Saga(id=name, source=self.bench.source, disclosures=self.bench.disclosures, foreign=self.foreign)
        saga.first_line = line
        saga.timeline = [] if self.timelines else None
        self.open[name] = saga
        return saga

    def _off_chain(self, saga: Saga, event: Event, line: int, leaf: str) -> bool:
        """Ask the chain rules about a line that does not simply follow; tell whether it is no part of the history."""
        skip = False
        for code, check in self.book.on_chain:
            draft = check(saga, event, line, leaf)
            if draft is not None:
                self.bench.add(code, saga.id, draft)
                skip = skip or draft.skip
        return skip

    def _payload(self, saga: Saga, event: Event, traits: int, line: int) -> None:
        if traits & LONG_TEXT:
            for code, check in self.book.on_text:
                draft = check(saga, event, line)
                if draft is not None:
                    self.bench.add(code, saga.id, draft)
        if traits & CONCEALS:
            members = to_builtins(event)
            members.pop("proof", None)  # a proof's request may copy what stands concealed elsewhere
            self.bench.crossing.conceal(digests_in(members), line)

    def _late(self, event: Event, line: int) -> None:
        for code, check in self.book.on_late:
            draft = check(event, self.closed[event.saga], line)
            if draft is not None:
                self.bench.add(code, event.saga, draft)

    def _close(self, saga: Saga, rules: tuple[tuple[str, AtEnd], ...]) -> None:
        for code, check in rules:
            for draft in check(saga):
                self.bench.add(draft.code or code, saga.id, draft)
        self.bench.close(saga)
        self._features |= features(saga)
        del self.open[saga.id]
        self.closed[saga.id] = saga.last_line


def features(saga: Saga) -> set[str]:
    """What a saga holds beyond its line types that a rule may need to meet a case."""
    effects = saga.effects.values()
    found = {"pivot": saga.pivot, "parent": saga.parent, "catalogue": saga.tools}
    met = {name for name, value in found.items() if value}
    met |= {effect.semantics for effect in effects}
    if any(len(call.attempts) > 1 for call in (*effects, *saga.undos.values())):
        met.add("retry")
    return met
