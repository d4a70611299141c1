"""Measures how many lines a second the store in PostgreSQL takes, beside plain COPY of the same bytes on that server.

    python tests/bench/postgres.py                  1 and 4 writers; the sequencer alone
    python tests/bench/postgres.py --lines 20000    fewer lines a writer

A writer is a process with many sagas at once; a line has about 500 bytes. There are two floors, both of the very same
rows, into a table without an index, trigger or log, each transaction as durable as the store's. `COPY a batch` puts as
many rows into a transaction as the store's batches have on average, as if somebody had gathered them: that is what the
store is to reach half of. `COPY an append` puts each append into a transaction of its own, one after another on each
connection, as who appends without a store must, to know of each that it is durable; fewer appends, since it is slow.

The server is a real one, started here with fsync on, in the folder given by --folder. In turns; the best of the rounds
counts. cpu: the processor's time of writers and server together, for a line, in units of `COPY a batch`. What is to be
written is made before, and kept from the garbage collector, which else would look through it, and no process has it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "store_postgres"))

from pgserver import Server, remove

from agent_saga.trace import SagaWriter
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.store.postgres.schema import migrate

ROUNDS = 2
APART = 1500
"""Appends of a writer that commits each by itself."""
STARTED = {"log": "bench.example", "name": "bench", "format": "1.0", "tools": {}}
AT = "2026-11-30T07:00:00.000000Z"
FLOOR = "CREATE TABLE floor (saga text NOT NULL, seq bigint NOT NULL, line bytea NOT NULL)"
COPY = "COPY floor (saga, seq, line) FROM STDIN (FORMAT BINARY)"


class Shape(NamedTuple):
    """sagas: at once in each writer. each: lines of one append."""

    sagas: int
    each: int


SHAPES = {
    "a line an append": Shape(500, 1),
    "a step (5 lines) an append": Shape(200, 5),
    "a saga (50 lines) an append": Shape(20, 50),
}


class Rate(NamedTuple):
    """lines a second, and the processor's time of writers and server for one, in microseconds."""

    lines: float
    cpu: float


