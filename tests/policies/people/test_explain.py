"""What a policy says of one call, with the values; and what is no call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pairs import policy, rule

from agent_saga.policies.explaining import CallError, explain, read_call
from agent_saga.policies.explaining.reports import as_json, text
from agent_saga.policies.model import Policy, Waiver, Waivers

CHARGE: dict[str, Any] = {
    "tool": "payments.charge",
    "args": {"customer": "c_9", "amount": {"minor": 200, "currency": "EUR"}},
}


def _explained(made: Policy, call: dict[str, Any], waivers: Waivers | None = None) -> tuple[str, dict[str, Any]]:
    found = explain(made, read_call(call, made), waivers)
    return text(found), json.loads(as_json(found))


def test_a_limit_says_what_is_used_asked_and_allowed(example: Policy) -> None:
    said, record = _explained(example, {**CHARGE, "spent": {"daily-spend": 4_999_900}})
    assert '4,999,900 used + 200 asked = 5,000,100, more than 5,000,000 in 24 hours for ["c_9","EUR"]' in said
    assert record["decision"]["effect"] == "approve"
    limit = next(part for part in record["parts"] if part["id"] == "daily-spend")
    assert limit["state"] == "fired"
    assert limit["limit"] == {"key": '["c_9","EUR"]', "used": 4_999_900, "asked": 200, "max": 5_000_000}


def test_what_stayed_quiet_is_told_with_its_values_too() -> None:
    made = policy(rule("args.i > 5 && args.b"), rule("args.i > 1", ident="q", why="because"))
    call = {"tool": "t", "args": {"i": 3, "b": True}}
    said, record = _explained(made, call)
    states = {part["id"]: (part["state"], part["values"]) for part in record["parts"]}
    assert states["r"] == ("quiet", {"args.i > 5": "false", "args.i": "3", "args.b": "true"})
    assert states["q"][0] == "fired"
    assert "because" in said
    assert record["decision"] == {"effect": "deny", "code": "denied", "rule": "q", "approve": None, "reason": "because"}


def test_a_missing_value_is_named_and_denies() -> None:
    said, record = _explained(policy(rule("args.i > 5")), {"tool": "t", "args": {}})
    assert record["parts"][0]["state"] == "undecidable"
    assert "cannot be decided, and so denies" in said
    assert record["decision"]["code"] == "undecidable"


def test_rules_about_other_tools_and_undeclared_tools_are_told_apart(example: Policy) -> None:
    said, record = _explained(example, CHARGE)
    assert {part["id"] for part in record["parts"] if part["state"] == "elsewhere"} == {"wire-needs-two", "dose-range"}
    said, record = _explained(example, {"tool": "x"})
    assert record["decision"]["code"] == "undeclared_tool"
    assert "declares no tool x" in said
    assert "(the call is refused before any rule)" in said


def test_a_waiver_is_named_and_one_that_has_ended_too() -> None:
    made = policy(rule("args.b"))
    waiver = Waiver("W-1", "r", "trial", "o", "a", "2026-06-01", "2026-06-30")
    call = {"tool": "t", "args": {"b": True}}
    said, record = _explained(made, call | {"at": "2026-06-30T23:59:59.999999Z"}, Waivers((waiver,)))
    assert (record["parts"][0]["state"], record["parts"][0]["waived"]) == ("waived", "W-1")
    assert "lifted by waiver W-1" in said
    said, record = _explained(made, call | {"at": "2026-07-01T00:00:00.000000Z"}, Waivers((waiver,)))
    assert (record["decision"]["effect"], record["parts"][0]["lapsed"]) == ("deny", ["W-1"])
    assert "not in force on this day: waiver W-1" in said


def test_what_an_irreversible_call_gets_by_itself_is_told(example: Policy) -> None:
    call = {"tool": "payments.wire", "args": {"amount": {"minor": 1, "currency": "EUR"}}}
    said, _ = _explained(example, call)
    assert "irreversible: approval by 1 person of approver" in said


NO_CALLS: list[tuple[Any, str]] = [
    ([], "a call is an object such as {'tool': NAME, 'args': {...}}; found a list"),
    ({}, "tool: expected the name of a tool, found nothing"),
    ({"tool": 1}, "tool: expected the name of a tool, found 1"),
    ({"tool": "t", "args": []}, "args: expected an object, found a list"),
    ({"tool": "t", "arg": {}}, "a call has no member 'arg'; did you mean 'args'?"),
    ({"tool": "t", "semantics": "reversibel"}, "found 'reversibel'; did you mean 'reversible'?"),
    (
        {"tool": "t", "at": "2026-02-30T00:00:00.000000Z"},
        "at: expected a time in UTC, such as 2026-11-30T07:00:00Z, that exists, found",
    ),
    ({"tool": "t", "chain": {"semantic": "preview"}}, "chain has no member 'semantic'; did you mean 'semantics'?"),
    ({"tool": "t", "chain": {"semantics": "bad"}}, "chain.semantics: expected one of preview, reversible"),
    ({"tool": "t", "spent": {"daily-spent": 1}}, "the policy has no limit 'daily-spent'; did you mean 'daily-spend'?"),
    ({"tool": "t", "spent": {"daily-spend": -1}}, "spent.daily-spend: expected a whole number from 0, found -1"),
    ({"tool": "t", "spent": {"daily-spend": True}}, "spent.daily-spend: expected a whole number from 0, found true"),
]


@pytest.mark.parametrize("data, words", NO_CALLS)
def test_what_is_no_call_is_named(data: Any, words: str, example: Policy) -> None:
    with pytest.raises(CallError) as caught:
        read_call(data, example)
    assert words in str(caught.value)


def test_all_that_is_wrong_is_told_at_once(example: Policy) -> None:
    with pytest.raises(CallError) as caught:
        read_call({"tool": 1, "args": [], "x": 1}, example)
    assert len(caught.value.faults) == 3


def test_a_test_of_a_policy_is_a_call_too(example: Policy) -> None:
    case = {"given": CHARGE, "spent": {"daily-spend": 7}, "name": "n"}
    found = read_call(case, example)
    assert (found.call.tool, found.spent) == ("payments.charge", {"daily-spend": 7})
