"""Policies that say the same in other words are equivalent, and that is proven; what a diff says of each part."""

from __future__ import annotations

from typing import Any

import pytest
from pairs import denying, policy, rule

from agent_saga.policies.diffing import Comparison, Effort, compare_policies, failing
from agent_saga.policies.model import Policy

EQUAL = [
    ("args.i > 3 && args.j > 3", "args.j > 3 && args.i > 3"),
    ("!(args.i > 3 && args.b)", "args.i <= 3 || !args.b"),
    ("!(args.i > 3 || args.b)", "args.i <= 3 && !args.b"),
    ("args.i < args.j", "!(args.i >= args.j)"),
    ("args.i < args.j", "args.j > args.i"),
    ("args.i > 3", "args.i >= 4"),
    ("args.i in [1, 2]", "args.i == 1 || args.i == 2"),
    ("args.b ? args.i > 1 : args.i > 2", "(args.b && args.i > 1) || (!args.b && args.i > 2)"),
    ('args.s == "a" || args.s == "b"', 'args.s in ["b", "a"]'),
    ("has(args.n) && args.n > 3", "has(args.n) ? args.n > 3 : false"),
    ("args.i + 1 > 3 && args.i < 100", "args.i > 2 && args.i < 100"),
    ("at.getHours() >= 18 || at.getHours() < 6", "!(at.getHours() >= 6 && at.getHours() < 18)"),
    ('args.s.startsWith("ab")', 'args.s.startsWith("ab") || args.s.startsWith("abc")'),
    # Parts without a formula are left open, and stand for themselves.
    ("double(args.d) * 2.0 > 3.0 && args.i > 1", "!(args.i <= 1 || !(double(args.d) * 2.0 > 3.0))"),
]


@pytest.mark.parametrize("one, two", EQUAL, ids=[two for _, two in EQUAL])
def test_the_same_in_other_words_is_equivalent_and_proven(one: str, two: str) -> None:
    found = compare_policies(denying(one), denying(two))
    assert found.direction == "equivalent"
    assert found.whole.finding.proven, found.whole.finding.why
    assert not failing(found)


def _whole(one: Policy, two: Policy) -> Comparison:
    found = compare_policies(one, two)
    assert found.whole.finding.proven, found.whole.finding.why
    return found


def test_a_rule_that_is_split_says_the_same_in_all() -> None:
    both = policy(rule("args.i > 3 || args.b"))
    split = policy(rule("args.i > 3"), rule("args.b", ident="r2"))
    found = _whole(both, split)
    assert found.direction == "equivalent"
    assert {change.id: change.direction for change in found.changes} == {"r": "looser", "r2": "stricter"}


def test_the_order_of_rules_changes_nothing() -> None:
    one, two = rule("args.i > 3"), rule("args.b", {"approve": {"quorum": 2}}, "q")
    assert _whole(policy(one, two), policy(two, one)).direction == "equivalent"


def test_a_rule_that_is_called_otherwise_is_renamed() -> None:
    found = _whole(policy(rule("args.i > 3")), policy(rule("args.i > 3", ident="new")))
    assert [(change.id, change.what, change.direction) for change in found.changes] == [
        ("new", "renamed", "equivalent")
    ]


BASE: dict[str, Any] = {"quorum": 2, "roles": ["a", "b"], "strength": "B", "within": "PT10M"}
APPROVALS = [
    ({"quorum": 1}, "looser"),
    ({"quorum": 3}, "stricter"),
    ({"strength": "C"}, "looser"),
    ({"strength": "A"}, "stricter"),
    ({"within": "PT20M"}, "looser"),
    ({"within": "PT5M"}, "stricter"),
    ({"roles": ["a", "b", "c"]}, "looser"),
    ({"roles": ["a"]}, "stricter"),
    ({"roles": ["a", "c"]}, "incomparable"),
    ({"quorum": 1, "strength": "A"}, "incomparable"),
]


@pytest.mark.parametrize("mode", ["sampled", "z3"])
@pytest.mark.parametrize("change, direction", APPROVALS)
def test_each_member_of_an_approval_has_its_direction(change: dict[str, Any], direction: str, mode: Any) -> None:
    old = policy(rule("args.i > 3", {"approve": BASE}))
    new = policy(rule("args.i > 3", {"approve": BASE | change}))
    found = compare_policies(old, new, Effort(mode))
    assert found.direction == direction
    assert found.changes[0].details == tuple(found.changes[0].details)
    assert all(name in " ".join(found.changes[0].details) for name in change)


