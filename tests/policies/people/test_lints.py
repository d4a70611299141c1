"""Remarks on what loads and is hardly meant."""

from __future__ import annotations

from typing import Any

import pytest
from pairs import policy, rule

from agent_saga.policies.diffing import Effort, compare_policies
from agent_saga.policies.linting import lint
from agent_saga.policies.loading import load_policy
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


NULLABLE = """policy: n
version: 1
owner: o
tools:
  pay:
    semantics: compensable
    undo: back
    args:
      type: object
      required: [a]
      properties:
        a: {type: string}
        country: {type: [string, "null"]}
        sum: {type: integer}
        more: {type: object, required: [minor], properties: {minor: {type: integer}, to: {type: string}}}
"""


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("!has(args.country)", True),
        ('!("country" in args)', True),
        ("!has(args.sum) || args.sum > 5", False),  # null compares with no number: undecided, which denies
        ("has(args.more) && !has(args.more.to)", True),
        ("!(has(args.country) && size(args.country) > 0)", False),
        ('has(args.country) && args.country == "KP"', False),
        ("has(args.sum) && args.sum > 5", False),
        ('args.a == "x" && !has(args.sum)', True),
    ],
)
def test_a_rule_that_null_slips_past_is_remarked_on(when: str, expected: bool) -> None:
    rule = f"rules:\n  - {{id: r, when: '{when}', then: deny}}\n"
    policy = load_policy("n.yaml", text=(NULLABLE + rule).encode())
    assert ("null-slips-past" in [note.code for note in lint(policy, proving=False)]) is expected
    advisory = load_policy("n.yaml", text=(NULLABLE + rule.replace("deny}", "deny, enforcement: advisory}")).encode())
    assert "null-slips-past" not in [note.code for note in lint(advisory, proving=False)]


def test_a_limit_that_null_slips_past_is_remarked_on() -> None:
    limit = "limits:\n  - {id: l, of: '!has(args.country)', window: PT1H, max: 3}\n"
    (note,) = lint(load_policy("n.yaml", text=(NULLABLE + limit).encode()), proving=False)
    assert (note.code, note.place.line) == ("null-slips-past", 17)


def test_conditions_that_ask_whether_an_object_or_a_member_is_there_are_sampled() -> None:
    rules = "rules:\n  - {id: r, when: '\"more\" in args && args.more.minor > 5', then: deny}\n"
    one = load_policy("n.yaml", text=(NULLABLE + rules).encode())
    other = load_policy("n.yaml", text=(NULLABLE + rules.replace("> 5", "> 6")).encode())
    assert lint(one, proving=False) == []
    assert compare_policies(one, other, Effort("sampled")).direction == "looser"
    asks = rules.replace('"more" in args && args.more.minor > 5', '"sum" in args')
    gone = load_policy("n.yaml", text=(NULLABLE + asks).encode())
    assert compare_policies(one, gone, Effort("sampled")).direction == "incomparable"


def test_what_only_calls_near_those_of_the_tests_meet_is_not_called_never_true() -> None:
    rules = """rules:
  - {id: soon, when: 'has(args.country) && timestamp(args.country) - at < duration("24h")', then: deny}
  - {id: many, when: size(args.items) > 10, then: deny}
tests:
  - name: a month ahead
    given: {tool: pay, at: "2026-06-17T10:00:00Z", args: {a: x, items: [], country: "2026-07-17T10:00:00Z"}}
    expect: allow
"""
    items = "items: {type: array, items: {type: object, required: [minor], properties: {minor: {type: integer}}}}"
    text = NULLABLE.replace("[a]", "[a, items]").replace("a: {type: string}", f"a: {{type: string}}\n        {items}")
    assert lint(load_policy("n.yaml", text=(text + rules).encode()), proving=False) == []


def test_rules_that_ask_persons_of_no_common_role_about_one_call_are_remarked_on() -> None:
    asks = [
        ("support", "args.i > 5", ["support"]),
        ("finance", "args.i > 50", ["finance"]),
        ("both", "args.i > 500", ["support", "finance"]),
    ]
    made = policy(*(rule(when, {"approve": {"roles": roles}}, ident=name) for name, when, roles in asks))
    (note,) = (one for one in lint(made, proving=False) if one.code == "no-common-role")
    assert note.message.startswith("support and finance ask for approvals by persons of no common role")
    apart = policy(*(rule(when, {"approve": {"roles": ["support"]}}, ident=name) for name, when, _ in asks))
    assert "no-common-role" not in [one.code for one in lint(apart, proving=False)]


def test_a_limit_and_a_rule_of_no_common_role_are_remarked_on() -> None:
    limit = LIMIT | {"of": 'args.s == "a"', "then": {"approve": {"roles": ["risk"]}}}
    made = policy(rule("args.i > 5", {"approve": {"roles": ["support"]}}), limits=[limit])
    assert "no-common-role" in [one.code for one in lint(made, proving=False)]


def test_a_verdict_that_takes_several_persons_is_remarked_on() -> None:
    text = NULLABLE + "decide: {landed: {quorum: 2}, absent: {quorum: 1}}\n"
    (note,) = lint(load_policy("n.yaml", text=text.encode()), proving=False)
    assert (note.code, note.message.split()[0]) == ("decide-by-several", "decide.landed")
