"""Measures logs: appending lines to the tree and signing, beside the hashing alone; proofs, bundles, memory.

    python tests/bench/proofs.py                    10 k, 100 k and 1 M lines
    python tests/bench/proofs.py --lines 10000000   by hand: 15 minutes and 7 GB of disk, most of it for the trace

A log is made over a SQLite store that begins with log.opened and goes on with the traces of traces.py. One checkpoint
over all of it reads every line, hashes it into the tree, writes the tiles, makes the saga index, appends the
index line and signs. The floor hashes the same lines in memory, two SHA-256 calls a leaf: the leaf, and a node for it;
reading and writing are not in it. Both run in processes of their own, in turns; the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import measure
from traces import Trace

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.log import Log, open_log, write_checkpoint
from agent_saga.proofs.log.lines import open_lines
from agent_saga.proofs.pins import Pins
from agent_saga.trace.heads import claimed

ROUNDS = 3
ORIGIN = "bench.example/log"
KEY = key_from_seed(ORIGIN, "log", b"b" * 32)
NOON = 1796040000.0
PROOFS = 1_000
BUNDLES = 200
OPEN_AT_ONCE = 10_000
COMMIT = 100_000


def make(store: str, lines: str) -> dict[str, Any]:
    """Make a store of at least so many lines, without the syncs of one that is written line by line.

    A commit every ``COMMIT`` lines and a large cache: the index of sagas is written at random places.
    """
    open_log(store, KEY, origin=ORIGIN, now=NOON - 100_000, random=random.Random(1).randbytes)
    trace, begun = Trace(int(lines), OPEN_AT_ONCE), []

    def rows() -> Iterator[tuple[int, str, int, bytes]]:
        for index, line in enumerate(trace.lines(), 1):
            saga, seq = claimed(line) or ("", 0)
            if seq == 0:
                begun.append((index, saga))
            yield index, saga, seq, line

    waiting = rows()
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -700000")
        while part := list(islice(waiting, COMMIT)):
            with connection:
                connection.executemany("INSERT INTO lines (idx, saga, seq, line) VALUES (?, ?, ?, ?)", part)
        with connection:
            connection.executemany("INSERT INTO sagas (first, saga) VALUES (?, ?)", begun)
    return {"lines": trace.written + 1, "sagas": trace.sagas}


def floor(store: str) -> dict[str, Any]:
    """Two SHA-256 calls for each line; the clock runs only while they are made."""
    lines, spent, cpu, count = open_lines(store), 0.0, 0.0, 0
    for batch in lines.batches(0):
        began, busy = time.perf_counter(), time.process_time()
        for line in batch:
            leaf = sha256(b"\0" + line).digest()
            sha256(b"\1" + leaf + leaf).digest()
        spent, cpu = spent + time.perf_counter() - began, cpu + time.process_time() - busy
        count += len(batch)
    lines.close()
    return {"seconds": spent, "cpu": cpu, "lines": count}


def checkpoint(store: str) -> dict[str, Any]:
    """A first checkpoint over everything.

    The log of the round before is moved and not removed: ext4 makes files ten times as slowly for some seconds after
    it removed thousands, and that would be measured.
    """
    if Path(f"{store}.log").exists():
        Path(f"{store}.log").rename(f"{store}.log-{time.time_ns()}")
    began, busy = time.perf_counter(), time.process_time()
    written = write_checkpoint(store, KEY, now=NOON, random=random.Random(2).randbytes)
    spent, cpu = time.perf_counter() - began, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return {"seconds": spent, "cpu": cpu, "peak_mb": peak, "lines": written.lines}


def prove(store: str) -> dict[str, Any]:
    """Proofs of lines, and bundles of whole sagas, chosen at random; verifying those bundles."""
    chosen, pins = random.Random(3), Pins(Pin(ORIGIN, KEY.vkey))
    with Log.open(store) as log:
        size = log.latest.size
        places = [chosen.randrange(1, size - 1) for _ in range(PROOFS)]
        sagas = [(claimed(log.line(place)) or ("", 0))[0] for place in places[:BUNDLES]]
        proofs = [_timed(lambda at=place: log.inclusion(at, size))[0] for place in places]
        made = [_timed(lambda of=saga: make_bundle(log, of)) for saga in sagas]
    checked = [_timed(lambda data=bundle: verify_bundle(data, pins))[0] for _, bundle in made]
    sizes = sorted(len(bundle) for _, bundle in made)
    times = {"proof": proofs, "bundle": [spent for spent, _ in made], "verify": checked}
    return {name: _percentiles(of) for name, of in times.items()} | {"bytes": [sizes[len(sizes) // 2], sizes[-1]]}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def _percentiles(times: list[float]) -> list[float]:
    """p50 and p99, in milliseconds."""
    ordered = sorted(times)
    return [ordered[len(ordered) // 2] * 1e3, ordered[len(ordered) * 99 // 100] * 1e3]


def run(folder: Path, lines: int, rounds: int = ROUNDS) -> None:
    """Measure one size and print its block."""
    store = folder / "log.db"
    made = measure.ask("proofs.py", "make", store, lines)
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for name in ("floor", "checkpoint"):
            found = measure.ask("proofs.py", name, store)
            worst = max(found.get("peak_mb", 0), best.get(name, {}).get("peak_mb", 0))
            kept = min(found, best.get(name, found), key=lambda one: one["cpu"])
            best[name] = kept | {"seconds": min(found["seconds"], kept["seconds"]), "peak_mb": worst}
    _tell(made, best["floor"], best["checkpoint"], measure.ask("proofs.py", "prove", store))
    for path in folder.glob("log.db*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _tell(made: dict[str, Any], floor: dict[str, Any], done: dict[str, Any], proofs: dict[str, Any]) -> None:
    count = made["lines"]
    print(f"log of {count:,} lines, {made['sagas']:,} sagas")
    print(f"  {'':12}{'seconds':>9}{'cpu s':>9}{'leaves/s':>12}{'x floor':>9}{'cpu x':>8}{'peak MB':>10}")
    for name, one in (("floor", floor), ("checkpoint", done)):
        ratios = f"{one['seconds'] / floor['seconds']:9.2f}{one['cpu'] / floor['cpu']:8.2f}"
        peak = f"{one['peak_mb']:10.0f}" if one["peak_mb"] else ""
        print(f"  {name:12}{one['seconds']:9.2f}{one['cpu']:9.2f}{count / one['seconds']:12,.0f}{ratios}{peak}")
    for name, what in (("proof", "of one line"), ("bundle", "of a whole saga"), ("verify", "that bundle")):
        print(f"  {name:8}{what:17}p50 {proofs[name][0]:7.2f} ms   p99 {proofs[name][1]:7.2f} ms")
    print(f"  bundles of {proofs['bytes'][0]:,} bytes in the middle, {proofs['bytes'][1]:,} at most\n", flush=True)


def main(arguments: list[str]) -> int:
    """Measure and print; or, for the processes that this program starts, one of the stages."""
    stages: dict[str, Callable[..., dict[str, Any]]] = {
        "make": make,
        "floor": floor,
        "checkpoint": checkpoint,
        "prove": prove,
    }
    if arguments and arguments[0] in stages:
        print(json.dumps(stages[arguments[0]](*arguments[1:])))
        return 0
    parser = argparse.ArgumentParser(prog="python tests/bench/proofs.py", description="Measure logs and proofs.")
    parser.add_argument("--lines", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], metavar="N")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="of floor and checkpoint [3]")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="agent-saga-bench-", dir=chosen.folder) as folder:
        for lines in chosen.lines:
            run(Path(folder), lines, chosen.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
