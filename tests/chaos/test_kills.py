"""A process dies at any append; others go on; every effect is there once, or undone once, and the trace says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chaoslib import STAGES, Experiment, all_points, at_point

from agent_saga.testing.scenarios import happy_path

# One place of each scenario, chosen where most is at stake: a call was made and no line says what became of it, or
# was announced and not made.
FEW = [
    ("happy-path", "run", "after:2"),
    ("business-failure", "run", "before:6"),
    ("lost-response", "run", "before:3"),
    ("compensation-failure", "run", "after:6"),
    ("compensation-failure", "decide", "after:1"),
    ("crash", "recover", "after:1"),
    ("irreversible", "run", "before:2"),
    ("irreversible-approved", "decide", "before:2"),
    ("irreversible-approved", "decide", "after:3"),
    ("policy", "run", "after:2"),
    ("policy", "decide", "after:3"),
]


@pytest.mark.parametrize("name, stage, failpoint", FEW, ids=lambda value: value)
def test_a_saga_survives_a_kill_where_most_is_at_stake(name: str, stage: str, failpoint: str, tmp_path: Path) -> None:
    assert at_point(name, stage, failpoint, tmp_path) == ""


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"ledger": {"reserve": (1, 0)}}, "the world has"),
        ({"findings": frozenset({"AS504"})}, "certify finds []"),
    ],
)
def test_an_experiment_sees_what_is_not_as_it_should_be(wrong: dict[str, Any], says: str, tmp_path: Path) -> None:
    experiment = Experiment(replace(happy_path, **wrong), "run", "", tmp_path)
    experiment.begin()
    assert not experiment.killed("after:99")
    assert says in experiment.fault()


@pytest.mark.slow
@pytest.mark.parametrize("name, stage, first", STAGES, ids=lambda value: value or "first")
def test_a_saga_survives_a_kill_at_every_append(
    name: str, stage: str, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tried, wrong = all_points(name, stage, first, tmp_path)
    with capsys.disabled():
        print(f"\n{name}, {stage} {first}: killed at {tried} places, {len(wrong)} of them wrong")
    assert not wrong, "\n".join(wrong)
    assert tried >= 2
