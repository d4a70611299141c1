"""An argument of another type than its schema says denies the call: it never makes a condition silently false."""

from __future__ import annotations

from typing import Any

import pytest

from agent_saga.policies.answers import Call
from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.loading import load_policy

TEXT = """
policy: p
version: 1
owner: o
tools:
  t:
    semantics: preview
    args:
      type: object
      properties:
        country: {type: string}
        sure: {type: boolean}
        count: {type: integer}
        note: {type: [string, "null"]}
        free: {type: string}
        tags: {type: array, items: {type: string}}
        amount: {type: object, properties: {minor: {type: integer}, currency: {type: string}}, required: [minor]}
      required: [country, amount]
rules:
  - {id: embargo, when: 'args.country == "KP"', then: deny}
  - {id: sums, when: args.amount.minor == 666, then: deny}
  - {id: tags, when: 'has(args.tags) && "bad" in args.tags', then: deny}
  - {id: count, when: has(args.count) && args.count == 5, then: deny}
  - {id: note, when: 'has(args.note) && args.note == "x"', then: deny}
  - {id: sure, when: has(args.sure) && args.sure, then: deny}
  - {id: told, when: 'has(args.free) && args.free == "x"', then: deny, enforcement: advisory}
limits:
  - {id: many, of: 'has(args.tags) && size(args.tags) > 1', sum: size(args.tags), per: [args.country],
     window: PT1H, max: 9, then: deny}
"""
GOOD: dict[str, Any] = {"country": "FR", "amount": {"minor": 1, "currency": "EUR"}}


@pytest.fixture(scope="module")
def decide() -> Any:
    compiled = compile_policy(load_policy("p.yaml", text=TEXT.encode()))

    def answer(**args: Any) -> Any:
        call = Call("t", GOOD | args, "preview", "2026-01-01T00:00:00.000000Z")
        return compiled.decide(call, {}, "2026-01-01"), compiled.spends(call)

    return answer


def test_arguments_that_fit_are_judged_by_the_rules(decide: Any) -> None:
    assert decide()[0].effect == "allow"
    assert decide(country="KP")[0].code == "denied"
    assert decide(tags=["a", "bad"])[0].code == "denied"
    assert decide(count=4, note=None, sure=False, other=[{}])[0].effect == "allow"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"country": ["KP"]}, "args.country is of the type list; its schema says string"),
        ({"country": 5}, "args.country is of the type int; its schema says string"),
        ({"country": None}, "args.country is null; its schema says string"),
        ({"country": {"a": "KP"}}, "args.country is of the type dict; its schema says string"),
        ({"amount": "666"}, "args.amount is of the type str; its schema says object"),
        ({"amount": {"minor": "666"}}, "args.amount.minor is of the type str; its schema says int"),
        ({"amount": {"minor": True}}, "args.amount.minor is of the type bool; its schema says int"),
        ({"tags": "bad"}, "args.tags is of the type str; its schema says list(string)"),
        ({"tags": ["a", ["bad"]]}, "args.tags is of the type list; its schema says list(string)"),
        ({"count": "5"}, "args.count is of the type str; its schema says int"),
        ({"note": ["x"]}, "args.note is of the type list; its schema says string"),
        ({"sure": "true"}, "args.sure is of the type str; its schema says bool"),
    ],
)
def test_an_argument_of_another_type_denies_the_call_and_takes_nothing(
    decide: Any, args: dict[str, Any], words: str
) -> None:
    decision, spends = decide(**args)
    assert (decision.effect, decision.code, spends) == ("deny", "undecidable", ())
    assert words in decision.reason


def test_what_no_binding_condition_reads_may_be_anything(decide: Any) -> None:
    assert decide(free=["x"], other=5, amount={"minor": 1, "currency": 5})[0].effect == "allow"


def test_what_is_concealed_is_left_to_the_conditions(decide: Any) -> None:
    hidden = {"...": "A" * 43}
    assert decide(country=hidden)[0].code == "undecidable"
    assert "country" not in decide(note="y", amount={"minor": 1, "currency": hidden})[0].reason


WAYS = """
policy: p
version: 1
owner: o
tools:
  t:
    semantics: preview
    args:
      type: object
      properties:
        to: {type: object, properties: {country: {type: string}}, required: [country]}
        items: {type: array, items: {type: object, properties: {sku: {type: string}}, required: [sku]}}
      required: [to]
rules:
  - {id: r, when: 'WHEN', then: deny}
"""
TO: dict[str, Any] = {"to": {"country": "FR"}}


@pytest.mark.parametrize(
    ("when", "bad"),
    [
        ('args["to"]["country"] == "KP"', {"to": {"country": ["KP"]}}),
        ('args["to"].country == "KP"', {"to": {"country": None}}),
        ('args.to["country"] == "KP"', {"to": {"country": 5}}),
        ('has(args.items) && size(args.items) > 0 && args.items[0].sku == "x"', {"items": [{"sku": ["x"]}]}),
        ('has(args.items) && size(args.items) > 0 && args.items[0]["sku"] == "x"', {"items": [{"sku": None}]}),
        ("has(args.items) && size(args.items) > 3", {"items": {"sku": "x"}}),
    ],
)
def test_in_whatever_way_a_condition_reads_an_argument_its_type_is_looked_at(when: str, bad: dict[str, Any]) -> None:
    compiled = compile_policy(load_policy("p.yaml", text=WAYS.replace("WHEN", when).encode()))

    def answer(**args: Any) -> Any:
        call = Call("t", TO | args, "preview", "2026-01-01T00:00:00.000000Z")
        return compiled.decide(call, {}, "2026-01-01")

    assert answer().effect == "allow"
    assert answer(items=[{"sku": "y"}]).effect == "allow"
    assert (answer(**bad).effect, answer(**bad).code) == ("deny", "undecidable")
