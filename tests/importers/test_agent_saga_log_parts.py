"""A log in parts is judged as it is whole: the parts together say the same, or ask for the whole."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import make_agent_saga_logs as logs

from agent_saga.certify.judging import dividing
from agent_saga.certify.judging.inputs import Task, judge_part
from agent_saga.certify.judging.outcomes import Outcome, conclude
from agent_saga.certify.run import Options, certify
from agent_saga.certify.source import Entangled

FIXTURES = sorted(logs.FOLDER.glob("*.wal")) + sorted(logs.FOLDER.glob("*.jsonl"))
RECORDS = 300


def judged(path: Path, parts: int) -> Outcome | None:
    """The outcome of a log in so many parts; None when it asks for the whole."""
    task = Task(str(path), path.name, keep_sagas=True)
    try:
        return conclude(task, [judge_part(replace(task, part=part, parts=parts)) for part in range(parts)])
    except Entangled:
        return None


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
@pytest.mark.parametrize("parts", [2, 3])
def test_every_fixture_is_judged_alike(path: Path, parts: int) -> None:
    assert judged(path, parts) in (judged(path, 1), None)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "log.wal"
    logs.write_log(path, RECORDS)
    return path


def test_a_regular_log_needs_no_second_look(whole: Path) -> None:
    assert judged(whole, 1) == judged(whole, 2) == judged(whole, 5) is not None


def test_what_only_concerns_a_saga_is_found_in_its_part(whole: Path) -> None:
    """Steps that stay in force, undos left out, sagas that do not end: faults under an unbroken chain."""
    rng = random.Random(3)
    records = [json.loads(line) for line in whole.read_bytes().splitlines()]
    kept = [record for record in records if record["event"] == "SAGA_START" or rng.random() < 0.8]
    whole.write_bytes(logs.lines(logs.chain(kept)))
    alone = judged(whole, 1)
    assert alone is not None
    assert len({finding.code for finding in alone.findings}) > 4
    assert judged(whole, 2) == judged(whole, 3) == alone


def _edit(lines: list[bytes], at: int, rng: random.Random) -> None:
    lines[at] = lines[at].replace(b"payments", b"paymentz").replace(b'"clean": true', b'"clean": false')


def _delete(lines: list[bytes], at: int, rng: random.Random) -> None:
    del lines[at]


def _repeat(lines: list[bytes], at: int, rng: random.Random) -> None:
    lines.insert(at, lines[at])


def _swap(lines: list[bytes], at: int, rng: random.Random) -> None:
    lines[at], lines[at - 1] = lines[at - 1], lines[at]


def _spoil(lines: list[bytes], at: int, rng: random.Random) -> None:
    place = rng.randrange(len(lines[at]))
    lines[at] = lines[at][:place] + bytes([rng.randrange(32, 127)]) + lines[at][place + 1 :]


def _name_another(lines: list[bytes], at: int, rng: random.Random) -> None:
    """The first saga that the bytes name is not the one that the record names."""
    lines[at] = lines[at].replace(b'"saga_id": ', b'"x": {"saga_id": "other"}, "saga_id": ')


def _number_twice(lines: list[bytes], at: int, rng: random.Random) -> None:
    """The bytes at the end name one hash, the record another."""
    lines[at] = lines[at][:-1] + b', "_h": "' + b"0" * 64 + b'"}'


def _cut_off(lines: list[bytes], at: int, rng: random.Random) -> None:
    lines[-1:] = [lines[-1][: rng.randrange(1, len(lines[-1]))]]


EDITS = [_edit, _delete, _repeat, _swap, _spoil, _name_another, _number_twice, _cut_off]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__.strip("_"))
def test_what_is_spoiled_anywhere_is_judged_alike(edit: Callable[..., None], whole: Path) -> None:
    good, rng = whole.read_bytes(), random.Random(7)
    for _ in range(8):
        lines = good.splitlines()
        edit(lines, rng.randrange(1, len(lines)), rng)
        whole.write_bytes(b"\n".join(lines) + (b"" if edit is _cut_off else b"\n"))
        assert judged(whole, 2) in (judged(whole, 1), None)


def test_a_record_of_no_saga_and_a_cut_end_are_told_once(whole: Path) -> None:
    whole.write_bytes(whole.read_bytes()[:-40])
    alone = judged(whole, 1)
    assert alone is not None
    assert [finding.code for finding in alone.findings] == ["AS109"]
    assert judged(whole, 4) == alone


@pytest.mark.parametrize("fault", [None, _edit, _spoil])
def test_two_processes_say_what_one_says(
    fault: Callable[..., None] | None, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "SPLIT", 1)
    if fault is not None:
        lines = whole.read_bytes().splitlines()
        charged = next(at for at in range(200, len(lines)) if b"payments" in lines[at])
        fault(lines, charged, random.Random(1))
        whole.write_bytes(b"\n".join(lines) + b"\n")
    first, second = (certify([str(whole)], Options(jobs=jobs, keep_sagas=True)) for jobs in (1, 2))
    assert first == second
    assert (first.findings == ()) is (fault is None)
