"""A policy in the engine: what it refuses, what it asks persons for, what it counts, and when nothing begins at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runtime_approvers import AGENT
from runtime_policed_shop import BUDGET, Shop, Till, charge, policy, wire

from agent_saga.policies.compiled import compile_policy
from agent_saga.runtime import AgentKit, Engine, PersonDecision, Report, RuntimeFault, ScriptedDriver, StaticGate
from agent_saga.runtime.approving import of_proof, paused
from agent_saga.runtime.errors import PolicyMismatch
from agent_saga.runtime.gate import Allow, Take
from agent_saga.runtime.policing.records import file_sink
from agent_saga.testing.approving import People
from agent_saga.trace.codec import decode
from agent_saga.trace.store import Spending, Window, open_store
from agent_saga.trace.store.errors import LimitReached

Run = Callable[..., Any]
RULES = """\
rules:
  - id: no-large-charge
    why: Larger sums go by wire.
    when: tool == "shop.charge" && args.amount.minor > 900
    then: deny
  - id: wire-needs-two
    when: tool == "shop.wire" && args.amount.minor > 500
    then: {approve: {quorum: 2, roles: [approver, treasury], within: PT10M}}
    enforcement: hard
"""


@pytest.fixture
def till() -> Till:
    """A till over a store in memory."""
    return Till(open_store(":memory:"))


async def events(till: Till, kind: str) -> list[Any]:
    """The lines of one type."""
    return [event for event in (decode(line)[0] for line in await till.lines()) if event.type == kind]


def test_a_denial_is_told_by_rule_and_reason_and_nothing_is_called(till: Till, run: Run) -> None:
    till.policy = policy(RULES)
    report = run(till.go(charge(901), charge(900)))
    (refused,) = run(events(till, "step.refused"))
    assert (refused.code, refused.rule) == ("denied", "no-large-charge")
    assert refused.reason == "Larger sums go by wire."
    assert report.status == "succeeded_verified"
    assert list(till.shop.ledger.values()) == [900]


def test_the_first_line_names_the_policy(till: Till, run: Run) -> None:
    run(till.go(charge(1)))
    (started,) = run(events(till, "saga.started"))
    assert started.policy == policy().digest


def test_a_rule_asks_persons_for_what_it_says_and_their_answer_lets_the_call_through(till: Till, run: Run) -> None:
    till.policy = policy(RULES)
    assert run(till.go(wire(501))).status == "waiting_approval"
    (asked,) = run(events(till, "approval.requested"))
    assert (asked.rule, asked.quorum, tuple(asked.roles)) == ("wire-needs-two", 2, ("approver", "treasury"))
    assert asked.not_after == "2026-11-30T07:10:00.000000Z"
    run(till.approve("ana"))
    assert run(till.go()).status == "waiting_approval"
    run(till.approve("ben"))
    assert run(till.go()).status == "succeeded_verified"
    assert list(till.shop.ledger.values()) == [501]


def test_what_is_irreversible_waits_also_where_no_rule_speaks(till: Till, run: Run) -> None:
    till.policy = policy("irreversible: {quorum: 1, roles: [approver], within: PT1M}\n")
    assert run(till.go(wire(1))).status == "waiting_approval"
    (asked,) = run(events(till, "approval.requested"))
    assert (asked.rule, asked.not_after) == ("irreversible", "2026-11-30T07:01:00.000000Z")
    run(till.approve("ana"))
    assert run(till.go()).status == "succeeded_verified"


def test_a_budget_holds_over_sagas_and_slides(till: Till, run: Run) -> None:
    async def use() -> None:
        await till.go(charge(600), saga="a")
        await till.go(charge(401), charge(400), charge(1, "c2"), saga="b")
        (refused,) = await events(till, "step.refused")
        assert (refused.saga, refused.code, refused.rule) == ("b", "limit", "daily")
        assert refused.reason == "limit daily: 600 of 1000 is used, and this call adds 401"
        till.clock.turn(24 * 3600 - 0.000001)
        await till.go(charge(1), saga="c")
        assert len(await events(till, "step.refused")) == 2
        till.clock.turn(0.000001)
        await till.go(charge(600), charge(400), saga="d")
        assert len(await events(till, "step.refused")) == 2

    run(use())
    assert sorted(till.shop.ledger.values()) == [1, 400, 400, 600, 600]


def test_a_failed_or_undone_charge_earns_nothing_back(till: Till, run: Run) -> None:
    async def use() -> None:
        till.shop.declined = True
        await till.go(charge(400), saga="failed")
        assert not till.shop.ledger
        await till.go(charge(400), saga="undone", goal=False)
        assert list(till.shop.undone.values()) == [400]
        await till.go(charge(201), charge(200), saga="more")

    run(use())
    assert list(till.shop.ledger.values()) == [400, 200]


def test_calls_side_by_side_share_what_is_left(till: Till, run: Run) -> None:
    run(till.go([charge(600), charge(500), charge(400)]))
    (refused,) = run(events(till, "step.refused"))
    assert refused.reason == "limit daily: 600 of 1000 is used, and this call adds 500"
    assert sorted(till.shop.ledger.values()) == [400, 600]


def test_beyond_a_limit_persons_may_let_a_call_through_and_it_counts(till: Till, run: Run) -> None:
    till.policy = policy(BUDGET + "    then: {approve: {quorum: 1, roles: [approver]}}\n")

    async def use() -> None:
        assert (await till.go(charge(900), charge(200))).status == "waiting_approval"
        (asked,) = await events(till, "approval.requested")
        assert asked.rule == "daily"
        await till.approve("ana")
        assert (await till.go()).status == "succeeded_verified"
        (used,) = await till.store.spent([Window("shop/daily", '["c1","EUR"]', 0)])
        assert used == 1100

    run(use())
    assert sum(till.shop.ledger.values()) == 1100


@pytest.mark.parametrize("more", ["quorum: 2", "quorum: 1, within: PT1M"])
def test_what_grew_beyond_the_approval_is_refused_and_can_be_proposed_again(till: Till, more: str, run: Run) -> None:
    """Between the request and the answer the window filled up, and then the limit asks for other persons."""
    rule = """\
