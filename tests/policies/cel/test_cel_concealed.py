"""A concealed value is there, but not known: what needs it is undecided and says so; what does not, is decided."""

from __future__ import annotations

from typing import Any

import pytest

from agent_saga.policies.cel import (
    Duration,
    Timestamp,
    Undecided,
    compile_,
    parse,
    read_timestamp,
    specialise,
    text_of,
    trace_values,
)

SEALED = {"...": "u7YXUIfVPZlkFVpBG1CGoKCzgYyE5vX5EHPRhMBUlbI"}
VALUES: dict[str, Any] = {
    "args": {
        "secret": SEALED,
        "open": 1,
        "list": [1, SEALED, 3],
        "map": {"a": SEALED, "b": 2},
        "deep": {"list": [[SEALED]]},
    },
    "whole": SEALED,
}


def asked(text: str) -> Any:
    return compile_(parse(text), tuple(VALUES))(VALUES)


@pytest.mark.parametrize(
    "text",
    [
        "args.secret == 1",
        "args.secret != 1",
        "args.secret > 1",
        'args.secret == "x"',
        "args.secret in [1, 2]",
        'args.secret in ["a", "b"]',
        "args.secret.field == 1",
        "has(args.secret.field)",
        "size(args.secret) == 1",
        "args.secret",
        "args.map.a == 1",
        'args.map["a"] == 1',
        "args.list[1] == 1",
        "args.list == [1, 2, 3]",
        "args.list == args.list",
        "2 in args.list",
        "args.deep == args.deep",
        'args.map == {"a": 1, "b": 2}',
        "string(args.secret) == 'x'",
        "whole == 1",
        "whole.field == 1",
        "args.secret == 1 && args.open == 1",
        "args.secret == 1 || args.open == 2",
        "args.secret == 1 ? true : true",
    ],
)
def test_what_needs_it_is_undecided(text: str) -> None:
    with pytest.raises(Undecided) as caught:
        asked(text)
    assert caught.value.concealed
    assert "concealed" in caught.value.words


@pytest.mark.parametrize(
    "text, value",
    [
        ("has(args.secret)", True),
        ("has(args.map.a)", True),
        ('"a" in args.map', True),
        ("size(args.list) == 3", True),
        ("size(args.map) == 2", True),
        ("args.secret == 1 && args.open == 2", False),
        ("args.open == 1 || args.secret == 1", True),
        ("args.open == 1 ? 5 : args.secret", 5),
        ("args.list == [2, 2, 3]", False),
        ("args.list == [1, 2]", False),
        ("3 in args.list", True),
        ("args.list[0] == 1", True),
        ('args.map == {"a": 1, "b": 3}', False),
        ('args.map == {"a": 1}', False),
        ("args.map.b == 2", True),
    ],
)
def test_what_does_not_need_it_is_decided(text: str, value: Any) -> None:
    assert asked(text) == value


def test_other_errors_are_not_called_concealed() -> None:
    with pytest.raises(Undecided) as caught:
        asked("args.nothing == 1")
    assert (caught.value.concealed, caught.value.words, caught.value.at) == (False, "args.nothing is missing", 0)


def test_an_error_names_the_part_that_failed() -> None:
    with pytest.raises(Undecided) as caught:
        asked("args.open == 1 && args.open / 0 == 1")
    assert caught.value.at == 18


def test_specialise_never_looks_into_a_concealed_value() -> None:
    tree = parse("args.secret == 1 || has(args.secret.x) || has(args.secret) || whole == 1")
    assert text_of(specialise(tree, VALUES)) == "true"
    for text in ("args.secret == 1", "has(args.secret.x)", "whole == 1", "args.list == [1, 2, 3]"):
        with pytest.raises(Undecided, match="concealed"):
            compile_(specialise(parse(text), VALUES), tuple(VALUES))(VALUES)


def test_the_trace_shows_each_atom_and_what_it_read() -> None:
    tree = parse(
        'has(args.secret) && (args.secret == 1 || args.open > 5) && at > timestamp("2026-01-01T00:00:00Z") && !nope'
    )
    found = trace_values(tree, {**VALUES, "at": read_timestamp("2026-11-30T12:00:00.5Z")})
    assert found == (
        ("has(args.secret)", "true"),
        ("args.secret == 1", "undecided: args.secret is concealed"),
        ("args.secret", "undecided: args.secret is concealed"),
        ("args.open > 5", "false"),
        ("args.open", "1"),
        ('at > timestamp("2026-01-01T00:00:00Z")', "true"),
        ("at", 'timestamp("2026-11-30T12:00:00.5Z")'),
        ("nope", "undecided: nope is missing"),
    )


def test_the_trace_shortens_what_is_long_and_escapes_what_is_odd() -> None:
    found = dict(trace_values(parse("s == t"), {"s": "x" * 1_000, "t": "a\u202eb\x00"}))
    assert found["s"] == '"' + "x" * 199 + "... (1002 characters)"
    assert found["t"] == '"a\\u202eb\\u0000"'


@pytest.mark.parametrize(
    "value, text",
    [
        (Duration(-1_500_000_001), 'duration("-1.500000001s")'),
        (Duration(3_600 * 10**9), 'duration("3600s")'),
        ([1, 2.5, None, True, SEALED], "[1, 2.5, null, true, concealed]"),
        ({"a": SEALED, "b": ["x"]}, '{"a": concealed, "b": ["x"]}'),
        (b"\xff", "b'\\xff'"),
    ],
)
def test_values_are_spelled_as_in_a_condition(value: Any, text: str) -> None:
    assert dict(trace_values(parse("v == w"), {"v": value, "w": 1}))["v"] == text


def test_a_timestamp_is_what_it_was_read_from() -> None:
    assert read_timestamp("1970-01-01T00:00:01.000000001Z") == Timestamp(1_000_000_001)
