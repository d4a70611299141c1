"""Pins, disclosures and lines in forms that no published vector has: the page takes what Python takes, and no more."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from bundle_samples import FULL_PIN, LOG, MONITOR, ORIGIN, PIN, WITNESS
from opening import answers
from playwright.sync_api import Page

from agent_saga.proofs.errors import KeyFault
from agent_saga.proofs.pins import parse_pins
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.conceal import digest_of, parse_disclosure
from agent_saga.trace.errors import DisclosureError, LineError

pytestmark = pytest.mark.xdist_group("chromium")
SALT = "GaR-HnC8yVFa36SA_C-L8w"
HEAD = f'{{"v":1,"saga":"k","seq":0,"prev":"{"0" * 64}","at":"2026-11-30T07:00:00.000000Z","type":'
TAIL = f',"salt":"{SALT}"}}'
PINS = [
    PIN,
    FULL_PIN,
    FULL_PIN.replace("\n", "\r\n"),
    PIN + "\n# a remark\n   \n\u2003\n",
    PIN.replace("origin ", "origin   "),
    PIN.replace("log.example/shop\n", "log.example/shop \u00a0\n", 1),
    PIN.replace("log.example/shop\n", "log.example/shop\ufeff\n", 1),
    PIN.replace("pin-v1", "pin-v2"),
    "\ufeff" + PIN,
    PIN + "x" * 65536,
    PIN + f"origin {ORIGIN}\n",
    PIN + f"log {LOG.vkey}\n",
    PIN + f"witness {LOG.vkey}\n",
    PIN + f"witness {WITNESS.vkey}\nmonitor {WITNESS.vkey}\n",
    PIN + f"monitor {WITNESS.vkey}\n",
    PIN + f"certificate {MONITOR.vkey}\n",
    PIN + f"certificate {LOG.vkey}\n",
    PIN + "friend x\n",
    PIN + "constructor x\n",
    PIN + "witness \n",
    PIN + "witness a+b\n",
    PIN.replace(f"origin {ORIGIN}\n", ""),
    PIN.replace(f"origin {ORIGIN}", "origin " + "o" * 257),
    PIN.replace(f"origin {ORIGIN}", "origin a\u200bb"),
    PIN.split("log ")[0],
    "",
]
VALUES = [
    [SALT, 1],
    [SALT, {"a": [None, True, "\u2028\ud7ff\U0001f600"]}],
    [SALT, 1.5],
    [SALT, 2**53],
    [SALT, {"...": "A" * 43}],
    [SALT, [{"...": "A" * 42 + "B"}]],
    [SALT[:-1], 1],
    [SALT[:-1] + "x", 1],
    [SALT],
    [SALT, 1, 2],
    [1, 1],
    {"a": 1},
    "x",
]
ODD_DISCLOSURES = ["", "=", "A", "AA==", "WyJh+", '["a",1]']
MEMBERS = [
    '"rollback.started","by":"runtime","cause":1',
    '"rollback.started","by":"runtime","cause":1,"more":2',
    '"rollback.started","cause":1,"by":"runtime"',
    '"saga.started","by":"runtime","log":"","name":"","format":"1.0","tools":{}',
    '"saga.started","by":"runtime","log":"","name":"","format":"1.0","tools":[]',
    '"saga.started","by":"runtime","log":"","name":"","format":"1.0","tools":{"a":[]}',
    '"saga.started","by":"runtime","log":"","name":"","format":"1.0","tools":{"a":{"version":"","semantics":"preview","x":1}}',
    '"saga.started","by":"runtime","log":"","name":"","format":"1.0","tools":{"...":{"version":"","semantics":"preview"}}',
    '"saga.started","by":"runtime","log":"","name":"","format":"1.0","tools":{},"goal":null',
    '"saga.ended","by":"runtime","status":"aborted_clean","held":[]',
    '"saga.ended","by":"runtime","status":"aborted_clean","held":{}',
    '"saga.ended","by":"runtime","status":"aborted_clean","held":[1]',
    '"check.evaluated","by":"runtime","check":"c","passed":1,"evidence":null',
    '"check.evaluated","by":"runtime","check":"c","passed":true,"evidence":null',
    '"constructor","by":"runtime"',
    '"log.indexed","by":"runtime","size":1,"root":"","keys":{}',
]


def disclosures() -> list[str]:
    written = [json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() for value in VALUES]
    spaced = json.dumps([SALT, 1]).encode()
    twice = f'["{SALT}",{{"a":1,"a":1}}]'.encode()
    raw = [*written, spaced, twice, b"\xef\xbb\xbf" + written[0], b"\xff", written[0] + b" "]
    return [*(urlsafe_b64encode(one).rstrip(b"=").decode() for one in raw), *ODD_DISCLOSURES]


def taken(check: Any, text: Any, fault: type[Exception]) -> bool:
    try:
        check(text)
    except fault:
        return False
    return True


def test_pins_are_taken_or_refused_alike(page: Page) -> None:
    due = [taken(parse_pins, text, KeyFault) for text in PINS]
    found = answers(page, [{"kind": "pins", "text": text} for text in PINS])
    assert found == [{"ok": True} if yes else {"reason": "bad-key"} for yes in due]
    assert 4 <= sum(due) <= 8


def test_disclosures_are_taken_or_refused_alike(page: Page) -> None:
    texts = disclosures()
    due = [taken(parse_disclosure, text, DisclosureError) for text in texts]
    found = answers(page, [{"kind": "disclosure", "disclosure": text, "digest": digest_of(text)} for text in texts])
    assert found == [{"ok": True} if yes else {"reason": "bad-disclosure"} for yes in due]
    assert sum(due) == 2


def test_lines_are_taken_or_refused_alike(page: Page) -> None:
    lines = [HEAD + members + TAIL for members in MEMBERS]
    lines += [lines[0].replace(TAIL, TAIL[:-1] + ',"more":1}'), "null", "[]", "1", '"x"']
    due = [taken(decode, line.encode(), LineError) for line in lines]
    found = answers(page, [{"kind": "line", "line": line, "leaf": leaf_hash(line.encode())} for line in lines])
    assert found == [{"ok": True} if yes else {"reason": "bad-line"} for yes in due]
    assert sum(due) == 5