rules:
  - id: look
    when: tool == "shop.charge" && args.amount.minor == 300
    then: {approve: {quorum: 1, roles: [approver]}}
"""
    till.policy = policy(rule + BUDGET + f"    then: {{approve: {{{more}, roles: [approver]}}}}\n")

    async def use() -> None:
        assert (await till.go(charge(300))).status == "waiting_approval"
        await till.go(charge(800), saga="other")
        await till.approve("ana")
        await till.go()
        (refused,) = await events(till, "step.refused")
        assert (refused.code, refused.rule) == ("approval_outgrown", "daily")

    run(use())
    assert list(till.shop.ledger.values()) == [800]


class Greedy:
    """A store in which somebody else takes from the budget between the gate's answer and the append."""

    def __init__(self, amount: int, times: int = 1) -> None:
        self.store, self.amount, self.times = open_store(":memory:"), amount, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def append(self, lines: Any, **options: Any) -> int:
        for one in options.get("spends", ())[:1] if self.times else ():
            self.times -= 1
            other = open_store(":memory:")
            await Till(other, policy("")).go(charge(1), saga=f"other-{self.times}")
            first = (await other.lines())[0][1]
            from agent_saga.trace.store import NewLine

            spend = Spending(f"other-{self.times}", 0, one.limit, one.key, self.amount, one.at, one.window, None)
            await self.store.append([NewLine(f"other-{self.times}", 0, first)], spends=[spend])
        return await self.store.append(lines, **options)


def test_who_comes_second_is_refused_and_what_was_written_before_stays(run: Run) -> None:
    till = Till(Greedy(700))
    report = run(till.go(charge(400), charge(300)))
    assert report.status == "succeeded_verified"
    (refused,) = run(events(till, "step.refused"))
    assert refused.reason == "limit daily: 700 of 1000 is used, and this call adds 400"
    assert list(till.shop.ledger.values()) == [300]


def test_of_calls_side_by_side_only_what_does_not_fit_any_more_is_taken_back(run: Run) -> None:
    till = Till(Greedy(300))
    report = run(till.go([charge(400), charge(500), charge(100), charge(900, "c2")]))
    assert report.status == "succeeded_verified"
    refused = run(events(till, "step.refused"))
    assert [one.reason for one in refused] == ["limit daily: 700 of 1000 is used, and this call adds 500"]
    assert sorted(till.shop.ledger.values()) == [100, 400, 900]
    intents = run(events(till, "effect.intended"))
    assert [one.effect for one in intents if one.saga == "s-1"] == ["e1", "e2", "e3"]


def test_who_comes_second_under_a_limit_that_asks_waits_for_persons(run: Run) -> None:
    till = Till(Greedy(700), policy(BUDGET + "    then: {approve: {quorum: 1, roles: [approver]}}\n"))
    assert run(till.go(charge(400))).status == "waiting_approval"
    run(till.approve("ana"))
    assert run(till.go()).status == "succeeded_verified"
    assert list(till.shop.ledger.values()) == [400]


