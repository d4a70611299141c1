"""What a compiled policy answers: the order, what merges, what has no effect, and what fails closed."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from engine_kit import AT, DAY, ONE, TOOLS, TWO, call, compiled, limit, rule

from agent_saga.policies.answers import Chain
from agent_saga.policies.compiled import chain_of
from agent_saga.policies.deciding.merging import merge
from agent_saga.policies.model import Approve

CHARGE = call(minor=7, customer="c1", currency="EUR")
WIRE = call("pay.wire", minor=7)


def test_nothing_fires_and_the_call_is_allowed() -> None:
    decision = compiled(rule("r", 'tool == "pay.wire"')).decide(CHARGE, {}, DAY)
    assert (decision.effect, decision.fired, decision.digest) == ("allow", (), "d" * 64)


def test_what_is_not_declared_is_refused_first() -> None:
    policy = compiled(rule("r", "true"), agents=("planner",))
    found = [
        policy.decide(call("pay.other"), {}, DAY),
        policy.decide(replace(WIRE, semantics="compensable"), {}, DAY),
        policy.decide(replace(WIRE, semantics="harmless"), {}, DAY),  # type: ignore[arg-type]
        policy.decide(replace(CHARGE, agent="stranger"), {}, DAY),
    ]
    assert [one.code for one in found] == ["undeclared_tool", "wrong_class", "wrong_class", "wrong_agent"]
    assert all(one.effect == "deny" and one.fired[0].kind == "tool" for one in found)


def test_a_call_of_a_stricter_class_is_judged_as_of_that_class() -> None:
    policy = compiled(rule("r", 'semantics == "irreversible"', ONE), irreversible=TWO)
    assert policy.decide(replace(CHARGE, semantics="irreversible"), {}, DAY).rule == "r"
    assert compiled(irreversible=TWO).decide(replace(CHARGE, semantics="irreversible"), {}, DAY).approve == TWO
    assert policy.decide(CHARGE, {}, DAY).effect == "allow"


def test_the_first_definite_denial_is_told_limits_before_rules() -> None:
    parts = (rule("u", "args.gone > 1"), rule("r", "true"), rule("s", "true"), limit())
    policy = compiled(*parts)
    used = {("daily", '["c1"]'): 94}
    decision = policy.decide(CHARGE, used, DAY)
    assert (decision.code, decision.rule) == ("limit", "daily")
    assert [one.id for one in decision.fired] == ["daily", "u", "r", "s"]
    decision = policy.decide(CHARGE, {}, DAY)
    assert (decision.code, decision.rule) == ("denied", "r")
    decision = compiled(parts[0], rule("a", "true", ONE)).decide(CHARGE, {}, DAY)
    assert (decision.effect, decision.code, decision.rule) == ("deny", "undecidable", "u")
    assert decision.approve is None


@pytest.mark.parametrize("enforcement", ["advisory", "evaluate"])
def test_what_only_advises_or_is_on_trial_is_told_and_has_no_effect(enforcement: str) -> None:
    parts = [
        rule("denies", "true", "deny", enforcement),  # type: ignore[arg-type]
        rule("asks", "true", ONE, enforcement),  # type: ignore[arg-type]
        rule("undecidable", "args.gone > 1", "deny", enforcement),  # type: ignore[arg-type]
        limit(max=1, enforcement=enforcement),  # type: ignore[arg-type]
        limit("broken", measure="args.gone", enforcement=enforcement),  # type: ignore[arg-type]
    ]
    decision = compiled(*parts).decide(CHARGE, {}, DAY)
    assert decision.effect == "allow"
    assert [one.id for one in decision.fired] == ["daily", "broken", "denies", "asks", "undecidable"]
    assert not any(one.binds for one in decision.fired)


def test_approvals_merge_into_one_that_satisfies_each() -> None:
    decision = compiled(rule("a", "true", TWO), rule("b", "true", ONE)).decide(CHARGE, {}, DAY)
    assert (decision.effect, decision.rule) == ("approve", "a")
    assert decision.approve == Approve(2, ("risk",), "A", 600)


def test_approvals_of_no_common_role_deny() -> None:
    apart = replace(ONE, roles=("clinician",))
    decision = compiled(rule("a", "true", TWO), rule("b", "true", apart)).decide(CHARGE, {}, DAY)
    assert (decision.effect, decision.code, decision.rule) == ("deny", "irreconcilable", "a")


def test_merging_does_not_depend_on_the_order() -> None:
    asked = [TWO, ONE, Approve(3, ("risk", "x"), "D", 1200), Approve(1, ("y", "risk"), "B", 5)]
    merged = [merge(order) for order in itertools.permutations(asked)]
    assert {one for one in merged if one} == {Approve(3, ("risk",), "A", 5)}


def test_what_is_irreversible_gets_the_policys_own_approval_unless_a_rule_asks_for_one() -> None:
    policy = compiled(rule("small", 'tool == "pay.wire" && args.minor > 5', ONE), irreversible=TWO)
    assert policy.decide(WIRE, {}, DAY).approve == ONE
    decision = policy.decide(call("pay.wire", minor=5), {}, DAY)
    assert (decision.approve, decision.rule, decision.fired[-1].kind) == (TWO, "irreversible", "default")
    only_notes = compiled(rule("note", "true", "allow"), irreversible=TWO).decide(WIRE, {}, DAY)
    assert [one.id for one in only_notes.fired] == ["note", "irreversible"]


def test_a_rule_of_another_tool_is_not_even_looked_at() -> None:
    """`args.dose` exists for no other tool: were it looked at, it would be undecidable."""
    policy = compiled(rule("dose", 'tool == "pay.wire" && args.dose > 1'), limit(of='tool == "pay.wire"'))
    assert policy.decide(CHARGE, {}, DAY).fired == ()
    assert policy.spends(CHARGE) == ()


@pytest.mark.parametrize(
    ("amount", "outcome"),
    [
        (-1, "undecidable"),
        (0, None),
        (6, None),
        (7, "exceeded"),
        (2**63 - 1, "exceeded"),
        ("x", "undecidable"),
        (1.0, "undecidable"),
        (True, "undecidable"),
    ],
)
def test_amounts_at_the_edges(amount: object, outcome: str | None) -> None:
    policy = compiled(limit(max=100))
    used = {("daily", '["c1"]'): 94}
    decision = policy.decide(call(minor=amount, customer="c1"), used, DAY)
    assert (decision.fired[0].outcome if decision.fired else None) == outcome
    assert (decision.effect == "deny") == (outcome is not None)
    spends = policy.spends(call(minor=amount, customer="c1"))
    assert [one.amount for one in spends] == ([amount] if outcome != "undecidable" else [])


@pytest.mark.parametrize("value", ["yes", 1, [True], {}, None])
def test_a_condition_of_another_type_than_bool_is_undecidable(value: object) -> None:
    """The arguments on a line need not fit the schema that the policy was checked by."""
    policy = compiled(rule("r", "args.flag", "allow"), limit(of="args.flag"))
    assert policy.decide(call(flag=value), {}, DAY).code == "undecidable"
    assert policy.spends(call(flag=value)) == ()
    assert compiled(rule("r", "args.flag || tool == tool")).decide(call(flag=value), {}, DAY).effect == "deny"


@pytest.mark.parametrize("value", [1.5, ["c1"], {"a": 1}, None])
def test_a_key_of_another_type_is_undecidable(value: object) -> None:
    assert compiled(limit()).decide(call(minor=1, customer=value), {}, DAY).code == "undecidable"


def test_a_window_that_is_over_its_bound_lets_only_through_what_adds_nothing() -> None:
    used = {("daily", '["c1"]'): 10**30}
    assert compiled(limit()).decide(call(minor=0, customer="c1"), used, DAY).effect == "allow"
    assert compiled(limit()).decide(call(minor=1, customer="c1"), used, DAY).code == "limit"


def test_calls_are_counted_where_there_is_no_sum_and_keys_are_one_spelling() -> None:
    policy = compiled(limit(measure=None, per=("args.customer", "args.ok", "args.n"), max=1))
    (spend,) = policy.spends(call(customer='Ä"', ok=True, n=3))
    assert (spend.amount, spend.key, spend.window) == (1, '["Ä\\"",true,3]', 86_400)
    assert compiled(limit(per=())).spends(CHARGE)[0].key == "[]"


def test_with_no_ledger_at_all_limits_are_not_asked() -> None:
    assert compiled(limit(max=1)).decide(CHARGE, None, DAY).fired == ()


def test_what_is_concealed_is_undecidable_and_said_to_be_so() -> None:
    hidden = {"...": "A" * 43}
    policy = compiled(rule("r", "args.minor > 1"), limit())
    decision = policy.decide(call(minor=hidden, customer=hidden), {}, DAY)
    assert [(one.id, one.outcome, one.concealed) for one in decision.fired] == [
        ("daily", "undecidable", True),
        ("r", "undecidable", True),
    ]
    assert not policy.decide(call(customer="c"), {}, DAY).fired[0].concealed


def test_the_chain_is_the_worst_of_what_a_saga_may_do() -> None:
    policy = compiled(rule("r", 'chain.semantics == "irreversible" && chain.consequence == "high"'))
    wide = chain_of(policy.policy, {name: one.semantics for name, one in TOOLS.items()} | {"pay.refund": "compensable"})
    assert wide == Chain("irreversible", "high")
    assert policy.decide(replace(CHARGE, chain=wide), {}, DAY).rule == "r"
    assert policy.decide(CHARGE, {}, DAY).effect == "allow", "alone it is a chain of its own"
    assert chain_of(policy.policy, {"pay.other": "preview"}) == Chain("preview", "critical")
    assert chain_of(policy.policy, {}) == Chain("preview", "low")


def test_the_time_of_a_call_is_there_for_who_asks() -> None:
    policy = compiled(rule("night", "at.getHours() < 6"))
    assert policy.decide(CHARGE, {}, DAY).effect == "allow"
    assert policy.decide(replace(CHARGE, at=AT.replace("T07", "T05")), {}, DAY).rule == "night"


def test_values_are_told_for_people_only_where_they_are_asked_for() -> None:
    policy = compiled(rule("r", "args.minor > 1 && at.getHours() == 7"))
    told = policy.decide(CHARGE, {}, DAY).fired[0]
    assert dict(told.values)["args.minor"] == "7"
    assert policy.decide(CHARGE, {}, DAY, told=False).fired[0].values == ()
