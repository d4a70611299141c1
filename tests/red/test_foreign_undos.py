"""A record of an undo in an agent-saga log must be of the undo that the step's outcome recorded."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.run import certify

ROOT = Path(__file__).resolve().parents[2]
LOGS = sorted(
    path
    for path in (ROOT / "fixtures/sources/agent-saga-log").glob("good_*.wal")
    if b'"COMPENSATED"' in path.read_bytes()
)
_SPEC = importlib.util.spec_from_file_location("red_logs", ROOT / "tests/importers/make_agent_saga_logs.py")
assert _SPEC is not None
assert _SPEC.loader is not None
making = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(making)


def codes(path: Path, records: list[dict[str, Any]]) -> list[str]:
    """What is found in a log of these records, chained anew as whoever writes it can."""
    path.write_bytes(making.lines(making.chain(records)))
    return [finding.code for finding in certify([str(path)]).findings]


def test_there_are_logs_with_undos() -> None:
    assert LOGS


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
@pytest.mark.parametrize("member", ["idempotency_key", "tool"])
def test_an_undo_under_another_key_or_of_another_tool_is_found(log: Path, member: str, tmp_path: Path) -> None:
    records = [json.loads(line) for line in log.read_bytes().splitlines()]
    before = codes(tmp_path / "log.wal", records)
    changed = 0
    for record in records:
        if record["event"] == "COMPENSATED" and isinstance(record.get(member), str):
            spoiled = [one | {member: "another"} if one is record else one for one in records]
            assert sorted(codes(tmp_path / "log.wal", spoiled)) == sorted([*before, "AS102"])
            changed += 1
    assert changed
