"""`agent-saga run` and `recover` find a saga by MODULE:SAGA, and their exit codes say what became of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.runtime.runnable import NoRunnable, load
from agent_saga.testing.chaos import process
from agent_saga.testing.scenarios import SCENARIOS

ASSEMBLED = """
from agent_saga.testing.scenarios import happy_path
def runnable(store): return happy_path(store)
def late(store): return 1 / 0
broken = "a saga"
"""


@pytest.mark.parametrize(
    "name, code, says",
    [
        ("happy-path", 0, "succeeded_verified  in force: e1, e2, e3"),
        ("business-failure", 1, "compensated_verified  in force: nothing"),
        ("irreversible", 3, "waiting_approval  in force: e1  about wire_supplier"),
    ],
)
def test_the_exit_code_says_what_became_of_the_saga(
    name: str, code: int, says: str, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    done = run_cli("run", SCENARIOS[name].spec, "--id", "order-1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, f"order-1  {says}\n"), done.output
    again = run_cli("run", SCENARIOS[name].spec, "--id", "order-1", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (code, f"order-1  {says}\n"), again.output


def test_a_killed_saga_is_recovered_once(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    spec = SCENARIOS["lost-response"].spec
    process("run", spec, tmp_path / "saga.db", failpoint="after:2", lease=0.01)
    done = run_cli("recover", "saga.db", spec, SCENARIOS["irreversible"].spec, cwd=tmp_path)
    assert done.returncode == 0, done.output
    again = run_cli("recover", "saga.db", spec, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (4, ""), again.output


@pytest.mark.parametrize(
    "saga, says",
    [
        ("shop", "expected MODULE:SAGA"),
        ("no_such_module:runnable", "no module no_such_module"),
        ("sagas:nothing", "module sagas has no nothing"),
        ("sagas:broken", "sagas:broken is a str; expected an agent_saga.runtime.Runnable"),
        ("sagas:late", "ZeroDivisionError"),
        ("torn:runnable", "module torn does not load: SyntaxError"),
    ],
)
def test_what_names_no_job_is_told(saga: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sagas.py").write_text(ASSEMBLED)
    (tmp_path / "torn.py").write_text("def")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sagas", raising=False)
    with pytest.raises(NoRunnable, match=says):
        load(saga, tmp_path / "saga.db")


def test_a_job_of_the_working_folder_runs_with_another_goal(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "sagas.py").write_text(ASSEMBLED)
    assert run_cli("run", "sagas:runnable", cwd=tmp_path).returncode == 0
    bad = run_cli("run", "sagas:runnable", "--goal", "{", cwd=tmp_path)
    assert (bad.returncode, "--goal" in bad.stderr) == (2, True), bad.output


def test_recover_makes_no_store(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    done = run_cli("recover", "saga.db", SCENARIOS["happy-path"].spec, cwd=tmp_path)
    assert (done.returncode, "saga.db: no such store" in done.stderr) == (2, True), done.output
    assert list(tmp_path.iterdir()) == []


CHANGED = """
from dataclasses import replace
from agent_saga.runtime import SagaDefinition
from agent_saga.testing.scenarios import lost_response
def runnable(store):
    one = lost_response(store)
    old = one.definition
    return replace(one, definition=SagaDefinition(old.name, old.tools[:2], old.checks, old.steps[:2]))
"""


def test_a_saga_that_cannot_be_taken_up_is_told(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "changed.py").write_text(CHANGED)
    process("run", SCENARIOS["lost-response"].spec, tmp_path / "saga.db", failpoint="after:2", lease=0.01)
    done = run_cli("recover", "saga.db", "changed:runnable", cwd=tmp_path)
    assert (done.returncode, "began with other tools" in done.stderr) == (2, True), done.output


def test_one_that_cannot_be_taken_up_hides_no_other(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "changed.py").write_text(CHANGED)
    for name in ("lost-response", "irreversible"):
        process("run", SCENARIOS[name].spec, tmp_path / "saga.db", failpoint="after:2", lease=0.01)
    done = run_cli("recover", "saga.db", "changed:runnable", SCENARIOS["irreversible"].spec, cwd=tmp_path)
    assert done.returncode == 2, done.output
    assert "waiting_approval" in done.stdout
    assert "could not be taken up: UnknownSaga" in done.stderr
    again = run_cli("recover", "saga.db", SCENARIOS["lost-response"].spec, cwd=tmp_path)
    assert (again.returncode, "succeeded_verified" in again.stdout) == (0, True), again.output


def test_recover_that_cannot_begin_leaves_a_torn_log_as_it_is(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"v":1,"sa')
    assert run_cli("recover", str(log), "no_such_module:saga").returncode == 2
    assert log.read_bytes() == b'{"v":1,"sa'


def test_what_opening_a_store_mends_is_told(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"v":1,"sa')
    done = run_cli("run", SCENARIOS["happy-path"].spec, "--store", str(log), cwd=tmp_path)
    assert "10 bytes of lines that were never acknowledged were cut off" in done.stderr
