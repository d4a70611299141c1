"""Export, import, backup, migration: the exact bytes, all or nothing, never over what is there."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import sqlite3
import stat
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from samples import Writer, concealed, whole

from agent_saga.trace.errors import AgentSagaError
from agent_saga.trace.store import StoreError, open_store, schema
from agent_saga.trace.store.errors import NotAStore, Refusal
from agent_saga.trace.store.moving import back_up, disclosures_of, export, import_lines, migrate, new_file
from agent_saga.trace.store.opening import open_engine

A, B = whole("a", 5), whole("b", 3)
BOTH = b"".join(new.line + b"\n" for pair in zip(A[:3], B, strict=True) for new in pair) + A[3].line + b"\n"


def imported(place: str, trace: Path, *texts: str) -> tuple[int, int]:
    engine = open_engine(place)
    try:
        return import_lines(engine, str(trace), texts)
    finally:
        engine.close()


def exported(place: str) -> bytes:
    out = io.BytesIO()
    moved = export(place, out)
    assert (moved.lines, moved.size) == (out.getvalue().count(b"\n"), len(out.getvalue()))
    return out.getvalue()


def test_import_and_export_are_the_exact_bytes(kept: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace.gz"
    trace.write_bytes(gzip.compress(BOTH))
    assert imported(kept, trace) == (7, 0)
    assert exported(kept) == BOTH
    longer = tmp_path / "longer"
    longer.write_bytes(BOTH + A[4].line + b"\n")
    assert imported(kept, longer) == (1, 7)
    assert exported(kept) == longer.read_bytes()


def test_a_store_is_imported_from_a_store(tmp_path: Path, kept: str) -> None:
    (tmp_path / "trace").write_bytes(BOTH)
    imported(str(tmp_path / "from.db"), tmp_path / "trace")
    assert imported(kept, tmp_path / "from.db") == (7, 0)
    assert exported(kept) == BOTH


BAD = {
    "no LF at the end": (BOTH[:-1], "no LF"),
    "a line missing": (BOTH.replace(A[1].line + b"\n", b""), "leaves a gap"),
    "a line changed": (BOTH.replace(b"c1", b"c9", 1), "head is"),
    "a line that is none": (BOTH + b"{}\n", ":8: "),
}


@pytest.mark.parametrize("case", BAD)
def test_a_trace_that_does_not_hold_is_imported_not_at_all(case: str, kept: str, tmp_path: Path) -> None:
    data, says = BAD[case]
    (tmp_path / "trace").write_bytes(data)
    with pytest.raises(Refusal, match=says) as told:
        imported(kept, tmp_path / "trace")
    assert str(tmp_path / "trace") in str(told.value)
    assert exported(kept) == b""
    (tmp_path / "trace").write_bytes(BOTH)
    assert imported(kept, tmp_path / "trace") == (7, 0)


def test_disclosures_move_with_their_lines(kept: str, tmp_path: Path) -> None:
    lines, disclosure = concealed("a")
    (tmp_path / "trace").write_bytes(b"".join(new.line + b"\n" for new in lines))
    imported(kept, tmp_path / "trace", disclosure.text, "bm90aGluZw")
    assert list(disclosures_of(kept)) == [disclosure.text]
    private = Path(kept + ".disclosures")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    store = open_store(kept)
    assert asyncio.run(store.disclosures("a")) == [disclosure.text]
    asyncio.run(store.close())
    os.unlink(private)
    assert list(disclosures_of(kept)) == []


def test_a_new_file_is_whole_or_not_there(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with pytest.raises(RuntimeError):
        _write_half(place)
    assert not place.exists()
    with new_file(str(place)) as out:
        out.write(b"whole")
    with pytest.raises(StoreError, match="nothing is written over"), new_file(str(place)):
        pass
    assert place.read_bytes() == b"whole"


def _write_half(place: Path) -> None:
    with new_file(str(place)) as out:
        out.write(b"half")
        raise RuntimeError


def test_a_backup_is_taken_while_others_write(tmp_path: Path) -> None:
    place, target = str(tmp_path / "s.db"), str(tmp_path / "copy.db")
    lines, disclosure = concealed("hidden")
    store = open_store(place)
    asyncio.run(store.append(lines, disclosures=[disclosure]))
    asyncio.run(store.remember("key", b"value"))
    stop = threading.Event()

    def write() -> None:
        writer = Writer("a")
        while not stop.is_set():
            asyncio.run(store.append(writer.some(2)))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        back_up(place, target, target + ".keys")
    finally:
        stop.set()
        thread.join()
    asyncio.run(store.close())
    copy = exported(target)
    assert copy.count(b"\n") % 2 == 0
    assert exported(place).startswith(copy)
    again = open_store(target)
    assert asyncio.run(again.disclosures("hidden")) == [disclosure.text]
    assert asyncio.run(again.recall("key")) == b"value"
    asyncio.run(again.append(Writer("more").some(1)))
    asyncio.run(again.close())


def test_a_backup_writes_over_nothing_and_leaves_no_half(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    asyncio.run(open_store(place).close())
    (tmp_path / "copy.db.disclosures").write_bytes(b"mine")
    with pytest.raises(StoreError, match="nothing is written over"):
        back_up(str(place), str(tmp_path / "copy.db"))
    assert not (tmp_path / "copy.db").exists()
    assert (tmp_path / "copy.db.disclosures").read_bytes() == b"mine"
    (tmp_path / "t.jsonl").touch()
    with pytest.raises(StoreError, match="exporting"):
        back_up(str(tmp_path / "t.jsonl"), str(tmp_path / "copy.db"))


def test_a_migration_is_tried_first_and_then_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(tmp_path / "s.db")
    asyncio.run(open_store(place).close())
    assert migrate(place, dry_run=False) == []
    note = "CREATE TABLE notes (text TEXT)"
    steps = (*schema.LINES.migrations, ("a table of notes", (note,)))
    newer = replace(schema.LINES, statements=(*schema.LINES.statements, note), migrations=steps)
    monkeypatch.setattr(schema, "LINES", newer)
    before = _version(place)
    assert migrate(place, dry_run=True) == [f"schema {before + 1}: a table of notes"]
    assert _version(place) == before
    migrate(place, dry_run=False)
    assert _version(place) == before + 1
    assert migrate(place, dry_run=True) == []


def test_a_migration_that_does_not_lead_to_the_schema_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "s.db")
    asyncio.run(open_store(place).close())
    before, steps = _version(place), (*schema.LINES.migrations, ("x", ("CREATE TABLE x (y)",)))
    monkeypatch.setattr(schema, "LINES", replace(schema.LINES, migrations=steps))
    with pytest.raises(StoreError, match="TABLE x"):
        migrate(place, dry_run=False)
    assert _version(place) == before


def test_only_stores_are_migrated(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(NotAStore):
        migrate(str(tmp_path / "other.db"), dry_run=False)
    with pytest.raises(AgentSagaError):
        migrate(str(tmp_path / "none.db"), dry_run=False)


def _version(place: str) -> int:
    with closing(sqlite3.connect(place)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
