"""A bounded number of hostile inputs, the same in every run; `python tests/fuzz` runs more."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzer import fuzz_codec, fuzz_files
from traces import Trace

from agent_saga.certify.report import Verdict
from agent_saga.certify.run import certify

GOOD = b"".join(line + b"\n" for line in Trace(60, 4).lines())


@pytest.mark.parametrize("seed", range(4))
def test_no_edited_line_crashes_the_codec_or_leaves_it_speechless(seed: int) -> None:
    found = fuzz_codec(5_000, seed)
    assert set(found) == {"AS101", "AS102", "AS103", "accepted"}


@pytest.mark.parametrize("seed", range(3))
def test_no_damaged_file_crashes_the_certifier_or_passes(seed: int, tmp_path: Path) -> None:
    found = fuzz_files(100, seed, GOOD, tmp_path)
    assert found[Verdict.NOT_CERTIFIED] > 50, found


def test_the_trace_that_is_damaged_was_good(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_bytes(GOOD)
    assert certify([str(path)]).verdict is Verdict.CERTIFIED
