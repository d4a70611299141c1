"""Remarks on what loads and is hardly meant."""

from __future__ import annotations

from typing import Any

import pytest
from pairs import policy, rule

from agent_saga.policies.linting import lint
from agent_saga.policies.model import Policy

LIMIT = {"id": "l", "window": "PT1H", "max": 3}
ASK = {"approve": {"quorum": 2}}
LOOK = {"look": {"semantics": "preview", "args": {"type": "object", "properties": {}}}}

ODD: list[tuple[str, Policy]] = [
    ("never-true", policy(rule("args.i > 5 && args.i < 6"))),
    ("never-true", policy(rule('args.s.startsWith("a") && args.s == "b"'))),
    ("always-true", policy(rule("args.i > 5 || !(args.i > 5)"))),
    ("always-true", policy(rule("args.i <= 9223372036854775807"))),
    ("shadowed", policy(rule("args.i > 5"), rule("args.i > 10", ident="q"))),
    ("shadowed", policy(rule("args.i > 5"), rule("args.i > 10", ASK, ident="q"))),
    ("uncountable-limit", policy(limits=[LIMIT | {"of": "args.b && !args.b"}])),
    ("allow-changes-nothing", policy(rule("args.i > 5", "allow"))),
    ("approval-for-preview", policy(rule('agent == "a"', ASK), tools=LOOK)),
]
FINE: list[Policy] = [
    policy(rule("args.i > 5"), rule('tool == "t"', ASK, "q")),
    policy(rule("args.i > 5", ASK), rule("args.i > 10", ident="q")),
    policy(rule("args.i > 5", enforcement="soft"), rule("args.i > 10", ident="q", enforcement="hard")),
    policy(rule('tool == "t" && args.b', ASK), tools=LOOK),
    policy(limits=[LIMIT | {"of": "true"}]),
    policy(rule('chain.semantics == "irreversible"', ASK), tools=LOOK),
]


@pytest.mark.parametrize("proving", [True, False])
@pytest.mark.parametrize("code, made", ODD)
def test_what_is_odd_is_remarked_on(code: str, made: Policy, proving: bool) -> None:
    notes = lint(made, proving)
    assert [note.code for note in notes] == [code]
    assert ("sampled" in notes[0].message) is (
        not proving and code not in ("allow-changes-nothing", "approval-for-preview")
    )
    assert notes[0].place.line >= 1


@pytest.mark.parametrize("proving", [True, False])
@pytest.mark.parametrize("made", FINE)
def test_what_is_meant_is_not(made: Policy, proving: bool) -> None:
    assert lint(made, proving) == []


def test_the_tests_of_a_policy_are_among_the_samples() -> None:
    hidden = rule("args.i > 5 && args.j * 31 == 8463", ident="q")
    given = {"tool": "t", "args": {"i": 7, "j": 273}}
    made = policy(rule("args.i > 100"), hidden, tests=[{"name": "n", "given": given, "expect": "deny"}])
    assert lint(made, proving=False) == []


def test_of_two_rules_that_hide_each_other_one_is_told() -> None:
    notes = lint(policy(rule("args.i > 5"), rule("!(args.i <= 5)", ident="q")))
    assert [note.code for note in notes] == ["shadowed"]
    assert "rule r always decides at least as strictly as rule q" in notes[0].message


def test_the_example_of_the_design_has_no_remark(example: Any) -> None:
    assert lint(example) == []