LIMIT: dict[str, Any] = {
    "id": "l",
    "sum": "args.amount.minor",
    "of": "args.b",
    "per": ["args.amount.currency", "args.s"],
    "window": "PT24H",
    "max": 1000,
}
LIMITS = [
    ({"max": 1001}, "looser"),
    ({"max": 999}, "stricter"),
    ({"window": "PT12H"}, "looser"),
    ({"window": "PT48H"}, "stricter"),
    ({"per": ["args.amount.currency"]}, "stricter"),
    ({"per": ["args.amount.currency", "args.s", "args.i"]}, "looser"),
    ({"of": "args.b && args.i > 0"}, "looser"),
    ({"of": "args.b || args.i > 0"}, "stricter"),
    ({"of": "!(!args.b)"}, "equivalent"),
    ({"then": {"approve": {"quorum": 1}}}, "looser"),
    ({"enforcement": "advisory"}, "looser"),
    ({"max": 2000, "window": "PT48H"}, "incomparable"),
]


@pytest.mark.parametrize("mode", ["sampled", "z3"])
@pytest.mark.parametrize("change, direction", LIMITS)
def test_each_member_of_a_limit_has_its_direction(change: dict[str, Any], direction: str, mode: Any) -> None:
    old, new = policy(limits=[LIMIT]), policy(limits=[LIMIT | change])
    found = compare_policies(old, new, Effort(mode))
    assert found.direction == direction
    for example in (found.whole.finding.looser, found.whole.finding.stricter):
        assert example is None or example.old.effect != example.new.effect


SETTINGS = [
    ({"agents": ["a"]}, {"agents": ["a", "b"]}, "looser", "agents"),
    ({"agents": ["a", "b"]}, {"agents": ["a"]}, "stricter", "agents"),
    ({"agents": ["a"]}, {}, "looser", "agents"),
    ({}, {"decide": {"kept": {"quorum": 1}}}, "looser", "decide.kept"),
    ({"decide": {"kept": {"quorum": 1}}}, {}, "stricter", "decide.kept"),
    ({"decide": {"kept": {"quorum": 1}}}, {"decide": {"kept": {"quorum": 2}}}, "stricter", "decide.kept"),
    ({"irreversible": {"quorum": 2}}, {"irreversible": {"quorum": 1}}, "looser", "irreversible"),
]


@pytest.mark.parametrize("old, new, direction, name", SETTINGS)
def test_each_setting_has_its_direction(old: dict[str, Any], new: dict[str, Any], direction: str, name: str) -> None:
    found = compare_policies(policy(**old), policy(**new), Effort("sampled"))
    assert found.direction == direction
    assert [change.id for change in found.changes] == [name]


WIRE = {"semantics": "irreversible"}
TOOLS = [
    ({}, {"w": WIRE}, "looser"),
    ({"w": WIRE}, {}, "stricter"),
    ({"w": WIRE}, {"w": {"semantics": "reversible"}}, "looser"),
    ({"w": {"semantics": "reversible"}}, {"w": WIRE}, "stricter"),
    ({"w": WIRE | {"consequence": "high"}}, {"w": WIRE | {"consequence": "low"}}, "looser"),
]


@pytest.mark.parametrize("old, new, direction", TOOLS)
def test_tools_added_removed_and_reclassed_have_their_direction(old: Any, new: Any, direction: str) -> None:
    found = compare_policies(policy(tools=old), policy(tools=new))
    assert found.direction == direction
    assert [(change.kind, change.id) for change in found.changes] == [("tool", "w")]


def test_a_rule_that_a_waiver_may_now_lift_is_looser_with_a_call_and_a_waiver() -> None:
    hard, soft = (policy(rule("args.i > 3", enforcement=word)) for word in ("hard", "soft"))
    found = compare_policies(hard, soft)
    example = found.changes[0].finding.looser
    assert (found.direction, found.changes[0].direction) == ("looser", "looser")
    assert example is not None
    assert "waiver" in example.note
    assert (example.old.effect, example.new.effect) == ("deny", "allow")


def test_arguments_of_another_type_are_for_a_person_to_look_at() -> None:
    def typed(kind: str) -> Policy:
        schema = {"type": "object", "required": ["x"], "properties": {"x": {"type": kind}}}
        return policy(tools={"w": {"semantics": "reversible", "args": schema}})

    found = compare_policies(typed("string"), typed("integer"))
    assert found.direction == "incomparable"
    assert not found.whole.finding.proven


@pytest.mark.parametrize("text", ["a\\\\u{41}", "\\\\x41", "caf\u00e9", "\u65e5\u672c"])
def test_no_text_is_another_one_to_the_solver(text: str) -> None:
    found = compare_policies(denying(f'args.s == "{text}"'), denying('args.s == "aA" || args.s == "A"'), Effort("z3"))
    assert found.direction == "incomparable"
    assert found.whole.finding.looser is not None
    assert found.whole.finding.looser.old.effect == "deny"


def test_a_chain_that_follows_from_a_changed_class_is_not_called_proven() -> None:
    gate = rule('chain.semantics == "compensable"', enforcement="hard")
    old, new = (policy(gate, tools={"w": WIRE | {"semantics": word}}) for word in ("irreversible", "reversible"))
    found = compare_policies(old, new)
    assert found.direction == "looser"
    assert not found.whole.finding.proven
