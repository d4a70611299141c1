"""Kernel and certifier agree with a plain model of the world, for every small saga stopped after every line."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from runtime_exploring import FAIL, LOST_LANDED, OK, Plan, Run, every_stop, expected, parallel, sampled, sequential

from agent_saga.certify.run import certify
from agent_saga.runtime import engine, perform
from agent_saga.runtime.kernel import undoing
from agent_saga.trace.codec import decode

BATCH = 500


def _agree(plans: Iterator[Plan], folder: Path) -> int:
    runs = asyncio.run(every_stop(plans, "saga"))
    return _judged(runs, folder / "whole.jsonl") + _cut(runs, folder / "cut.jsonl")


def _judged(runs: list[Run], path: Path) -> int:
    """Every trace has exactly the codes that the world says it deserves."""
    found = _codes([run.lines for run in runs], path)
    wrong = []
    for run, codes in zip(runs, found, strict=True):
        due = set(expected(run))
        if run.faults or codes != due:
            wrong.append((run.plan, run.stop, run.faults, codes, due, run.report.status))
    assert not wrong, f"{len(wrong)} of {len(runs)}, such as {wrong[:3]}"
    return len(runs)


def _cut(runs: list[Run], path: Path) -> int:
    """A trace that was cut by the stop is open: never certified, and nothing else is wrong with it."""
    cut = [run for run in runs if run.cut]
    found = _codes([run.cut for run in cut], path)
    wrong = [
        (run.plan, run.stop, one)
        for run, one in zip(cut, found, strict=True)
        if one - {"AS507"} not in ({"AS503"}, {"AS504"})
    ]
    assert not wrong, f"{len(wrong)} of {len(cut)}, such as {wrong[:3]}"
    return len(cut)


def _codes(traces: list[list[bytes]], path: Path) -> list[set[str]]:
    """The codes of the findings of each trace, one saga a trace; a report lists so many findings and no more."""
    found: dict[str, set[str]] = {}
    for start in range(0, len(traces), BATCH):
        path.write_bytes(b"".join(line + b"\n" for trace in traces[start : start + BATCH] for line in trace))
        for finding in certify([str(path)]).findings:
            found.setdefault(finding.saga, set()).add(finding.code)
    return [found.get(decode(trace[0])[0].saga, set()) for trace in traces]


def _show(capsys: Any, number: int) -> None:
    with capsys.disabled():
        print(f" {number} traces", end="")


def test_every_saga_of_one_step_and_some_of_two_side_by_side(tmp_path: Path, capsys: Any) -> None:
    side_by_side = parallel(undos=(OK, FAIL), forwards=(OK, LOST_LANDED))
    _show(capsys, _agree(sequential(1), tmp_path) + _agree(side_by_side, tmp_path))


def test_a_sample_of_two_and_three_steps(tmp_path: Path, capsys: Any) -> None:
    _show(capsys, _agree(sampled(2, 12, 1), tmp_path) + _agree(sampled(3, 12, 2), tmp_path))


def _run_again_blindly(state: Any) -> tuple[()]:
    return ()


def _nothing_in_the_way(effects: Any) -> Any:
    return ((effect, False) for effect in effects)


def _call_it_failed(tool: Any, error: Any) -> perform.Failed:
    return perform.Failed({"code": "not_done", "retry": False})


BROKEN = [
    (engine, "recovered", _run_again_blindly, "made again"),
    (undoing, "_newest_first", _nothing_in_the_way, "AS210"),
    (perform, "_fault", _call_it_failed, "stand"),
]


@pytest.mark.parametrize("module, name, broken, words", BROKEN)
def test_a_runtime_that_is_broken_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, broken: Any, words: str
) -> None:
    if broken is _nothing_in_the_way:
        monkeypatch.setattr(undoing, "_undoable", lambda state, _: iter(state.effects.values()))  # the oldest first
    monkeypatch.setattr(module, name, broken)
    plans = [Plan(("compensable",) * 2, (LOST_LANDED, OK), (OK, OK), False)]
    with pytest.raises(AssertionError, match=words):
        _agree(iter(plans), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_every_saga_of_two_steps(tmp_path: Path, capsys: Any, part: int) -> None:
    _show(capsys, _agree(islice(sequential(2), part, None, 8), tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_every_saga_of_two_steps_side_by_side(tmp_path: Path, capsys: Any, part: int) -> None:
    _show(capsys, _agree(islice(parallel(), part, None, 8), tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_large_sample_of_three_steps(tmp_path: Path, capsys: Any, seed: int) -> None:
    _show(capsys, _agree(sampled(3, 200, seed), tmp_path))
