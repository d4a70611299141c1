"""A lone append on a quick disk is committed by its event loop: when, for how long at most, and in which order."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from prompt_stores import at_once
from samples import Writer, concealed, whole

from agent_saga.trace.store import open_store
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.errors import DiskFull
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.locking import AHEAD
from agent_saga.trace.store.pace import PAUSE, ROW, SHORT, Pace
from agent_saga.trace.store.sqlite import SqliteEngine

HOLD = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE')"


class Disk(SqliteEngine):
    """Notes by which thread each commit is made, and takes the time that it is told, on a clock of its own."""

    def __init__(self, path: Path, takes: Callable[[int], float] = lambda number: 0.0) -> None:
        super().__init__(str(path))
        self.by: list[str] = []
        self.now, self._takes = 0.0, takes
        self.before: Callable[[], object] = lambda: None

    def clock(self) -> float:
        """Seconds."""
        return self.now

    def commit(self, draft: Draft) -> None:
        """Commit, and say that it took so long."""
        self.before()
        super().commit(draft)
        self.now += self._takes(len(self.by))
        self.by.append("thread" if threading.current_thread().name == "agent-saga store" else "loop")


def used(disk: Disk, use: Callable[[LocalStore], Coroutine[Any, Any, None]]) -> list[str]:
    """Use a store on this disk; by whom each commit was made."""

    async def run() -> None:
        store = LocalStore(disk, disk.clock)
        await use(store)
        await store.close()

    asyncio.run(run())
    return disk.by


def one_by_one(count: int) -> Callable[[LocalStore], Coroutine[Any, Any, None]]:
    """Appends lines one after another, and holds that each got the next index."""

    async def use(store: LocalStore) -> None:
        for index, new in enumerate(Writer("saga-1").some(count)):
            assert await store.append([new]) == index

    return use


def test_a_quick_disk_is_waited_for_and_its_log_is_left_to_the_thread_now_and_then(tmp_path: Path) -> None:
    count = ROW + AHEAD + 1 + AHEAD + 1
    by = used(Disk(tmp_path / "s.db"), one_by_one(count))
    assert by == [*["thread"] * ROW, *[*["loop"] * AHEAD, "thread"] * 2]


def test_the_write_ahead_log_stays_short(tmp_path: Path) -> None:
    sizes: list[int] = []

    async def use(store: LocalStore) -> None:
        await one_by_one(4 * AHEAD)(store)
        sizes.append((tmp_path / "s.db-wal").stat().st_size)

    assert used(Disk(tmp_path / "s.db"), use).count("loop") > 3 * AHEAD
    assert sizes[0] < 2 * AHEAD * 3 * 4200


def test_a_slow_disk_is_never_waited_for(tmp_path: Path) -> None:
    by = used(Disk(tmp_path / "s.db", lambda number: 2 * SHORT), one_by_one(100))
    assert by == ["thread"] * 100


def test_a_disk_that_really_sleeps_keeps_no_loop(tmp_path: Path) -> None:
    class Sleeping(Disk):
        def commit(self, draft: Draft) -> None:
            time.sleep(0.003)
            super().commit(draft)

        def clock(self) -> float:
            return time.perf_counter()

    assert used(Sleeping(tmp_path / "s.db"), one_by_one(30)) == ["thread"] * 30


def test_a_disk_that_turns_slow_is_waited_for_once(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "s.db", lambda number: 0.002 if 20 <= number < 40 else 0.0001)
    by = used(disk, one_by_one(40 + 600))
    assert by[20:40] == ["loop", *["thread"] * 19]
    back = by.index("loop", 40)
    assert back >= 40 + ROW
    assert by[20 : back + 1].count("loop") == 2


@pytest.mark.parametrize("seed", range(20))
def test_whatever_a_disk_does_it_keeps_a_loop_for_a_small_part_of_the_time(seed: int) -> None:
    chance = random.Random(seed)
    pace, now, kept, longest, before = Pace(), 0.0, 0.0, 0.0, False
    rare = chance.choice((2, 5, 20, 100))
    for _ in range(20_000):
        takes = chance.uniform(0.002, 0.050) if chance.randrange(rare) == 0 else chance.uniform(0, SHORT)
        slow, on_loop = takes > SHORT, pace.quick(now)
        assert not (before and slow and on_loop)
        before = slow
        pace.took(now, now + takes, on_loop=on_loop)
        now += takes
        if slow and on_loop:
            kept, longest = kept + takes - SHORT, max(longest, takes)
    assert kept <= now / PAUSE + longest


def test_what_failed_is_tried_by_the_thread_next() -> None:
    pace = Pace()
    for _ in range(ROW):
        pace.took(0, 0, on_loop=False)
    assert pace.quick(0)
    pace.took(0, 0, on_loop=True, failed=True)
    assert not pace.quick(0)


def test_the_lock_of_another_process_keeps_no_loop(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    disk = Disk(place)

    async def use(store: LocalStore) -> None:
        await one_by_one(ROW + 1)(store)
        assert disk.by[-1] == "loop"
        command = [sys.executable, "-c", f"{HOLD}; print(flush=True); input()", str(place)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            other.stdout.readline()
            start = time.monotonic()
            waits = asyncio.ensure_future(store.append(whole("saga-2")))
            await asyncio.sleep(0.05)
            assert not waits.done()
            assert time.monotonic() - start < 10  # and not the 30 seconds that a lock is waited for
            other.communicate("\n")
        assert await waits == ROW + 1

    assert used(disk, use)[-1] == "thread"


def test_a_loop_does_not_overtake_what_the_thread_was_given(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "s.db")
    at_it, go = threading.Event(), threading.Event()

    async def use(store: LocalStore) -> None:
        await one_by_one(ROW + 1)(store)
        disk.before = lambda: (at_it.set(), go.wait(60))
        given: list[int] = []
        many = asyncio.gather(store.append(whole("a")), store.append(whole("b")))
        assert await asyncio.to_thread(at_it.wait, 60)  # the thread is at the two

        def elsewhere() -> None:
            given.append(asyncio.run(alone()))

        async def alone() -> int:
            asyncio.get_running_loop().call_later(0.1, go.set)
            return await store.append(whole("c"))

        await asyncio.to_thread(elsewhere)
        assert [*await many, *given] == [ROW + 1, ROW + 5, ROW + 9]

    assert used(disk, use)[ROW:] == ["loop", "thread", "thread"]


def test_the_thread_does_not_overtake_what_a_loop_commits(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "s.db")
    at_it, go = threading.Event(), threading.Event()

    async def use(store: LocalStore) -> None:
        await one_by_one(ROW + 1)(store)
        disk.before = lambda: (at_it.set(), go.wait(60))
        first: list[int] = []
        other = threading.Thread(target=lambda: first.append(asyncio.run(append(store, "a"))))
        other.start()
        assert await asyncio.to_thread(at_it.wait, 60)  # that loop is at it
        second = asyncio.ensure_future(append(store, "b"))
        await asyncio.sleep(0.1)
        assert not second.done()
        go.set()
        assert await second == ROW + 5
        await asyncio.to_thread(other.join)
        assert first == [ROW + 1]

    assert used(disk, use)[ROW:] == ["loop", "loop", "thread"]


async def append(store: LocalStore, saga: str) -> int:
    return await store.append(whole(saga))


def test_lone_and_joint_appends_are_kept_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "s.db")
    chance = random.Random(1)

    async def use(store: LocalStore) -> None:
        came: list[str] = []
        for number in range(60):
            names = [f"saga-{number}-{one}" for one in range(chance.choice((1, 1, 1, 3)))]
            came += names
            await asyncio.gather(*(store.append(whole(name)) for name in names))
        assert [row.id for row in await store.sagas()] == came

    assert set(used(disk, use)[ROW:]) == {"loop", "thread"}


def test_what_takes_more_than_a_sync_is_left_to_the_thread(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "s.db")
    lines, disclosure = concealed("hidden")

    async def use(store: LocalStore) -> None:
        await one_by_one(ROW + 1)(store)
        await store.append(lines, disclosures=[disclosure])
        await store.remember("key", b"value")
        await store.append(whole("saga-2"), at=ROW + 3)
        await store.hold("hidden", "a suit", 0)
        assert await store.recall("key") == b"value"
        assert await store.disclosures("hidden") == [disclosure.text]

    assert used(disk, use)[ROW:] == ["loop", *["thread"] * 4]


def test_a_disk_that_is_full_refuses_on_a_loop_as_in_the_thread(tmp_path: Path) -> None:
    async def use() -> None:
        store = at_once(open_store(tmp_path / "s.db"))
        await store.append(Writer("a").some(2))
        connection = store._engine._write  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        big = Writer("big", size=100_000).some(2)
        with pytest.raises(DiskFull, match="make room"):
            await store.append(big)
        assert [row.id for row in await store.sagas()] == ["a"]
        connection.execute("PRAGMA max_page_count = 100000")
        assert await store.append(big) == 2
        await store.close()

    asyncio.run(use())


def test_what_a_loop_gives_back_to_a_store_that_closes_is_committed(tmp_path: Path) -> None:
    at_it, go = threading.Event(), threading.Event()

    class Locked(Disk):
        def at_once(self) -> SqliteEngine | None:
            at_it.set()
            assert go.wait(60)
            return None  # as if another process were at it

    disk = Locked(tmp_path / "s.db")
    given: list[int] = []

    async def use(store: LocalStore) -> None:
        await one_by_one(ROW)(store)
        other = threading.Thread(target=lambda: given.append(asyncio.run(append(store, "a"))))
        other.start()
        assert await asyncio.to_thread(at_it.wait, 60)
        closing = asyncio.ensure_future(store.close())
        await asyncio.sleep(0.05)
        go.set()
        await asyncio.wait_for(closing, 60)
        await asyncio.to_thread(other.join, 60)

    assert used(disk, use) == ["thread"] * (ROW + 1)
    assert given == [ROW]
