"""Hostile bytes in a log give located faults, never an exception, and nothing hides from the fast path."""

from __future__ import annotations

import importlib.util
import json
import random
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.certify.importers.agent_saga_log import FORMAT
from agent_saga.certify.importers.agent_saga_log.mapping import HANDLERS
from agent_saga.certify.importers.agent_saga_log.records import canonical, parse
from agent_saga.certify.importers.agent_saga_log.values import Clock, clean, fit
from agent_saga.certify.source import Fault, ImportChoices
from agent_saga.trace.errors import LineError
from agent_saga.trace.reader import open_input

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "sources" / "agent-saga-log"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def codes_of(path: Path, content: bytes) -> list[tuple[int, str]]:
    path.write_bytes(content)
    items = FORMAT.read(open_input(str(path)), ImportChoices(expected_root="0" * 64))
    return [(item.line, item.code) for item in items if isinstance(item, Fault)]


def test_mutated_logs_never_raise(tmp_path: Path) -> None:
    rng = random.Random(20261130)
    seeds = [path.read_bytes() for path in sorted(FOLDER.glob("*.wal"))]
    values = [b"null", b"[]", b"{}", b"-1", b"3e9", b"1e400", b'""', b'"\\ud800"', b"true", b'{"...":1}', b"9" * 40]
    for _ in range(1500):
        content = bytearray(rng.choice(seeds) or b"{}")
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(content))
            kind = rng.randrange(5)
            if kind == 0:
                content[at] = rng.randrange(256)
            elif kind == 1:
                del content[at : at + rng.randint(1, 40)]
            elif kind == 2:
                content[at:at] = content[at : at + rng.randint(1, 200)]
            elif kind == 3:
                content[at:at] = rng.choice(values)
            else:
                start = content.find(b": ", at)
                end = min((found for mark in b",}" if (found := content.find(mark, start)) > 0), default=-1)
                if 0 < start < end:
                    content[start + 2 : end] = rng.choice(values)
            content = content or bytearray(b"x")
        codes_of(tmp_path / "log.wal", bytes(content))


def test_members_of_any_kind_never_raise(tmp_path: Path) -> None:
    rng = random.Random(7)
    odd: list[Any] = [
        None,
        [],
        {},
        -1,
        3e9,
        10**30,
        "",
        "x",
        True,
        {"...": "y"},
        [["a"]],
        {"__type__": "datetime", "value": "x"},
    ]
    spec = importlib.util.spec_from_file_location("maker", Path(__file__).with_name("make_agent_saga_logs.py"))
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    kinds = [
        *maker.tentative(),
        *maker.compensated(),
        *maker.continued(),
        *maker.wire(decision="GRANTED"),
        *maker.happy(),
    ]
    for _ in range(400):
        records = []
        for record in rng.sample(kinds, 12):
            changed = dict(record)
            for name in rng.sample(sorted(changed), min(2, len(changed))):
                changed[name] = rng.choice(odd)
            if rng.random() < 0.3:
                changed["event"] = rng.choice(sorted(HANDLERS))
            if rng.random() < 0.1:
                changed["_redacted"] = rng.choice(odd)
            records.append(changed)
        stamped = maker.chain(records) if rng.random() < 0.7 else records
        codes_of(tmp_path / "log.wal", maker.lines(stamped))


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "a": 2}',
        b'{"a" : 1, "a": 2}',
        b'{"a":1,"a"\t:2}',
        b'{"a": 1, "\\u0061": 2}',
        b'{"a": ":", "a": "\\u003a"}',
        b'{"a": 1, "a": 2, "b": "\\u003a"}',
        b'{"a": 1, "a": 2, "b": "\\":\\u003A"}',
        b'{"k": {"x": {"y": 1, "y": 1}}}',
        b'{"seq": 1, "seq": 2}',
        b'{"_h": "x", "_h": "x", "b": "\\u003a"}',
        b'{"a": [{"b": 1, "b": 1}]}',
    ],
)
def test_a_name_that_stands_twice_is_always_found(line: bytes) -> None:
    with pytest.raises(LineError, match="twice"):
        parse(line)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"[1]",
        b"7",
        b"null",
        b"{",
        b"{}x",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 10_000 + b"}",
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
        b'{"ts": "\\ud800"}',
        b"\xef\xbb\xbf{}",
        b"{}\r",
        b"[" * 100_000,
        b'{"a": ' + b"[" * 70 + b"]" * 70 + b"}",
        b'{"a": "' + b"x" * 300_000 + b'"}',
        b"E1:gAAAAAB",
    ],
    ids=range(20),
)
def test_a_line_that_is_no_record_is_malformed(line: bytes) -> None:
    with pytest.raises(LineError) as caught:
        parse(line)
    assert caught.value.code == "AS101"


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_whatever_json_dumps_writes_is_read_with_its_canonical_bytes(payload: dict[str, Any]) -> None:
    for ascii_only in (True, False):
        line = json.dumps(payload, ensure_ascii=ascii_only)
        record = parse(line.encode())
        assert record.payload == {name: value for name, value in payload.items() if name in record.payload}
        assert json.loads(record.canonical) == json.loads(canonical(record.payload))


@given(JSON)
def test_a_cleaned_payload_holds_no_float_and_no_large_integer(value: Any) -> None:
    def walk(part: Any) -> None:
        assert type(part) is not float
        assert type(part) is not int or abs(part) < 2**53
        for item in part.values() if type(part) is dict else part if type(part) is list else ():
            walk(item)

    walk(clean(value)[0])


@given(st.floats(0, 4e9))
def test_time_is_rounded_as_exact_arithmetic_rounds_it(ts: float) -> None:
    micro = round(Fraction(ts) * 10**6)
    text = Clock().at(ts)
    assert int(text[20:26]) == micro % 10**6
    assert int(text[17:19]) == micro // 10**6 % 60


@given(st.lists(st.text(min_size=1), unique=True, max_size=6))
def test_different_ids_stay_different(names: list[str]) -> None:
    fitted = [fit(name) for name in names]
    assert len({*fitted, *map(fit, fitted)}) >= len(names)
    assert len(set(fitted)) == len(names)


def test_a_line_of_quotes_that_never_end_is_refused_at_once(tmp_path: Path) -> None:
    began = time.perf_counter()
    line = b'{"a":"' + b'\\"' * 100_000 + b"\n"
    assert ("AS101" in {code for _, code in codes_of(tmp_path / "x.wal", line * 2)}) is True
    assert time.perf_counter() - began < 5
