"""The page of a policy: made of the policy alone, the same each time, and true to the engine."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from pairs import policy, rule

from agent_saga.policies.diffing import compare_policies
from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy, Waiver, Waivers
from agent_saga.policies.packs import pack
from agent_saga.policies.rendering.boundaries import Edges
from agent_saga.policies.rendering.html import html_page
from agent_saga.policies.rendering.markdown import markdown_page
from agent_saga.policies.rendering.page import Sources, page_of

WAIVER = Waiver("W-3", "daily-spend", "migration", "p_17", "p_4", "2026-11-01", "2026-12-15")


def _both(sources: Sources) -> tuple[str, str]:
    page = page_of(sources)
    return markdown_page(page), html_page(page)


def test_the_same_policy_gives_the_same_bytes(example: Policy) -> None:
    newer = replace(example, version=8, rules=example.rules[:1])
    made = [_both(Sources(newer, Waivers((WAIVER,)), "2026-11-30", compare_policies(example, newer))) for _ in range(2)]
    assert made[0] == made[1]


def test_the_page_says_all_that_a_signer_must_know(example: Policy) -> None:
    for text in _both(Sources(example)):
        for words in ("payments", "risk@", example.digest, "7 tests: all pass; coverage 100%", "wire-needs-two"):
            assert words in text
        for words in ("EUR 5,000.00", "50,000", "24 hours", "treasury", "Approved by", "payments.refund"):
            assert words in text
        assert "irreversible: cannot be undone" in text


def test_examples_stand_just_below_and_just_above_and_say_what_the_engine_says(example: Policy) -> None:
    text = markdown_page(page_of(Sources(example)))
    for row in (
        "| `payments.wire` with `amount` EUR 5,000.00 | needs 1 person in the role `approver` (`irreversible`) |",
        "| `payments.wire` with `amount` EUR 5,000.01 | needs 2 people in the role `treasury` (`wire-needs-two`) |",
        "| `pharmacy.prescribe` with `dose_ug` (micrograms) 99 | denied (`dose-range`) |",
        "| `pharmacy.prescribe` with `dose_ug` (micrograms) 50,001 | denied (`dose-range`) |",
        "| `payments.charge` that adds EUR 0.01 when EUR 49,999.99 is used already | allowed |",
        "| `payments.charge` that adds EUR 0.01 when EUR 50,000.00 is used already "
        "| needs 1 person in the role `risk` (`daily-spend`) |",
    ):
        assert row in text


def test_of_each_pair_of_examples_the_rule_holds_for_one() -> None:
    made = policy(
        rule("args.i > 10 && args.b"),
        rule('args.s.startsWith("prod")', {"approve": {}}, "p"),
        rule("has(args.n) && args.n * 3 > 20", ident="n"),
        rule("at.getHours() >= 18", ident="late"),
    )
    edges = Edges(made)
    for one in made.rules:
        pairs = edges.of_rule(one, ["t"])
        assert pairs, one.id
        for without, with_ in pairs:
            held = [one.id in {fired.id for fired in edge.decision.fired} for edge in (without, with_)]
            assert held == [False, True]
    numbers = [(one.value, two.value) for one, two in edges.of_rule(made.rules[0], ["t"])]
    assert (10, 11) in numbers


def test_money_is_written_as_its_currency_writes_it() -> None:
    made = policy(rule('args.amount.currency == "JPY" && args.amount.minor > 500000'))
    assert "JPY 500,000" in markdown_page(page_of(Sources(made)))
    assert "500,000 minor units of its currency" in markdown_page(
        page_of(Sources(policy(rule("args.amount.minor > 500000"))))
    )


def test_waivers_say_whether_they_are_in_force_on_the_day(example: Policy) -> None:
    waivers = Waivers((WAIVER,), ("waiver W-9: nobody signed it",), "ab" * 32)
    for day, state in (("2026-10-31", "not yet in force"), ("2026-12-15", "in force"), ("2026-12-16", "ended")):
        text = markdown_page(page_of(Sources(example, waivers, day)))
        assert f"| {state} |" in text
        assert "Lifts nothing: waiver W-9: nobody signed it" in text
    assert "No file of waivers was given" in markdown_page(page_of(Sources(example)))


def test_the_changes_stand_on_the_page_with_calls_that_show_them(example: Policy) -> None:
    newer = replace(example, version=8, limits=(replace(example.limits[0], max=6_000_000),))
    text = markdown_page(page_of(Sources(newer, changes=compare_policies(example, newer))))
    assert "## Changes since version 7" in text
    assert "In all, the policy is looser: it lets more through. This is proven." in text
    assert "max: `5,000,000` is now `6,000,000`" in text


def test_a_test_of_the_policy_that_fails_is_the_first_thing_on_the_page(example: Policy) -> None:
    wrong = replace(example, rules=example.rules[1:])
    text = markdown_page(page_of(Sources(wrong)))
    assert "Do not sign it as it stands." in text
    assert "1 FAIL" in text


def test_the_page_can_run_and_load_nothing() -> None:
    hostile = '<script>alert(1)</script><img src="https://evil.example/x">'
    made = replace(policy(rule("args.b")), description=hostile, owner=hostile)
    text = html_page(page_of(Sources(made)))
    assert "<script" not in text
    assert "<img" not in text
    assert re.search(r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'", text)
    assert not re.findall(r"<(?:link|a)[^>]+href=\"(?!#)", text)


def test_a_table_of_markdown_has_as_many_cells_in_every_row(example: Policy) -> None:
    odd = replace(example, owner="a | b", description="c | d\n# no heading")
    for block in re.findall(r"(?:^\|.*\n)+", markdown_page(page_of(Sources(odd))), re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


@pytest.mark.parametrize("name", ["aisvs-c9", "banking", "cloud-and-repositories"])
def test_a_shipped_pack_has_a_page_without_a_failing_test_and_the_same_one_each_time(name: str, tmp_path: Path) -> None:
    for path, data in pack(name).files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    made = load_policy(str(tmp_path / "policy.yaml"))
    pages = [html_page(page_of(Sources(made))) for _ in range(2)]
    assert pages[0] == pages[1]
    assert "all pass" in pages[0]
