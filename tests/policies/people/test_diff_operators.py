"""A condition that is narrowed by one step lets more through: found for every operator and function of the subset."""

from __future__ import annotations

import json

import pytest
from pairs import denying

from agent_saga.policies.cel import parse
from agent_saga.policies.cel.checking.signatures import FUNCTIONS, METHODS, OPERATORS
from agent_saga.policies.cel.syntax import Call, Index, ListOf, MapOf, Select
from agent_saga.policies.cel.walking import parts
from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.diffing import Effort, compare_policies
from agent_saga.policies.explaining import read_call
from agent_saga.policies.explaining.calls import decided

# What it denied, what it denies now: less.
NARROWED = [
    ("args.i < 10", "args.i < 9"),
    ("args.i <= 10", "args.i < 10"),
    ("args.i > 10", "args.i > 11"),
    ("args.i >= 10", "args.i > 10"),
    ("args.i != 10", "args.i != 10 && args.i != 11"),
    ("args.i >= 10", "args.i == 10"),
    ("args.d < 1.5", "args.d <= 1.25"),
    ("args.d > 0.1", "args.d >= 0.2"),
    ('args.s < "m"', 'args.s < "l"'),
    ('args.s >= "m"', 'args.s >= "n"'),
    ("args.b == true || args.i > 3", "args.b == true && args.i > 3"),
    ("args.b < true", "args.b < true && args.i > 0"),
    ("args.i > 3", "args.i > 3 && args.j > 3"),
    ("args.i > 3 || args.j > 3", "args.i > 3"),
    ("!(args.i > 3)", "!(args.i > 2)"),
    ("args.b ? args.i > 3 : args.j > 3", "args.b ? args.i > 4 : args.j > 3"),
    ("args.i + args.j > 10", "args.i + args.j > 11"),
    ("args.i - args.j > 10", "args.i - args.j > 11"),
    ("args.i * 3 > 10", "args.i * 3 > 13"),
    ("args.i / 3 >= 3", "args.i / 3 >= 4"),
    ("args.i % 7 >= 3", "args.i % 7 > 3"),
    ("-args.i > 5", "-args.i > 6"),
    ("double(args.d) + 0.5 > 1.5", "double(args.d) + 0.5 > 2.5"),
    ("double(args.d) - 0.5 > 1.5", "double(args.d) - 0.5 > 2.5"),
    ("double(args.d) * 2.0 > 3.0", "double(args.d) * 2.0 > 4.0"),
    ("double(args.d) / 2.0 > 3.0", "double(args.d) / 2.0 > 4.0"),
    ("-double(args.d) > 1.5", "-double(args.d) > 2.5"),
    ('args.s + "x" == "ax" || args.s == "b"', 'args.s + "x" == "ax"'),
    ('args.s in ["a", "b"]', 'args.s in ["a"]'),
    ("args.i in [1, 2, 3]", "args.i in [1, 3]"),
    ('"x" in args.l || "y" in args.l', '"x" in args.l'),
    ('"k" in args.m', '"k" in args.m && args.i > 0'),
    ('args.s in {"a": 1, "b": 2}', 'args.s in {"a": 1}'),
    ("size(args.s) > 5", "size(args.s) > 6"),
    ("args.s.size() > 5", "args.s.size() > 6"),
    ("size(args.l) > 2", "size(args.l) > 3"),
    ("size(args.m) > 1", "size(args.m) > 2"),
    ("size(bytes(args.s)) > 4", "size(bytes(args.s)) > 5"),
    ('args.s.startsWith("prod")', 'args.s.startsWith("prod-")'),
    ('args.s.endsWith(".com")', 'args.s.endsWith("a.com")'),
    ('args.s.contains("ab")', 'args.s.contains("abc")'),
    ('"abc".contains(args.s)', '"ab".contains(args.s)'),
    ("int(args.d) > 5", "int(args.d) > 6"),
    ("int(args.s) > 5", "int(args.s) > 6"),
    ("double(args.i) > 5.5", "double(args.i) > 6.5"),
    ("double(args.s) > 5.0", "double(args.s) > 6.0"),
    ('string(args.i) == "5" || string(args.i) == "6"', 'string(args.i) == "5"'),
    ('string(args.b) == "true"', 'string(args.b) == "true" && args.i > 0'),
    ('bytes(args.s) == b"ab" || bytes(args.s) == b"cd"', 'bytes(args.s) == b"ab"'),
    ("has(args.n) && args.n > 3", "has(args.n) && args.n > 4"),
    ("has(args.n)", "has(args.n) && args.i > 0"),
    ("!has(args.t)", '!has(args.t) && args.s == "a"'),
    ("args.o.x > 3", "args.o.x > 4"),
    ("has(args.o.y) && args.o.y == 7", "has(args.o.y) && args.o.y == 7 && args.i == 1"),
    ('size(args.l) > 0 && args.l[0] == "a"', 'size(args.l) > 1 && args.l[0] == "a"'),
    ('"k" in args.m && args.m["k"] > 3', '"k" in args.m && args.m["k"] > 4'),
    ("[10, 20][args.i] > 5", "[10, 20][args.i] > 15"),
    (
        'args.s in {"a": 5, "b": 9} && {"a": 5, "b": 9}[args.s] > 3',
        'args.s in {"a": 5, "b": 9} && {"a": 5, "b": 9}[args.s] > 7',
    ),
    ('at > timestamp("2026-06-01T00:00:00Z")', 'at > timestamp("2026-06-01T00:00:01Z")'),
    ("timestamp(args.i) > at", "timestamp(args.i) > at && args.b"),
    ('at + duration("1h") > timestamp("2026-06-01T00:00:00Z")', 'at > timestamp("2026-06-01T00:00:00Z")'),
    (
        'at - duration("1h") > timestamp("2026-06-01T00:00:00Z")',
        'at - duration("2h") > timestamp("2026-06-01T00:00:00Z")',
    ),
    (
        'at - timestamp("2026-06-01T00:00:00Z") > duration("1h")',
        'at - timestamp("2026-06-01T00:00:00Z") > duration("61m")',
    ),
    ("int(at) > 1790000000", "int(at) > 1790000001"),
    ("at.getHours() >= 18", "at.getHours() >= 19"),
    ("at.getMinutes() >= 30", "at.getMinutes() >= 31"),
    ("at.getSeconds() >= 30", "at.getSeconds() >= 31"),
    ("at.getMilliseconds() >= 500", "at.getMilliseconds() >= 501"),
    ("at.getDayOfWeek() == 0 || at.getDayOfWeek() == 6", "at.getDayOfWeek() == 0"),
    ("at.getFullYear() >= 2027", "at.getFullYear() >= 2028"),
    ("at.getMonth() >= 10", "at.getMonth() >= 11"),
    ("at.getDate() >= 28", "at.getDate() >= 29"),
    ("at.getDayOfMonth() >= 27", "at.getDayOfMonth() >= 28"),
    ("at.getDayOfYear() >= 200", "at.getDayOfYear() >= 201"),
    ('at.getHours("+02:00") >= 18', 'at.getHours("+01:00") >= 18 && at.getHours("+02:00") >= 18'),
    (
        '(at - timestamp("2026-06-01T00:00:00Z")).getHours() > 5',
        '(at - timestamp("2026-06-01T00:00:00Z")).getHours() > 6',
    ),
    ('agent == "a" || agent == "b"', 'agent == "a"'),
    ('saga.startsWith("s")', 'saga.startsWith("sa")'),
    ('step == "x" || args.i > 1', 'step == "x"'),
    ('chain.semantics == "irreversible"', 'chain.semantics == "irreversible" && chain.consequence == "critical"'),
]


