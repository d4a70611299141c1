"""A process that is killed leaves a trace from which another goes on; two never run the same saga."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from runtime_victim import LEASE, Ledger, work

from agent_saga.runtime import SagaBusy
from agent_saga.trace import decode
from agent_saga.trace.reader import open_input

VICTIM = Path(__file__).with_name("victim.py")


def start(folder: Path, goal: str, *more: str, failpoint: str = "") -> subprocess.Popen[bytes]:
    env = dict(os.environ) | ({"AGENT_SAGA_FAILPOINT": failpoint} if failpoint else {})
    return subprocess.Popen([sys.executable, str(VICTIM), str(folder), goal, "s-1", *more], env=env)


def recover(folder: Path, goal: str) -> tuple[Any, list[bytes]]:
    """What a third process does once the lease of the killed one has run out."""
    for _ in range(100):
        reports, lines = asyncio.run(work(folder, goal == "yes", None))
        if not reports and lines and b'"type":"saga.ended"' in lines[-1]:  # killed when all was done
            with suppress(SagaBusy):
                reports, lines = asyncio.run(work(folder, goal == "yes", "s-1"))
        if reports:
            return reports[0], lines
        time.sleep(LEASE / 10)
    raise AssertionError("nobody held it, and nothing was recovered")


def check(folder: Path, goal: str, where: str, judge: Any) -> bool:
    """One kill; answers whether the failpoint was reached."""
    folder.mkdir()
    code = start(folder, goal, failpoint=where).wait(timeout=60)
    if code == 0:
        return False
    assert code == -signal.SIGKILL
    if (folder / "trace.db").exists() and where != "before:1":
        report, lines = recover(folder, goal)
        assert report.status == ("succeeded_verified" if goal == "yes" else "compensated_verified")
        assert {finding.code for finding in judge(lines).findings} == set()
        expected = 1 if goal == "yes" else 0
        items = Ledger(folder / "book.db").standing()
        assert set(items.values()) <= {expected}
        assert goal == "no" or len(items) == 3
    return True


@pytest.mark.parametrize("where", ["before:1", "after:2", "before:4", "after:6"])
def test_killed_at_an_append_it_is_recovered(tmp_path: Path, judge: Any, where: str) -> None:
    assert check(tmp_path / "one", "no", where, judge)


@pytest.mark.parametrize("number", [2, 3])
def test_an_outcome_and_the_next_intent_are_kept_both_or_neither(tmp_path: Path, number: int) -> None:
    types: dict[str, list[str]] = {}
    for where in ("before", "after"):
        (tmp_path / where).mkdir()
        code = start(tmp_path / where, "yes", failpoint=f"{where}:{number}").wait(timeout=60)
        assert code == -signal.SIGKILL
        lines = open_input(str(tmp_path / where / "trace.db")).lines()
        types[where] = [decode(line)[0].type for line in lines if line]
    assert types["before"][-1] == "effect.intended"
    added = types["after"][len(types["before"]) :]
    assert types["after"] == types["before"] + added
    assert added == ["effect.succeeded", "step.proposed", "effect.intended"]


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["yes", "no"])
def test_killed_at_every_append_it_is_recovered(tmp_path: Path, judge: Any, goal: str, capsys: Any) -> None:
    points = 0
    for number in range(1, 100):
        if not check(tmp_path / f"b{number}", goal, f"before:{number}", judge):
            break
        assert check(tmp_path / f"a{number}", goal, f"after:{number}", judge)
        points += 2
    assert points >= 8
    with capsys.disabled():
        print(f" {points} kill points", end="")


def test_two_processes_never_run_the_same_saga_and_a_third_recovers_it(tmp_path: Path, judge: Any) -> None:
    lease = 5 * LEASE  # a process of a busy machine may have no turn for as long as the usual one
    first = start(tmp_path, "yes", "30", str(lease))
    deadline = time.monotonic() + 30
    while not (tmp_path / "book.db").exists() or not Ledger(tmp_path / "book.db").standing():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(1.5 * lease)  # it is renewed meanwhile
    with pytest.raises(SagaBusy):
        asyncio.run(work(tmp_path, True, "s-1"))
    assert asyncio.run(work(tmp_path, True, None))[0] == []
    first.kill()
    first.wait()
    report, lines = recover(tmp_path, "yes")
    assert report.status == "succeeded_verified"
    assert Ledger(tmp_path / "book.db").standing() == {"stock": 1, "payment": 1, "delivery": 1}
    assert not judge(lines).findings
