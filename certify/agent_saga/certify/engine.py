"""The judge of one input: each line once, in order; a saga is judged when it ends and then forgotten.

Memory grows with the sagas that are open at once, not with the input. Rules look at an event before it is folded into
its saga's history; what they say is gathered by the :class:`Bench`.

Source: docs/rules.md.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from agent_saga.certify.bench import Bench
from agent_saga.certify.fold import FOLD, Fold
from agent_saga.certify.history import Saga
from agent_saga.certify.rule import AtEnd, Draft, OnChain, OnEvent, at
from agent_saga.certify.rules import all_rules
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.conceal import digests_in
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import Event
from agent_saga.trace.heads import claimed, place_of
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.reader import Opened
from agent_saga.trace.values import CONCEALS, LONG_TEXT

_TICK: Final = 0xFFFF
_CONCEALABLE: Final = (
    "args", "result", "undo", "goal", "evidence", "error", "reason", "cause", "why", "resource", "amount"
)  # fmt: skip


def features(saga: Saga) -> set[str]:
    """What a saga holds beyond its line types that a rule may need to meet a case."""
    effects = saga.effects.values()
    found = {"pivot": saga.pivot, "parent": saga.parent, "catalogue": saga.tools}
    met = {name for name, value in found.items() if value}
    met |= {effect.semantics for effect in effects}
    if any(len(call.attempts) > 1 for call in (*effects, *saga.undos.values())):
        met.add("retry")
    return met


class RuleBook(NamedTuple):
    """The functions of the rules that are run, by the moment at which they are called."""

    on: dict[str, tuple[tuple[str, OnEvent], ...]]
    on_text: tuple[tuple[str, OnEvent], ...]
    on_chain: tuple[tuple[str, OnChain], ...]
    at_end: tuple[tuple[str, AtEnd], ...]
    at_open: tuple[tuple[str, AtEnd], ...]


def rule_book(leave_out: Iterable[str] = ()) -> RuleBook:
    """All rules but those left out because the source's format cannot answer them."""
    skipped = set(leave_out)
    rules = [rule for code, rule in all_rules().items() if code not in skipped]
    on = {name: tuple((rule.code, rule.on[name]) for rule in rules if name in rule.on) for name in FOLD}
    return RuleBook(
        on,
        tuple((rule.code, rule.on_text) for rule in rules if rule.on_text),
        tuple((rule.code, rule.on_chain) for rule in rules if rule.on_chain),
        tuple((rule.code, rule.at_end) for rule in rules if rule.at_end),
        tuple((rule.code, rule.at_open) for rule in rules if rule.at_open),
    )


class _Moves(dict[str, tuple[tuple[tuple[str, OnEvent], ...], Fold]]):
    """Line type to its checks and its fold; holds the types that were met."""

    def __init__(self, book: RuleBook) -> None:
        super().__init__()
        self._book = book

    def __missing__(self, kind: str) -> tuple[tuple[tuple[str, OnEvent], ...], Fold]:
        self[kind] = self._book.on[kind], FOLD[kind]
        return self[kind]


