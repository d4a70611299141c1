"""What a test asserts of an opened store is asserted of all of it: of concealed values too, and of no half of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from runtime_exploring import Clock, _no_sleep

from agent_saga.runtime import Engine, Facts, PlanDriver, Result, SagaDefinition, StaticGate, Step, tool
from agent_saga.testing import assert_certified
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.errors import Closed, DiskFault


def undone(store: Store) -> str:
    """A saga over concealed arguments that is undone; its status."""

    @tool(name="refund", semantics="compensable", conceal=("/args/card",))
    def refund(card: str) -> None:
        return None

    @tool(name="pay", semantics="compensable", undo=refund, conceal=("/args/card",))
    def pay(card: str) -> Result:
        return Result(None, undo=refund.call(card=card))

    def reached(facts: Facts) -> bool:
        return False

    definition = SagaDefinition("pay", [pay], [reached], [Step("pay", "pay")])
    engine = Engine(store, gate=StaticGate(), clock=Clock(), sleep=_no_sleep)
    return asyncio.run(engine.run(definition, PlanDriver(lambda step, view: {"card": "4111"}))).status


def test_a_store_whose_values_are_concealed_is_judged_with_what_opens_them() -> None:
    store = open_store(":memory:")
    assert undone(store) == "compensated_verified"
    assert assert_certified(store, sagas=1).headline == "certified"


class Breaking:
    """A store that can be read no further than its first lines."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def lines(self, since: int = 0, limit: int = 1000) -> Any:
        """The first saga's lines; then the disk fails."""
        if since:
            raise DiskFault("the disk cannot be read")
        return await self._store.lines(0)


def test_a_store_that_cannot_be_read_to_its_end_is_not_certified() -> None:
    store: Any = Breaking(open_store(":memory:"))
    assert undone(store) == "compensated_verified"
    with pytest.raises(DiskFault):
        assert_certified(store)


def test_a_closed_store_is_not_judged(tmp_path: Any) -> None:
    store = open_store(tmp_path / "store.db")
    assert undone(store) == "compensated_verified"
    asyncio.run(store.close())
    with pytest.raises(Closed):
        assert_certified(store)
