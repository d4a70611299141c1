"""Random sagas of any plan end with what really stands, and their traces are judged for what they are.

`make test` takes three hundred, `make test-long` twenty thousand more. One that goes wrong is told by its seed.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from wandering import Wander, told_wrong, wander

from agent_saga.certify.run import certify
from agent_saga.runtime import engine
from agent_saga.runtime.kernel import decide, intending

SEED = 20260106
WALKS = 300
LONG_SEEDS = range(30_000_000, 30_020_000, 2_000)
TOGETHER = 200
"""Sagas judged in one file: a report names a thousand findings at most."""


def _found(runs: list[Wander], path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for start in range(0, len(runs), TOGETHER):
        path.write_bytes(b"".join(line + b"\n" for one in runs[start : start + TOGETHER] for line in one.lines))
        for finding in certify([str(path)]).findings:
            found[finding.saga].add(finding.code)
    return found


def walked(seeds: range, path: Path) -> tuple[list[Wander], list[str]]:
    """The sagas of these seeds, and what is wrong with them."""

    async def all_of_them() -> list[Wander | None]:
        return [await asyncio.wait_for(wander(seed), 60) for seed in seeds]

    runs = [one for one in asyncio.run(all_of_them()) if one is not None]
    found = _found(runs, path)
    wrong = []
    for one in runs:
        codes, due = found[f"w-{one.seed}"], {"AS507"} if one.persons else set()
        if told_wrong(one) or codes != due:
            wrong.append(f"seed {one.seed}: {told_wrong(one) or 'well told'}, certify finds {sorted(codes)}")
    return runs, wrong


def _sensible(seeds: range, path: Path) -> None:
    """Nothing is wrong, and the walks came to all kinds of ends."""
    runs, wrong = walked(seeds, path)
    assert not wrong, "\n".join(wrong[:10])
    assert len(runs) > 0.8 * len(seeds)
    ends = Counter(one.report.status for one in runs if one.report)
    assert set(ends) == {"succeeded_verified", "compensated_verified", "aborted_clean", "closed_with_exceptions"}
    assert min(ends.values()) > 0.05 * len(runs)
    assert 0.1 < sum(one.persons > 0 for one in runs) / len(runs) < 0.6


def test_no_saga_ends_with_more_or_less_than_it_tells(tmp_path: Path) -> None:
    _sensible(range(SEED, SEED + WALKS), tmp_path / "trace.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("seed", LONG_SEEDS)
def test_no_saga_of_many_ends_with_more_or_less_than_it_tells(seed: int, tmp_path: Path) -> None:
    _sensible(range(seed, seed + 2_000), tmp_path / "trace.jsonl")


def _without_order(case: Any, step: str) -> dict[str, Any]:
    """As if every effect depended on all earlier ones."""
    return {name: value for name, value in ORDER(case, step).items() if name != "after"}


ORDER = intending._order


@pytest.mark.parametrize("row", ["an option lost: undo it, or pause", "what cannot be proven: pause"])
def test_a_runtime_without_a_case_is_caught(row: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = tuple(one for one in decide.TABLE if one[0] != row)
    assert len(table) == len(decide.TABLE) - 1
    monkeypatch.setattr(decide, "TABLE", table)
    assert walked(range(SEED, SEED + 100), tmp_path / "trace.jsonl")[1]


def test_a_recovery_that_repeats_what_was_under_way_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "recovered", lambda state: ())
    assert any("called though" in one for one in walked(range(SEED, SEED + 100), tmp_path / "trace.jsonl")[1])


def test_an_option_that_loses_is_undone_though_something_else_was_done_after_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So it was: whatever came later held it in force, and the saga ended as if all were well."""
    seeds = range(SEED, SEED + 120)
    runs, _ = walked(seeds, tmp_path / "trace.jsonl")
    monkeypatch.setattr(intending, "_order", _without_order)
    others, wrong = walked(seeds, tmp_path / "trace.jsonl")
    assert not wrong  # a person is asked
    assert sum(one.persons > 0 for one in others) > sum(one.persons > 0 for one in runs)
