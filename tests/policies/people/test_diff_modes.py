"""The solver and the samples agree wherever both decide, on pairs of policies made at random."""

from __future__ import annotations

import random

import pytest
import typer
from pairs import denying, policy, rule

from agent_saga.cli.policies import differing
from agent_saga.policies.diffing import Effort, compare_policies, comparing, proving
from agent_saga.policies.diffing.reports import FORMATS
from agent_saga.policies.model import Policy


def _atom(drawn: random.Random) -> str:
    number, name = drawn.choice([0, 1, 5, 10]), drawn.choice(["args.i", "args.j"])
    return drawn.choice(
        [
            f"{name} {drawn.choice(['<', '<=', '>', '>=', '==', '!='])} {number}",
            f"args.i + args.j > {number}",
            f"args.i {drawn.choice(['<', '>='])} args.j",
            "args.b",
            drawn.choice(['args.s == "a"', 'args.s == "b"']),
            'args.s.startsWith("a")',
            f"(has(args.n) && args.n > {number})",
            f"args.i % 3 == {drawn.choice([0, 1])}",
            f"args.i / {drawn.choice([2, 3])} > {number}",
            f"args.i * args.j > {number}",
            f"args.i - args.j <= {number}",
            f"(args.b ? args.i : args.j) > {number}",
            drawn.choice(['args.s.endsWith("a")', 'args.s.contains("b")', 'args.s < "b"', "size(args.s) > 1"]),
            drawn.choice(['args.s in ["a", "b"]', 'args.s + "a" == "ba"', "args.i in [1, 5]"]),
            drawn.choice(['"a" in args.l', "size(args.l) > 1", '"k" in args.m', '("k" in args.m && args.m["k"] > 5)']),
            drawn.choice(["at.getHours() >= 18", "at.getDayOfWeek() == 0", 'at < timestamp("2026-07-01T00:00:00Z")']),
            drawn.choice(['agent == "a"', "(has(args.o.y) && args.o.y == 5)", "args.d > 1.5", "double(args.i) > 4.5"]),
        ]
    )


def _condition(drawn: random.Random, depth: int) -> str:
    if not depth or drawn.random() < 0.3:
        return _atom(drawn)
    one, two = _condition(drawn, depth - 1), _condition(drawn, depth - 1)
    return drawn.choice([f"({one} && {two})", f"({one} || {two})", f"!({one})", f"({one} || !({two}))"])


def _policy(drawn: random.Random) -> Policy:
    thens = ["deny", {"approve": {"quorum": 1}}, {"approve": {"quorum": 2}}]
    rules = [rule(_condition(drawn, 2), drawn.choice(thens), f"r{n}") for n in range(drawn.choice([1, 2]))]
    limit = {"id": "l", "sum": "args.amount.minor", "of": _condition(drawn, 1), "per": ["args.amount.currency"]}
    limits = [limit | {"window": "PT1H", "max": drawn.choice([100, 200])}] if drawn.random() < 0.3 else []
    return policy(*rules, limits=limits)


@pytest.mark.parametrize("pairs", [30, pytest.param(400, marks=pytest.mark.slow)])
def test_the_solver_and_the_samples_agree_where_both_decide(pairs: int) -> None:
    drawn = random.Random(pairs)
    both, missed = 0, 0
    ways = {"equivalent": set(), "looser": {"looser"}, "stricter": {"stricter"}, "incomparable": {"looser", "stricter"}}
    for _ in range(pairs):
        one = _policy(drawn)
        two = _policy(drawn) if drawn.random() < 0.5 else one
        sampled = ways[compare_policies(one, two, Effort("sampled", sweeps=60)).direction]
        proven = compare_policies(one, two, Effort("z3", seconds=3))
        if not proven.whole.finding.proven:
            continue
        both += 1
        assert sampled <= ways[proven.direction], (one.rules, two.rules)
        missed += ways[proven.direction] != sampled
    print(f"\n{both} of {pairs} pairs decided by both; the samples missed a direction of {missed}")
    assert both >= pairs * 0.9
    assert missed <= max(2, pairs * 0.1)


CUBES = " && ".join(f"{one} > 0 && {one} < 1500000" for one in ("args.i", "args.j", "args.o.x"))
CUBES += " && args.i * args.i * args.i + args.j * args.j * args.j == args.o.x * args.o.x * args.o.x"
"""Of no numbers (Euler, 1770), which no solver proves by itself in a minute; small enough that no cube overflows."""


def test_a_question_that_takes_too_long_is_named_with_its_seconds_and_not_proven() -> None:
    found = compare_policies(denying(CUBES), denying(f"{CUBES} && args.i == args.j"), Effort("z3", 0.001))
    assert not found.whole.finding.proven
    assert "the solver had no answer within 0.001 seconds" in FORMATS["text"](found)


def test_without_the_solver_what_was_not_met_is_only_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "available", lambda: False)
    same = compare_policies(denying("args.i > 3"), denying("args.i >= 4"))
    assert (same.direction, same.whole.finding.proven) == ("equivalent", False)
    text = FORMATS["text"](same)
    assert "no call that was tried is answered otherwise" in text
    assert "sampled: the solver is not installed (extra solver)" in text
    monkeypatch.setattr(proving, "available", lambda: False)
    with pytest.raises(typer.BadParameter, match=r"agent-saga-toolkit\[solver\]"):
        differing._require_z3()


def test_what_the_solver_finds_counts_only_when_both_policies_say_so() -> None:
    one, two = denying("int(args.s) > 5"), denying("int(args.s) > 6")  # int() of a text has no formula
    found = compare_policies(one, two, Effort("z3"))
    assert (found.direction, found.whole.finding.proven) == ("equivalent", False)
    assert "int of string" in found.whole.finding.why
    assert compare_policies(one, two).direction == "looser"
