"""Twice as many answers of persons to one request take twice the steps, since none is held against all before it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from rulelib.lines import chain, salt, written
from rulelib.script import Script

from agent_saga.certify.run import certify

SMALL = 200
ALLOWED = 2.3
"""As tests/rules/test_linear.py has it, whose events come without the leaves that answers of ours have."""


def trace(answers: int, quorum: int) -> bytes:
    lines = Script("many").run(f"start\nstep s1 bank.wire\nask s1 quorum={quorum}\n" + "answer s1 approve\n" * answers)
    for number, line in enumerate(lines):
        line |= {"salt": salt("many", number)} | ({"person": f"p-{number % 7}"} if "person" in line else {})
    return written(chain(lines))


def steps(path: Path) -> int:
    """How many lines of Python it takes."""
    count = 0

    def step(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        certify([str(path)])
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("quorum", [2, 9])
def test_many_answers_to_one_request(quorum: int, tmp_path: Path) -> None:
    found = []
    for answers in (SMALL, SMALL, 2 * SMALL, 4 * SMALL):  # the first loads what is loaded once
        (tmp_path / "t.jsonl").write_bytes(trace(answers, quorum))
        found.append(steps(tmp_path / "t.jsonl"))
    _, one, two, four = found
    assert four - two < ALLOWED * (two - one)


@pytest.mark.parametrize("persons, code", [(2, "AS503"), (3, "AS503"), (1, "AS504")])
def test_whether_somebody_is_waited_for_is_told_as_before(persons: int, code: str, tmp_path: Path) -> None:
    answers = "".join(
        f"answer s1 approve person=p-{number}\nanswer s1 approve person=p-0\n" for number in range(persons)
    )
    script = f"start\nstep s1 bank.wire\nask s1 quorum=9\nanswer s1 approve person=p-7\nask s1 quorum=2\n{answers}"
    (tmp_path / "t.jsonl").write_bytes(written(chain(Script("few").run(script))))
    assert code in {one.code for one in certify([str(tmp_path / "t.jsonl")]).findings}
