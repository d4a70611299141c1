"""Rules and limits in plain English."""

from __future__ import annotations

from typing import Any

import pytest
from pairs import policy, rule

from agent_saga.policies.rendering.prose import as_html, as_markdown, as_text, duration
from agent_saga.policies.rendering.sentences import limit_sentence, rule_sentence

SAID = [
    ('tool == "t"', "Every call of `t` is denied."),
    ("args.i > 10", "When `i` is more than 10, a call of any tool is denied."),
    ('tool == "t" && args.i >= 1000', "When `i` is at least 1,000, a call of `t` is denied."),
    ("!(args.i < 10)", "When `i` is at least 10, a call of any tool is denied."),
    ("10 < args.i", "When `i` is more than 10, a call of any tool is denied."),
    ("args.i >= 1 && args.i <= 5", "When `i` is from 1 to 5, a call of any tool is denied."),
    ("!(args.i >= 1 && args.i <= 5)", "When `i` is below 1 or above 5, a call of any tool is denied."),
    ("args.i > 1 && args.i < 5", "When `i` is between 1 and 5 (both excluded), a call of any tool is denied."),
    ("args.b", "When `b` is true, a call of any tool is denied."),
    ("!args.b", "When `b` is false, a call of any tool is denied."),
    (
        "args.i > 1 && (args.b || args.j > 2)",
        "When `i` is more than 1 and (`b` is true or `j` is more than 2), a call of any tool is denied.",
    ),
    (
        "!(args.i > 1 && args.b)",
        "When `i` is at most 1 or `b` is false, a call of any tool is denied.",
    ),
    ('args.s == "a"', "When `s` is `a`, a call of any tool is denied."),
    ('args.s in ["a", "b", "c"]', "When `s` is one of `a`, `b` or `c`, a call of any tool is denied."),
    ('!(args.s in ["a", "b"])', "When `s` is none of `a` or `b`, a call of any tool is denied."),
    ('"x" in args.l', "When `x` is among `l`, a call of any tool is denied."),
    ('args.s.startsWith("prod-")', "When `s` begins with `prod-`, a call of any tool is denied."),
    ('!args.s.endsWith("z")', "When `s` does not end with `z`, a call of any tool is denied."),
    ('args.s.contains("ab")', "When `s` contains `ab`, a call of any tool is denied."),
    ("size(args.s) > 5", "When the length of `s` is more than 5, a call of any tool is denied."),
    ("has(args.n)", "When `n` is given, a call of any tool is denied."),
    ("!has(args.n)", "When `n` is not given, a call of any tool is denied."),
    ("args.i + args.j > 5", "When `i` plus `j` is more than 5, a call of any tool is denied."),
    ("args.i % 2 == 1", "When the rest of `i` divided by 2 is 1, a call of any tool is denied."),
    (
        "args.b ? args.i > 1 : args.i > 2",
        "When `i` is more than 1 (if `b` is true), or else `i` is more than 2, a call of any tool is denied.",
    ),
    (
        "at.getHours() >= 18",
        "When the hour of the time of the call (UTC) is at least 18, a call of any tool is denied.",
    ),
    (
        'at.getHours("+01:00") >= 18',
        "When the hour of the time of the call (UTC+01:00) is at least 18, a call of any tool is denied.",
    ),
    (
        'at.getHours("UTC") >= 18',
        "When the hour of the time of the call (UTC) is at least 18, a call of any tool is denied.",
    ),
    (
        "at.getDayOfWeek() == 0",
        "When the day of the week of the time of the call (UTC) is Sunday, a call of any tool is denied.",
    ),
    (
        'at > timestamp("2026-11-30T12:00:00Z")',
        "When the time of the call is more than 30 November 2026, 12:00 UTC, a call of any tool is denied.",
    ),
    ('agent == "a"', "When the agent is `a`, a call of any tool is denied."),
    (
        'chain.semantics == "irreversible"',
        "When the worst class among the steps of the saga is `irreversible`, a call of any tool is denied.",
    ),
    (
        'args.amount.currency == "EUR" && args.amount.minor > 500000',
        "When `amount.currency` is `EUR` and `amount` is more than EUR 5,000.00, a call of any tool is denied.",
    ),
    (
        'args.amount.currency == "JPY" && args.amount.minor > 500000',
        "When `amount.currency` is `JPY` and `amount` is more than JPY 500,000, a call of any tool is denied.",
    ),
]


@pytest.mark.parametrize("when, words", SAID, ids=[when for when, _ in SAID])
def test_a_rule_is_said_in_one_sentence(when: str, words: str) -> None:
    made = policy(rule(when))
    assert as_text(rule_sentence(made, made.rules[0])) == words


ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"then": "allow"}, "is noted, and allowed unless another rule says otherwise."),
    (
        {"then": {"approve": {"quorum": 2, "roles": ["a", "b"], "strength": "B", "within": "PT90S"}}},
        "needs the approval of 2 people in the role `a` or `b` within 1 minute 30 seconds, "
        "signed with attested hardware, touched (strength B or better).",
    ),
]


@pytest.mark.parametrize("members, words", ANSWERS)
def test_an_answer_says_who_how_soon_and_how_surely(members: dict[str, Any], words: str) -> None:
    made = policy(rule("args.b", **members))
    assert as_text(rule_sentence(made, made.rules[0])) == f"When `b` is true, a call of any tool {words}"


def test_a_limit_says_the_window_the_keys_the_sum_and_what_happens_beyond() -> None:
    limit = {"id": "l", "sum": "args.amount.minor", "of": 'tool == "t" && args.amount.currency == "EUR"'}
    made = policy(limits=[limit | {"per": ["args.s"], "window": "P7D", "max": 100000}])
    assert as_text(limit_sentence(made, made.limits[0])) == (
        "In any 7 days, for each `s`, the sum of `amount` over calls of `t` when `amount.currency` is `EUR` "
        "may reach EUR 1,000.00; a call that would exceed it is denied."
    )


def test_a_rate_counts_calls() -> None:
    made = policy(limits=[{"id": "l", "of": "args.b", "window": "PT1H", "max": 3}])
    assert as_text(limit_sentence(made, made.limits[0])) == (
        "In any 1 hour, for all calls together, the number of all calls when `b` is true may reach 3; "
        "a call that would exceed it is denied."
    )


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (900, "15 minutes"),
        (3661, "1 hour 1 minute 1 second"),
        (86_400, "24 hours"),
        (172_800, "2 days"),
        (604_800, "7 days"),
    ],
)
def test_a_length_of_time_is_said_in_the_units_that_people_use(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def test_no_name_of_a_policy_can_break_a_page() -> None:
    made = policy(rule('args.s == "<img src=x onerror=alert(1)>`|\\u202e"'))
    said = rule_sentence(made, made.rules[0])
    assert "<img" not in as_html(said)
    assert "\u202e" not in as_html(said) + as_markdown(said) + as_text(said)
    assert "\\|" in as_markdown(said)
