"""One log of many writers: no gap, no fork, one sequencer at a time; and what others do at the same moment."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pgserver import Server
from samples import STARTED, Writer, concealed, whole

from agent_saga.trace import SagaWriter
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import Lease, NewLine, ledger, open_store
from agent_saga.trace.store.base import Spending
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.engine import Wanted
from agent_saga.trace.store.errors import Busy, Conflict, LimitReached, StaleLease, Unreachable
from agent_saga.trace.store.postgres import connecting
from agent_saga.trace.store.postgres.engine import PostgresEngine
from agent_saga.trace.store.postgres.stream import follow

HERE = Path(__file__).parent
LOCK = "SELECT pg_advisory_lock(1095984993, 1)"
UNLOCK = "SELECT pg_advisory_unlock(1095984993, 1)"


@pytest.fixture
def hand(pg_address: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection beside the store."""
    with psycopg.connect(pg_address, autocommit=True) as connection:
        yield connection


def _require_whole(connection: psycopg.Connection[tuple[object, ...]], lines: int) -> None:
    """The log has so many lines, without a gap, each event once, every chain in its order."""
    rows = connection.execute("SELECT idx, saga, seq FROM agent_saga.lines ORDER BY idx").fetchall()
    assert [index for index, _, _ in rows] == list(range(lines))
    assert len({(saga, seq) for _, saga, seq in rows}) == lines
    due: dict[object, int] = {}
    for _, saga, seq in rows:
        assert seq == due.get(saga, 0), (saga, seq)
        due[saga] = due.get(saga, 0) + 1
    events = connection.execute("SELECT count(*) FROM agent_saga.events").fetchone()
    assert events == (lines,)


def test_a_batch_is_numbered_after_the_heads_it_was_written_behind(pg_address: str, hand: Any) -> None:
    a, b = Writer("a").some(2), Writer("b").some(2)
    parsed = {new: ledger.parse(new) for new in (*a, *b)}
    one, other = PostgresEngine(pg_address), PostgresEngine(pg_address)

    def put(engine: PostgresEngine, new: NewLine, draft: Draft) -> None:
        ledger.append(draft, [parsed[new]], (), None)
        engine.commit(draft)

    put(one, a[0], Draft(one.begin(Wanted(frozenset("a")))))
    begun = Draft(one.begin(Wanted(frozenset("a"))))  # it knows this head, so it has a number
    put(other, b[0], Draft(other.begin(Wanted(frozenset("b")))))
    ledger.append(begun, [parsed[a[1]]], (), None)
    put(one, b[1], begun)
    one.close()
    other.close()
    rows = hand.execute("SELECT batch FROM agent_saga.events WHERE saga = 'b' ORDER BY seq").fetchall()
    assert rows == sorted(rows)
    _require_whole(hand, 4)


def _fill(address: str, name: str, sagas: int, each: int) -> list[int]:
    async def go() -> list[int]:
        store = open_store(address)

        async def one(number: int) -> list[int]:
            writer = Writer(f"{name}-{number}")
            return [await store.append(writer.some(2)) for _ in range(each)]

        found = await asyncio.gather(*(one(number) for number in range(sagas)))
        await store.close()
        return [index for indices in found for index in indices]

    return asyncio.run(go())


def test_four_writers_at_once_make_one_log_without_gap_or_fork(
    pg_address: str, hand: psycopg.Connection[tuple[object, ...]]
) -> None:
    with ThreadPoolExecutor(4) as pool:
        told = [index for found in pool.map(lambda n: _fill(pg_address, f"w{n}", 8, 6), range(4)) for index in found]
    _require_whole(hand, 4 * 8 * 6 * 2)
    assert len(set(told)) == len(told) == 4 * 8 * 6, "each was told another index"
    for index in told[::17]:
        found = hand.execute("SELECT seq FROM agent_saga.lines WHERE idx IN (%s, %s)", (index, index + 1)).fetchall()
        assert len(found) == 2


