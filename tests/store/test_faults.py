"""Disks that are full, folders that cannot be written, files that are no stores: refused clearly, nothing lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from samples import Writer, concealed
from test_processes import CHILD, check_whole

from agent_saga.trace.store import StoreError, open_store
from agent_saga.trace.store.errors import Damaged, DiskFault, DiskFull, NotAStore, WrongVersion
from agent_saga.trace.store.journal import Journal
from agent_saga.trace.store.opening import require_locks
from agent_saga.trace.store.schema import KEYS, LINES, PRIVATE


def child(*words: object) -> str:
    command = [sys.executable, str(CHILD), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_full_disk_refuses_the_append_and_keeps_what_was_there(kept: str) -> None:
    refused, went_on = child("fill", kept).splitlines()
    last, error, message = refused.split(" ", 2)
    assert error in ("DiskFull", "DiskFault")
    assert kept in message
    store = open_store(kept)
    counts = check_whole(store)
    # a limit on the size of files stops the write-ahead log; a store goes on once there is room
    assert went_on == str(int(last) + 1)
    assert counts["a"] == int(last) + 2
    assert store.notices == ()
    asyncio.run(store.close())


def test_a_full_database_refuses_before_anything_is_written(tmp_path: Path) -> None:
    lines, disclosure = concealed("hidden")

    async def use() -> None:
        store = open_store(tmp_path / "s.db")
        await store.append(Writer("a").some(2))
        connection = store._engine._write  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        big, small = Writer("big", size=100_000).some(2), Writer("small").some(1)
        answers = await asyncio.gather(store.append(big), store.append(small), return_exceptions=True)
        assert [type(answer) for answer in answers] == [DiskFull, DiskFull]
        assert "make room" in str(answers[0])
        assert await store.sagas() == [row for row in await store.sagas() if row.id == "a"]
        connection.execute("PRAGMA max_page_count = 100000")
        assert await store.append([*big, *small]) == 2
        await store.append(lines, disclosures=[disclosure])
        await store.close()

    asyncio.run(use())


def test_lines_wait_for_disclosures_that_find_no_room(tmp_path: Path) -> None:
    lines, disclosure = concealed("a")

    async def use() -> None:
        store = open_store(tmp_path / "s.db")
        private = store._engine._private  # type: ignore[attr-defined]
        private.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError):
            await store.append(lines, disclosures=[disclosure])
        assert await store.lines() == []
        private.execute("PRAGMA query_only = OFF")
        assert await store.append(lines, disclosures=[disclosure]) == 0
        await store.close()

    asyncio.run(use())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may look into."""
    folder = Path(tempfile.mkdtemp(prefix="agent-saga-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["s.db", "s.jsonl"])
@pytest.mark.parametrize("there", [True, False])
def test_a_read_only_folder_is_told_when_the_store_is_opened(open_folder: Path, name: str, there: bool) -> None:
    if there:
        store = open_store(open_folder / name)
        asyncio.run(store.append(Writer("a").some(1)))
        asyncio.run(store.close())
        (open_folder / name).chmod(0o444)
    open_folder.chmod(0o555)
    told = child("stranger", open_folder / name)
    assert told.startswith(f"ReadOnly {open_folder}"), told


def test_a_store_of_another_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    asyncio.run(open_store(place).close())
    for version, advice in ((LINES.version + 1, "newer agent-saga"), (0, "store migrate")):
        with closing(sqlite3.connect(place)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(WrongVersion, match=advice):
            open_store(place)


def test_a_database_that_is_not_ours_is_left_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE lines (idx, saga, seq, line)")
    before = place.read_bytes()
    with pytest.raises(NotAStore, match="application id 0"):
        open_store(place)
    assert place.read_bytes() == before
    assert os.listdir(tmp_path) == ["s.db"]


@pytest.mark.parametrize(
    "statement", ["DROP TRIGGER lines_no_update", "CREATE TABLE more (x)", "DROP INDEX sagas_open"]
)
def test_a_store_whose_tables_were_changed_is_refused(tmp_path: Path, statement: str) -> None:
    asyncio.run(open_store(tmp_path / "s.db").close())
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute(statement)
    with pytest.raises(Damaged, match="somebody changed them"):
        open_store(tmp_path / "s.db")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE lines SET line = x'00'",
        "DELETE FROM lines",
        "INSERT OR REPLACE INTO lines VALUES (0, 'a', 0, x'00')",
        "INSERT OR REPLACE INTO lines VALUES (2, 'a', 0, x'00')",
        "INSERT INTO lines VALUES (3, 'b', 0, x'00')",
        "INSERT INTO lines VALUES (2, 'b', 0, 'text')",
        "UPDATE sagas SET saga = 'b'",
        "DELETE FROM sagas",
        "UPDATE leases SET token = 0",
        "DELETE FROM leases",
    ],
)
def test_the_database_itself_refuses_to_change_what_was_written(tmp_path: Path, statement: str) -> None:
    store = open_store(tmp_path / "s.db")
    asyncio.run(store.append(Writer("a").some(2)))
    asyncio.run(store.acquire("a", "w", 1, 0))
    asyncio.run(store.close())
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"SQLite format 3\0 but no more", b"\x1f\x8b"])
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "s.db"
    place.write_bytes(content)
    with pytest.raises(NotAStore, match=r"s\.db"):
        open_store(place)
    assert place.read_bytes() == content


