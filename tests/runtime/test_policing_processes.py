"""Eight processes spend one budget: never more, to the last unit, and certify counts the same."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from runtime_approvers import PEOPLE
from runtime_policed_shop import BUDGET, TOOLS

from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify

CHILD = Path(__file__).with_name("policed_child.py")


def judged(place: Path, budget: str = BUDGET) -> set[str]:
    """What certify finds in a store of the shop, under a policy with this budget."""
    policy, registry = place.with_name("policy.yaml"), place.with_name("registry.json")
    policy.write_text(TOOLS + budget)
    registry.write_text(json.dumps(PEOPLE.registry))
    choices = Choices(policy=str(policy), registry=str(registry))
    return {one.code for one in certify([str(place)], Options(choices=choices)).findings}


def test_eight_processes_never_spend_more_than_the_budget_and_all_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "s.db"
    children = [
        subprocess.Popen([sys.executable, str(CHILD), str(place), f"p{n}"], stdout=subprocess.PIPE, text=True)
        for n in range(8)
    ]
    taken = [int(child.communicate(timeout=240)[0]) for child in children]
    assert all(child.returncode == 0 for child in children)
    with closing(sqlite3.connect(place)) as store:
        (total,) = store.execute("SELECT sum(amount) FROM spends").fetchone()
    assert sum(taken) == total == 1000
    with capsys.disabled():
        print(f"\n8 processes took {' + '.join(map(str, taken))} = {total} of 1000")
    assert judged(place) == set()
    assert "AS403" in judged(place, BUDGET.replace("1000", "999")), "certify counts what the runtime let through"