def test_of_two_sequencers_one_waits(pg_address: str, hand: psycopg.Connection[tuple[object, ...]]) -> None:
    hand.execute(LOCK)  # somebody else is the sequencer
    writer = threading.Thread(target=_fill, args=(pg_address, "a", 1, 1))
    writer.start()
    for _ in range(200):
        pending = hand.execute("SELECT count(*) FROM agent_saga.pending").fetchone()
        waiting = hand.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchone()
        if (pending, waiting) == ((1,), (1,)):
            break
        time.sleep(0.05)
    else:
        raise AssertionError((pending, waiting))
    assert hand.execute("SELECT count(*) FROM agent_saga.events").fetchone() == (2,), "durable already"
    assert hand.execute("SELECT count(*) FROM agent_saga.lines").fetchone() == (0,), "and shown to nobody yet"
    assert writer.is_alive(), "nor acknowledged"
    hand.execute(UNLOCK)
    writer.join(20)
    _require_whole(hand, 2)
    assert hand.execute("SELECT count(*) FROM agent_saga.pending").fetchone() == (0,)


def test_what_a_killed_writer_left_pending_stands_in_the_log_when_the_store_is_opened(
    pg_address: str, hand: psycopg.Connection[tuple[object, ...]]
) -> None:
    hand.execute(LOCK)
    program = f"import test_pg_sequencer as tests; tests._fill({pg_address!r}, 'a', 1, 1)"
    path = ":".join([str(HERE), *sys.path])
    child = subprocess.Popen([sys.executable, "-c", program], env={"PYTHONPATH": path}, stderr=subprocess.PIPE)
    while hand.execute("SELECT count(*) FROM agent_saga.pending").fetchone() != (1,):
        assert child.poll() is None, child.communicate()
        time.sleep(0.02)
    child.kill()
    child.communicate()
    hand.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    hand.execute(UNLOCK)
    assert hand.execute("SELECT count(*) FROM agent_saga.lines").fetchone() == (0,)
    asyncio.run(open_store(pg_address).close())
    _require_whole(hand, 2)


def test_a_batch_that_was_overtaken_follows_before_what_is_chained_to_it(
    pg_address: str, hand: psycopg.Connection[tuple[object, ...]]
) -> None:
    writer = Writer("a")
    first, second = writer.some(2), writer.some(2)

    async def go() -> None:
        one, other = open_store(pg_address), open_store(pg_address)
        hand.execute(LOCK)
        waiting = asyncio.ensure_future(one.append(first))
        while hand.execute("SELECT count(*) FROM agent_saga.pending").fetchone() != (1,):
            await asyncio.sleep(0.02)
        behind = asyncio.ensure_future(other.append(second))
        while hand.execute("SELECT count(*) FROM agent_saga.pending").fetchone() != (2,):
            await asyncio.sleep(0.02)
        hand.execute(UNLOCK)
        assert (await waiting, await behind) == (0, 2)
        await one.close()
        await other.close()

    asyncio.run(go())
    _require_whole(hand, 4)


def test_two_processes_at_one_saga_never_fork_it(pg_address: str) -> None:
    fork = SagaWriter("a", lambda size: bytes(size))
    other = NewLine("a", 0, fork.line("saga.started", "2026-11-30T07:00:00.000000Z", **STARTED))

    async def go() -> None:
        one, two = open_store(pg_address), open_store(pg_address)
        found = await asyncio.gather(one.append(Writer("a").some(1)), two.append([other]), return_exceptions=True)
        assert sorted(type(answer).__name__ for answer in found) == ["Conflict", "int"]
        winner = one if isinstance(found[0], int) else two
        loser = two if winner is one else one
        (stored,) = await loser.read("a")
        with pytest.raises(Conflict, match="another line stands there"):
            await loser.append([other if winner is one else Writer("a").next()])
        again = NewLine("a", 0, stored)
        assert await loser.append([again]) == 0, "the same bytes are left as they are"
        await one.close()
        await two.close()

    asyncio.run(go())


