"""Where the time of one certification goes: the same trace read, decoded, folded and judged, in one process.

Run as a program it prints seconds of processor time as JSON: `python stages.py FILE`.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import floor

from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.feeding import judge_trace
from agent_saga.certify.judging.gathering import Gatherer
from agent_saga.certify.rules import all_rules
from agent_saga.trace.codec import decode_all, leaf_hashes
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.reader import open_input

ROUNDS = 3


def read(path: str) -> None:
    """Bytes to lines, and nothing else."""
    for _ in open_input(path).blocks():
        pass


def decoded(path: str) -> None:
    """Read, gather by saga, decode, leaf hash."""
    for run in Gatherer().runs(open_input(path).blocks()):
        decode_all(run.lines)
        leaf_hashes(run.lines)


def folded(path: str) -> None:
    """Read, decode and fold into the sagas' histories; the chain is followed, no rule is asked."""
    _judged(path, rule_book(all_rules()))


def judged(path: str) -> None:
    """All of it."""
    _judged(path, rule_book())


def _judged(path: str, book: object) -> None:
    bench = Bench("trace", Disclosures())
    judge = Judge(bench, book, foreign=False)  # type: ignore[arg-type]
    judge_trace(open_input(path), judge)
    judge.finish()
    bench.judge_crossing()


def seconds(work: Callable[[str], object], path: str) -> float:
    """How much of a processor it takes: what else runs on the machine counts less than on the clock."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    work(path)
    taken = time.process_time() - started
    gc.enable()
    return taken


def split(path: str) -> dict[str, float]:
    """Best of the rounds for each stage, taken in turns; each stage holds the ones before it."""
    stages: dict[str, Callable[[str], object]] = {
        "floor": lambda name: floor.run(Path(name)),
        "read": read,
        "codec": decoded,
        "model": folded,
        "rules": judged,
    }
    best = dict.fromkeys(stages, float("inf"))
    for _ in range(ROUNDS):
        for name, work in stages.items():
            best[name] = min(best[name], seconds(work, path))
    return best


if __name__ == "__main__":
    print(json.dumps(split(sys.argv[1])))
