"""The writer's one look at a line accepts, refuses and finds what reading its bytes back does, whatever it is given."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_values import CONCEALED, TEXT, VALUES, events

from agent_saga.trace import CodecError, Event, LineError, decode
from agent_saga.trace.codec import made, written
from agent_saga.trace.events import EffectFailed
from agent_saga.trace.values import dumps


class Whole(int):
    """An integer of a class of its own."""


class Word(str):
    """A text of a class of its own."""


class Level(IntEnum):
    """An integer with a name."""

    HIGH = 2**60
    LOW = 1


class Colour(StrEnum):
    """A text with a name."""

    RED = "red"
    KEY = "AKIA" + "A" * 16


class Point(msgspec.Struct):
    """An object with members."""

    x: Any


ODD = (
    st.floats()
    | st.sampled_from([2**53, -(2**53), 2**63, 2**64, 10**400, True, 1, 0, Whole(1), Whole(2**60), *Level, *Colour])
    | st.sampled_from([Word("x"), Word("\0"), "\ud800", "\udfff", "a" * 300_000, "AKIA" + "A" * 16, b"bytes", b"\xff"])
    | st.sampled_from([datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2), timedelta(1), uuid.UUID(int=1)])
    | st.sampled_from([Decimal("1.0"), {1, 2}, frozenset(), object, object(), 1j, Point(1), Point(float("nan"))])
    | st.sampled_from([msgspec.Raw(b"1"), msgspec.Raw(b' {"a" : 1}'), msgspec.Raw(b"nonsense"), msgspec.UNSET])
    | st.sampled_from([{"...": "x"}, {"...": "A" * 43, "a": 1}, {1: 2}, {1: 2, "1": 3}, {b"a": 1}, {None: 1}, {1.5: 1}])
    | st.sampled_from(
        [{Colour.RED: 1}, {Colour.RED: 1, "red": 2}, {Word("a"): 1}, {(): 1}, OrderedDict(b=1, a=2), (1,)]
    )
)
ANYTHING = st.recursive(
    ODD | VALUES | CONCEALED,
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner).map(tuple) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def deep(levels: int) -> Any:
    """A list within lists."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def read_back(event: Event) -> tuple[bytes, Event, int]:
    """What the writer knows of a line when it reads its bytes as any reader would. Raises CodecError."""
    try:
        line = dumps(event)
        same, traits = decode(line)
    except (LineError, TypeError, OverflowError, UnicodeError, RecursionError):
        return written(event)
    return (line, same, traits) if same == event else written(event)


def outcome(way: Any, event: Event) -> Any:
    try:
        return way(event)
    except CodecError as refused:
        return str(refused)


def at_one_look(known: bool) -> Any:
    return lambda event: made(event, known) or written(event)


def holding(error: Any) -> EffectFailed:
    """A line that holds this payload."""
    return EffectFailed(
        v=1,
        saga="s",
        seq=0,
        prev="0" * 64,
        at="2026-01-02T03:04:05.000000Z",
        type="effect.failed",
        by="runtime",
        effect="e1",
        attempt=1,
        error=error,
        salt="A" * 22,
    )


@given(ANYTHING | st.sampled_from([*map(deep, (62, 63, 64, 65, 1_000, 100_000))]), st.booleans())
@settings(max_examples=3000)
def test_any_payload_is_written_or_refused_as_when_it_is_read_back(error: Any, known: bool) -> None:
    found = outcome(at_one_look(known), holding(error))
    assert found == outcome(read_back, holding(error))
    if not isinstance(found, str):
        line, event, traits = found
        assert decode(line) == (event, traits)
        assert dumps(event) == line


@given(events(), st.booleans())
@settings(max_examples=500)
def test_any_event_is_written_as_when_it_is_read_back(event: Event, known: bool) -> None:
    assert made(event, known) == read_back(event)
