"""Our engine and cel-expr-python agree on value and on error, for every operator and function."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress

import pytest
from cel_differential import ROOTS, Differential, Tally, agree
from cel_generator import VARIABLES, Conditions
from cel_known import ERROR, KNOWN, Known
from cel_oracle import EPOCH, Oracle, ours, plain

from agent_saga.policies.cel import CelError, compile_, parse
from agent_saga.policies.cel.functions import FUNCTIONS, METHODS
from agent_saga.policies.cel.operators import BINARY
from agent_saga.policies.cel.walking import parts

PAIRS = 6_000
SEEDS = (11, 12, 13, 14, 15)


def test_a_few_thousand_pairs_agree(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Differential(seed=1).run(PAIRS)
    _told(tally, capsys)
    assert tally.wrong == []
    assert tally.pairs >= PAIRS
    assert 0.1 < tally.errors / tally.pairs < 0.6, "both values and errors are common"
    assert tally.accepted > tally.conditions / 4, "our type checker accepts many of them"
    assert tally.folded > tally.pairs / 10, "specialise() finds something to fold in many of them"


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_hundred_thousand_pairs_agree(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    tally = Differential(seed).run(100_000)
    _told(tally, capsys)
    assert tally.wrong == []


@pytest.mark.slow
def test_wrong_types_everywhere_agree_too(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Differential(seed=99, wrong=0.3).run(30_000)
    _told(tally, capsys)
    assert tally.wrong == []


def _told(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{tally.told()}")


def test_every_operator_and_function_is_generated() -> None:
    making, seen = Conditions(random.Random(2)), Counter[str]()
    for _ in range(8_000):
        with suppress(CelError):
            tree = parse(making.of(making.random.choice(ROOTS), 3))
            seen.update(getattr(part, "name", type(part).__name__) for part in parts(tree))
    wanted = {*BINARY, *FUNCTIONS, *METHODS, "&&", "||", "!", "-_", "?:", "Select", "Index", "ListOf", "MapOf"}
    rare = {name for name in wanted if seen[name] < 5}
    assert not rare


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_a_known_difference_is_still_one(known: Known) -> None:
    oracle = Oracle()
    for text, mine, theirs in known.cases:
        found = ours(compile_(parse(text), VARIABLES), {})
        assert found[0] == "error" if mine is ERROR else found == plain(mine), text
        other = oracle.run(oracle.compile(text), {"at": EPOCH})
        assert other[0] == "error" if theirs is ERROR else other == plain(theirs), text


def test_a_disagreement_is_seen() -> None:
    assert agree(("error", "a"), ("error", "b"))
    assert not agree(("int", "1"), ("float", "1.0"))
    assert not agree(("bool", "True"), ("error", ""))
    assert not agree(plain(0.0), plain(-0.0))
    assert agree(plain(float("nan")), plain(float("nan")))
