"""Every command that takes a store takes the address of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest
from pgserver import PASSWORD, Server, place_for_servers, remove

SAGA = Path(sys.executable).with_name("agent-saga")


def saga(*words: str | Path, code: int | None = 0, folder: Path | None = None, **surroundings: str) -> str:
    """Run the command; its standard output, with standard error behind it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AGENT_SAGA_", "PG"))}
    done = subprocess.run(
        [SAGA, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=folder,
        env=environment | surroundings, check=False,
    )  # fmt: skip
    assert code is None or done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a demo scenario."""
    place = tmp_path_factory.mktemp("demo") / "happy.jsonl"
    saga("demo", "--scenario", "happy-path", "--trace", place, folder=place.parent)
    return place


def test_a_trace_goes_in_is_looked_at_certified_and_comes_out_again(
    pg_server: Server, trace: Path, tmp_path: Path
) -> None:
    address = pg_server.make("commands")
    assert "no store in this database: run `agent-saga store migrate" in saga("store", "info", address, code=2)
    assert "tried, nothing was kept" in saga("store", "migrate", address, "--dry-run")
    assert "schema 1" in saga("store", "migrate", address)
    assert "nothing to do" in saga("store", "migrate", address)
    assert "lines imported, 0 were there already" in saga("store", "import", address, trace)
    assert "0 lines imported" in saga("store", "import", address, trace)
    saga("store", "export", address, "-o", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == trace.read_bytes()
    assert "succeeded_verified" in saga("trace", "ls", address)
    assert saga("trace", "show", address, "--raw") == trace.read_text()
    assert saga("trace", "tail", address, "-n", "3", "--raw").splitlines() == trace.read_text().splitlines()[-3:]
    info = json.loads(saga("store", "info", address, "--json"))
    assert (info["kind"], info["sagas"], info["open"], info["schema"], info["unlogged"]) == (
        "PostgreSQL store",
        1,
        0,
        1,
        0,
    )
    assert info["lines"] == len(trace.read_bytes().splitlines())
    ours = json.loads(saga("certify", address, "--format", "json"))
    assert ours["verdict"] == "certified"
    assert ours["inputs"][0]["sha256"] == sha256(trace.read_bytes()).hexdigest()
    assert ours["inputs"][0]["path"] == address
    assert "PostgreSQL backs up itself" in saga("store", "backup", address, tmp_path / "copy.db", code=2)


@pytest.mark.slow
def test_a_saga_is_run_killed_recovered_and_asked_about_by_commands(pg_address: str, tmp_path: Path) -> None:
    spec = "agent_saga.testing.scenarios:happy_path"
    killed = {"AGENT_SAGA_FAILPOINT": "after:3"}
    saga("run", spec, "--store", pg_address, code=-9, folder=tmp_path, **killed)
    assert "PostgreSQL store" in saga("store", "info", pg_address)
    with psycopg.connect(pg_address) as hand:
        hand.execute("UPDATE agent_saga.leases SET until = 0")  # its lease is over
    assert "succeeded_verified" in saga("recover", pg_address, spec, folder=tmp_path)
    assert "no saga of these names is open" in saga("recover", pg_address, spec, code=4, folder=tmp_path)
    assert saga("certify", pg_address, code=0)
    waiting = saga("approvals", "list", pg_address, code=None)
    assert "no such store" not in waiting


def test_a_log_is_kept_in_the_folder_that_the_variable_names(pg_address: str, trace: Path, tmp_path: Path) -> None:
    key = tmp_path / "log.key"
    made = ("keys", "new", "log.example/acme", "--purpose", "log", "--output", key)
    saga(*made, AGENT_SAGA_KEY_PASSPHRASE="correct horse")
    secret = {"AGENT_SAGA_KEY_PASSPHRASE": "correct horse"}
    folder = secret | {"AGENT_SAGA_LOG_FOLDER": str(tmp_path / "log")}
    saga("log", "open", pg_address, "--origin", "log.example/acme", "--key", key, **secret)
    saga("store", "import", pg_address, trace)
    assert "AGENT_SAGA_LOG_FOLDER" in saga("log", "checkpoint", pg_address, "--key", key, code=1, **secret)
    assert "whole sagas can be proven" in saga("log", "checkpoint", pg_address, "--key", key, **folder)
    assert "nothing is new" in saga("log", "checkpoint", pg_address, "--key", key, **folder)
    assert (tmp_path / "log" / "checkpoint").is_file()
    whole = tmp_path / "same.jsonl"
    saga("store", "export", pg_address, "-o", whole)
    beside = tmp_path / "same.jsonl.log"
    beside.symlink_to(tmp_path / "log")
    assert "nothing is new" in saga("log", "checkpoint", whole, "--key", key, **secret), (
        "the same tree over the same lines"
    )


def test_a_password_is_never_shown(tmp_path: Path, trace: Path) -> None:
    folder = place_for_servers()
    server = Server(folder, auth="scram-sha-256")
    try:
        server.run("CREATE DATABASE acme")
        address = server.address("acme", password=PASSWORD)
        said = saga("store", "migrate", address) + saga("store", "import", address, trace)
        said += saga("store", "info", address)
        said += saga("certify", address, trace, "--format", "json", "--jobs", "2", code=None)
        said += saga("store", "info", server.address("missing", password=PASSWORD), code=2)
        said += saga("store", "info", address.replace("postgres:", "stranger:"), code=2)
        said += saga("store", "info", f"{server.address('acme')}?password={PASSWORD}&sslmode=nonsense", code=2)
        assert PASSWORD not in said
        assert server.address("acme") in said
        service = tmp_path / "service.conf"
        service.write_text(
            f"[acme]\nhost=127.0.0.1\nport={server.port}\nuser=postgres\npassword={PASSWORD}\ndbname=acme\n"
        )
        assert "PostgreSQL store" in saga("store", "info", "postgresql:///?service=acme", PGSERVICEFILE=str(service))
        assert "PostgreSQL store" in saga(
            "store", "info", "postgresql:///acme", PGHOST="127.0.0.1", PGPORT=str(server.port), PGUSER="postgres",
            PGPASSWORD=PASSWORD,
        )  # fmt: skip
    finally:
        server.stop()
        remove(folder)