def test_a_place_that_cannot_hold_a_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        open_store(tmp_path / "no" / "s.db")
    with pytest.raises(StoreError, match="no such store"):
        open_store(tmp_path / "s.db", create=False)
    with pytest.raises(NotAStore, match="directory"):
        open_store(tmp_path)


def _torn(tmp_path: Path, change: Callable[[Path, bytes], None]) -> tuple[list[bytes], tuple[str, ...]]:
    """What a file store of one line and then three holds after its files were changed."""
    place = tmp_path / "s.jsonl"
    writer = Writer("a")
    store = open_store(place)
    asyncio.run(store.append(writer.some(1)))
    asyncio.run(store.append(writer.some(3)))
    asyncio.run(store.close())
    change(place, place.read_bytes())
    store = open_store(place)
    lines = asyncio.run(store.read("a"))
    asyncio.run(store.append(Writer("a").some(len(lines) + 1)))
    asyncio.run(store.close())
    assert place.read_bytes().count(b"\n") == len(lines) + 1
    return lines, store.notices


@pytest.mark.parametrize("cut", [1, 100, 300, 700])
def test_an_append_that_is_half_written_is_cut_off_and_told(tmp_path: Path, cut: int) -> None:
    lines, notices = _torn(tmp_path, lambda place, data: place.write_bytes(data[:-cut]) and None)
    assert len(lines) == 1
    assert "never acknowledged" in notices[0]


def test_a_line_that_is_half_written_is_cut_off_and_told(tmp_path: Path) -> None:
    more = Writer("a").some(5)[4].line
    lines, notices = _torn(tmp_path, lambda place, data: place.write_bytes(data + more) and None)
    assert len(lines) == 4
    assert f"{len(more)} bytes" in notices[0]


@pytest.mark.parametrize("line", [0, 2])
def test_a_file_with_a_broken_chain_is_no_place_to_go_on(tmp_path: Path, line: int) -> None:
    def change(place: Path, data: bytes) -> None:
        lines = data.splitlines(keepends=True)
        lines[line] = lines[line].replace(b'"at":"2026', b'"at":"2027')
        place.write_bytes(b"".join(lines))

    with pytest.raises(Damaged, match=f"line {line + 2}: .*certify"):
        _torn(tmp_path, change)


def test_after_a_failed_sync_nothing_more_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(tmp_path / "j"))
    journal.append([b"one"])
    with monkeypatch.context() as patch:
        patch.setattr("agent_saga.trace.store.journal.sync", _fail)
        with pytest.raises(DiskFault):
            journal.append([b"two"])
    with pytest.raises(DiskFault, match="earlier write failed"):
        journal.append([b"three"])
    journal.close()
    assert (tmp_path / "j").read_bytes() == b"one\n"


def _fail(handle: int) -> None:
    raise OSError(5, "Input/output error")


def test_windows_is_refused() -> None:
    require_locks("linux")
    with pytest.raises(StoreError, match="WSL"):
        require_locks("win32")


def test_the_tables_are_what_the_specification_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spec" / "store-v1.md").read_text("utf-8")
    assert all(statement in page for kind in (LINES, PRIVATE, KEYS) for statement in kind.statements)