def test_what_one_remembers_of_heads_is_no_ground_to_refuse(pg_address: str) -> None:
    async def go() -> None:
        one, two = open_store(pg_address), open_store(pg_address)
        writer = Writer("a")
        await one.append(writer.some(2))
        await two.append(writer.some(2))
        assert await one.append(writer.some(1)) == 4, "behind two lines that it has not seen"
        await one.close()
        await two.close()

    asyncio.run(go())


def test_a_lease_that_was_taken_over_in_another_process_writes_nothing(pg_address: str) -> None:
    async def go() -> None:
        one, two = open_store(pg_address), open_store(pg_address)
        writer = Writer("a")
        old = await one.acquire("a", "w1", ttl=10, now=0)
        assert old
        await one.append(writer.some(1), lease=old)
        taken = await asyncio.gather(*(two.acquire("a", f"w{n}", ttl=10, now=20) for n in range(2, 5)))
        new = [lease for lease in taken if lease]
        assert len(new) == 1
        with pytest.raises(StaleLease):
            await one.append(writer.some(1), lease=old)
        fresh = await asyncio.gather(one.acquire("b", "x", ttl=10, now=0), two.acquire("b", "y", ttl=10, now=0))
        assert [type(lease) for lease in fresh].count(Lease) == 1
        await one.close()
        await two.close()

    asyncio.run(go())


def test_a_budget_is_not_overspent_by_two_processes(pg_address: str) -> None:
    async def go() -> None:
        stores = [open_store(pg_address) for _ in range(3)]

        async def one(number: int) -> int:
            spend = Spending(f"s{number}", 0, "policy/limit", "k\0\ud800", 40, 1_000_000, 500_000, 100)
            return await stores[number % 3].append(Writer(f"s{number}").some(1), spends=[spend])

        found = await asyncio.gather(*(one(number) for number in range(9)), return_exceptions=True)
        assert [type(answer) for answer in found].count(int) == 2
        assert [type(answer) for answer in found].count(LimitReached) == 7
        for store in stores:
            await store.close()

    asyncio.run(go())


def test_a_reader_never_sees_a_line_before_the_ones_in_front_of_it(pg_address: str) -> None:
    done = threading.Event()

    def write() -> None:
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda n: _fill(pg_address, f"w{n}", 4, 8), range(3)))
        done.set()

    async def read() -> int:
        store = open_store(pg_address)
        seen = 0
        while not done.is_set() or await store.lines(seen):
            rows = await store.lines(seen)
            assert [index for index, _ in rows] == list(range(seen, seen + len(rows)))
            seen += len(rows)
        await store.close()
        return seen

    thread = threading.Thread(target=write)
    thread.start()
    assert asyncio.run(read()) == 3 * 4 * 8 * 2
    thread.join()


def test_a_follower_is_told_at_once(pg_address: str) -> None:
    found: list[bytes] = []

    def listen() -> None:
        for line in follow(pg_address, 0):
            found.append(line)
            if len(found) == 6:
                return

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    time.sleep(0.5)
    start = time.monotonic()
    _fill(pg_address, "a", 1, 3)
    listener.join(20)
    assert len(found) == 6
    assert time.monotonic() - start < 4.5, "without the sequencer's word it would have looked after five seconds"


