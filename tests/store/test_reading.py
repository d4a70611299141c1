"""A SQLite store is judged and looked at by its path, also while it is written, and nothing is left beside it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from samples import Writer, concealed, whole

from agent_saga.certify.report import Report, Verdict
from agent_saga.certify.run import Options, certify
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.store.following import follow, lines_since
from agent_saga.trace.store.inspecting import inspect
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.moving import export, import_lines
from agent_saga.trace.store.opening import open_engine

ROOT = Path(__file__).parents[2]
TRACES = sorted((ROOT / "fixtures" / "rules").glob("AS2*/bad_*.jsonl"))[::4] + sorted(
    (ROOT / "fixtures" / "demo").glob("*.jsonl")
)


def stored(trace: Path, place: Path) -> Path:
    """The trace in a SQLite store."""
    engine = open_engine(str(place))
    import_lines(engine, str(trace))
    engine.close()
    return place


def judged(path: Path) -> Report:
    """What certify says, without the name of the input."""
    report = certify([str(path)], Options(keep_sagas=True))
    inputs = tuple(replace(one, path="") for one in report.inputs)
    findings = tuple(replace(one, source="") for one in report.findings)
    return replace(report, inputs=inputs, findings=findings, sagas=tuple(replace(s, source="") for s in report.sagas))


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_store_is_judged_as_its_export(trace: Path, tmp_path: Path) -> None:
    try:
        place = stored(trace, tmp_path / "s.db")
    except Exception as fault:  # a trace whose chain is broken cannot be imported
        pytest.fail(f"{trace}: {fault}")
    with (tmp_path / "e.jsonl").open("wb") as out:
        export(str(place), out)
    assert (tmp_path / "e.jsonl").read_bytes() == trace.read_bytes()
    assert judged(place) == judged(tmp_path / "e.jsonl")


def test_nothing_is_left_beside_a_store_that_is_judged(tmp_path: Path) -> None:
    place = stored(ROOT / "fixtures" / "demo" / "good.jsonl", tmp_path / "s.db")
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in os.listdir(tmp_path)}
    assert certify([str(place)]).verdict is Verdict.CERTIFIED
    inspect(str(place), 0)
    list(lines_since(str(place), 0))
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in os.listdir(tmp_path)} == before


def test_a_store_that_a_killed_process_left_is_judged_with_its_log(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s.db")
    asyncio.run(store.append(whole("a")))
    for name in ("s.db", "s.db-wal"):  # as they stand when the process dies
        shutil.copy(tmp_path / name, tmp_path / f"copy-{name}")
    asyncio.run(store.close())
    assert open_input(str(tmp_path / "copy-s.db")).head.count(b"\n") == 4


def test_a_store_is_judged_at_one_moment_while_it_is_written(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    store = open_store(place)
    asyncio.run(store.append(whole("first")))
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            asyncio.run(store.append(whole(f"saga-{number}")))
            number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(15):
            report = certify([str(place)])
            assert {finding.code for finding in report.findings} <= {"AS501", "AS502"}  # no line missing, no break
            assert report.inputs[0].lines % 4 == 0
    finally:
        stop.set()
        thread.join()
    asyncio.run(store.close())


def test_an_empty_store_is_nothing_to_judge(tmp_path: Path) -> None:
    asyncio.run(open_store(tmp_path / "s.db").close())
    assert certify([str(tmp_path / "s.db")]).verdict is Verdict.NOTHING


def _foreign(place: Path) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE t (x)")


def _newer(place: Path) -> None:
    asyncio.run(open_store(place).close())
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA user_version = 9")


def _no_triggers(place: Path) -> None:
    asyncio.run(open_store(place).close())
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER lines_no_delete")


def _only_the_first_bytes(place: Path) -> None:
    place.write_bytes(b"SQLite format 3\0" + b"\0" * 4096)


CASES = {
    "not an agent-saga store": (_foreign, "not an agent-saga store"),
    "a newer schema": (_newer, "install a newer agent-saga"),
    "triggers dropped": (_no_triggers, "somebody changed them"),
    "only the first bytes": (_only_the_first_bytes, "not a"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_database_that_is_no_store_is_told_in_one_line(case: str, tmp_path: Path) -> None:
    make, says = CASES[case]
    make(tmp_path / "s.db")
    with pytest.raises(SourceError, match=says) as told:
        open_input(str(tmp_path / "s.db"))
    assert str(told.value).startswith(str(tmp_path))
    assert "\n" not in str(told.value)


def test_a_line_that_is_missing_in_the_middle_breaks_the_reading_off(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    store = open_store(place)
    asyncio.run(store.append(whole("a")))
    asyncio.run(store.close())
    with closing(sqlite3.connect(place)) as connection:
        (trigger,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'lines_no_delete'").fetchone()
        connection.executescript(f"DROP TRIGGER lines_no_delete; DELETE FROM lines WHERE idx = 2; {trigger}")
    report = certify([str(place)])
    assert [finding.code for finding in report.findings if finding.code == "AS109"] == ["AS109"]
    assert report.inputs[0].lines == 2
    with pytest.raises(SourceError, match="index 2 is missing"):
        list(lines_since(str(place), 0))


def test_a_trace_with_a_stray_log_beside_it_is_still_a_trace(tmp_path: Path) -> None:
    shutil.copy(ROOT / "fixtures" / "demo" / "good.jsonl", tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl-wal").touch()
    assert certify([str(tmp_path / "t.jsonl")]).verdict is Verdict.CERTIFIED


def test_judging_in_the_process_that_writes_does_not_take_its_locks(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    store = open_store(place)
    asyncio.run(store.append(whole("a")))
    certify([str(place)])
    other = open_store(place)
    asyncio.run(other.append(whole("b")))
    asyncio.run(other.close())
    asyncio.run(store.append(whole("c")))
    asyncio.run(store.close())
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM lines").fetchone() == (12,)


def test_followed_lines_come_once_each(kept: str) -> None:
    store, writer = open_store(kept), Writer("a")

    def more(store: LocalStore = store) -> None:
        asyncio.run(store.append(writer.some(2)))

    asyncio.run(store.append(writer.some(3)))
    coming = follow(kept, 1, more)
    expected = [new.line for new in Writer("a").some(6)[1:]]
    assert [next(coming) for _ in expected] == expected
    asyncio.run(store.close())


def test_figures_are_told_without_writing(tmp_path: Path) -> None:
    lines, disclosure = concealed("a")

    async def use() -> None:
        store = open_store(tmp_path / "s.db")
        await store.append(lines, disclosures=[disclosure])
        await store.append(whole("b"))
        await store.acquire("a", "w", ttl=30, now=100)
        await store.remember("k", b"v")
        for now, held in ((120, 1), (200, 0)):
            found = SimpleNamespace(**{n: getattr(inspect(str(tmp_path / "s.db"), now), n) for n in NAMES})
            assert vars(found) == dict(zip(NAMES, (6, 2, 1, 2, held, 1, 1), strict=True))
        await store.close()

    asyncio.run(use())
    plain = tmp_path / "t.jsonl"
    plain.write_bytes(b"".join(new.line + b"\n" for new in [*lines, *whole("b")]))
    assert (inspect(str(plain), 0).lines, inspect(str(plain), 0).open) == (6, 1)


NAMES = ("lines", "sagas", "open", "schema", "held", "disclosures", "remembered")


def test_a_line_of_the_greatest_length_comes_out_whole(tmp_path: Path) -> None:
    writer = Writer("a", size=260_000)
    lines = writer.some(3)
    store = open_store(tmp_path / "s.db")
    asyncio.run(store.append(lines))
    asyncio.run(store.close())
    assert [NewLine("a", n, line) for n, line in enumerate(lines_since(str(tmp_path / "s.db"), 0))] == lines
