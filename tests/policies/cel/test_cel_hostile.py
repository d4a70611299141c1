"""Text that is made to hurt gets one clear fault, quickly: no RecursionError, no time that grows with its square."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from agent_saga.policies.cel import (
    CelError,
    Undecided,
    atoms,
    check,
    compile_,
    parse,
    specialise,
    text_of,
    trace_values,
)
from agent_saga.policies.cel.limits import MAX_NESTING, MAX_NODES, MAX_TEXT
from agent_saga.policies.cel.types import BOOL, INT, Field, ObjectType, Type

NAMES = {"a": BOOL, "i": INT, "args": ObjectType({}, open=True)}


@contextmanager
def shallow_stack(frames: int = 600) -> Iterator[None]:
    """As if the caller were already deep: only so many calls are left."""
    depth, before = 0, sys.getrecursionlimit()
    frame = sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def refused(text: str) -> str:
    """The words of the one fault of a text; it is found within five seconds of processor time, not minutes."""
    began = time.process_time()
    with shallow_stack(), pytest.raises(CelError) as caught:
        parse(text)
    assert time.process_time() - began < 5
    assert all(0 <= fault.at <= len(text) for fault in caught.value.faults)
    return str(caught.value)


MEGABYTE = 1_000_000
TOO_LONG = f"the condition has 1,000,000 characters; at most {MAX_TEXT:,} are read"


@pytest.mark.parametrize(
    "piece", ["(", "[", "{", "!", "-", "a && ", "a ? ", "a.", "'", '"""', "\\", "0", "(a)", "\ud800"]
)
def test_a_megabyte_of_anything_is_too_long(piece: str) -> None:
    assert TOO_LONG in refused((piece * MEGABYTE)[:MEGABYTE])


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "(" * 2_000 + "a" + ")" * 2_000,
        "[" * 2_000 + "]" * 2_000,
        "{'a':" * 1_000 + "1" + "}" * 1_000,
        "f(" * 2_000 + ")" * 2_000,
        "a[" * 2_000 + "0" + "]" * 2_000,
        "!(" * 2_000 + "a" + ")" * 2_000,
        "-(" * 2_000 + "i" + ")" * 2_000,
        "a" + ".b" * 900,
        "a" + "[0]" * 900,
        "a" + ".f()" * 900,
        "i" + " + i" * 900,
        "i" + " - i" * 900,
        "a" + " == a" * 900,
        "a ? a : " * 600 + "a",
        "a ? (" * 600 + "a" + ") : a" * 600,
        "has(" * 1_000 + "a.b" + ")" * 1_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_nests_too_deep_is_told(text: str) -> None:
    assert f"nest deeper than {MAX_NESTING}" in refused(text)


@pytest.mark.parametrize("sign", ["&&", "||", "+", "==", "in"])
def test_ten_thousand_terms_are_too_many_characters(sign: str) -> None:
    assert "at most 10,000 are read" in refused(f" {sign} ".join(["a"] * 10_000))


def test_a_chain_of_too_many_parts_is_told() -> None:
    assert f"more than {MAX_NODES:,} parts" in refused("&&".join(["a"] * 2_500))
    assert f"more than {MAX_NODES:,} parts" in refused(f"[{'1,' * 2_500}]")


def test_a_thousand_mistakes_among_a_thousand_names_are_told_quickly() -> None:
    names: dict[str, Type] = {"args": ObjectType({f"field_{number}": Field(INT) for number in range(1_000)})}
    tree = parse(" || ".join(f"args.feld_{number}" for number in range(580)))
    began = time.process_time()
    faults = check(tree, names)[1]
    assert time.process_time() - began < 20
    assert len(faults) == 580
    assert "did you mean `field_0`?" in faults[0].message


def test_the_longest_chain_goes_all_the_way() -> None:
    text = " || ".join(["i == 5"] * 600)
    began = time.process_time()
    with shallow_stack():
        tree = parse(text)
        assert check(tree, NAMES) == (BOOL, [])
        assert parse(text_of(tree)) == tree
        assert len(atoms(tree)) == 1
        assert compile_(tree, tuple(NAMES))({"i": 4}) is False
        assert text_of(specialise(tree, {"i": 5})) == "true"
        assert trace_values(tree, {"i": 4}) == (("i == 5", "false"), ("i", "4"))
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "opening, inner, closing",
    [("(", "a", ")"), ("!(", "a", ")"), ("a ? a : (", "a", ")"), ("a && (", "a || a", ") || a"), ("[", "i", "]")],
)
def test_the_deepest_nesting_goes_all_the_way(opening: str, inner: str, closing: str) -> None:
    levels = MAX_NESTING // 2 - 1
    with shallow_stack():
        tree = parse(opening * levels + inner + closing * levels)
        assert check(tree, NAMES)[1] == []
        assert parse(text_of(tree)) == tree
        compile_(tree, tuple(NAMES))({"a": True, "i": 1})
        specialise(tree, {"a": True})