def test_an_approved_call_that_is_overtaken_is_judged_anew(run: Run) -> None:
    store = Greedy(700, times=0)
    till = Till(store, policy(RULES.replace("args.amount.minor > 900", "false") + BUDGET + WIRES))
    assert run(till.go(wire(600))).status == "waiting_approval"
    run(till.approve("ana", "ben"))
    store.times = 1
    run(till.go())
    (refused,) = run(events(till, "step.refused"))
    assert (refused.code, refused.rule) == ("limit", "wires")
    assert not till.shop.ledger


def test_a_gate_that_lets_through_what_no_store_keeps_ends_the_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wild(StaticGate):
        def judge(self, request: Any) -> Any:
            return Allow((Take("wild", "[]", 2, 60, 1),))

    monkeypatch.setattr("agent_saga.runtime.session.OVERTAKEN", 3)
    till = Till(open_store(":memory:"))
    engine = Engine(till.store, gate=Wild())
    with pytest.raises(LimitReached, match="limit wild: 0 of 1 is used, and this adds 2"):
        run(engine.run(till.shop.definition(), ScriptedDriver([charge(1)])))
    assert not till.shop.ledger


WIRES = """\
  - id: wires
    sum: args.amount.minor
    of: tool == "shop.wire"
    per: [args.amount.currency]
    window: PT1H
    max: 1000
"""


@pytest.mark.parametrize("minor", [-1, -(10**12)])
def test_a_negative_amount_earns_nothing(minor: int, run: Run) -> None:
    till = Till(open_store(":memory:"))

    def unpriced(shop: Shop) -> Any:
        definition = shop.definition()
        definition.catalogue["shop.charge"].amount_from = None  # so that only the policy looks at it
        return definition

    async def use() -> None:
        driver = ScriptedDriver([charge(minor), charge(1000), charge(1)], name=AGENT)
        await till.engine().run(unpriced(till.shop), driver, saga="s-1")

    run(use())
    refused = run(events(till, "step.refused"))
    assert [(one.code, one.rule) for one in refused] == [("undecidable", "daily"), ("limit", "daily")]
    assert "would earn budget" in refused[0].reason
    assert list(till.shop.ledger.values()) == [1000]


def test_zero_is_free_and_a_time_that_goes_back_earns_nothing(till: Till, run: Run) -> None:
    async def use() -> None:
        await till.go(charge(1000), charge(0), saga="a")
        till.clock.turn(-48 * 3600)
        await till.go(charge(1), charge(0), saga="b")
        assert [one.code for one in await events(till, "step.refused")] == ["limit"]

    run(use())
    assert sorted(till.shop.ledger.values()) == [0, 0, 1000]


def test_a_concealed_argument_that_a_condition_needs_is_undecidable(run: Run) -> None:
    till = Till(open_store(":memory:"), shop=Shop(conceal=("/args/customer",)))
    run(till.go(charge(1, "customer-of-ours")))
    (refused,) = run(events(till, "step.refused"))
    assert (refused.code, refused.rule) == ("undecidable", "daily")
    assert b"customer-of-ours" not in b"".join(run(till.lines()))
    assert not till.shop.ledger


UNDECIDABLE = """\
rules:
  - {id: division, when: '10 / (args.amount.minor - 2) > 0', then: allow}
  - {id: sum, when: 'args.amount.minor + 9223372036854775807 > 0', then: {approve: {quorum: 1}}}
limits:
  - {id: overflow, of: 'tool == "shop.charge"', sum: 'args.amount.minor * 9223372036854775807', window: PT1H,
     per: [args.amount.currency], max: 9}
"""
HARMLESS = "enforcement: evaluate, max:"


def test_a_policy_whose_every_condition_is_undecidable_lets_nothing_through(till: Till, run: Run) -> None:
    till.policy = policy(UNDECIDABLE)
    run(till.go(charge(2)))
    assert not till.shop.ledger
    (refused,) = run(events(till, "step.refused"))
    assert (refused.code, refused.rule) == ("undecidable", "overflow")
    till = Till(
        till.store, policy(UNDECIDABLE.replace("then:", "enforcement: advisory, then:").replace("max:", HARMLESS))
    )
    run(till.go(charge(2), saga="s-2"))
    assert list(till.shop.ledger.values()) == [2], "what only advises never blocks"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: replace(p, tools={k: v for k, v in p.tools.items() if k != "shop.wire"}), "no tool shop.wire"),
        (
            lambda p: replace(
                p, tools=dict(p.tools) | {"shop.charge": replace(p.tools["shop.charge"], semantics="irreversible")}
            ),
            "shop.charge is compensable here and irreversible there",
        ),
        (
            lambda p: replace(
                p, tools=dict(p.tools) | {"shop.charge": replace(p.tools["shop.charge"], undo="shop.wire")}
            ),
            "undone by shop.refund here and by shop.wire there",
        ),
    ],
)
def test_a_saga_whose_tools_are_others_does_not_begin(till: Till, change: Any, words: str, run: Run) -> None:
    till.policy = change(policy())
    with pytest.raises(PolicyMismatch, match=words):
        run(till.go(charge(1)))
    assert run(till.lines()) == []


