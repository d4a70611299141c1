"""Two histories of one saga in two inputs are a fork, however good each is; copies and other sagas are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulelib.lines import Line, chain, salt, written
from rulelib.script import Script

from agent_saga.certify.judging import dividing, histories
from agent_saga.certify.run import Options, certify

SAGA = "0123456789abcdefghijkl"


def trace(minor: int, saga: str = SAGA, log: str = "shop.example/audit", begun: str = "a") -> bytes:
    """A good saga with one charge. begun: makes its first line another one."""
    script = Script(f"{saga} {minor}")
    lines: list[Line] = script.run(f"start\ndo e1 payments.charge minor={minor}\nsuccess e1")
    lines[0] |= {"log": log, "salt": salt(saga, begun)}
    return written(chain(one | {"saga": saga} for one in lines))


def told(folder: Path, *traces: bytes, jobs: int = 1) -> list[tuple[str, str, int]]:
    """Code, input and line of each finding on these traces, in files a, b, c ..."""
    paths = [folder / f"{'abcdefgh'[number]}.jsonl" for number in range(len(traces))]
    for path, data in zip(paths, traces, strict=True):
        path.write_bytes(data)
    report = certify([str(path) for path in paths], Options(jobs=jobs))
    assert report.exit_code == (1 if report.findings else 0)
    return [(one.code, Path(one.source).name, one.line) for one in report.findings]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("begun", ["a", "b"])
def test_two_histories_of_one_saga_are_a_fork(
    begun: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "SPLIT", 1)
    one, other = trace(100), trace(9900, begun=begun)
    assert told(tmp_path, one) == told(tmp_path, other) == []
    assert told(tmp_path, one, other, jobs=jobs) == [("AS113", "b.jsonl", 6)]
    assert told(tmp_path, one, one, other, other, jobs=jobs) == [("AS113", "c.jsonl", 6), ("AS113", "d.jsonl", 6)]


def test_a_short_id_is_another_saga_unless_it_begins_alike(tmp_path: Path) -> None:
    """Tests and imported sagas call their sagas `s-1` again and again."""
    assert told(tmp_path, trace(100, "s-1"), trace(9900, "s-1", begun="b")) == []
    assert told(tmp_path, trace(100, "s-1"), trace(9900, "s-1")) == [("AS113", "b.jsonl", 6)]


def test_copies_and_sagas_of_other_logs_are_no_forks(tmp_path: Path) -> None:
    assert told(tmp_path, trace(100), trace(100)) == []
    assert told(tmp_path, trace(100), trace(9900, log="other.example/audit", begun="b")) == []


def test_what_is_told_of_many_forks_is_bounded_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "MAX_KINDS", 2)
    ids = [f"{number:022}" for number in range(5)]
    one, other = (b"".join(trace(minor, saga) for saga in ids) for minor in (100, 200))
    for name, data in (("a.jsonl", one), ("b.jsonl", other)):
        (tmp_path / name).write_bytes(data)
    found = certify([str(tmp_path)]).findings
    assert sorted((one.saga, one.count) for one in found) == [("", 3), (ids[0], 1), (ids[1], 1)]
