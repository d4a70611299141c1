"""A line is accepted in one spelling only, and what is wrong with any other is said in words."""

from __future__ import annotations

import json
import time
from hashlib import sha256

import pytest
from bad_lines import BAD, CHECK, EVIDENCE, bytes_of
from trace_samples import SAGA, good_lines, write

from agent_saga.trace import EVENT_TYPES, CodecError, LineError, decode, encode, leaf_hash
from agent_saga.trace.codec import decode_all, leaf_hashes
from agent_saga.trace.diagnose import diagnose
from agent_saga.trace.events import EffectSucceeded
from agent_saga.trace.limits import MAX_DEPTH, MAX_LINE
from agent_saga.trace.nesting import too_deep
from agent_saga.trace.values import CONCEALS, SUSPECT

GOOD = good_lines()


def test_the_samples_show_every_line_type() -> None:
    assert {json.loads(line)["type"] for line in GOOD} == set(EVENT_TYPES)


@pytest.mark.parametrize("line", GOOD, ids=lambda line: json.loads(line)["type"])
def test_a_good_line_is_accepted_and_written_back_byte_for_byte(line: bytes) -> None:
    event, _ = decode(line)
    assert encode(event) == line
    assert json.loads(line) | {"type": event.type} == json.loads(line)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_refused_with_its_code_and_a_sentence(name: str) -> None:
    code, found = BAD[name]
    with pytest.raises(LineError) as refused:
        decode(bytes_of(found))
    assert refused.value.code == code
    assert "breaks a rule" not in refused.value.message
    assert len(refused.value.message) < 300, "a message is for reading"
    assert refused.value.message.isprintable()


def test_the_leaf_is_the_hash_of_a_zero_byte_and_the_line() -> None:
    assert leaf_hash(b"") == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert leaf_hash(CHECK) == sha256(b"\0" + CHECK).hexdigest()


def test_a_saga_is_a_chain_of_leaves() -> None:
    lines = write("s", SAGA)
    assert [json.loads(line)["prev"] for line in lines] == ["0" * 64, *map(leaf_hash, lines[:-1])]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_among_good_ones_is_refused(name: str) -> None:
    good = good_lines()
    assert decode_all(good) == tuple(map(list, zip(*map(decode, good), strict=True)))
    assert decode_all([*good, bytes_of(BAD[name][1]), *good]) is None


def test_lines_are_hashed_together_as_one_by_one() -> None:
    assert leaf_hashes([CHECK, b""]) == [leaf_hash(CHECK), leaf_hash(b"")]


def _with(evidence: str) -> bytes:
    return CHECK.replace(EVIDENCE.encode(), evidence.encode())


def test_the_depth_of_64_is_the_last_that_is_read() -> None:
    assert decode(_with("[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)))
    with pytest.raises(LineError, match="deeper than 64"):
        decode(_with("[" * MAX_DEPTH + "]" * MAX_DEPTH))


def test_brackets_inside_strings_are_no_nesting() -> None:
    line = _with(json.dumps('["{' * 100))
    assert (too_deep(line, 0), too_deep(line, 1)) == (0, -1)
    assert decode(line)


@pytest.mark.parametrize("unit", [b'\\"', b'"', b"[]", b"\\", b'\\\\"'])
def test_the_depth_of_any_bytes_is_told_in_one_pass(unit: bytes) -> None:
    # Where each quote looks for its end anew, the longest line takes minutes.
    for start in (b"", b'{"a":"'):
        began = time.perf_counter()
        assert too_deep((start + unit * MAX_LINE)[:MAX_LINE], MAX_DEPTH) == -1
        assert time.perf_counter() - began < 5
    assert too_deep(b"[" * 65 + unit, MAX_DEPTH) == 64


def test_a_line_of_262144_bytes_is_the_longest() -> None:
    longest = _with('"' + "x" * (MAX_LINE - len(_with('""'))) + '"')
    assert len(longest) == MAX_LINE
    assert decode(longest)
    with pytest.raises(LineError, match="262144"):
        decode(longest.replace(b'"xx', b'"xxx'))


@pytest.mark.parametrize("edge", ["9007199254740991", "-9007199254740991", "0", "-1"])
def test_integers_are_read_up_to_2_to_the_53(edge: str) -> None:
    assert decode(_with(edge))


def test_seq_may_be_beyond_32_bits() -> None:
    assert decode(CHECK.replace(b'"seq":15', b'"seq":3000000000'))[0].seq == 3_000_000_000


@pytest.mark.parametrize(
    "line",
    [b'{"a' + b'\\"' * 130_000, b'"' * 260_000, b"[" * 260_000, b'{"a":' * 50_000, b'{"":"' + b"\\" * 260_000],
    ids=["escaped quotes", "quotes", "brackets", "objects", "backslashes"],
)
def test_the_words_for_a_hostile_line_come_in_one_pass(line: bytes) -> None:
    # Quadratic work on these would take hours, not the moment that any deadline of the test run allows.
    assert diagnose(line).code == "AS101"


def test_a_column_is_the_byte_where_the_fault_shows() -> None:
    assert diagnose(CHECK.replace(b'"v":1', b'"v": 1')).column == 5
    assert diagnose(b"\xc3\xa9").column == 0
    assert diagnose(b'"\xc3\xa9" x').column == 5


TOKEN = "glpat-" + "x" * 20
"""Nobody's, in the form of a credential."""


@pytest.mark.parametrize(
    "evidence, traits",
    [
        ("1", 0),
        ('"' + "x" * 100 + '"', 0),
        (f'"{TOKEN}"', SUSPECT),
        (f'{{"a":[{{"b":"{TOKEN}"}}]}}', SUSPECT),
        (f'{{"{TOKEN}":1}}', SUSPECT),
        ('[{"...":"' + "A" * 43 + '"}]', CONCEALS),
        ('[{"...":"' + "A" * 43 + '"},"' + TOKEN + '"]', CONCEALS | SUSPECT),
    ],
)
def test_traits_tell_what_a_payload_holds(evidence: str, traits: int) -> None:
    assert decode(_with(evidence))[1] == traits


def test_traits_of_nested_calls_and_amounts_count() -> None:
    undo = dict(SAGA)["undo.intended"]
    assert decode(write("s", [("undo.intended", undo)])[0])[1] & CONCEALS


def _event(result: object) -> EffectSucceeded:
    event, _ = decode(write("s", [("effect.succeeded", {"effect": "e1", "attempt": 1, "result": 1})])[0])
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return EffectSucceeded(**fields | {"result": result})


@pytest.mark.parametrize(
    "result",
    [1.5, float("nan"), 2**53, "\ud800", {1: "a"}, b"x", {"a": {3}}, object(), {"...": "short"}],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_payload_cannot_be_written(result: object) -> None:
    with pytest.raises(CodecError, match="effect"):
        encode(_event(result))


def test_an_event_of_an_unknown_type_cannot_be_written() -> None:
    event = _event(1)
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    with pytest.raises(CodecError):
        encode(EffectSucceeded(**fields | {"type": "effect.succeded"}))