def test_errors_at_every_level_are_not_evaluated_twice() -> None:
    text = "i/0 == 1"
    for _ in range(30):
        text = f"({text} && a) || i/0 == 1"
    function = compile_(parse(text), tuple(NAMES))
    began = time.process_time()
    with pytest.raises(Undecided, match="division by zero"):
        function({"a": True, "i": 1})
    assert time.process_time() - began < 5  # twice at each of 30 levels would be an hour


@pytest.mark.parametrize(
    "text, words",
    [
        ("a\x00", "the unseen character U+0000; in a string, write it as \\u0000"),
        ('"\x00"', "the unseen character U+0000"),
        ('"\ud800"', "the text holds U+D800, half of a surrogate pair, which is no character"),
        ("a == '\udfff'", "U+DFFF, half of a surrogate pair"),
        ('"\\ud800"', "`\\ud800` is no Unicode character"),
        ('"\\U00110000"', "is no Unicode character"),
        ("a \u202e== b", "the unseen character U+202E; in a string, write it as \\u202e"),
        ('"paid\u200b"', "the unseen character U+200B"),
        ('"\U000e0041"', "the unseen character U+E0041; in a string, write it as \\U000e0041"),
        ("\ufeffa", "the unseen character U+FEFF"),
        ("а == 1", "`а` means nothing in a condition"),
        ("a\u00a0== 1", "means nothing in a condition"),
        ("a\x0b== 1", "the unseen character U+000B"),
        ("a ＝ 1", "`＝` means nothing in a condition"),
        ("'a\rb'", "a carriage return without a line feed"),
        ("a\r&& b", "a carriage return without a line feed"),
        ("'''a\r\nb'''", "a string holds a carriage return; write it as \\r"),
        (r"r'a\'", "a raw string ends with a backslash; write it without the r"),
        (".a == 1", "a name with a leading dot is left out here"),
        ("i == ١", "`١` means nothing in a condition"),
        ("'\\", "the string that begins here has no end"),
        ("'''a''", "the string"),
        ('b"\\u0041"', "bytes take \\x and two digits"),
        ('"\\q"', "`\\q` is no escape"),
        ("9" * 5_000, "the integer is outside 64 bits"),
        ("0x" + "F" * 5_000, "the integer is outside 64 bits"),
        ("1e999999999", "beyond the greatest double"),
        ("1." + "0" * 5_000 + "e999", "beyond the greatest double"),
        ("", "expected a value, found the end"),
        ("   // only a comment", "expected a value, found the end"),
    ],
    ids=ascii,
)
def test_odd_text_is_told(text: str, words: str) -> None:
    assert words in refused(text)


def test_every_unseen_character_is_told_but_not_a_thousand_times() -> None:
    with pytest.raises(CelError) as caught:
        parse("\u200b" * 1_000)
    assert [fault.at for fault in caught.value.faults] == list(range(10))


@pytest.mark.parametrize("piece", ["\\", "'", "(", "a.", "0.", "\\u", "-", "//", "r'", '"""', "1e"])
def test_time_grows_with_the_length_not_with_its_square(piece: str) -> None:
    def taken(length: int) -> float:
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            with pytest.raises(CelError):
                parse("'" + piece * (length // len(piece)))
            best = min(best, time.process_time() - began)
        return best

    assert taken(9_900) < max(40 * taken(990), 0.1)


ON_ODD_VALUES = (
    "args.x == 1", "args.x < 5", "args.x.y", "args.x in [1, 2]", "'a' in args.x", "size(args.x) > 1", "args.x + 1",
    "-args.x", "int(args.x)", "double(args.x)", "bytes(args.x)", "string(args.x)", "timestamp(args.x)", "args.x == 'a'",
    "duration(args.x)", "args.x[0]", "args.x == args.x", "!args.x", "args.x && true", "args.x ? 1 : 2", "{args.x: 1}",
    "[args.x] == [1]", "args.x.getHours()", "args.x.startsWith('a')", "args.x in ['a', 'b']", "has(args.x.y)",
)  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        "\ud800",
        "\x00",
        2**70,
        -(2**70),
        float("nan"),
        object(),
        {1: 2},
        {"x": object()},
        [[object()]],
        b"\xff",
        1j,
        "9" * 9_000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_odd_values_raise_nothing_but_undecided(value: object) -> None:
    for text in ON_ODD_VALUES:
        with suppress(Undecided):
            compile_(parse(text), ("args",))({"args": {"x": value}})


def test_a_value_that_nests_without_end_is_undecided() -> None:
    endless: list[object] = []
    endless.append(endless)
    other: list[object] = [endless]
    with pytest.raises(Undecided, match="nests deeper than 64"):
        compile_(parse("args.a == args.b"), ("args",))({"args": {"a": endless, "b": other}})
