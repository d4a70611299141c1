"""Measures a night against the whole log, and two workers of a Temporal server against one.

    python tests/bench/nightly.py                       1 M lines, a night of 1 % and one of 10 % more
    python tests/bench/nightly.py --lines 100000

A night is `certify --state` over a SQLite store that gained so many lines since the run before. The fleet judges the
same log in four parts by `certify --engine temporal`, with one worker and with two. The commands are run in turns; the
best of the rounds counts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "temporal"))

import measure
from temporal_servers import DevServer
from traces import Trace

from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.hashing import Frontier, leaf
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pins, format_pins

ORIGIN = "bench.example/log"
KEY = key_from_seed(ORIGIN, "log", b"n" * 32)
OPEN_AT_ONCE = 10_000
GOAL = 1.7
PARTS = 4


def make(folder: Path, lines: int, nights: list[int]) -> list[int]:
    """Write the log, and a checkpoint for each size at which it is certified; returns the sizes."""
    (folder / "pin").write_text(format_pins(Pins(Pin(ORIGIN, KEY.vkey))))
    sizes, edge, count = [lines - sum(nights[at:]) for at in range(len(nights) + 1)], Frontier(), 0
    with (folder / "log.jsonl").open("wb") as stream:
        for line in Trace(lines, OPEN_AT_ONCE).lines():
            if count == lines:
                break
            stream.write(line + b"\n")
            edge.add(leaf(line))
            count += 1
            if count in sizes:
                point = Checkpoint(ORIGIN, count, edge.root())
                (folder / f"checkpoint-{count}").write_text(str(sign_checkpoint(point, KEY.vkey, KEY)))
    subprocess.run(
        [measure.SAGA, "store", "import", folder / "log.db", folder / "log.jsonl"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return sizes


def under(folder: Path, size: int) -> list[str | Path]:
    """Options of `certify`. What is open at the end is told, and no error here."""
    return [
        "--checkpoint",
        folder / f"checkpoint-{size}",
        "--pin",
        folder / "pin",
        "--open",
        "inconclusive",
        "--no-config",
    ]


def nights(folder: Path, sizes: list[int], rounds: int) -> None:
    """Print the rows of the nights: each judged from the state of the one before."""
    store, certify = folder / "log.db", measure.SAGA
    best: dict[int, measure.Cost] = {}
    for _ in range(rounds):
        state = folder / "state"
        state.unlink(missing_ok=True)
        for size in sizes:
            command = [certify, "certify", store, *under(folder, size), "--state", state]
            best[size] = measure.run(command).better(best.get(size))
    whole = measure.best_of(rounds, {"whole": [certify, "certify", store, *under(folder, sizes[-1]), "--jobs", "1"]})[
        "whole"
    ]
    print(f"certifying {sizes[-1]:,} lines from a state, beside all of them in one process")
    print(f"  {'':24}{'lines':>10}{'seconds':>9}{'cpu s':>9}{'peak MB':>10}{'of the whole':>14}")
    _row("whole, without a state", sizes[-1], whole, whole)
    _row("first, leaves the state", sizes[0], best[sizes[0]], whole)
    for before, size in pairwise(sizes):
        _row("a night", size - before, best[size], whole)
    print(f"  the state has {(folder / 'state').stat().st_size / sizes[-1]:.0f} bytes a line\n", flush=True)


def _row(name: str, lines: int, cost: measure.Cost, whole: measure.Cost) -> None:
    wrong = "" if cost.code in (0, 3) else f"   exit {cost.code}"
    print(
        f"  {name:24}{lines:10,}{cost.seconds:9.2f}{cost.cpu:9.2f}{cost.peak_mb:10.0f}"
        f"{cost.seconds / whole.seconds:14.3f}{wrong}"
    )


def fleet(folder: Path, size: int, rounds: int) -> None:
    """Print the rows of the fleet: the same command with one worker and with two."""
    server = DevServer(folder).start()
    work = folder / "work"
    os.environ["TEMPORAL_ADDRESS"] = server.address
    best: dict[int, measure.Cost] = {}
    try:
        for _ in range(rounds):
            for count in (1, 2):
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir()
                best[count] = _asked(folder, work, size, count).better(best.get(count))
    finally:
        server.stop()
    print(f"certifying {size:,} lines by workers of a Temporal server, {PARTS} parts")
    for count, cost in best.items():
        wrong = "" if cost.code in (0, 3) else f"   exit {cost.code}"
        print(f"  {count} worker{'s' if count > 1 else ' '} {cost.seconds:9.2f} s{wrong}")
    print(f"  two are {best[1].seconds / best[2].seconds:.2f} times as fast as one; goal {GOAL}\n", flush=True)


def _asked(folder: Path, work: Path, size: int, count: int) -> measure.Cost:
    command = [measure.SAGA, "certify-worker", "--work", work]
    workers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(count)]
    try:
        for one in workers:
            assert one.stderr is not None
            one.stderr.readline()  # it says so when it is ready
        asking = ["--engine", "temporal", "--parts", str(PARTS), "--work", work]
        return measure.run([measure.SAGA, "certify", folder / "log.db", *under(folder, size), *asking])
    finally:
        for one in workers:
            one.kill()
            one.wait()


def run(folder: Path, lines: int, rounds: int) -> None:
    """Print all rows."""
    place = folder / "nightly"
    place.mkdir()
    sizes = make(place, lines, [lines // 100, lines // 10])
    nights(place, sizes, rounds)
    fleet(place, sizes[-1], rounds)
    shutil.rmtree(place)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python tests/bench/nightly.py", description="Measure nights and fleets.")
    parser.add_argument("--lines", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="agent-saga-bench-") as folder:
        run(Path(folder), chosen.lines, chosen.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
