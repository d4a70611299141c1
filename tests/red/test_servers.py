"""Whatever a database's administrator has set, a store in it takes what was allowed once, or says what to do."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from agent_saga.trace.store import Lease, NewLine, Spending, open_store
from agent_saga.trace.store.errors import Busy, Damaged, LimitReached, StoreError
from agent_saga.trace.store.postgres.schema import LOCKS, migrate
from agent_saga.trace.writer import SagaWriter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "store_postgres"))

from pgfixtures import pg_address, pg_server
from pgserver import Server

__all__ = ["pg_address", "pg_server"]

AT = "2026-11-30T07:00:00.000000Z"
FOREIGN = "höldér 漢字"
WAITING: LiteralString = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)
PENDING: LiteralString = "SELECT count(*) FROM agent_saga.pending"


def first(saga: str) -> NewLine:
    """The first line of a saga."""
    line = SagaWriter(saga, os.urandom).line("saga.started", AT, log="local", name="s", format="1.0", tools={})
    return NewLine(saga, 0, line)


def setting(server: Server, address: str, words: str) -> None:
    """Let every session in a database begin so."""
    server.run(f"ALTER DATABASE {address.rpartition('/')[2]} SET {words}")


async def used(address: str, holder: str = FOREIGN) -> tuple[bytes | None, list[str], int]:
    """A store opened, written and read: a remembered value, the open sagas, the lines."""
    store = open_store(address)
    try:
        await store.append([first("s-1")])
        await store.remember("key", b"value")
        lease = await store.acquire("s-1", holder, 5.0, time.time())
        assert isinstance(await store.renew(lease, 5.0, time.time()) if lease else None, Lease)
        return await store.recall("key"), await store.expired(time.time() + 60), len(await store.lines(0))
    finally:
        await store.close()


@pytest.mark.parametrize("level", ["read committed", "repeatable read"])
def test_two_writers_never_take_more_than_a_limit_holds(level: str, pg_server: Server, pg_address: str) -> None:
    setting(pg_server, pg_address, f"default_transaction_isolation = '{level}'")

    async def take(saga: str) -> object:
        store = open_store(pg_address)
        try:
            return await store.append([first(saga)], spends=[Spending(saga, 0, "day", "all", 1, 10**6, 10**6, 1)])
        except LimitReached as reached:
            return reached
        finally:
            await store.close()

    async def both() -> list[object]:
        with psycopg.connect(pg_address, autocommit=True) as sequencer, psycopg.connect(pg_address) as other:
            sequencer.execute("SELECT pg_advisory_lock(%s, 1)", (LOCKS,))  # batches are put into the log later
            other.execute("INSERT INTO agent_saga.events VALUES ('s-1', 0, 99, 0, false, 'x')")
            one = asyncio.ensure_future(take("s-1"))  # counts, and waits for who writes the same line
            await _counted(sequencer, WAITING, 1, one)
            two = asyncio.ensure_future(take("s-2"))  # begins, and waits for the one who counts
            await _counted(sequencer, WAITING, 2, two)
            other.rollback()
            await _counted(sequencer, PENDING, 2, two)
            sequencer.execute("SELECT pg_advisory_unlock_all()")
            return [await one, await two]

    taken = asyncio.run(both())
    assert [type(one) for one in taken] == [int, LimitReached]
    database = pg_address.rpartition("/")[2]
    assert pg_server.run("SELECT count(*) FROM agent_saga.spends", database=database) == [(1,)]


async def _counted(
    connection: psycopg.Connection, query: LiteralString, count: int, task: asyncio.Task[object]
) -> None:
    """Return once the query counts so many, or the task has ended."""
    end = time.monotonic() + 10
    while connection.execute(query).fetchone() != (count,) and not task.done() and time.monotonic() < end:
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "EUC_JP"])
def test_a_database_of_another_encoding_holds_a_store(encoding: str, pg_server: Server) -> None:
    name = f"in_{encoding.lower()}"
    pg_server.run(f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    migrate(pg_server.address(name), dry_run=False)
    assert asyncio.run(used(pg_server.address(name), "höldér" if encoding == "SQL_ASCII" else "漢字")) == (
        b"value",
        ["s-1"],
        1,
    )


def test_a_name_that_an_encoding_lacks_is_told(pg_server: Server) -> None:
    pg_server.run("CREATE DATABASE in_latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    migrate(pg_server.address("in_latin"), dry_run=False)
    with pytest.raises(StoreError, match="has no such character: use names of ASCII, or a database in UTF8"):
        asyncio.run(used(pg_server.address("in_latin")))


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_the_encoding_that_sessions_begin_with_is_none_of_the_stores(
    encoding: str, pg_server: Server, pg_address: str
) -> None:
    setting(pg_server, pg_address, f"client_encoding = '{encoding}'")
    assert asyncio.run(used(pg_address)) == (b"value", ["s-1"], 1)


def test_triggers_that_a_session_switches_off_are_not_in_force(pg_server: Server, pg_address: str) -> None:
    setting(pg_server, pg_address, "session_replication_role = 'replica'")
    with pytest.raises(Damaged, match="or set session_replication_role"):
        asyncio.run(used(pg_address))


def test_a_server_that_ends_transactions_soon_says_which_setting_did(pg_server: Server, pg_address: str) -> None:
    setting(pg_server, pg_address, "transaction_timeout = '1ms'")
    with pytest.raises(Busy, match="look at transaction_timeout"):
        asyncio.run(used(pg_address))
