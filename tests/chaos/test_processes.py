"""Many processes and one store: no two run the same saga, and what a killed one held is taken up once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_saga.testing import assert_certified
from agent_saga.testing.chaos import KILLED, begin, process
from agent_saga.testing.scenarios import SCENARIOS, Shop, happy_path
from agent_saga.trace.codec import decode
from agent_saga.trace.reader import open_input

HELD = "held_saga:runnable"


def _wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, "nothing came within 30 seconds"
        time.sleep(0.02)


def _saga_in(store: Path) -> str:
    return decode(next(iter(open_input(str(store)).lines())))[0].saga


def test_a_second_process_cannot_run_a_held_saga_and_a_third_recovers_it_from_a_killed_one(
    tmp_path: Path, run_cli: Callable[..., Any]
) -> None:
    store = tmp_path / "saga.db"
    hold, entered = Path(f"{store}.hold"), Path(f"{store}.entered")
    hold.touch()
    first = begin("run", HELD, store, lease=3)
    _wait_for(entered.exists)
    here = {"PYTHONPATH": str(Path(__file__).parent)}
    same = run_cli("run", HELD, "--store", store, "--id", _saga_in(store), env=here)
    assert (same.returncode, "is held by another process" in same.stderr) == (2, True), same.output
    nothing = run_cli("recover", store, HELD, env=here)
    assert nothing.returncode == 4, nothing.output
    first.kill()
    first.communicate()
    hold.unlink()
    third = process("recover", HELD, store, lease=3)
    assert [report["status"] for report in json.loads(third.stdout)["reports"]] == ["succeeded_verified"], third.stderr
    assert [(effect.times, effect.undone) for effect in Shop.beside(store).ledger()] == [(1, 0)]
    assert_certified(store, sagas=1)


def test_of_many_processes_that_recover_at_once_one_takes_the_saga(tmp_path: Path) -> None:
    store = tmp_path / "saga.db"
    died = process("run", happy_path.spec, store, failpoint="after:2")
    assert died.returncode == KILLED
    others = [begin("recover", happy_path.spec, store, lease=20) for _ in range(4)]
    answers = [json.loads(other.communicate(timeout=60)[0])["reports"] for other in others]
    assert sorted(map(len, answers)) == [0, 0, 0, 1]
    assert all(effect.sound and effect.stands for effect in Shop.beside(store).ledger())
    assert_certified(store, sagas=1)


def test_many_processes_run_sagas_of_their_own_in_one_store(tmp_path: Path) -> None:
    store = tmp_path / "saga.db"
    SCENARIOS["lost-response"].prepare(store)
    others = [begin("run", SCENARIOS["lost-response"].spec, store) for _ in range(4)]
    answers = [json.loads(other.communicate(timeout=60)[0])["reports"][0]["status"] for other in others]
    assert answers == ["succeeded_verified"] * 4
    ledger = Shop.beside(store).ledger()
    assert len(ledger) == 12
    assert all(effect.sound and effect.stands for effect in ledger)
    assert_certified(store, sagas=4)
