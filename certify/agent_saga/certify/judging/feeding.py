"""Handing the events of one input to its judge: from the lines of our own trace, or from an importer.

Source: docs/spec/trace-v1.md.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import compress

from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.gathering import Gatherer, Run
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.codec import SALT, decode, decode_all, leaf_hash, leaf_hashes
from agent_saga.trace.errors import LineError
from agent_saga.trace.heads import claimed
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.reader import Opened


def judge_trace(
    opened: Opened, judge: Judge, part: int = 0, parts: int = 1, tick: Callable[[], None] = lambda: None
) -> int:
    """Judge a trace of ours, saga by saga; returns the number of lines.

    part, parts: judge only the sagas whose id falls into this part of ``parts``; the parts together are the whole.
    tick: called now and then, to show progress.
    """
    gatherer, learner = Gatherer(part, parts), judge.for_the_log()
    for run in gatherer.runs(_ticking(opened.blocks(), tick)):
        judge_run(learner if gatherer.elsewhere(run) else judge, run)
    if part == 0:
        _last_bytes(judge, opened, opened.rest, gatherer.lines)
    return gatherer.lines


def _ticking(blocks: Iterable[list[bytes]], tick: Callable[[], None]) -> Iterator[list[bytes]]:
    for block in blocks:
        yield block
        tick()


def judge_run(judge: Judge, run: Run) -> None:
    """Judge some lines of one saga, in their order."""
    read = decode_all(run.lines)
    if read is None:
        _judge_one_by_one(judge, run)
        return
    kept = list(map(judge.see, *read, run.numbers, leaf_hashes(run.lines)))
    salts = [line[SALT] for line in run.lines]
    judge.bench.crossing.salts.add(list(compress(salts, kept)), list(compress(run.numbers, kept)))


def _judge_one_by_one(judge: Judge, run: Run) -> None:
    """Where any of the lines cannot be read."""
    for number, line in zip(*run, strict=True):
        try:
            event, traits = decode(line)
        except LineError as fault:
            _bad_line(judge, line, number, fault)
            continue
        if judge.see(event, traits, number, leaf_hash(line)):
            judge.bench.crossing.salts.add([line[SALT]], [number])


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
