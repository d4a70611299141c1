"""Many workers certify one log: the same bytes as one process, whatever dies on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from temporal_servers import DevServer
from traces import Trace

from agent_saga.certify.judging.inputs import judge_part
from agent_saga.certify.run import Options
from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.temporal.asking import plan, put_together
from agent_saga.fleet.temporal.judging import task_of
from agent_saga.fleet.temporal.keeping import keep
from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pins, format_pins

Run = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("agent-saga")
ORIGIN = "log.example/acme"
KEY = key_from_seed(ORIGIN, "log", b"f" * 32)
WIDE = {"COLUMNS": "120", "LC_ALL": "C.UTF-8"}
PASS = {"AGENT_SAGA_KEY_PASSPHRASE": "a passphrase of the tests"}
NOW = ["--now", "2026-11-30T02:00:00Z"]


@pytest.fixture(scope="session")
def made(run_cli: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log of many sagas, its checkpoint and pin, and a key for certificates."""
    folder: Path = tmp_path_factory.mktemp("fleet")
    lines = list(Trace(6_000, 300).lines())
    (folder / "log.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    point = Checkpoint(ORIGIN, len(lines), root_of([leaf(line) for line in lines]))
    (folder / "checkpoint").write_text(str(sign_checkpoint(point, KEY.vkey, KEY)))
    (folder / "pin").write_text(format_pins(Pins(Pin(ORIGIN, KEY.vkey))))
    run_cli("keys", "new", "ci.example", "--purpose", "certificate", "-o", folder / "ci.key", env=PASS)
    run_cli("store", "import", folder / "log.db", folder / "log.jsonl")
    return folder


class Workers:
    """Workers of one task queue; each a process that can be killed."""

    def __init__(self, server: DevServer, work: Path) -> None:
        self.environment = os.environ | PASS | WIDE | {"TEMPORAL_ADDRESS": server.address}
        self.work, self.running = work, list[subprocess.Popen[bytes]]()

    def start(self, *args: str, **more: str) -> subprocess.Popen[bytes]:
        command = [COMMAND, "certify-worker", "--work", self.work, *args]
        made = subprocess.Popen(command, env=self.environment | more, stderr=subprocess.DEVNULL, cwd=self.work)
        self.running.append(made)
        return made

    def stop(self) -> None:
        for one in self.running:
            one.kill()
            one.wait()


@pytest.fixture
def workers(server: DevServer, tmp_path: Path) -> Iterator[Workers]:
    (tmp_path / "work").mkdir()
    made = Workers(server, tmp_path / "work")
    yield made
    made.stop()


def asked(workers: Workers, *args: str | Path, parts: int = 4) -> list[str]:
    fleet = ["--engine", "temporal", "--parts", str(parts), "--work", workers.work]
    return [str(word) for word in (COMMAND, "certify", *args, *fleet, "--no-config", *NOW)]


def run(workers: Workers, *args: str | Path, code: int = 0, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        asked(workers, *args, **more), env=workers.environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("kind", ["log.jsonl", "log.db", "postgresql"])
def test_the_certificate_is_the_one_that_one_process_makes(
    made: Path, workers: Workers, run_cli: Run, tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    path = str(made / kind)
    if kind == "postgresql":
        path = request.getfixturevalue("pg_address")
        assert run_cli("store", "import", path, made / "log.jsonl").returncode == 0
    under = ["--checkpoint", made / "checkpoint", "--pin", made / "pin", "--sign", made / "ci.key", "--certificate"]
    alone = run_cli("certify", path, *under, tmp_path / "alone", *NOW, "--jobs", "1", "--no-config", env=PASS)
    assert alone.returncode == 0, alone.output
    workers.start()
    workers.start()
    found = run(workers, path, *under, tmp_path / "fleet")
    assert found.stdout == alone.stdout
    assert (tmp_path / "fleet").read_bytes() == (tmp_path / "alone").read_bytes()


def test_workers_of_another_task_queue_judge_what_is_asked_there(made: Path, workers: Workers, run_cli: Run) -> None:
    workers.start("--task-queue", "nightly")
    found = run(workers, made / "log.jsonl", "--task-queue", "nightly", parts=2)
    assert found.stdout == run_cli("certify", made / "log.jsonl", "--no-config", *NOW).stdout
    assert "2 parts on task queue nightly" in found.stderr


def test_a_log_with_faults_is_refused_with_the_same_findings(made: Path, workers: Workers, run_cli: Run) -> None:
    bad = workers.work.parent / "bad.jsonl"
    faults = sorted((ROOT / "fixtures/faults").glob("*.jsonl"))[::20]
    bad.write_bytes((made / "log.jsonl").read_bytes() + b"".join(path.read_bytes() for path in faults))
    workers.start()
    found = run(workers, bad, "--format", "json", code=1)
    assert found.stdout == run_cli("certify", bad, "--format", "json", "--no-config", *NOW).stdout


def test_a_worker_that_dies_loses_its_part_alone(made: Path, workers: Workers, run_cli: Run) -> None:
    first = workers.start()
    with subprocess.Popen(
        asked(workers, made / "log.jsonl", parts=6), env=workers.environment, stdout=subprocess.PIPE, text=True
    ) as asking:
        deadline = time.monotonic() + 60
        while not any(workers.work.glob("*.part")) and time.monotonic() < deadline:
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
        before = {path.name: path.stat().st_mtime_ns for path in workers.work.glob("*.part")}
        workers.start()
        out, _ = asking.communicate(timeout=120)
    assert before
    assert asking.returncode == 0
    assert out == run_cli("certify", made / "log.jsonl", "--no-config", *NOW).stdout


def test_a_worker_that_reads_another_policy_is_not_believed(made: Path, workers: Workers, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "pin").write_bytes((made / "pin").read_bytes())
    workers.start()
    other = key_from_seed(ORIGIN, "log", b"o" * 32)
    (workers.work / "pin").write_text(format_pins(Pins(Pin(ORIGIN, other.vkey))))
    done = subprocess.run(
        asked(workers, made / "log.jsonl", "--checkpoint", made / "checkpoint", "--pin", "pin"),
        env=workers.environment,
        capture_output=True,
        text=True,
        cwd=mine,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "this worker reads another registry, policy, pin or checkpoint" in done.stderr


def test_what_a_worker_wrote_and_somebody_changed_is_refused(made: Path, workers: Workers) -> None:
    job = plan(str(made / "log.jsonl"), Options(), 1)
    task, _ = task_of(job)
    found = keep(workers.work, job, 0, judge_part(task))
    assert put_together(job, [found], workers.work).exit_code == 0
    path = workers.work / found.file
    path.write_bytes(path.read_bytes().replace(b"certified", b"Certified") + b"x")
    with pytest.raises(FleetFault, match="is not what the worker wrote"):
        put_together(job, [found], workers.work)
    with pytest.raises(FleetFault, match="0 of 1 parts"):
        put_together(job, [], workers.work)


@pytest.mark.parametrize(
    "args, words",
    [
        (["--parts", "2"], "go with --engine temporal"),
        (["--task-queue", "mine"], "go with --engine temporal"),
        (["--engine", "slurm", "--work", "."], "there is one engine"),
        (["--engine", "temporal"], "--work FOLDER"),
        (["--engine", "temporal", "--work", ".", "--state", "s"], "do not go together"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run_cli: Run, made: Path, args: list[str], words: str) -> None:
    done = run_cli("certify", "log.jsonl", *args, "--no-config", cwd=made)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_password_in_an_address_never_reaches_the_server() -> None:
    with pytest.raises(FleetFault, match="leave the password out") as told:
        plan("postgresql://u:sesame@127.0.0.1:1/x", Options(), 2)
    assert "sesame" not in str(told.value)
