"""A saga replays to the same lines under the definition and driver that wrote it, and under no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent_saga.runtime import (
    Call,
    Checked,
    Facts,
    Finish,
    Limits,
    PersonDecision,
    Proposal,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.children import saga_tool
from agent_saga.testing import Runnable, assert_replays
from agent_saga.testing.scenarios import Shop, happy_path
from agent_saga.testing.scenarios.checkout import release_inventory, reserve_inventory
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.local import LocalStore

LAMP = {"item": "lamp-7", "quantity": 1}


@pytest.fixture
def store() -> Iterator[LocalStore]:
    opened = open_store(":memory:")
    yield opened
    asyncio.run(opened.close())


def reserved(facts: Facts) -> Checked:
    """The goods are set aside."""
    return Checked(facts.provider("stock").get(facts.results["reserve"]["reservation"]) is not None)


HOLD = SagaDefinition(
    "hold", [reserve_inventory], [reserved], [Step("reserve", "reserve_inventory")], Limits(backoff=0.01)
)


def _runnable(tmp_path: Path) -> Runnable:
    shop = Shop.beside(tmp_path / "saga.db")
    return Runnable(HOLD, ScriptedDriver([Proposal("reserve_inventory", LAMP)]), shop.providers)


def _run(runnable: Runnable, store: Store, stop: Callable[[str, str], str] = lambda saga, name: "") -> str:
    async def run() -> str:
        return (await runnable.engine(store, stop=stop).run(runnable.definition, runnable.driver, saga="s1")).status

    return asyncio.run(run())


def test_a_saga_with_refused_proposals_replays(store: LocalStore, tmp_path: Path) -> None:
    wrong = [Proposal("no_such_tool"), Proposal("reserve_inventory", {"item": 7})]
    runnable = replace(
        _runnable(tmp_path), driver=ScriptedDriver([*wrong, Proposal("reserve_inventory", LAMP), Finish()])
    )
    assert _run(runnable, store) == "succeeded_verified"
    assert assert_replays(store, runnable) == 1


def test_a_saga_that_was_stopped_and_resumed_by_a_person_replays(store: LocalStore, tmp_path: Path) -> None:
    runnable = replace(_runnable(tmp_path), gate=StaticGate(persons=frozenset({"mira"})))
    assert _run(runnable, store, stop=lambda saga, name: "kill_switch") == "stopped"
    decision = PersonDecision("s1", "kept", "mira", "a false alarm")
    asyncio.run(runnable.engine(store).decide("s1", decision))
    assert _run(runnable, store) == "succeeded_verified"
    assert assert_replays(store, runnable) == 1


def test_a_saga_and_the_child_that_carries_out_its_effect_replay(store: LocalStore, tmp_path: Path) -> None:
    child = _runnable(tmp_path)
    hold = saga_tool(child.engine(store), child.definition, child.driver, name="hold_goods")

    def failing(facts: Facts) -> Checked:
        return Checked(False)

    parent = SagaDefinition("order", [hold], [failing], [Step("hold", "hold_goods")])
    runnable = Runnable(parent, ScriptedDriver([Proposal("hold_goods", {"goal": "a lamp"})]), child.providers)
    assert _run(runnable, store) == "compensated_verified"
    assert assert_replays(store, runnable) == 1
    assert assert_replays(store, child) == 1


@pytest.mark.parametrize(
    "other, says",
    [
        (
            lambda runnable: replace(
                runnable, driver=ScriptedDriver([Proposal("reserve_inventory", LAMP | {"quantity": 2})])
            ),
            "seq 1",
        ),
        (lambda runnable: replace(runnable, driver=ScriptedDriver([], name="another")), "another"),
        (
            lambda runnable: replace(runnable, gate=StaticGate(refuse={"reserve_inventory": ("no", "closed")})),
            "step.refused",
        ),
        (lambda runnable: replace(runnable, definition=_other_tools()), "reserve_inventory"),
        (
            lambda runnable: happy_path(Path(runnable.providers["stock"].path).with_name("x.db")),
            "no saga named checkout",
        ),
    ],
    ids=["other arguments", "another driver", "another gate", "another catalogue", "no such saga"],
)
def test_a_saga_does_not_replay_under_what_did_not_write_it(
    other: Callable[[Runnable], Runnable], says: str, store: LocalStore, tmp_path: Path
) -> None:
    runnable = _runnable(tmp_path)
    assert _run(runnable, store) == "succeeded_verified"
    with pytest.raises(AssertionError, match=says):
        assert_replays(store, other(runnable))


def _other_tools() -> SagaDefinition:
    @tool(name="reserve_inventory", semantics="compensable", undo=release_inventory, version="2")
    def reserve(item: str, quantity: int, *, call: Call) -> None:
        """Another version of the tool."""

    return SagaDefinition("hold", [reserve], [reserved], [Step("reserve", "reserve_inventory")])