def test_a_saga_goes_on_only_under_the_policy_that_it_began_with(till: Till, run: Run) -> None:
    till.policy = policy(RULES)
    run(till.go(wire(501)))
    till.policy = policy()
    with pytest.raises(PolicyMismatch, match="began under policy"):
        run(till.go())
    with pytest.raises(PolicyMismatch, match="the engine has none"):
        run(Engine(till.store).run(till.shop.definition(), ScriptedDriver([]), saga="s-1"))
    run(Till(till.store, policy(RULES)).go())


def test_a_gate_and_a_policy_exclude_each_other_and_files_are_read(tmp_path: Path) -> None:
    store = open_store(":memory:")
    with pytest.raises(PolicyMismatch, match="leave the other out"):
        Engine(store, policy=policy(), gate=StaticGate())
    with pytest.raises(PolicyMismatch, match="none is given"):
        Engine(store, records=print)
    with pytest.raises(PolicyMismatch, match="compiled with its waivers"):
        Engine(store, policy=compile_policy(policy()), waivers=tmp_path / "w.yaml")
    kit = AgentKit(store, policy="fixtures/policies/payments.yaml")
    assert kit.engine.policing.digest is not None
    assert len(kit.engine.policing.digest) == 64
    two = "decide: {landed: {quorum: 2, roles: [decider]}}\n"
    with pytest.raises(PolicyMismatch, match="takes one person's signed word"):
        Engine(store, policy=policy(two))


@pytest.mark.parametrize("verdict", ["kept", "undone"])
def test_the_policy_says_who_may_decide_about_what_waits(run: Run, verdict: Any) -> None:
    people = People({"ana": ["ops"], "ben": ["decider"]}, agents={AGENT: "own"})
    decide = "decide: {kept: {quorum: 1, roles: [ops]}}\n"
    till = Till(open_store(":memory:"), policy(decide), people=people, options={"stop": lambda saga, name: on[0]})
    on = ["stop"]

    async def decided(person: str) -> None:
        (waits,) = paused(await till.lines())
        proof = people.decision(person, waits, "s-1", verdict, "looked at it", now=till.clock.now)
        await till.engine().decide("s-1", of_proof(proof))

    async def use() -> Report:
        report = await till.go(charge(1))
        on[0] = ""
        with pytest.raises(RuntimeFault):
            await till.engine().decide("s-1", PersonDecision("s-1", verdict, "ana", "no signature"))
        with pytest.raises(Exception, match="may not decide" if verdict == "undone" else "none of the roles ops"):
            await decided("ben")
        if verdict == "kept":
            await decided("ana")
            report = await till.go(charge(1))
        return report

    assert run(use()).status == ("succeeded_verified" if verdict == "kept" else "stopped")


def test_records_tell_each_decision_and_a_sink_that_fails_lets_nothing_through(tmp_path: Path, run: Run) -> None:
    place = tmp_path / "decisions.jsonl"
    till = Till(open_store(":memory:"), policy(RULES + BUDGET), options={"records": file_sink(place)})
    run(till.go(charge(901), charge(600), charge(600), wire(501)))
    records = [json.loads(line) for line in place.read_text("utf-8").splitlines()]
    assert [(one["effect"], one.get("rule")) for one in records] == [
        ("deny", "no-large-charge"),
        ("allow", None),
        ("deny", "daily"),
        ("approve", "wire-needs-two"),
    ]
    assert records[2]["fired"][0]["used"] == 600
    assert records[0]["fired"][0]["values"]["args.amount.minor"] == "901"
    assert {one["policy"] for one in records} == {till.policy.digest}
    assert place.stat().st_mode & 0o777 == 0o600
    till = Till(open_store(":memory:"), options={"records": file_sink(tmp_path / "nowhere" / "d.jsonl")})
    with pytest.raises(RuntimeFault, match="cannot be written"):
        run(till.go(charge(1)))
    assert not till.shop.ledger


def test_many_sagas_of_one_process_spend_a_budget_to_the_last_unit(run: Run, tmp_path: Path) -> None:
    till = Till(open_store(tmp_path / "s.db"))

    async def use() -> None:
        await asyncio.gather(*(till.go(charge(70), charge(10), charge(10), saga=f"s{n}") for n in range(20)))
        await till.store.close()

    run(use())
    assert sum(till.shop.ledger.values()) == 1000