def appends_of(writer: str, lines: int, shape: Shape) -> list[list[list[NewLine]]]:
    """For each saga of a writer its appends, in order."""
    count = max(1, lines // (shape.sagas * shape.each))
    return [_saga(f"{writer}-{number}", count, shape.each) for number in range(shape.sagas)]


def _saga(name: str, appends: int, each: int) -> list[list[NewLine]]:
    writer = SagaWriter(name, random.Random(name).randbytes)
    made = [writer.write("saga.started", AT, "runtime", dict(STARTED))]
    while len(made) < appends * each:
        evidence = {"check": f"c{len(made)}", "passed": True, "evidence": "x" * 220}
        made.append(writer.write("check.evaluated", AT, "runtime", evidence))
    lines = [NewLine(name, seq, one.line, one) for seq, one in enumerate(made)]
    return [lines[start : start + each] for start in range(0, len(lines), each)]


async def _append_all(address: str, sagas: list[list[list[NewLine]]]) -> None:
    store = open_store(address)

    async def one(appends: list[list[NewLine]]) -> None:
        for lines in appends:
            await store.append(lines)

    _begin()
    await asyncio.gather(*map(one, sagas))
    await store.close()


def _copy_all(address: str, turns: list[list[NewLine]]) -> None:
    """Copy the rows of each turn, and commit."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        _begin()
        for rows in turns:
            connection.execute("BEGIN")
            with connection.cursor().copy(COPY) as copy:
                copy.set_types(("text", "int8", "bytea"))
                for new in rows:
                    copy.write_row((new.saga, new.seq, new.line))
            connection.execute("COMMIT")


def _begin() -> None:
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    sys.stdin.readline()


def writer(way: str, address: str, name: str, lines: int, sagas: int, each: int) -> None:
    """One writing process: says when it is ready, waits, writes, tells its processor time."""
    made = appends_of(name, lines, Shape(sagas, each))
    turns = list(zip(*made, strict=True))
    before = time.process_time()
    if way == "store":
        asyncio.run(_append_all(address, made))
    elif way == "batch":
        _copy_all(address, [[new for append in turn for new in append] for turn in turns])
    else:
        _copy_all(address, [append for turn in turns for append in turn])
    print(time.process_time() - before, flush=True)


def measured(server: Server, way: str, address: str, writers: int, lines: int, shape: Shape) -> Rate:
    """Let so many writers write at once."""
    lines = min(lines, APART * shape.each) if way == "append" else lines
    before = server_time(server)
    command = [sys.executable, __file__, "--writer", way, address]
    shapes = [str(lines), str(shape.sagas), str(shape.each)]
    running = [
        subprocess.Popen([*command, f"w{n}", *shapes], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(writers)
    ]
    for one in running:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    start = time.perf_counter()
    for one in running:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    spent = [float(one.communicate()[0]) for one in running]
    taken = time.perf_counter() - start
    done = max(1, lines // (shape.sagas * shape.each)) * shape.sagas * shape.each * writers
    return Rate(done / taken, (sum(spent) + server_time(server) - before) / done * 1e6)


def server_time(server: Server) -> float:
    """Seconds of the processor that the server and its processes took, those that have ended among them (proc(5))."""
    total = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if str(server.pid) in (place.parent.name, fields[1]):
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def compare(server: Server, writers: int, lines: int) -> None:
    """Both ways in turns, for each shape; a row each."""
    print(f"{writers} writer{'s' * (writers > 1)}, {lines} lines each")
    print(
        f"  {'':30}{'COPY a batch':>14}{'store lines/s':>15}{'of COPY':>9}{'cpu':>7}{'COPY an append':>16}{'of it':>8}"
    )
    for name, shape in SHAPES.items():
        best = dict.fromkeys(("batch", "append", "store"), Rate(0, 0))
        for _ in range(ROUNDS):
            server.drop("floor")
            server.drop("store")
            server.run(FLOOR, database=server.make("floor").rpartition("/")[2])
            migrate(server.make("store"), dry_run=False)
            for way in best:
                server.run("CHECKPOINT")
                address = server.address("store" if way == "store" else "floor")
                best[way] = max(best[way], measured(server, way, address, writers, lines, shape))
        batch, append, store = best.values()
        print(
            f"  {name:30}{batch.lines:14,.0f}{store.lines:15,.0f}{store.lines / batch.lines:9.0%}"
            f"{store.cpu / batch.cpu:7.2f}{append.lines:16,.0f}{store.lines / append.lines:8.1f}x",
            flush=True,
        )
    print()


def sequencing(server: Server, lines: int) -> None:
    """The sequencer alone: batches that are durable and pending get their places, in one call."""
    import psycopg

    print("sequencer alone, batches pending")
    for each in (1, 100):
        server.drop("sequence")
        address = server.make("sequence")
        migrate(address, dry_run=False)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(PENDING.encode(), {"batches": lines // each, "each": each})
            connection.execute("ANALYZE")
            start = time.perf_counter()
            connection.execute("SELECT agent_saga.sequence()")
            taken = time.perf_counter() - start
        print(
            f"  {f'{each} lines a batch' if each > 1 else 'a line a batch':30}{lines / taken:14,.0f} lines/s",
            flush=True,
        )
    print()


PENDING = """
WITH made AS (
  INSERT INTO agent_saga.events (saga, seq, batch, pos, ends, line)
  SELECT 'saga-' || b, p, b, p, false, convert_to(repeat('x', 500), 'UTF8')
  FROM generate_series(1, %(batches)s::integer) b, generate_series(0, %(each)s::integer - 1) p
  RETURNING 1
)
INSERT INTO agent_saga.pending SELECT b, %(each)s::integer FROM generate_series(1, %(batches)s::integer) b
"""


def run(folder: Path, lines: int = 50_000) -> None:
    """All of it. folder: on the disk that is to be measured."""
    with tempfile.TemporaryDirectory(prefix="agent-saga-pg-", dir=folder) as place:
        Path(place).chmod(0o755)
        server = Server(Path(place), settings={"fsync": "on", "shared_buffers": "256MB", "max_wal_size": "4GB"})
        try:
            for writers in (1, 4):
                compare(server, writers, lines)
            sequencing(server, lines)
        finally:
            server.stop()
            remove(Path(place) / "data")


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python tests/bench/postgres.py", description="Measure the PostgreSQL store.")
    parser.add_argument("--lines", type=int, default=50_000, metavar="N", help="lines of each writer [50000]")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    parser.add_argument("--writer", nargs=6, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.writer:
        way, address, name, *shape = chosen.writer
        writer(way, address, name, *map(int, shape))
    else:
        run(Path(chosen.folder), chosen.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
