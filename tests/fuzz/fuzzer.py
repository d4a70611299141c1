"""Runs edited lines through the codec and damaged files through the certifier, and counts what came of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from damage import damage, is_faulty, refusal, stored
from line_mutations import LINES, mutate

from agent_saga.certify.report import Report, Verdict
from agent_saga.certify.run import certify
from agent_saga.trace import decode, encode
from agent_saga.trace.limits import MAX_LINE

CODES = {"AS101", "AS102", "AS103"}


def fuzz_codec(inputs: int, seed: int) -> Counter[str]:
    """Decode so many edited lines. Raises AssertionError or whatever the codec raised, with the input in a note."""
    source, found = random.Random(seed), Counter[str]()
    line = LINES[0]
    for _ in range(inputs):
        fresh = source.random() < 0.6 or len(line) > MAX_LINE // 4
        line = mutate(source.choice(LINES) if fresh else line, source)
        found[_noted(_decode, line)] += 1
    return found


def _decode(line: bytes) -> str:
    refused = refusal(line)
    if refused is None:
        assert encode(decode(line)[0]) == line
        return "accepted"
    assert refused.code in CODES
    assert "breaks a rule" not in refused.message, "no words for this fault"
    return refused.code


def _noted(work: Callable[[bytes], str], data: bytes) -> str:
    try:
        return work(data)
    except BaseException as fault:
        fault.add_note(f"input: {data!r}")
        raise


def fuzz_files(inputs: int, seed: int, good: bytes, folder: Path) -> Counter[str]:
    """Certify so many damaged traces. Raises AssertionError when one with a fault is certified."""
    source, found = random.Random(seed), Counter[str]()
    for number in range(inputs):
        path = folder / f"{seed}-{number}.jsonl"
        data = damage(good, source)
        packed, cut = stored(data, source)
        path.write_bytes(packed)
        report = certify([str(path)])
        _check(report, cut or is_faulty(data), path)
        found[str(report.verdict)] += 1
        path.unlink()
    return found


def _check(report: Report, faulty: bool, path: Path) -> None:
    if faulty:
        assert report.verdict is not Verdict.CERTIFIED, f"certified though it is faulty: {path}"
        assert report.exit_code != 0
    if report.verdict is Verdict.NOT_CERTIFIED:
        assert report.findings or any(one.error for one in report.inputs), f"no reason given: {path}"
