"""Who is judged chooses the ids: those of an accepted finding hide no other one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rulelib.ask import lines_of
from rulelib.lines import Line, chain, written

from agent_saga.certify.baseline import parse_baseline, render_baseline
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

LEFT = """
    start saga=s
    do e1 payments.charge saga=s
    end aborted_clean saga=s
"""
ACCEPTED = lines_of(LEFT)


def dearer(lines: list[Line]) -> list[Line]:
    """The same saga, with a charge a thousand times as large."""
    return [_times_thousand(line) for line in lines]


def _times_thousand(value: object) -> object:
    if isinstance(value, dict):
        return {name: inner * 1000 if name == "minor" else _times_thousand(inner) for name, inner in value.items()}
    return [_times_thousand(inner) for inner in value] if isinstance(value, list) else value


def judged(folder: Path, logs: dict[str, list[Line]], baseline: bytes = b"", **choices: str) -> Report:
    """What is said of these logs."""
    paths = [str(folder / name) for name in logs]
    for path, lines in zip(paths, logs.values(), strict=True):
        Path(path).write_bytes(written(chain(lines)))
    known = parse_baseline(baseline, "b.json") if baseline else None
    return certify(paths, Options(baseline=known, choices=replace(Choices(), **choices)))


@pytest.fixture
def baseline(tmp_path: Path) -> bytes:
    """What was accepted of the one log."""
    return render_baseline(judged(tmp_path, {"a.jsonl": ACCEPTED}).findings)


def test_what_was_accepted_is_not_counted(baseline: bytes, tmp_path: Path) -> None:
    assert judged(tmp_path, {"moved.jsonl": ACCEPTED}, baseline).exit_code == 0


def test_another_amount_under_the_same_ids_is_counted(baseline: bytes, tmp_path: Path) -> None:
    report = judged(tmp_path, {"a.jsonl": dearer(ACCEPTED)}, baseline)
    assert report.exit_code == 1
    assert report.stale_baseline


def test_what_was_accepted_once_is_counted_where_it_stands_in_two_logs(baseline: bytes, tmp_path: Path) -> None:
    report = judged(tmp_path, {"a.jsonl": ACCEPTED, "b.jsonl": ACCEPTED}, baseline)
    assert report.exit_code == 1
    assert [one.source[-7:] for one in report.findings] == ["a.jsonl", "b.jsonl"]


def test_a_saga_that_is_called_as_a_file_is_not_that_file(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, {"a.jsonl": ACCEPTED}).findings
    of_the_file = replace(found, saga="", source=found.saga)
    assert of_the_file.fingerprint == found.fingerprint
    assert not parse_baseline(render_baseline([of_the_file]), "b.json").covered([found])
