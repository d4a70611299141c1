"""Waivers: the days on which they count, what they never lift, and what is told of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine_kit import AT, DAY, ONE, call, compiled, limit, rule, waiver

from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.model import Waivers

CHARGE = call(minor=7, customer="c_9")
USED = {("daily", '["c_9"]'): 99}


@pytest.mark.parametrize(
    ("day", "lifts"),
    [("2026-10-31", False), ("2026-11-01", True), ("2026-11-30", True), ("2026-12-01", False)],
)
def test_the_first_and_the_last_day_count_and_the_answer_says_so_on_others(day: str, lifts: bool) -> None:
    decision = compiled(limit(), waivers=(waiver(),)).decide(replace(CHARGE, at=day + AT[10:]), USED, day)
    (fired,) = decision.fired
    assert (decision.effect == "allow") == lifts
    assert (fired.waived, fired.lapsed) == (("W-1", ()) if lifts else ("", ("W-1",)))


def test_a_rule_is_lifted_for_its_scope_alone() -> None:
    waivers = (waiver(rule="r", scope='args.customer == "c_9"'),)
    policy = compiled(rule("r", "true"), waivers=waivers)
    assert policy.decide(CHARGE, {}, DAY).effect == "allow"
    other = policy.decide(call(minor=7, customer="c_8"), {}, DAY)
    assert (other.effect, other.fired[0].lapsed) == ("deny", ())
    missing = policy.decide(call(minor=7), {}, DAY)
    assert missing.effect == "deny", "a scope that cannot be decided lifts nothing"


def test_a_hard_rule_is_never_lifted_and_the_waiver_is_told_of() -> None:
    parts = (rule("r", "true", "deny", "hard"), limit(max=1, enforcement="hard"))
    policy = compiled(*parts, waivers=(waiver("W-1", "r"), waiver("W-2", "daily"), waiver("W-3", "dayly")))
    assert policy.decide(CHARGE, {}, DAY).effect == "deny"
    assert policy.problems == (
        "waiver W-1: r is hard, and no waiver lifts it",
        "waiver W-2: daily is hard, and no waiver lifts it",
        "waiver W-3: policy pay has no rule or limit dayly",
    )


def test_what_its_reader_found_wrong_with_a_waiver_is_told_with_the_policy() -> None:
    read = Waivers((), ("waiver W-9 is not signed: it lifts nothing",))
    assert compile_policy(compiled(rule("r", "true")).policy, read).problems == read.problems


def test_a_waiver_lifts_what_is_undecidable_but_not_the_default() -> None:
    policy = compiled(rule("r", "args.gone > 1"), waivers=(waiver(rule="r"),))
    assert policy.decide(CHARGE, {}, DAY).effect == "allow"
    wire = call("pay.wire", minor=1)
    policy = compiled(rule("r", "true", ONE), waivers=(waiver(rule="r"),))
    decision = policy.decide(wire, {}, DAY)
    assert (decision.effect, decision.rule) == ("approve", "irreversible")


def test_of_several_rules_only_the_one_that_is_named_is_lifted() -> None:
    policy = compiled(rule("r", "true"), rule("s", "true", ONE), waivers=(waiver(rule="r"),))
    decision = policy.decide(CHARGE, {}, DAY)
    assert (decision.effect, decision.rule) == ("approve", "s")


def test_unused_waivers_are_named() -> None:
    policy = compiled(rule("r", "args.minor > 8"), waivers=(waiver(rule="r"), waiver("W-2", "r", 'agent == "x"')))
    used: set[str] = set()
    for minor in (7, 9):
        used |= {one.waived for one in policy.decide(call(minor=minor, customer="c"), {}, DAY).fired}
    assert [one.id for one in policy.lifting.unused(used)] == ["W-2"]


def test_a_scope_may_ask_for_the_time() -> None:
    policy = compiled(rule("r", "true"), waivers=(waiver(rule="r", scope="at.getHours() == 7"),))
    assert policy.decide(CHARGE, {}, DAY).effect == "allow"
    assert policy.decide(replace(CHARGE, at=AT.replace("T07", "T08")), {}, DAY).effect == "deny"
