"""specialise() puts in what is known and changes nothing that a condition means."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any

import pytest

from agent_saga.policies.cel import Undecided, compile_, names_in, parse, specialise, text_of

KNOWN = {
    "tool": "wire",
    "chain": {"semantics": "irreversible"},
    "n": 5,
    "tags": ["a", "b"],
    "no": None,
    "inf": float("inf"),
}


@pytest.mark.parametrize(
    "text, folded",
    [
        ('tool == "wire" && args.x > 5', "args.x > 5"),
        ('tool == "other" && args.x > 5', "false"),
        ('args.x > 5 && tool == "other"', "false"),
        ('tool == "wire" || args.x > 5', "true"),
        ('args.x > 5 || tool == "other"', "args.x > 5"),
        ('args.x > 5 && tool == "wire" && args.y', "args.x > 5 && args.y"),
        ('!(tool == "other")', "true"),
        ('tool == "wire" ? args.x : args.y', "args.x"),
        ("args.b ? n + 1 : n - 1", "args.b ? 6 : 4"),
        ('tool.startsWith("w") && size(tool) == 4', "true"),
        ('tool in ["wire", "x"]', "true"),
        ("tool in tags", "false"),
        ("args.x in tags", 'args.x in ["a", "b"]'),
        ("tags[1]", '"b"'),
        ("tags[2] == tool", '["a", "b"][2] == "wire"'),
        ('chain.semantics == "irreversible"', "true"),
        ("has(chain.semantics) && !has(chain.nothing)", "true"),
        ("chain.nothing == 1", '{"semantics": "irreversible"}.nothing == 1'),
        ('chain["semantics"]', '"irreversible"'),
        ("no == null", "true"),
        ("n / 0 == 1", "5 / 0 == 1"),
        ("n / 0 == 1 || args.x", "5 / 0 == 1 || args.x"),
        ("n / 0 == 1 && tool == 'other'", "false"),
        ("9223372036854775807 + n > 1", "9223372036854775807 + 5 > 1"),
        ("-n", "-5"),
        ("-(args.x)", "-args.x"),
        ("n > 1 && args.x", "true && args.x"),
        ("n > 1 && (args.x || args.y)", "args.x || args.y"),
        ("(n > 1 && args.x) == 3", "(true && args.x) == 3"),
        ("n == 5 && (n == 5 && args.x == 1)", "args.x == 1"),
        ("(n == 5 || args.x) && (args.y && args.z)", "args.y && args.z"),
        ("tool && args.x", '"wire" && args.x'),
        ("n ? 1 : 2", "5 ? 1 : 2"),
        ("1.0 / 0.0 > 5.0", "1.0 / 0.0 > 5.0"),
        ("inf > 5.0", "inf > 5.0"),
        ("[n, args.x]", "[5, args.x]"),
        ('{"a": n}', '{"a": 5}'),
        ("at > timestamp('2026-01-01T00:00:00Z')", 'at > timestamp("2026-01-01T00:00:00Z")'),
        ("other == 1", "other == 1"),
    ],
)
def test_what_is_folded(text: str, folded: str) -> None:
    made = specialise(parse(text), KNOWN)
    assert text_of(made) == folded
    if "inf" not in folded:
        assert parse(text_of(made)) == made


def test_places_in_the_text_stay() -> None:
    made = specialise(parse('tool == "wire" && args.x > 5'), KNOWN)
    assert made.at == 18


def test_nothing_known_changes_nothing() -> None:
    tree = parse('tool == "wire" && args.x > n')
    assert specialise(tree, {}) == tree
    assert names_in(tree) == {"tool", "args", "n"}
    assert names_in(specialise(tree, KNOWN)) == {"args"}


def test_integers_beyond_64_bits_stay_undecided() -> None:
    values: dict[str, Any] = {"n": 2**70, "m": 1}
    for tree in (parse("m < n"), specialise(parse("m < n"), {"n": 2**70})):
        with pytest.raises(Undecided, match="outside 64 bits"):
            compile_(tree, ("n", "m"))(values)


def test_errors_leave_no_garbage() -> None:
    function = compile_(parse("a.x == 1 && b.y > 2 || (a.z && b.y == 3) || 1 / a.n == 1"), ("a", "b"))
    gc.collect()
    gc.disable()
    try:
        for _ in range(100):
            with suppress(Undecided):
                function({"a": {"n": 0}, "b": {}})
        assert gc.collect() < 10
    finally:
        gc.enable()
