"""`agent-saga doctor` with an address: whatever can be wrong with a store in PostgreSQL is one line that says so."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from free_ports import free_port
from pgserver import PASSWORD, Server, place_for_servers, remove
from samples import Writer

from agent_saga.runtime.doctor import verdict
from agent_saga.runtime.doctor.database import examine_database
from agent_saga.trace.store import open_store
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.postgres.schema import migrate

SAGA = Path(sys.executable).with_name("agent-saga")
WRONG = "open-barley"
IDS = ("reach", "schema", "store", "roles", "sequencer", "durable", "clock")


@pytest.fixture(scope="module")
def safe() -> Iterator[Server]:
    """A server that syncs and asks for passwords, with an empty store and a worker."""
    folder = place_for_servers()
    server = Server(folder, auth="scram-sha-256", settings={"fsync": "on"})
    try:
        server.make("acme")
        migrate(server.address("acme", password=PASSWORD), dry_run=False)
        server.run("CREATE ROLE worker LOGIN PASSWORD 'sesame'", "GRANT agent_saga_append TO worker")
        yield server
    finally:
        server.stop()
        remove(folder)


def looked(address: str, ahead: float = 0.0) -> dict[str, Any]:
    """The trials by id. ahead: seconds by which this machine's clock is wrong."""
    trials = examine_database(address, lambda: time.time() + ahead)
    assert [one.id for one in trials] == list(IDS)
    assert all(one.says and one.found and (one.todo or one.outcome == "held") for one in trials)
    return {one.id: one for one in trials} | {"verdict": verdict(trials)}


def outcomes(trials: dict[str, Any]) -> list[str]:
    return [str(trials[id].outcome) for id in IDS]


def doctor(address: str, *more: str, folder: Path) -> tuple[int, str]:
    """Run the command; its exit code, and both outputs."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AGENT_SAGA_", "PG"))}
    words = [SAGA, "doctor", *more, "--store", address]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=folder, env=environment, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def test_a_worker_of_a_sound_store_is_told_that_all_holds(safe: Server, tmp_path: Path) -> None:
    address = safe.address("acme", user="worker", password="sesame")
    asyncio.run(_appended(address))
    code, said = doctor(address, "--format", "json", folder=tmp_path)
    trials = {one["id"]: one for one in json.loads(said)["trials"]}
    assert [trials[id]["outcome"] for id in IDS] == ["held"] * len(IDS), said
    assert code == 0
    assert trials["store"]["found"] == "3 lines of 1 sagas, 1 of them open"
    assert trials["roles"]["found"] == "worker may append, and may not conceal values"
    assert "sesame" not in said
    assert os.listdir(tmp_path) == []


async def _appended(address: str) -> None:
    store = open_store(address)
    await store.append(Writer("a").some(3))
    await store.close()


def test_the_claims_of_a_kit_are_tried_on_the_store_of_the_address(safe: Server, tmp_path: Path) -> None:
    (tmp_path / "kits.py").write_text(
        "from agent_saga.runtime import AgentKit\ndef kit(store): return AgentKit(store)\n"
    )
    address = safe.address("acme", user="worker", password="sesame")
    code, said = doctor(address, "kits:kit", "--format", "json", folder=tmp_path)
    trials = {one["id"]: one for one in json.loads(said)["trials"]}
    assert trials["one-runner"]["outcome"] == trials["durable"]["outcome"] == "held", said
    assert code == 0
    assert [name for name in os.listdir(tmp_path) if "kits" not in name and name != "__pycache__"] == []


def test_what_cannot_be_reached_or_is_no_store_leaves_the_rest_open(safe: Server, tmp_path: Path) -> None:
    wrong = {
        safe.address("acme", password=WRONG): "password authentication failed",
        safe.address("nowhere", password=PASSWORD): "does not exist",
        safe.address("acme", password=PASSWORD, port=free_port()): "cannot be reached",
    }
    for address, words in wrong.items():
        trials = looked(address)
        assert outcomes(trials) == ["failed", *["not probed"] * 6]
        assert words in trials["reach"].found
        code, said = doctor(address, folder=tmp_path)
        assert code == 1
        assert PASSWORD not in said
        assert WRONG not in said
    trials = looked(safe.address("postgres", password=PASSWORD))
    assert outcomes(trials) == ["held", "failed", *["not probed"] * 5]
    assert "agent-saga store migrate" in trials["schema"].found


def test_an_address_that_is_none_is_one_line_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no address of PostgreSQL"):
        examine_database("postgresql://u:sesame@[not-a-host/d", time.time)
    code, said = doctor("postgresql://u:sesame@[not-a-host/d", folder=tmp_path)
    assert code == 2
    assert "no address of PostgreSQL" in said
    assert "sesame" not in said


def test_owners_auditors_and_strangers_are_told_apart_from_workers(pg_server: Server, pg_address: str) -> None:
    name = pg_address.rpartition("/")[2]
    for user in ("reader", "nobody_here"):
        pg_server.run(f"CREATE ROLE {user} LOGIN")
    pg_server.run("GRANT agent_saga_read TO reader")
    assert "may remove the triggers" in looked(pg_address)["roles"].found
    reader = looked(pg_server.address(name, user="reader"))
    assert (reader["store"].outcome, reader["roles"].outcome, reader["verdict"]) == ("held", "failed", 1)
    assert "may not append" in reader["roles"].found
    nobody = looked(pg_server.address(name, user="nobody_here"))
    assert outcomes(nobody)[:2] == ["held", "failed"]
    assert "lacks a right" in nobody["schema"].found


def test_a_server_that_does_not_sync_and_a_clock_that_differs_are_told(pg_address: str) -> None:
    trials = looked(pg_address, ahead=60)
    assert trials["durable"].found == "fsync = off"
    assert trials["clock"].outcome == "failed"
    assert "the server's" in trials["clock"].found
    assert looked(pg_address)["clock"].outcome == "held"
    assert "never" not in looked(pg_address, ahead=-2e9)["clock"].found
    assert looked(pg_address, ahead=-2e9)["clock"].outcome == "failed"


def test_a_session_that_keeps_the_sequencer_and_a_batch_without_a_place_are_told(pg_address: str) -> None:
    assert looked(pg_address)["sequencer"].outcome == "held"
    with psycopg.connect(pg_address) as hand:
        hand.execute("SELECT pg_advisory_xact_lock(1095984993, 1)")
        found = looked(pg_address)["sequencer"]
        assert (found.outcome, "keeps it for 2 s" in found.found) == ("failed", True)
        hand.rollback()
        hand.execute("INSERT INTO agent_saga.events VALUES ('a', 0, 7, 0, false, 'x')")
        hand.execute("INSERT INTO agent_saga.pending VALUES (7, 1)")
        hand.commit()
    found = looked(pg_address)["sequencer"]
    assert (found.outcome, found.found) == ("failed", "1 batches are durable and have no place in the log")


def test_a_store_whose_triggers_were_removed_is_not_sound(pg_address: str) -> None:
    with psycopg.connect(pg_address, autocommit=True) as hand:
        hand.execute("DROP TRIGGER events_append_only ON agent_saga.events")
    trials = looked(pg_address)
    assert outcomes(trials)[:2] == ["held", "failed"]
    assert "somebody removed them" in trials["schema"].found
