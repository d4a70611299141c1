"""Judging what a log gained since it was last certified, together with the sagas that had not ended then.

The judge is certify's own. What it needs of the lines before comes out of the memory: the lines of unended sagas, and
whatever meets a new fact.

Source: docs/guide/nightly.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from agent_saga.certify.judging.crossing import Crossing
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.feeding import judge_run
from agent_saga.certify.judging.gathering import Gatherer, Run
from agent_saga.fleet.errors import StateFault
from agent_saga.fleet.memory import Memory, Numbered
from agent_saga.fleet.state import AGAIN, Counts, State
from agent_saga.proofs.errors import Unprovable
from agent_saga.proofs.hashing import Frontier, leaf
from agent_saga.proofs.log.lines import Lines
from agent_saga.trace.heads import sagas_of
from agent_saga.trace.limits import LOG_SAGA


def counts_of(crossing: Crossing) -> Counts:
    """What was counted so far."""
    policing = crossing.policing
    sealed = [(*about, *one) for about, one in sorted(policing.sealed.items())]
    counted = dict(policing.calls), dict(policing.untold), dict(policing.waived)
    return Counts(crossing.uses.exceptions, *counted, sealed)


@dataclass(slots=True)
class Resumed:
    """What was judged. again: lines that were judged before. size_in_bytes: of the
    new lines, LF included.

    roots: by size, at the sizes in ``due``. last: leaf hash of the last line, "" while there is none.
    unended: the lines of each saga that has not ended. ended: the others, and the line of it. counted: what was counted
    in the lines that were judged again.
    """

    judge: Judge
    edge: Frontier
    last: str
    due: frozenset[int]
    again: int = 0
    size_in_bytes: int = 0
    roots: dict[int, bytes] = field(default_factory=dict)
    unended: dict[str, list[Numbered]] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    counted: Counts = field(default_factory=Counts)
    _hash: Any = None

    def __post_init__(self) -> None:
        self._hash = None if self.edge.size else sha256()

    @property
    def size(self) -> int:
        """Of the log, in lines."""
        return self.edge.size

    @property
    def digest(self) -> str:
        """SHA-256 of all lines with their LFs; "" where some were not read."""
        return self._hash.hexdigest() if self._hash else ""

    def take(self, line: bytes) -> None:
        """One more line of the log."""
        hashed = leaf(line)
        self.edge.add(hashed)
        self.last = hashed.hex()
        self.size_in_bytes += len(line) + 1
        if self._hash:
            self._hash.update(line + b"\n")
        if self.edge.size in self.due:
            self.roots[self.edge.size] = self.edge.root()


def stands(lines: Lines, before: State) -> bool:
    """Whether the last line that was certified still stands where it stood. Raises LogFault."""
    try:
        return not before.size or leaf(lines.at(before.size - 1)).hex() == before.last
    except Unprovable:
        return False


def hash_anew(judge: Judge, lines: Lines, due: frozenset[int]) -> Resumed:
    """Of a log that is not the one that was certified: what its lines come to. None of them is judged."""
    done = Resumed(judge, Frontier(), "", due)
    for _ in _new(done, lines, max(due)):
        pass
    judge.finish()
    return done


def behind(done: Resumed, lines: Lines) -> Frontier:
    """The edge of the tree over all lines, those included that are not due yet and not judged. Raises LogFault."""
    edge = Frontier(done.size, done.edge.subtrees)
    for batch in lines.batches(done.size):
        for line in batch:
            edge.add(leaf(line))
    return edge


def judge_since(judge: Judge, lines: Lines, memory: Memory, before: State, due: frozenset[int]) -> Resumed:
    """Judge the lines from ``before.size`` up to the last size that is due; all that they bear on is recalled.

    The judge is then finished. Raises LogFault, StateFault.
    """
    since, until = before.size, max(due)
    done = Resumed(judge, before.frontier(), before.last, due)
    judge.bench.crossing.policing.since = since
    for run in _unended(memory):
        done.again += len(run.lines)
        _judge(done, memory, run)
    done.counted = counts_of(judge.bench.crossing)
    gatherer = Gatherer(together=1)
    gatherer.lines = since
    for run in gatherer.runs(_new(done, lines, until)):
        _judge(done, memory, run)
    _conclude(done, memory, since)
    return done


def _unended(memory: Memory) -> Iterator[Run]:
    """The log's own lines first, as the judge of parts has them; then saga by saga."""
    runs: dict[bytes, Run] = {}
    rows = memory.unended()
    for (number, line), saga in zip(rows, sagas_of([line for _, line in rows]), strict=True):
        numbers, lines = runs.setdefault(saga, Run([], []))
        numbers.append(number)
        lines.append(line)
    own = runs.pop(LOG_SAGA.encode(), None)
    return iter([*([own] if own else []), *runs.values()])


def _new(done: Resumed, lines: Lines, until: int) -> Iterator[list[bytes]]:
    """The new lines, hashed into the tree as they pass."""
    for batch in lines.batches(done.size):
        block = batch[: until - done.size]
        for line in block:
            done.take(line)
        if block:
            yield block
        if done.size >= until:
            return


def _judge(done: Resumed, memory: Memory, run: Run) -> None:
    """Judge some lines of one saga, and hold on to them while it has not ended."""
    judge, (named,) = done.judge, sagas_of(run.lines[:1])
    saga = named.decode(errors="replace")
    if saga not in judge.open and saga not in judge.closed:
        line = memory.ended(saga)
        if 0 < line <= judge.bench.crossing.policing.since:
            judge.closed[saga] = line
    judge_run(judge, run)
    if saga in judge.open:
        done.unended.setdefault(saga, []).extend(zip(run.numbers, run.lines, strict=True))
    else:
        done.unended.pop(saga, None)


def _conclude(done: Resumed, memory: Memory, since: int) -> None:
    judge = done.judge
    crossing, history = judge.bench.crossing, judge.authority.history
    lost = judge.police.lost(since) if since else {}
    if lost:
        names = ", ".join(sorted(lost))
        raise StateFault(f"waiver {names}: its key is said to have been in other hands earlier; {AGAIN}")
    revoked = history.last.revoked.items() if history else ()
    memory.recall_signatures(crossing, [key for key, one in revoked if one.index >= since], since)
    done.ended = dict(judge.closed)
    judge.finish()
    memory.recall(crossing, since)
