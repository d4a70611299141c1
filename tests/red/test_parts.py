"""However the sagas of a log are divided among processes, the same is found, also where not all of it is kept."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from agent_saga.certify.judging import bench
from agent_saga.certify.judging.inputs import judge_part
from agent_saga.certify.judging.outcomes import Outcome, conclude
from agent_saga.certify.preparing import Options, prepared

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for path in (ROOT / "fixtures/rules").rglob("bad_*.jsonl")
    if path.read_bytes().startswith(b'{"v":1,') and path.read_bytes().endswith(b"\n")
)


def mixed(seed: int) -> bytes:
    """The lines of many bad traces, between each other."""
    chosen = random.Random(seed)
    files = [path.read_bytes().splitlines(keepends=True) for path in chosen.sample(FILES, 30)]
    lines: list[bytes] = []
    while any(files):
        file = chosen.choice([file for file in files if file])
        take = chosen.randint(1, 5)
        lines += file[:take]
        del file[:take]
    return b"".join(lines)


def in_parts(path: Path, parts: int) -> Outcome:
    """What becomes of the input when so many processes share it."""
    task = prepared(Options()).task(str(path), "log")
    return conclude(task, [judge_part(replace(task, part=part, parts=parts)) for part in range(parts)])


@pytest.mark.parametrize("most", [1, 2, 5, 1000])
@pytest.mark.parametrize("seed", range(12))
def test_parts_keep_the_findings_that_one_process_keeps(
    seed: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "MAX_KINDS", most)
    path = tmp_path / "log.jsonl"
    path.write_bytes(mixed(seed))
    whole = in_parts(path, 1)
    assert whole.findings
    for parts in (2, 3, 8):
        divided = in_parts(path, parts)
        assert divided.findings == whole.findings
        assert divided.sagas == whole.sagas
        assert divided.report == whole.report
