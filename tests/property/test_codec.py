"""The codec against the models, against the standard library, and against whatever bytes there are."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from line_mutations import LINES
from trace_values import CONCEALED, MONEY, VALUES, events, mutated

from agent_saga.trace import Event, LineError, decode, encode
from agent_saga.trace.checks import compile_check
from agent_saga.trace.codec import decode_all
from agent_saga.trace.diagnose import diagnose
from agent_saga.trace.events import may_stand_in
from agent_saga.trace.forms import Key
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.models import line_adapter
from agent_saga.trace.values import check_amount, dumps, scan, scan_amount


@given(events())
@settings(max_examples=200)
def test_an_event_is_written_and_read_back(event: Event) -> None:
    assert decode(encode(event))[0] == event


@given(events())
def test_the_standard_library_writes_the_same_bytes(event: Event) -> None:
    line = encode(event)
    assert json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":")).encode() == line


@given(VALUES)
def test_a_payload_has_the_standard_librarys_compact_form(value: Any) -> None:
    assert dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@given(events())
def test_the_models_accept_what_the_codec_accepts(event: Event) -> None:
    assert line_adapter().validate_json(encode(event))


def should_accept(line: bytes) -> bool:
    """What the spec says, worked out with the models and the standard library alone."""
    try:
        record = json.loads(line.decode(), object_pairs_hook=_unique, parse_float=_never, parse_constant=_never)
        text = json.dumps(record, ensure_ascii=False).encode()
        model = line_adapter().validate_json(text)
    except (ValueError, RecursionError):
        return False
    compact = _compact(model.model_dump(by_alias=True, exclude_defaults=True))
    return compact == line and len(line) <= MAX_LINE and may_stand_in(record["saga"], record["type"])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def _never(literal: str) -> Any:
    raise ValueError(literal)


def _compact(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def refusal(line: bytes) -> LineError | None:
    try:
        decode(line)
    except LineError as refused:
        return refused
    return None


@given(mutated())
@settings(max_examples=3000)
def test_codec_and_models_agree_on_edited_lines(line: bytes) -> None:
    assert (refusal(line) is None) == should_accept(line)


@given(mutated())
@settings(max_examples=2000)
def test_many_lines_are_read_as_one_by_one(line: bytes) -> None:
    lines = [LINES[0], line, *LINES[1:]]
    alone = None if refusal(line) else tuple(map(list, zip(*map(decode, lines), strict=True)))
    assert decode_all(lines) == alone


@given(st.binary(max_size=400) | mutated())
@settings(max_examples=2000)
def test_any_bytes_are_read_or_refused_with_words(line: bytes) -> None:
    refused = refusal(line)
    if refused is not None:
        assert refused.code in {"AS101", "AS102", "AS103"}
        assert "breaks a rule" not in refused.message
        assert refused.message.isprintable()
        assert len(refused.message) < 400
        assert refused.column is None or 0 <= refused.column <= len(line)


@given(st.recursive(VALUES, st.lists, max_leaves=3))
def test_diagnosis_alone_never_raises(value: Any) -> None:
    assert isinstance(diagnose(dumps(value)), LineError)


@given(st.text(max_size=6) | st.text(st.characters(codec="ascii"), max_size=140))
@settings(max_examples=500)
def test_the_short_cut_for_keys_is_their_pattern(text: str) -> None:
    pattern = Key.__metadata__[0].pattern  # type: ignore[attr-defined]
    assert _passes(compile_check(Key), text) == bool(re.fullmatch(pattern, text))


@given(MONEY | CONCEALED | st.dictionaries(st.sampled_from(["minor", "currency", "...", "x"]), VALUES, max_size=3))
@settings(max_examples=500)
def test_the_short_cut_for_amounts_is_their_form(value: dict[str, Any]) -> None:
    assert _passes(scan_amount, value) == (_passes(check_amount, value) and _passes(scan, value))


def _passes(check: Any, value: Any) -> bool:
    try:
        check(value)
    except LineError:
        return False
    return True
