"""A process dies at any moment, not only at an append: inside a provider, a commit, an import."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest
from chaoslib import Experiment

from agent_saga.testing.chaos import begin
from agent_saga.testing.scenarios import SCENARIOS, business_failure

TRIES = 20


@pytest.mark.slow
def test_a_saga_survives_a_kill_at_any_moment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    whole = Experiment(business_failure, "run", "", tmp_path / "whole")
    whole.folder.mkdir()
    whole.begin()
    whole.killed("")
    seconds = time.monotonic() - started
    cut = 0
    for number in range(TRIES):
        experiment = Experiment(SCENARIOS["business-failure"], "run", "", tmp_path / str(number))
        experiment.folder.mkdir()
        experiment.begin()
        victim = begin("run", experiment.spec, experiment.store)
        time.sleep(seconds * Random(number).uniform(0.5, 1.0))
        victim.kill()
        victim.communicate()
        if not experiment.store.exists():
            continue  # it died before it had made its store
        experiment.rest()
        assert experiment.fault() == "", f"try {number}"
        cut += experiment.lines() > 0
    with capsys.disabled():
        print(f"\nkilled {TRIES} times at any moment, {cut} times after the first line")
