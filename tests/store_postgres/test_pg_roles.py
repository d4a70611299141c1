"""Who may do what, what is refused to everybody, and what is said of a database that holds no store of this release."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import psycopg
import pytest
from pgserver import BIN, PASSWORD, Server
from samples import Writer, concealed, whole

from agent_saga.trace.reader import open_input
from agent_saga.trace.store import StoreError, open_store
from agent_saga.trace.store.errors import Damaged, NotAStore, ReadOnly, Unreachable, WrongVersion
from agent_saga.trace.store.postgres import connecting
from agent_saga.trace.store.postgres.addresses import beside, is_address, masked, revealed
from agent_saga.trace.store.postgres.addresses import concealed as without_password
from agent_saga.trace.store.postgres.schema import migrate

Hand = psycopg.Connection[tuple[object, ...]]
USERS = {
    "worker": ("agent_saga_append",),
    "concealer": ("agent_saga_append", "agent_saga_vault"),
    "auditor": ("agent_saga_read",),
    "keeper": ("agent_saga_vault",),
    "stranger": (),
}


@pytest.fixture
def users(pg_server: Server, pg_address: str) -> dict[str, str]:
    """Addresses by user; there is one who has each role, and one who has none."""
    for user, roles in USERS.items():
        if not pg_server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{user}'"):
            pg_server.run(f"CREATE ROLE {user} LOGIN", *(f"GRANT {role} TO {user}" for role in roles))
    name = pg_address.rpartition("/")[2]
    return {user: pg_server.address(name, user=user) for user in USERS}


def _append(address: str, name: str = "a") -> None:
    async def go() -> None:
        store = open_store(address)
        try:
            await store.append(whole(name))
        finally:
            await store.close()

    asyncio.run(go())


CHANGES = [
    "UPDATE agent_saga.events SET line = 'x'", "DELETE FROM agent_saga.events", "TRUNCATE agent_saga.events",
    "UPDATE agent_saga.log SET first = 9", "DELETE FROM agent_saga.log", "TRUNCATE agent_saga.log",
    "INSERT INTO agent_saga.log VALUES (9, 1, 9)", "INSERT INTO agent_saga.pending VALUES (9, 1)",
    "DELETE FROM agent_saga.sagas", "UPDATE agent_saga.sagas SET ended = false",
    "UPDATE agent_saga.spends SET amount = 0", "DELETE FROM agent_saga.spends",
    "DELETE FROM agent_saga.leases", "UPDATE agent_saga.leases SET saga = 'x'",
    "SELECT key FROM agent_saga_vault.keys", "SELECT sealed FROM agent_saga_vault.disclosures",
    "ALTER TABLE agent_saga.events DISABLE TRIGGER ALL", "DROP TRIGGER events_append_only ON agent_saga.events",
    "SELECT agent_saga.put(NULL, NULL)",
]  # fmt: skip


def test_who_appends_can_change_and_remove_nothing(users: dict[str, str], pg_address: str) -> None:
    _append(users["worker"])
    with psycopg.connect(users["worker"], autocommit=True) as hand:
        for statement in CHANGES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                hand.execute(statement.encode())
    _append(users["worker"], "b")


def test_who_reads_writes_nothing_and_who_is_nobody_reads_nothing(users: dict[str, str], pg_address: str) -> None:
    _append(pg_address)
    assert len(list(open_input(users["auditor"]).lines())) == 5  # the last one is what follows the last LF
    with pytest.raises(ReadOnly, match="permission denied"):
        _append(users["auditor"], "b")
    with psycopg.connect(users["auditor"], autocommit=True) as hand:
        for statement in CHANGES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                hand.execute(statement.encode())
    with pytest.raises(ReadOnly, match="permission denied"):
        open_store(users["stranger"])


def test_only_who_has_the_vault_seals_and_opens(users: dict[str, str]) -> None:
    lines, disclosure = concealed("a")

    async def go(user: str) -> list[str]:
        store = open_store(users[user])
        try:
            await store.append(lines, disclosures=[disclosure])
            return await store.disclosures("a")
        finally:
            await store.close()

    with pytest.raises(ReadOnly, match="agent_saga_vault"):
        asyncio.run(go("worker"))
    assert not list(open_input(users["auditor"]).lines())[:-1], "no line without what opens it"
    assert asyncio.run(go("concealer")) == [disclosure.text]
    with psycopg.connect(users["keeper"], autocommit=True) as hand, pytest.raises(psycopg.errors.InsufficientPrivilege):
        hand.execute("SELECT line FROM agent_saga.events")


def test_the_owner_himself_has_to_remove_a_trigger_first_and_then_the_store_is_refused(pg_address: str) -> None:
    _append(pg_address)
    with psycopg.connect(pg_address, autocommit=True) as hand:
        for statement in CHANGES[:6] + CHANGES[8:12]:
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
                hand.execute(statement.encode())
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="without gaps"):
            hand.execute("INSERT INTO agent_saga.log VALUES (9, 1, 9)")
        hand.execute("ALTER TABLE agent_saga.events DISABLE TRIGGER events_append_only")
        with pytest.raises(Damaged, match=r"events\.events_append_only"):
            open_store(pg_address)
        hand.execute("ALTER TABLE agent_saga.events ENABLE TRIGGER events_append_only")
    _append(pg_address, "b")


def test_lines_beside_the_functions_are_in_no_log_and_are_told(pg_address: str) -> None:
    from agent_saga.trace.store.inspecting import inspect

    _append(pg_address)
    with psycopg.connect(pg_address, autocommit=True) as hand:
        hand.execute("INSERT INTO agent_saga.events VALUES ('x', 0, 1, 4, false, 'x')")
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="does not hold"):
            hand.execute("SELECT agent_saga.place(1, 4)")
    found = inspect(pg_address, 0.0)
    assert (found.lines, found.unlogged) == (4, 1)


def test_a_database_without_a_store_of_this_release_is_told(pg_server: Server) -> None:
    address = pg_server.make("versions")
    with pytest.raises(NotAStore, match="run `agent-saga store migrate postgresql://postgres@"):
        open_store(address)
    assert migrate(address, dry_run=True)
    with pytest.raises(NotAStore):
        open_store(address)
    assert migrate(address, dry_run=False)
    assert migrate(address, dry_run=False) == []
    pg_server.run("INSERT INTO agent_saga.versions VALUES (2)", database="versions")
    for call in (lambda: open_store(address), lambda: migrate(address, dry_run=False)):
        with pytest.raises(WrongVersion, match="schema 2, this release knows 1: install a newer agent-saga"):
            call()


def test_who_may_make_no_roles_is_told(pg_server: Server) -> None:
    pg_server.make("denied")
    if not pg_server.run("SELECT 1 FROM pg_roles WHERE rolname = 'plain'"):
        pg_server.run("CREATE ROLE plain LOGIN")
    with pytest.raises(ReadOnly, match="permission denied"):
        migrate(pg_server.address("denied", user="plain"), dry_run=False)


def test_a_copy_by_pg_dump_goes_on_where_the_store_was(pg_server: Server, pg_address: str) -> None:
    writer = Writer("w")
    lines, disclosure = concealed("a")

    async def use(address: str, more: int) -> list[int]:
        store = open_store(address)
        try:
            return [await store.append(writer.some(2)) for _ in range(more)]
        finally:
            await store.close()

    async def conceal() -> None:
        store = open_store(pg_address)
        await store.append(lines, disclosures=[disclosure])
        await store.close()

    asyncio.run(conceal())
    assert asyncio.run(use(pg_address, 3)) == [2, 4, 6]
    copy = pg_server.make("copied")
    dump = subprocess.run([BIN / "pg_dump", "--format=custom", pg_address], check=True, capture_output=True)
    subprocess.run([BIN / "pg_restore", "--dbname", copy], input=dump.stdout, check=True, capture_output=True)
    assert asyncio.run(use(copy, 1)) == [8]
    asyncio.run(_opens(copy, disclosure.text))


async def _opens(address: str, text: str) -> None:
    store = open_store(address)
    assert await store.disclosures("a") == [text]
    await store.close()


def test_a_password_is_told_from_what_may_be_shown() -> None:
    for given, shown, clean in [
        ("postgresql://u:s3cret@h/d", "postgresql://u:***@h/d", "postgresql://u@h/d"),
        ("postgres://u:s3:c@r@et@h:5/d?x=1", "postgres://u:***@h:5/d?x=1", "postgres://u@h:5/d?x=1"),
        ("postgresql://h/d?user=u&password=s3cret&sslmode=require",
         "postgresql://h/d?user=u&password=***&sslmode=require", "postgresql://h/d?user=u&sslmode=require"),
        ("postgresql:///d?sslpassword=s3cret", "postgresql:///d?sslpassword=***", "postgresql:///d"),
        ("postgresql://u@i/d", "postgresql://u@i/d", "postgresql://u@i/d"),
        ("orders.db", "orders.db", "orders.db"),
    ]:  # fmt: skip
        assert masked(given) == shown
        assert without_password(given) == clean
        assert revealed(clean) == given
    assert is_address("postgres:///x")
    found = [beside(one) for one in ("postgresql://u:p@h:5/acme?x=1", "postgres://", "postgresql:///a%2Fb", "o.db")]
    assert found == ["acme.postgres", "store.postgres", "a.postgres", "o.db"]
    assert not is_address("postgres/x")


def test_no_message_holds_the_password(pg_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (
        pg_server.address("missing", password=PASSWORD),
        pg_server.address("x", password=PASSWORD).replace(f":{pg_server.port}", ":1"),
        f"postgresql://u:{PASSWORD}@[not-a-host/d",
        f"postgresql:///d?host=/nowhere&password={PASSWORD}",
    ):
        with pytest.raises((Unreachable, StoreError)) as told:
            open_store(address)
        assert PASSWORD not in str(told.value)
        assert told.value.__cause__ is None


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"agent-saga-toolkit\[postgres\]"):
        open_store("postgresql:///d")
    with pytest.raises(StoreError, match=r"agent-saga-toolkit\[postgres\]"):
        connecting.driver()
