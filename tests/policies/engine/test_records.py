"""Decision records: one line each, and never a credential in clear."""

from __future__ import annotations

import json

from engine_kit import DAY, ONE, call, compiled, limit, rule

from agent_saga.policies.records import masked, record

SECRET = "sk_live_" + "a1B2c3D4" * 3
HIDDEN = {"...": "A" * 43}


def test_a_record_says_what_was_asked_answered_and_why() -> None:
    policy = compiled(rule("r", "args.minor > 5", ONE, why="Because."), limit())
    asked = call(minor=7, customer="c1")
    line = record(asked, policy.decide(asked, {}, DAY), policy.spends(asked))
    assert b"\n" not in line
    told = json.loads(line)
    assert list(told) == sorted(told)
    assert (told["effect"], told["rule"], told["reason"]) == ("approve", "r", "Because.")
    assert told["approve"] == {"quorum": 1, "roles": ["risk", "ops"], "strength": "A", "within": 900}
    assert told["fired"][0]["values"] == {"args.minor": "7", "args.minor > 5": "true"}
    assert told["limits"] == [{"limit": "daily", "key": '["c1"]', "amount": 7, "window": 86400, "max": 100}]


def test_no_credential_and_no_concealed_value_is_told() -> None:
    policy = compiled(rule("r", 'args.note != "" && args.who != ""'), limit(max=1))
    long = "n" * 190 + " " + SECRET
    asked = call(minor=7, customer=SECRET, note=long, who=HIDDEN, **{SECRET: 1})
    line = record(asked, policy.decide(asked, {}, DAY), policy.spends(asked)).decode()
    assert SECRET[:16] not in line
    told = json.loads(line)
    assert told["args"]["who"] == HIDDEN
    assert told["args"]["note"].startswith("(masked: ")
    assert "(masked: a Stripe secret key)" in told["args"]
    assert told["limits"][0]["key"].startswith("(masked: ")


def test_masking_leaves_the_rest_as_it_is() -> None:
    value = {"a": [1, None, True, "text", {"b": ("x", 2.5)}]}
    assert masked(value) == {"a": [1, None, True, "text", {"b": ["x", 2.5]}]}
