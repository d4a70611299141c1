"""``agent-saga worker`` and ``agent-saga run --engine temporal``, as a user types them."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporal_servers import DevServer

from agent_saga.runtime.temporal import connect, read_keys
from agent_saga.runtime.temporal.names import workflow_id

COMMAND = str(Path(sys.executable).with_name("agent-saga"))
SAGA = "agent_saga.testing.scenarios:happy_path"


def command(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    surroundings = os.environ | environment
    return subprocess.run([COMMAND, *words], cwd=cwd, env=surroundings, capture_output=True, text=True, timeout=60)


@pytest.fixture
def at(server: DevServer, tmp_path: Path) -> dict[str, str]:
    """Where the server is, as Temporal's own settings say it."""
    return {"TEMPORAL_ADDRESS": server.address, "TEMPORAL_CONFIG_FILE": str(tmp_path / "absent.toml")}


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    made = {"current": "k1", "keys": {"k1": base64.b64encode(os.urandom(32)).decode()}}
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


@pytest.fixture
def worker(at: dict[str, str], keys: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    words = [COMMAND, "worker", SAGA, "--store", "demo.db", "--task-queue", str(tmp_path), "--payload-keys", str(keys)]
    made = subprocess.Popen(words, cwd=tmp_path, env=os.environ | at, stderr=subprocess.PIPE, text=True)
    yield made
    made.kill()
    made.communicate()


def test_a_worker_runs_what_run_begins_and_ends_when_it_is_asked_to(
    worker: subprocess.Popen[str], at: dict[str, str], keys: Path, tmp_path: Path
) -> None:
    where = ("--store", "demo.db", "--task-queue", str(tmp_path), "--payload-keys", str(keys), "--engine", "temporal")
    done = command("run", SAGA, *where, "--id", "s-7", "--tenant", "acme", "--priority", "1", cwd=tmp_path, **at)
    assert (done.returncode, done.stdout) == (0, "s-7  succeeded_verified  in force: e1, e2, e3\n")
    assert command("certify", "demo.db", cwd=tmp_path).returncode == 0

    async def found() -> list[str]:
        client = await connect(target_host=at["TEMPORAL_ADDRESS"], keys=read_keys(keys))
        query = "AgentSagaName = 'checkout' AND AgentSagaStatus = 'succeeded_verified'"
        for _ in range(100):
            ids = [one.id async for one in client.list_workflows(query)]
            if ids:
                return ids
            await asyncio.sleep(0.1)
        return []

    assert asyncio.run(found()) == [workflow_id("s-7")]
    worker.send_signal(signal.SIGTERM)
    _, errors = worker.communicate(timeout=30)
    assert worker.returncode == 0, errors
    assert f"works on checkout, task queue {tmp_path}, namespace default, pid {worker.pid}" in errors


RUN, WORK = ("run", SAGA, "--engine", "temporal"), ("worker", SAGA)
WRONG = [
    (RUN, {"TEMPORAL_ADDRESS": "127.0.0.1:1"}, "no Temporal server answers at 127.0.0.1:1: Connection refused"),
    (WORK, {"TEMPORAL_NAMESPACE": "nope"}, "has no namespace 'nope'; make it"),
    (WORK, {"TEMPORAL_PROFILE": "nope"}, "Temporal's settings cannot be read"),
]


@pytest.mark.parametrize("words, wrong, says", WRONG, ids=["server", "namespace", "profile"])
def test_what_is_wrong_with_the_connection_is_told_in_one_line(
    words: tuple[str, ...], wrong: dict[str, str], says: str, at: dict[str, str], tmp_path: Path
) -> None:
    done = command(*words, cwd=tmp_path, **at | wrong)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "saga.db").exists()


def test_a_missing_extra_says_how_to_install_it(tmp_path: Path) -> None:
    stub = tmp_path / "stub" / "temporalio"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("raise ModuleNotFoundError('no', name='temporalio')\n", encoding="utf-8")
    done = command("worker", SAGA, cwd=tmp_path, PYTHONPATH=str(stub.parent))
    assert done.returncode == 2
    assert "pip install 'agent-saga-toolkit[temporal]'" in done.stderr


def test_a_saga_that_no_worker_waits_for_says_which_to_start(at: dict[str, str], tmp_path: Path) -> None:
    words = [COMMAND, "run", SAGA, "--engine", "temporal", "--task-queue", "nobody"]
    waits = subprocess.Popen(words, cwd=tmp_path, env=os.environ | at, stderr=subprocess.PIPE, text=True)
    try:
        assert waits.stderr is not None
        line = waits.stderr.readline()
    finally:
        waits.kill()
        waits.communicate()
    assert f"start it with agent-saga worker {SAGA} --store saga.db --task-queue nobody" in line
