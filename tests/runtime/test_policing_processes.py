"""Eight processes spend one budget: never more, to the last unit, and certify counts the same."""

from __future__ import annotations

import json
import os
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
from agent_saga.runtime.failpoint import VARIABLE
from agent_saga.trace.codec import decode
from agent_saga.trace.events import EffectIntended

CHILD = Path(__file__).with_name("policed_child.py")
HOW = ("before", "after")


def judged(place: Path, budget: str = BUDGET) -> set[str]:
    """What certify finds in a store of the shop, under a policy with this budget."""
    policy, registry = place.with_name("policy.yaml"), place.with_name("registry.json")
    policy.write_text(TOOLS + budget)
    registry.write_text(json.dumps(PEOPLE.registry))
    choices = Choices(policies=(str(policy),), registry=str(registry))
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


def spent_and_intended(place: Path) -> tuple[int, int, int]:
    """What the store counts, over how many lines, and what the intents of charges say that were made durable."""
    with closing(sqlite3.connect(place)) as store:
        total, rows = store.execute("SELECT coalesce(sum(amount), 0), count(*) FROM spends").fetchone()
        lines = [line for (line,) in store.execute("SELECT line FROM lines")]
    events = [decode(line)[0] for line in lines]
    charges = [one for one in events if isinstance(one, EffectIntended) and one.attempt == 1]
    assert rows == len(charges)
    return total, rows, sum(one.args["amount"]["minor"] for one in charges)


@pytest.mark.parametrize(
    "failpoint",
    ["before:2", "after:3", *(pytest.param(f"{w}:{n}", marks=pytest.mark.slow) for n in (1, 4, 5) for w in HOW)],
)
def test_a_process_that_is_killed_at_an_append_leaves_nothing_reserved_and_nothing_uncounted(
    tmp_path: Path, failpoint: str
) -> None:
    place = tmp_path / "s.db"
    words = [sys.executable, str(CHILD), str(place)]
    killed = subprocess.run([*words, "dies"], env={**os.environ, VARIABLE: failpoint}, capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr
    total, _, intended = spent_and_intended(place)
    assert total == intended < 1000
    other = subprocess.run([*words, "lives"], capture_output=True, text=True, check=True)
    assert total + int(other.stdout) == 1000, "the rest of the budget is there for others, to the last unit"
    assert spent_and_intended(place)[::2] == (1000, 1000)
