"""Group commit: who shares one, what is remembered between two, and what is never taken on trust."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from samples import Writer, whole

from agent_saga.trace import SagaWriter
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.errors import BadLine, Conflict, StaleLease
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.sqlite import SqliteEngine


class Counting(SqliteEngine):
    """Counts its commits."""

    commits = 0

    def commit(self, draft: Draft) -> None:
        """Commit, and count."""
        super().commit(draft)
        self.commits += 1


def test_what_is_appended_in_one_turn_of_a_loop_is_one_commit(tmp_path: Path) -> None:
    engine = Counting(str(tmp_path / "s.db"))

    async def run() -> None:
        store = LocalStore(engine)
        sagas = [whole(f"saga-{number}") for number in range(40)]
        await asyncio.gather(*(store.append(saga) for saga in sagas))
        found = [line for _, line in await store.lines()]
        assert found == [new.line for saga in sagas for new in saga]
        await store.close()

    asyncio.run(run())
    assert engine.commits == 1


class Held(Counting):
    """Its first commit waits to be let go."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.go = threading.Event()

    def commit(self, draft: Draft) -> None:
        """Commit once it may."""
        assert self.go.wait(60)
        super().commit(draft)


def test_what_comes_during_a_commit_goes_with_what_that_commit_wakes(tmp_path: Path) -> None:
    engine = Held(str(tmp_path / "s.db"))

    async def in_two(store: LocalStore, saga: list[NewLine]) -> None:
        await store.append(saga[:1])
        await store.append(saga[1:])

    async def run() -> None:
        store = LocalStore(engine)
        first = [asyncio.ensure_future(in_two(store, whole(f"a-{number}"))) for number in range(20)]
        await asyncio.sleep(0.05)
        second = [asyncio.ensure_future(store.append(whole(f"b-{number}"))) for number in range(20)]
        await asyncio.sleep(0.05)
        engine.go.set()
        await asyncio.wait_for(asyncio.gather(*first, *second), 60)
        assert len(await store.sagas()) == 40
        await store.close()

    asyncio.run(run())
    assert engine.commits == 2


def test_what_a_closing_store_was_given_before_becomes_durable(tmp_path: Path) -> None:
    async def run() -> None:
        store = open_store(tmp_path / "s.db")
        given = asyncio.ensure_future(store.append(whole("saga-1")))
        await asyncio.sleep(0)
        await store.close()
        assert await asyncio.wait_for(given, 10) == 0

    asyncio.run(run())


def test_what_a_loop_that_ended_had_not_handed_over_is_dropped(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s.db")
    loop = asyncio.new_event_loop()
    cut = loop.create_task(store.append(whole("saga-1")))
    loop.call_soon(loop.stop)
    loop.run_forever()  # one turn: the append has gathered and not been handed over
    cut.cancel()
    loop.close()
    asyncio.run(store.close())

    async def kept() -> list[bytes]:
        again = open_store(tmp_path / "s.db")
        try:
            return await again.read("saga-1")
        finally:
            await again.close()

    assert asyncio.run(kept()) == []


@pytest.mark.parametrize("count", [1, 3, 4, 15, 64, 65, 151])
def test_appends_of_all_sizes_are_kept_without_gaps(tmp_path: Path, count: int) -> None:
    lines = Writer("saga-1").some(count)

    async def run() -> None:
        store = open_store(tmp_path / "s.db")
        assert await store.append(lines) == 0
        assert await store.lines() == [(index, new.line) for index, new in enumerate(lines)]
        await store.close()

    asyncio.run(run())


def test_what_another_connection_wrote_is_seen_before_the_next_commit(tmp_path: Path) -> None:
    lines = Writer("saga-1").some(6)

    async def run() -> None:
        one, other = open_store(tmp_path / "s.db"), open_store(tmp_path / "s.db")
        for number, new in enumerate(lines):
            assert await (one, other)[number % 2].append([new]) == number
        for store in (one, other):
            assert await store.append(lines[:3]) == 0  # they stand there
            with pytest.raises(Conflict):
                await store.append([NewLine("saga-1", 5, Writer("saga-1", size=3).some(6)[5].line)])
            await store.close()

    asyncio.run(run())


def test_a_lease_that_another_connection_took_fences_off_who_remembers_his_own(tmp_path: Path) -> None:
    lines = Writer("saga-1").some(3)

    async def run() -> None:
        one, other = open_store(tmp_path / "s.db"), open_store(tmp_path / "s.db")
        mine = await one.acquire("saga-1", "one", 10, now=0)
        await one.append(lines[:1], lease=mine)
        theirs = await other.acquire("saga-1", "other", 10, now=20)
        assert mine is not None
        assert theirs is not None
        with pytest.raises(StaleLease):
            await one.append(lines[1:2], lease=mine)
        await other.append(lines[1:2], lease=theirs)
        await one.close()
        await other.close()

    asyncio.run(run())


def test_a_lease_tells_the_lines_that_another_connection_wrote(tmp_path: Path) -> None:
    async def run() -> None:
        one, other = open_store(tmp_path / "s.db"), open_store(tmp_path / "s.db")
        first = await one.acquire("saga-1", "one", 10, now=0)
        assert first is not None
        assert first.lines == 0
        await other.append(Writer("saga-1").some(3))
        later = await one.acquire("saga-1", "one", 10, now=20)
        assert later is not None
        assert later.lines == 3
        await one.close()
        await other.close()

    asyncio.run(run())


def test_a_failed_commit_is_forgotten(tmp_path: Path) -> None:
    lines = Writer("saga-1").some(3)

    class Failing(SqliteEngine):
        fail = False

        def _write_lines(self, draft: Draft) -> None:
            super()._write_lines(draft)
            if self.fail:
                raise OSError("the disk is gone")

    async def run() -> None:
        engine = Failing(str(tmp_path / "s.db"))
        store = LocalStore(engine)
        await store.append(lines[:1])
        engine.fail = True
        with pytest.raises(OSError):
            await store.append(lines[1:2])
        engine.fail = False
        assert await store.append(lines[1:]) == 1
        assert await store.read("saga-1") == [new.line for new in lines]
        await store.close()

    asyncio.run(run())


def test_what_a_writer_knows_counts_for_its_own_bytes_only(tmp_path: Path) -> None:
    known = SagaWriter("saga-1", lambda size: b"0" * size).write(
        "saga.started",
        "2026-11-30T07:00:00.000000Z",
        "runtime",
        {"log": "log.example/acme", "name": "order", "format": "1.0", "tools": {}},
    )

    async def run() -> None:
        store = open_store(tmp_path / "s.db")
        with pytest.raises(BadLine):
            await store.append([NewLine("saga-1", 0, known.line + b" ", known)])
        with pytest.raises(BadLine):
            await store.append([NewLine("saga-2", 0, known.line, known)])
        assert await store.append([NewLine("saga-1", 0, known.line, known)]) == 0
        await store.close()

    asyncio.run(run())
