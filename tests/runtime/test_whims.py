"""Whatever people do, a saga ends with what really stands, and its trace has nothing wrong but unsigned decisions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest
from runtime_exploring import CLASSES, FORWARD, OK, UNDOS, Plan, Run, _distinct
from runtime_whims import told_right, wander

from agent_saga.certify.run import certify


def _plan(random: Random) -> Plan:
    while True:
        size = random.choice((1, 2, 3))
        classes = tuple(random.choice(CLASSES[:3]) for _ in range(size))
        forward = tuple(random.choice((OK, OK, *FORWARD)) for _ in range(size))
        undo = tuple(OK if kind == "preview" else random.choice(UNDOS) for kind in classes)
        plan = Plan(classes, forward, undo, random.random() < 0.3, together=random.random() < 0.3)
        if _distinct(plan):
            return plan


async def _wander(seed: int, number: int) -> list[Run]:
    random = Random(seed)
    return [await wander(_plan(random), random.randrange(2**32), f"whim-{one}") for one in range(number)]


def _check(seed: int, number: int, path: Path) -> int:
    runs = asyncio.run(_wander(seed, number))
    path.write_bytes(b"".join(line + b"\n" for run in runs for line in run.lines))
    found: dict[str, set[str]] = {}
    for finding in certify([str(path)]).findings:
        found.setdefault(finding.saga, set()).add(finding.code)
    wrong = [
        (run.plan, run.stop, told_right(run), found.get(run.report.saga))
        for run in runs
        if told_right(run) or found.get(run.report.saga, set()) != ({"AS507"} if run.persons else set())
    ]
    assert not wrong, f"{len(wrong)} of {len(runs)}, such as {wrong[:3]}"
    return len(runs)


def test_three_hundred_sagas_among_people(tmp_path: Path) -> None:
    assert _check(1, 300, tmp_path / "trace.jsonl") == 300


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 30))
def test_many_more_sagas_among_people(tmp_path: Path, seed: int, capsys: Any) -> None:
    number = _check(seed, 500, tmp_path / "trace.jsonl")
    with capsys.disabled():
        print(f" {number} traces", end="")
