"""A log certified in two nights, cut after every line, says what it says when it is certified whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulelib.ask import lines_of
from rulelib.lines import chain, written

from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.report import Report
from agent_saga.certify.run import Options, certify
from agent_saga.fleet.incremental import certify_since
from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pins

ORIGIN, NOW = "shop.example/audit", "2026-11-30T02:00:00.000000Z"
KEY = key_from_seed(ORIGIN, "log", b"n" * 32)
PARENT_LANDS = """
    start saga=p
    step s1 payments.charge saga=p
    go e1 payments.charge saga=p
    fail e1 saga=p
    {other}
    again e1 saga=p
    ok e1 saga=p
    success e1 saga=p
"""
CHILD = """
    start saga=c parent=p.e1
    do e1 payments.charge saga=c
    success e1 saga=c
"""
READER = """
    start saga=c
    step s1 payments.charge saga=c
    go e1 payments.charge saga=c reads=p.e1
    ok e1 saga=c
    success e1 saga=c
"""
ENDED_TOO = """
    start saga=q
    step s1 payments.charge saga=q
    go e1 payments.charge saga=q
    fail e1 saga=q
    end aborted_clean saga=q
"""
TWO_READS = """
    start saga=c
    step s1 payments.charge saga=c
    go e1 payments.charge saga=c reads=p.e1
    fail e1 saga=c
    again e1 saga=c reads=q.e1
    ok e1 saga=c
    success e1 saga=c
"""
LOGS = {
    "the parent's effect lands after the child ended": PARENT_LANDS.format(other=CHILD),
    "the effect that was read lands after the reader ended": PARENT_LANDS.format(other=READER),
    "the parent's effect stays absent": PARENT_LANDS.format(other=CHILD)
    .replace("again e1 saga=p\n", "")
    .replace("    ok e1 saga=p\n    success e1 saga=p", "    end aborted_clean saga=p"),
    "one of two effects that were read lands": ENDED_TOO + PARENT_LANDS.format(other=TWO_READS),
}


def options(lines: list[bytes], size: int) -> Options:
    """A checkpoint over the first so many lines, and the pin of its key."""
    point = Checkpoint(ORIGIN, size, root_of([leaf(line) for line in lines[:size]]))
    note = str(sign_checkpoint(point, KEY.vkey, KEY)).encode()
    return Options(wanted=Wanted(Pins(Pin(ORIGIN, KEY.vkey)), (note,)))


def night(folder: Path, lines: list[bytes], size: int) -> Report:
    """Certify the first so many lines, from the state of the night before."""
    log = folder / "log.jsonl"
    log.write_bytes(b"".join(line + b"\n" for line in lines[:size]))
    return certify_since(str(log), options(lines, size), folder / "state", NOW)


def told(report: Report) -> list[tuple[object, ...]]:
    """The verdict, and what was found."""
    return [
        (report.verdict,),
        *((one.code, one.saga, one.subject, one.because, one.witness) for one in report.findings),
    ]


@pytest.mark.parametrize("name", LOGS)
def test_two_nights_say_what_one_says(name: str, tmp_path: Path) -> None:
    lines = written(chain(lines_of(LOGS[name]))).splitlines()
    whole = None
    for cut in range(1, len(lines)):
        folder = tmp_path / str(cut)
        folder.mkdir()
        night(folder, lines, cut)
        second, third = night(folder, lines, len(lines)), night(folder, lines, len(lines))
        whole = whole or certify([str(folder / "log.jsonl")], options(lines, len(lines)))
        assert told(second) == told(third) == told(whole), f"cut after line {cut}"