def test_a_server_that_is_away_is_waited_for_and_then_told(
    pg_server: Server, pg_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        store = open_store(pg_address)
        await store.append(Writer("a").some(1))
        pg_server.kill()
        monkeypatch.setattr(connecting, "PATIENCE", 0.2)
        with pytest.raises(Unreachable, match="cannot be reached"):
            await store.append(Writer("b").some(1))
        with pytest.raises(Unreachable):
            await store.read("a")
        pg_server.start()
        assert await store.append(Writer("b").some(1)) == 1, "the same store goes on"
        assert len(await store.read("a")) == 1
        await store.close()

    asyncio.run(go())


def test_values_are_sealed_opened_erased_and_held_as_in_any_store(
    pg_address: str, hand: psycopg.Connection[tuple[object, ...]]
) -> None:
    from agent_saga.trace.store.choosing import Choice
    from agent_saga.trace.store.erasing import NotErasable
    from agent_saga.trace.store.kept import read_kept

    lines, disclosure = concealed("a")
    writer = Writer("a")
    end = NewLine("a", 2, _ended(lines, writer))

    async def go() -> None:
        store = open_store(pg_address)
        await store.append([*lines, end], disclosures=[disclosure])
        (sealed,) = hand.execute("SELECT sealed FROM agent_saga_vault.disclosures").fetchall()[0]
        assert b"Ada" not in sealed  # type: ignore[operator]
        assert read_kept(pg_address, "a").texts == [disclosure.text]
        await store.hold("a", "court order 7", 1.0)
        with pytest.raises(NotErasable, match="court order 7"):
            await store.erase("a", Choice(every=True), 2.0)
        assert await store.release_hold("a")
        done = await store.erase("a", Choice(every=True), 3.0)
        assert len(done.plan.values) == 1
        assert await store.disclosures("a") == []
        assert hand.execute("SELECT count(*) FROM agent_saga_vault.keys").fetchone() == (0,)
        await store.append([*lines, end], disclosures=[disclosure])
        assert await store.disclosures("a") == [], "what was erased is not taken in again"
        await store.close()

    asyncio.run(go())


def _ended(lines: list[NewLine], writer: Writer) -> bytes:
    from agent_saga.trace import leaf_hash

    made = SagaWriter("a", lambda size: bytes(size), seq=2, head=leaf_hash(lines[-1].line))
    return made.line("saga.ended", "2026-11-30T07:00:02.000000Z", status="aborted_clean", held=[])


def test_who_reads_while_writing_alone_reads_every_line(
    pg_address: str, hand: psycopg.Connection[tuple[object, ...]]
) -> None:
    from agent_saga.trace.store.opening import open_engine

    hand.execute(LOCK)
    writer = threading.Thread(target=_fill, args=(pg_address, "a", 1, 1))
    writer.start()
    while hand.execute("SELECT count(*) FROM agent_saga.pending").fetchone() != (1,):
        time.sleep(0.02)
    engine = PostgresEngineLater(open_engine, pg_address)
    engine.start()
    time.sleep(0.2)
    hand.execute(UNLOCK)
    engine.join(20)
    writer.join(20)
    assert engine.found == (2, 2), "the next index, and the lines that others see at that moment"


class PostgresEngineLater(threading.Thread):
    """Opens a store alone, and reads it beside."""

    def __init__(self, opening: Callable[[str], Any], address: str) -> None:
        super().__init__()
        self._opening, self._address, self.found = opening, address, (0, 0)

    def run(self) -> None:
        engine = self._opening(self._address)
        try:
            next_one = engine.begin().count()
            self.found = (next_one, len(list(open_input(self._address).lines())) - 1)
        finally:
            engine.rollback()
            engine.close()


def test_the_vault_comes_back_with_the_server(pg_server: Server, pg_address: str) -> None:
    lines, disclosure = concealed("a")

    async def go() -> None:
        store = open_store(pg_address)
        await store.append(lines, disclosures=[disclosure])
        for name in ("b", "c"):
            pg_server.kill()
            pg_server.start()
            more, its = concealed(name)
            await store.append(more, disclosures=[its])
            assert await store.disclosures(name) == [its.text]
        await store.close()

    asyncio.run(go())


def test_another_one_that_writes_alone_is_waited_for_and_then_told(
    pg_address: str, hand: psycopg.Connection[tuple[object, ...]]
) -> None:
    hand.execute("SELECT pg_advisory_lock(1095984993, 2)")
    store = open_store(pg_address)
    store._engine._write.execute("SET lock_timeout = 200")  # type: ignore[attr-defined]
    with pytest.raises(Busy, match="another process kept it locked"):
        asyncio.run(store.append(whole("a")))
    asyncio.run(store.close())