class Judge:
    """Judges the events of one input, handed to it in order."""

    def __init__(self, bench: Bench, book: RuleBook, *, foreign: bool, timelines: bool = False) -> None:
        self.bench, self.book = bench, book
        self.foreign, self.timelines = foreign, timelines
        self.open: dict[str, Saga] = {}
        self.closed: dict[str, int] = {}
        self._moves = _Moves(book)
        self._features: set[str] = set()

    def see(self, event: Event, traits: int, line: int, leaf: str) -> None:
        """Judge one event and fold it into its saga. leaf: "" for events of foreign sources."""
        name = event.saga
        saga = self.open.get(name)
        if saga is None:
            if name in self.closed:
                self._after_end(event, line)
                return
            saga = self._begin(name, line)
        kind = event.type
        checks, fold = self._moves[kind]
        if leaf and (
            event.prev != saga.head
            or event.seq != saga.next_seq
            or event.at < saga.at
            or (event.seq == 0) != (kind == "saga.started")
        ):
            if self._off_chain(saga, event, line, leaf):
                return
        for code, check in checks:
            draft = check(saga, event, line)
            if draft is not None:
                self.bench.add(code, name, draft)
        if traits:
            self._payload(saga, event, traits, line)
        fold(saga, event, line, traits, leaf)
        saga.head, saga.next_seq, saga.at = leaf, event.seq + 1, event.at
        saga.last_line, saga.last_type = line, kind
        saga.lines += 1
        if saga.timeline is not None:
            self._mark(saga, event, line)
        if kind == "effect.intended" and event.reads:  # type: ignore[union-attr]
            self._features.add("reads")
            self.bench.crossing.read(name, event, line)  # type: ignore[arg-type]
        if saga.ended is not None:
            self._close(saga, self.book.at_end)

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
            for member in _CONCEALABLE:
                self.bench.crossing.conceal(_digests(getattr(event, member, None)), line)

    def _after_end(self, event: Event, line: int) -> None:
        ended = self.closed[event.saga]
        because = f"saga {event.saga} ended at line {ended}, and line {line} adds {event.type} to it"
        witness = (at(ended, "saga.ended"), at(line, event.type))
        self.bench.add("AS107", event.saga, Draft("after end", because, "no line after saga.ended", witness))

    def _close(self, saga: Saga, rules: tuple[tuple[str, AtEnd], ...]) -> None:
        for code, check in rules:
            for draft in check(saga):
                self.bench.add(code, saga.id, draft)
        self.bench.close(saga)
        self._features |= features(saga)
        del self.open[saga.id]
        self.closed[saga.id] = saga.last_line

    def _mark(self, saga: Saga, event: Any, line: int) -> None:
        ref = next((getattr(event, name) for name in ("effect", "undo", "check", "step", "target") if hasattr(event, name)), "")
        if event.type.startswith("undo."):
            ref = event.undo
        assert saga.timeline is not None  # noqa: S101
        saga.timeline.append((line, event.at, event.type, ref, getattr(event, "tool", "")))


def _digests(value: Any) -> Iterator[str]:
    return digests_in(value.args if hasattr(value, "args") else value)


def judge_trace(
    opened: Opened, judge: Judge, part: int = 0, parts: int = 1, tick: Callable[[], None] = lambda: None
) -> int:
    """Judge a trace of ours line by line; returns the number of lines.

    part, parts: judge only the sagas whose id falls into this part of ``parts``; the parts together are the whole.
    tick: called now and then, to show progress.
    """
    number = 0
    see, salts, lines = judge.see, judge.bench.crossing.salts, judge.bench.crossing.lines
    source = opened.lines()
    ahead = next(source)
    for following in source:
        line, ahead = ahead, following
        number += 1
        if not number & _TICK:
            tick()
        if parts > 1 and place_of(line, parts) != part:
            continue
        try:
            event, traits = decode(line)
        except LineError as fault:
            _bad_line(judge, line, number, fault)
            continue
        salts += event.salt.encode()
        lines.append(number)
        see(event, traits, number, leaf_hash(line))
    if part == 0:
        _last_bytes(judge, opened, ahead, number)
    return number


def _bad_line(judge: Judge, line: bytes, number: int, fault: LineError) -> None:
    """Report a line that cannot be read; it keeps its place in the chain of the saga that it claims."""
    head = claimed(line)
    column = f" (byte {fault.column})" if fault.column is not None and "byte" not in fault.message else ""
    judge.bench.fault(Fault(number, fault.code, f"line {number}: {fault.message}{column}", head[0] if head else ""))
    if head and len(line) <= MAX_LINE:
        judge.skip(head[0], head[1], number, leaf_hash(line))


def _last_bytes(judge: Judge, opened: Opened, rest: bytes, number: int) -> None:
    """What follows the last LF, or broke off, is reported and never read as a line."""
    if opened.truncated:
        message = f"{opened.path} cannot be read to its end: {opened.truncated}"
        judge.bench.fault(Fault(0, "AS109", message, subject="input", expected="a whole and settled file"))
    elif rest:
        message = f"line {number + 1} has {len(rest)} bytes and no line feed: the file ends in the middle of a line"
        judge.bench.fault(Fault(number + 1, "AS109", message, subject="last line", expected="LF after the last line"))


def judge_events(items: Iterable[Observed | Fault], judge: Judge) -> int:
    """Judge what an importer yields; returns the last line that it named."""
    last = 0
    for item in items:
        last = item.line or last
        if isinstance(item, Observed):
            judge.see(item.event, item.traits, item.line, "")
        else:
            judge.bench.fault(item)
    return last
