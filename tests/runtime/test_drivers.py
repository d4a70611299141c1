"""Whoever proposes is checked: closed choices, busy models, limits, the kill switch, the order of a plan."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from runtime_world import DEAF, FAIL, LOST_LANDED, NOW, World, pair, shop

from agent_saga.runtime import (
    BadProposal,
    Checked,
    Choice,
    ClosedChoiceDriver,
    DriverBusy,
    Engine,
    Finish,
    Limits,
    NotEntitled,
    Offer,
    PersonDecision,
    PlanDriver,
    Proposal,
    ReadOnly,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.kernel.actions import View
from agent_saga.trace.store import open_store

DRIVER = PlanDriver(lambda step, view: {"item": step})
QUICK = Limits(backoff=0.0)


def codes(report: Any) -> list[str]:
    return sorted(finding.code for finding in report.findings)


async def events(store: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for _, line in await store.lines()]


async def lines_of(store: Any) -> list[bytes]:
    return [line for _, line in await store.lines()]


def yes(facts: Any) -> bool:
    return True


def offers(view: Any) -> list[Offer]:
    if "a" in {step.partition(".")[0] for step in view.facts}:
        return []
    return [Offer("first", "a", {"item": "x"}), Offer("second", "a", {"item": "y"})]


def closed(*answers: Choice) -> ClosedChoiceDriver:
    left = list(answers)

    async def model(view: Any, candidates: Any) -> Choice:
        return left.pop(0)

    return ClosedChoiceDriver(offers, model, floor="0.6")


SURE = Choice("second", "0.8", {"first": "0.3", "second": "0.7"}, "cheaper")


def test_a_closed_choice_stands_in_the_trace_with_its_numbers(run: Any, judge: Any) -> None:
    async def main() -> None:
        store = open_store(":memory:")
        report = await Engine(store).run(shop(World(), ("a",)), closed(SURE))
        assert report.status == "succeeded_verified"
        proposed = next(event for event in await events(store) if event["type"] == "step.proposed")
        assert [(one["id"], one["p"]) for one in proposed["options"]] == [("first", "0.3"), ("second", "0.7")]
        assert (proposed["choice"], proposed["confidence"], proposed["args"]) == ("second", "0.8", {"item": "y"})
        assert codes(judge(await lines_of(store))) == []

    run(main())


@pytest.mark.parametrize(
    "answer, code",
    [
        (Choice("second", "0.8", {"first": "0.3"}), "no_proposal"),
        (Choice("second", "0.8", {"first": "0.3", "second": "0.7", "third": "0"}), "no_proposal"),
        (Choice("third", "0.8", {"first": "0.3", "second": "0.7"}), "no_proposal"),
        (Choice("second", "0.8", {"first": "0.3", "second": "0.70001"}), "bad_probabilities"),
        (Choice("first", "0.8", {"first": "0.3", "second": "0.7"}), "not_the_maximum"),
        (Choice("second", "0.59", {"first": "0.3", "second": "0.7"}), "low_confidence"),
        (Choice("second", "nan", {"first": "0.3", "second": "0.7"}), "no_proposal"),
        (Choice("second", True, {"first": "0.3", "second": "0.7"}), "no_proposal"),
        (Choice("second", "0.8", {"first": "-0.3", "second": "1.3"}), "no_proposal"),
    ],
)
def test_a_choice_whose_numbers_do_not_hold_is_refused(run: Any, judge: Any, answer: Choice, code: str) -> None:
    async def main() -> None:
        store = open_store(":memory:")
        report = await Engine(store).run(shop(World(), ("a",)), closed(answer, SURE))
        assert report.status == "succeeded_verified"
        assert [refusal.code for refusal in report.state.refusals] == [code]
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_numbers_that_sum_to_one_within_a_millionth_count(run: Any) -> None:
    near = Choice("second", 0.8, {"first": 0.3000005, "second": 0.7})
    report = run(Engine(open_store(":memory:")).run(shop(World(), ("a",)), closed(near)))
    assert report.status == "succeeded_verified"
    assert not report.state.refusals


class Busy:
    """A model that is overloaded at first."""

    name, immediate = "busy", False

    def __init__(self, times: int) -> None:
        self.left = times

    async def propose(self, view: Any) -> Any:
        self.left -= 1
        if self.left >= 0:
            raise DriverBusy("429", after=1.0)
        return Proposal("a", {"item": "x"}) if view.allowed else Finish()


def test_a_busy_model_is_asked_again_later_and_ends_nothing(run: Any) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    report = run(Engine(open_store(":memory:"), sleep=sleep).run(shop(World(), ("a",)), Busy(60)))
    assert report.status == "succeeded_verified"
    assert len(slept) == 60
    assert max(slept) <= 30.0


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 11, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.mark.parametrize(
    "limits, reason",
    [
        (Limits(backoff=0.0, turns=2), {"code": "budget", "limit": "turns"}),
        (Limits(backoff=0.0, calls=2), {"code": "budget", "limit": "calls"}),
        (Limits(backoff=0.0, deadline=9.0), {"code": "deadline", "limit": "deadline"}),
    ],
)
def test_a_limit_halts_the_saga_and_undoes_what_was_done(run: Any, judge: Any, limits: Limits, reason: Any) -> None:
    async def main() -> None:
        world, store = World(), open_store(":memory:")
        report = await Engine(store, clock=Clock()).run(shop(world, limits=limits), DRIVER)
        assert report.status == "compensated_verified"
        assert [e["reason"] for e in await events(store) if e["type"] == "saga.halted"] == [reason]
        assert world.standing == {}
        assert world.order
        assert codes(judge(await lines_of(store))) == []

    run(main())


@pytest.mark.parametrize("verdict, status", [("undone", "compensated_verified"), ("kept", "succeeded_verified")])
def test_the_kill_switch_halts_until_a_person_decides(run: Any, judge: Any, verdict: Any, status: str) -> None:
    async def main() -> None:
        world, store = World(), open_store(":memory:")

        def stop(saga: str, name: str) -> str:
            return "kill_switch" if world.order else ""

        def unreadable(saga: str, name: str) -> str:
            raise OSError("no such file")

        gate = StaticGate(persons=frozenset({"p-1"}))
        definition = shop(world)
        report = await Engine(store, gate=gate, stop=stop).run(definition, DRIVER)
        assert report.status == "stopped"
        assert world.standing
        assert codes(judge(await lines_of(store))) == ["AS504"]
        decision = PersonDecision(report.saga, verdict, "p-1", "looked")
        with pytest.raises(NotEntitled):
            await Engine(store).decide(report.saga, decision)
        await Engine(store, gate=gate).decide(report.saga, decision)
        if verdict == "kept":
            report = await Engine(store, gate=gate, stop=unreadable).run(definition, DRIVER, saga=report.saga)
            assert (report.status, report.state.stopped) == ("stopped", {"code": "kill_switch_unreadable"})
            await Engine(store, gate=gate).decide(report.saga, decision)
        report = await Engine(store, gate=gate).run(definition, DRIVER, saga=report.saga)
        assert report.status == status
        assert set(codes(judge(await lines_of(store)))) == {"AS507"}

    run(main())


def test_branches_are_called_side_by_side_and_undone_against_their_order(run: Any, judge: Any) -> None:
    async def main() -> None:
        world, store = World({"d": FAIL}), open_store(":memory:")
        after = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
        driver = PlanDriver(lambda step, view: {"item": step}, together=True)
        report = await Engine(store).run(shop(world, ("a", "b", "c", "d"), after=after), driver)
        assert report.status == "compensated_verified"
        assert world.order == ["a", "b", "c", "c.undo", "b.undo", "a.undo"]
        intents = {e["step"]: e.get("after") for e in await events(store) if e["type"] == "effect.intended"}
        assert intents == {"a": [], "b": ["e1"], "c": ["e1"], "d": ["e2", "e3"]}
        assert codes(judge(await lines_of(store))) == []

    run(main())


def fallback_shop(world: World) -> SagaDefinition:
    NOW.set(world)
    tools = [pair("card")[0], pair("transfer")[0], pair("ship")[0]]
    steps = [Step("pay", "card"), Step("pay2", "transfer", fallback_for="pay"), Step("ship", "ship")]
    return SagaDefinition("shop", tools, [yes], steps, QUICK)


@pytest.mark.parametrize(
    "behaviour, status, standing",
    [
        ({"card": FAIL}, "succeeded_verified", {"transfer": 1, "ship": 1}),
        ({"card": FAIL, "transfer": FAIL}, "aborted_clean", {}),
        ({"card": LOST_LANDED}, "succeeded_verified", {"card": 1, "ship": 1}),
        ({"card": DEAF}, "paused", {"card": 1}),
    ],
)
def test_a_fallback_is_made_only_for_what_is_proven_not_to_have_happened(
    run: Any, judge: Any, behaviour: Any, status: str, standing: Any
) -> None:
    async def main() -> None:
        world, store = World(behaviour), open_store(":memory:")
        report = await Engine(store).run(fallback_shop(world), DRIVER)
        assert (report.status, world.standing) == (status, standing)
        assert codes(judge(await lines_of(store))) == (["AS504"] if status == "paused" else [])

    run(main())


class Shelf:
    def read_only(self) -> str:
        return "reader"


def test_a_preview_gets_a_reader_and_nothing_else(run: Any, judge: Any) -> None:
    seen: list[Any] = []

    @tool(name="look", semantics="preview", attempts=1)
    async def look(call: Any) -> str:
        seen.append(call.provider("shelf"))
        with pytest.raises(ReadOnly):
            call.provider("bank")
        return "seen"

    def reader(facts: Any) -> Checked:
        return Checked(facts.provider("shelf") == "reader" and facts.results == {"turn-1": "seen"}, None)

    async def main() -> None:
        store = open_store(":memory:")
        engine = Engine(store, providers={"shelf": Shelf(), "bank": object()})
        report = await engine.run(SagaDefinition("look", [look], [reader]), ScriptedDriver([Proposal("look")]))
        assert report.status == "succeeded_verified"
        assert seen == ["reader"]
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_an_undo_whose_check_fails_is_not_proven(run: Any, judge: Any) -> None:
    async def main() -> None:
        world, store = World(), open_store(":memory:")
        definition = shop(world, ("a", "b"), goal=False)
        back = definition.catalogue["b.undo"]
        back.check(lambda call: Checked(False, "still there"))
        try:
            report = await Engine(store, gate=StaticGate(persons=frozenset({"p"}))).run(definition, DRIVER)
            assert (report.status, report.about, report.rollback.clean) == ("paused", ("u1",), False)
            assert codes(judge(await lines_of(store))) == ["AS504"]
        finally:
            back.checker = None

    run(main())


def test_a_saga_of_two_hundred_effects_is_undone_in_order_and_in_time(run: Any, judge: Any) -> None:
    async def main() -> None:
        world, store = World(), open_store(":memory:")
        names = tuple(f"t{number}" for number in range(200))
        limits = Limits(backoff=0.0, turns=500, calls=500)
        begun = time.monotonic()
        report = await Engine(store).run(shop(world, names, goal=False, limits=limits), DRIVER)
        assert report.status == "compensated_verified"
        assert world.order == [*names, *(f"{name}.undo" for name in reversed(names))]
        assert time.monotonic() - begun < 30
        assert codes(judge([line for _, line in await store.lines(0, 10_000)])) == []

    run(main())


def test_a_driver_that_answers_nonsense_is_told_why_and_asked_again_with_back_off(run: Any) -> None:
    told: list[str] = []
    slept: list[float] = []
    now = [datetime(2026, 11, 30, tzinfo=UTC)]

    class Learning(PlanDriver):
        async def propose(self, view: Any) -> Any:
            told.extend(one.reason for one in view.refusals[len(told) :])
            if len(told) < 2:
                raise BadProposal(f"the answer names no tool ({len(told)})")
            return await super().propose(view)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += timedelta(seconds=seconds)

    async def main() -> Any:
        definition = shop(World(), ("a",), limits=Limits(backoff=2.0))
        learning = Learning(lambda step, view: {"item": step})
        engine = Engine(open_store(":memory:"), sleep=sleep, clock=lambda: now[0])
        return await engine.run(definition, learning)

    report = run(main())
    assert report.status == "succeeded_verified"
    assert told == ["the answer names no tool (0)", "the answer names no tool (1)"]
    assert slept == [2.0, 4.0]
    assert report.state.turns == 3


@pytest.mark.parametrize("turn", range(9))
def test_a_script_goes_on_at_the_first_entry_that_no_proposal_in_the_trace_is_of(turn: int, run: Any) -> None:
    one, other, many = Proposal("a"), Proposal("b"), [Proposal("c"), Proposal("d"), Proposal("e")]
    script = [one, many, lambda view: other, [], many]
    begins = (0, 1, 4, 5, 5)
    due = next((place for place, start in enumerate(begins) if start >= turn), None)
    said = run(ScriptedDriver(script).propose(View("s", "n", "", None, turn, (), {}, {}, (), 9)))
    assert said == (Finish() if due is None else other if due == 2 else script[due])