@pytest.mark.parametrize("strict, loose", NARROWED, ids=[loose for _, loose in NARROWED])
def test_a_narrowed_denial_is_looser_with_a_call_that_shows_it(strict: str, loose: str) -> None:
    before, after = denying(strict), denying(loose)
    found = compare_policies(before, after, Effort("sampled"))
    assert found.direction == "looser"
    assert [change.direction for change in found.changes] == ["looser"]
    example = found.whole.finding.looser
    assert example is not None
    given = json.loads(json.dumps(example.after))
    answers = [decided(compile_policy(one), read_call(given, one)).effect for one in (before, after)]
    assert answers == ["deny", "allow"]


@pytest.mark.slow
def test_the_solver_finds_by_itself_what_it_has_a_theory_for_and_never_what_is_not_there() -> None:
    found: dict[str, list[str]] = {}
    for strict, loose in NARROWED:
        comparison = compare_policies(denying(strict), denying(loose), Effort("z3", seconds=3))
        assert comparison.direction == "looser" or not comparison.whole.finding.proven
        found.setdefault(comparison.direction, []).append(loose)
    print(f"\nz3 alone: {len(found['looser'])} of {len(NARROWED)} found, left to samples: {found['equivalent']}")
    assert set(found) == {"looser", "equivalent"}
    assert len(found["looser"]) >= len(NARROWED) - 10


@pytest.mark.parametrize("strict, loose", NARROWED[:12])
def test_the_solver_alone_finds_the_plain_ones(strict: str, loose: str) -> None:
    found = compare_policies(denying(strict), denying(loose), Effort("z3"))
    assert (found.direction, found.calls) == ("looser", 0)


@pytest.mark.parametrize("strict, loose", NARROWED[:12])
def test_the_other_way_round_it_is_stricter(strict: str, loose: str) -> None:
    assert compare_policies(denying(loose), denying(strict), Effort("sampled")).direction == "stricter"


def test_the_table_has_every_operator_and_function() -> None:
    named: set[str] = set()
    for pair in NARROWED:
        for tree in map(parse, pair):
            for part in parts(tree):
                named.add(part.name if isinstance(part, Call) else type(part).__name__)
                named |= {"has"} if isinstance(part, Select) and part.test else set()
    wanted = {*OPERATORS, *FUNCTIONS, *METHODS, "&&", "||", "!", "?:", "==", "!=", "in", "has"}
    wanted |= {kind.__name__ for kind in (Index, ListOf, MapOf, Select)}
    assert wanted <= named, wanted - named
