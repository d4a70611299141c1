"""A path that names nothing any more must not turn a run green."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_saga.certify.run import certify

GOOD = str(Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "good.jsonl")


@pytest.mark.parametrize("name", ["moved/*.jsonl", "empty"])
def test_a_folder_or_glob_without_traces_among_others_is_not_certified(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    path = str(tmp_path / name)
    assert int(certify([GOOD]).exit_code) == 0
    assert int(certify([GOOD, path]).exit_code) == 1
    assert int(certify([path, GOOD]).exit_code) == 1
    alone = certify([path])
    assert int(alone.exit_code) == 4
    assert path in alone.inputs[0].error
