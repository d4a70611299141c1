"""The write-ahead log is made longer ahead of its commits, and nothing that reads it is misled."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from samples import Writer

from agent_saga.trace.store import lengthening
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.ledger import append, parse
from agent_saga.trace.store.lengthening import EVERY, LONGEST, ROOM
from agent_saga.trace.store.sqlite import SqliteEngine

FRAME = 4096 + 24


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqliteEngine]:
    opened = SqliteEngine(str(tmp_path / "a.db"))
    yield opened
    opened.close()


def commit(engine: SqliteEngine, writer: Writer) -> None:
    draft = Draft(engine.begin())
    append(draft, [parse(new) for new in writer.some(3)], (), None, None)
    engine.commit(draft)


def log_of(engine: SqliteEngine) -> Path:
    return Path(engine.place + "-wal")


def filled(log: Path) -> int:
    """Bytes up to the last one that is not zero."""
    return len(log.read_bytes().rstrip(b"\0"))


def lines_in(place: Path) -> list[bytes]:
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [line for (line,) in connection.execute("SELECT line FROM lines ORDER BY idx")]


def test_commits_overwrite_what_was_put_behind_the_log(engine: SqliteEngine) -> None:
    writer, lengths = Writer("s", size=300), []
    for _ in range(60):
        commit(engine, writer)
        lengths.append(log_of(engine).stat().st_size)
    grew = [after - before for before, after in pairwise(lengths) if after > before]
    late = lengths[2 * EVERY :]
    assert grew.count(ROOM) >= 2
    assert len(set(late)) <= len(late) / 3, "most commits leave the log as long as it was"
    assert filled(log_of(engine)) < lengths[-1] <= filled(log_of(engine)) + ROOM + FRAME


def test_a_short_command_does_not_pay_for_it(engine: SqliteEngine) -> None:
    writer = Writer("s")
    for _ in range(EVERY - 1):
        commit(engine, writer)
    assert log_of(engine).stat().st_size - filled(log_of(engine)) < FRAME


def test_every_line_is_there_whenever_the_machine_stops(engine: SqliteEngine, tmp_path: Path) -> None:
    writer, dice = Writer("s", size=300), random.Random(1)
    for number in range(1, 100):
        commit(engine, writer)
        if number % 7 and number % EVERY:
            continue
        for cut in (None, dice.randrange(filled(log_of(engine)), log_of(engine).stat().st_size + 1)):
            place = tmp_path / f"{number}-{cut}.db"
            shutil.copy(engine.place, place)
            log = log_of(engine).read_bytes()[:cut]
            Path(f"{place}-wal").write_bytes(log)
            assert lines_in(place) == engine.read("s", 0)
            assert len(engine.read("s", 0)) == 3 * number


def test_a_torn_commit_over_the_zeros_is_none(engine: SqliteEngine, tmp_path: Path) -> None:
    writer = Writer("s", size=300)
    for _ in range(2 * EVERY):
        commit(engine, writer)
    before, lines = filled(log_of(engine)), engine.read("s", 0)
    commit(engine, writer)
    log = log_of(engine).read_bytes()
    for end in range(before + 1, filled(log_of(engine)), 997):
        place = tmp_path / f"{end}.db"
        shutil.copy(engine.place, place)
        Path(f"{place}-wal").write_bytes(log[:end] + bytes(len(log) - end))
        assert lines_in(place) == lines


def test_two_engines_of_one_store_lengthen_it_in_turns(engine: SqliteEngine) -> None:
    other, writers = SqliteEngine(engine.place), (Writer("a", size=300), Writer("b", size=300))
    for number in range(200):
        chosen = random.Random(number).randrange(2)
        commit((engine, other)[chosen], writers[chosen])
    assert sum(len(other.read(saga, 0)) for saga in "ab") == len(lines_in(Path(engine.place))) == 600
    other.close()


def test_it_stays_within_what_sqlite_copies(engine: SqliteEngine) -> None:
    writer, longest = Writer("s", size=2000), 0
    for _ in range(500):
        commit(engine, writer)
        longest = max(longest, log_of(engine).stat().st_size)
    assert longest <= LONGEST + ROOM + 64 * FRAME


def test_a_disk_that_is_nearly_full_is_left_to_the_commits(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lengthening.os, "statvfs", lambda _: SimpleNamespace(f_bavail=1000, f_frsize=4096))
    writer = Writer("s", size=300)
    for _ in range(4 * EVERY):
        commit(engine, writer)
    assert log_of(engine).stat().st_size - filled(log_of(engine)) < FRAME


def test_a_log_that_cannot_be_lengthened_takes_commits_all_the_same(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(27, os.strerror(27))

    monkeypatch.setattr(lengthening.os, "pwrite", refuse)
    writer = Writer("s")
    for _ in range(4 * EVERY):
        commit(engine, writer)
    assert len(lines_in(Path(engine.place))) == 12 * EVERY
