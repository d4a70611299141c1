"""A process dies at any append; others go on; every effect is there once, or undone once, and the trace says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from chaoslib import STAGES, all_points, at_point

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
]


@pytest.mark.parametrize("name, stage, failpoint", FEW, ids=lambda value: value)
def test_a_saga_survives_a_kill_where_most_is_at_stake(name: str, stage: str, failpoint: str, tmp_path: Path) -> None:
    assert at_point(name, stage, failpoint, tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name, stage", STAGES, ids=lambda value: value)
def test_a_saga_survives_a_kill_at_every_append(
    name: str, stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tried, wrong = all_points(name, stage, tmp_path)
    with capsys.disabled():
        print(f"\n{name}, {stage}: killed at {tried} places, {len(wrong)} of them wrong")
    assert not wrong, "\n".join(wrong)
    assert tried >= 4
