"""A pivot that is proposed again is still the pivot, for the runtime and for certify."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_approvers import PEOPLE

from agent_saga.runtime import Engine, Limits, Proposal, SagaDefinition, ScriptedDriver, Step, tool
from agent_saga.runtime.approving import pending
from agent_saga.runtime.times import instant, utc_now
from agent_saga.trace.forms import proposes
from agent_saga.trace.store import Store, open_store


@pytest.mark.parametrize(
    "step, named, same",
    [
        ("wire", "wire", True),
        ("wire.2", "wire", True),
        ("wire.02", "wire", False),
        ("wire.", "wire", False),
        ("wire.a", "wire", False),
        ("wire.2.3", "wire", False),
        ("wire.²", "wire", False),
        ("wired", "wire", False),
        ("wire", "wire.2", False),
        ("2", "wire", False),
    ],
)
def test_what_is_the_same_step_proposed_again(step: str, named: str, same: bool) -> None:
    assert proposes(step, named) is same


class Bank:
    """Wires by purpose; what is wired stays wired."""

    def __init__(self) -> None:
        self.wired: list[str] = []

    def definition(self, **options: Any) -> SagaDefinition:
        @tool(name="wire", semantics="irreversible")
        async def wire(purpose: str) -> str:
            self.wired.append(purpose)
            return "wired"

        def done(facts: Any) -> bool:
            return True

        steps = [Step("deposit", "wire"), Step("rest", "wire")]
        limits = Limits(backoff=0.0, refusals=9)
        return SagaDefinition("house", [wire], [done], steps, limits, pivot="deposit", **options)


def engine_over(store: Store) -> Engine:
    return Engine(store, registry=PEOPLE.registry)


async def answer(store: Store, decision: Any) -> None:
    """A person's answer to the one request that waits."""
    (one,) = pending(await store.read("s-1"))
    await engine_over(store).approve("s-1", PEOPLE.answer("ana", one, decision, now=instant(utc_now())))


async def go(store: Store, bank: Bank, decisions: list[str]) -> Any:
    """Run until it waits, answer, and go on in a new engine, as after a restart."""
    driver = ScriptedDriver(
        [Proposal("wire", {"purpose": "rest"}, "rest"), Proposal("wire", {"wrong": 1}, "deposit")]
        + [lambda view: Proposal("wire", {"purpose": view.allowed[0].step}, view.allowed[0].step)] * 9
    )
    report = await engine_over(store).run(bank.definition(), driver, saga="s-1")
    for decision in decisions:
        assert report.status == "waiting_approval", report
        await answer(store, decision)
        report = await engine_over(store).run(bank.definition(), driver, saga="s-1")
    return report


def test_a_pivot_that_was_refused_and_denied_before_it_was_done_is_done(run: Any, judge: Any) -> None:
    bank = Bank()

    async def main() -> list[bytes]:
        store = open_store(":memory:")
        report = await go(store, bank, ["deny", "approve", "approve"])
        assert report.status == "succeeded_verified"
        assert [one.code for one in report.state.refusals] == ["not_allowed", "invalid_arguments", "denied"]
        assert [effect.step for effect in report.state.effects.values()] == ["deposit.3", "rest.2"]
        return [line for _, line in await store.lines()]

    found = judge(run(main()), PEOPLE.registry).findings
    assert bank.wired == ["deposit", "rest"]
    assert found == ()
