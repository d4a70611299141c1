"""One saga out of very many: proven whole, two amounts concealed, and no byte of anybody else's lines in the bundle."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest
from bundle_samples import WIRE, pins
from many_sagas import LINES, lines_of, saga_id, write_log

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.reading import Bundle, format_bundle, parse_bundle
from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.bundles.words import words
from agent_saga.proofs.log import Log

WINDOW = 16
"""Bytes. Whatever the bundle shares with a line over twice this length is found."""

HEAD = b'{"v":1,"saga":"l'
"""How the log's own line begins, and that of every saga whose id begins with the same letter."""


@pytest.mark.parametrize("sagas", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_one_saga_is_proven_whole_and_nobody_else_is_shown(
    sagas: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "orders.jsonl"
    lines, disclosures = write_log(store, sagas)
    with Log.open(str(store)) as log:
        began = time.monotonic()
        amounts = ["4:/args/amount", "5:/args/amount"]
        data = make_bundle(log, WIRE, conceal=amounts, disclosures=disclosures)
        made = time.monotonic() - began
    began = time.monotonic()
    proven = verify_bundle(data, pins())
    took = time.monotonic() - began
    told = "\n".join(words(proven))
    with capsys.disabled():
        size = proven.checkpoint.size
        print(
            f" [1 of {sagas} sagas, {size} lines: {len(data)} bytes, made {made:.2f} s, verified {took:.4f} s]", end=""
        )
    assert proven.checkpoint.size == 2 + len(lines) + sagas * LINES
    assert "proven:     WHOLE SAGA " + WIRE in told
    assert [line.line for line in proven.lines] == lines
    assert {f"{one.seq}:{one.pointer}" for one in proven.withheld} == {*amounts, "5:/amount"}
    assert "420000" not in data.decode()
    assert len(data) < 12_000
    _nobody_else(data, sagas)


def _nobody_else(data: bytes, sagas: int) -> None:
    """No other saga's id or salt in the bundle; outside of the saga's own lines no stretch of another line at all."""
    text = data.decode()
    rest = json.dumps(json.loads(format_bundle(_without_lines(data))), ensure_ascii=False).replace("\\", "").encode()
    windows = {rest[at : at + WINDOW] for at in range(len(rest) - WINDOW + 1)} - {HEAD}
    for number in range(sagas):
        assert saga_id(number) not in text
        for line in lines_of(number):
            assert line[-24:-2].decode() not in text
            shared = [at for at in range(0, len(line) - WINDOW, WINDOW) if line[at : at + WINDOW] in windows]
            assert not shared, line[shared[0] :]


def _without_lines(data: bytes) -> Bundle:
    return msgspec.structs.replace(parse_bundle(data), lines=())


def test_the_search_finds_a_line_that_was_smuggled_in(tmp_path: Path) -> None:
    store = tmp_path / "orders.jsonl"
    write_log(store, 20)
    with Log.open(str(store)) as log:
        data = make_bundle(log, WIRE)
    _nobody_else(data, 20)
    stranger = next(lines_of(7))
    with pytest.raises(AssertionError):
        _nobody_else(
            data.replace(b'"lines":[', b'"lines":[[0,' + json.dumps(stranger.decode()).encode() + b"],", 1), 20
        )
    salted = stranger.decode().replace(saga_id(7), "x" * 22)[:-30]
    with pytest.raises(AssertionError):
        _nobody_else(data.replace(b'"log":[', b'"log":[[0,' + json.dumps(salted).encode() + b"],", 1), 20)
