"""Sagas for the tests: a long one, one that waits for an approval, one that fails, one that can be held up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from temporalio.client import Client

from agent_saga.runtime import (
    Absent,
    Call,
    Facts,
    Finish,
    Found,
    Landed,
    Limits,
    PlanDriver,
    Proposal,
    Result,
    SagaDefinition,
    Step,
    tool,
)
from agent_saga.runtime.kernel.actions import View
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal import SagaClient, WorkerOptions, saga_worker
from agent_saga.trace.store import Store


@dataclass
class World:
    """What exists, by idempotency key. gate: calls of ``make`` wait for it; begun: one waits."""

    made: dict[str, Any] = field(default_factory=dict)
    gone: dict[str, Any] = field(default_factory=dict)
    gate: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def read_only(self) -> World:
        return self


@tool(name="take_back", semantics="compensable")
def take_back(what: str, *, call: Call) -> dict[str, str]:
    call.provider("world").gone[what] = call.key
    return {"gone": what}


@tool(name="make", semantics="compensable", undo=take_back)
async def make(what: str, *, call: Call) -> Result:
    world = call.provider("world")
    world.begun.set()
    if world.gate is not None:
        await world.gate.wait()
    assert call.key not in world.made, "made twice"
    world.made[call.key] = what
    return Result({"made": what}, undo=take_back.call(what=what))


@make.reconcile
def _(call: Call) -> Found:
    made = call.provider("world").made.get(call.key)
    return Landed({"made": made}, take_back.call(what=made)) if made else Absent()


def all_made(facts: Facts) -> bool:
    return len(facts.provider("world").made) >= len(facts.results)


class Counting:
    """Proposes so many calls of ``make``, then says that it is done."""

    immediate, name = True, "counting"

    def __init__(self, steps: int) -> None:
        self._steps = steps

    async def propose(self, view: View) -> Any:
        return Finish() if view.turn >= self._steps else Proposal("make", {"what": f"thing-{view.turn}"})


def long_one(world: World, steps: int) -> Runnable:
    limits = Limits(turns=steps + 5, calls=steps + 5, backoff=0.02)
    definition = SagaDefinition("long", tools=[make], checks=[all_made], limits=limits)
    return Runnable(definition, Counting(steps), {"world": world})


def two_steps(world: World, name: str = "two") -> Runnable:
    definition = SagaDefinition(
        name,
        tools=[make],
        checks=[all_made],
        steps=[Step("first", "make"), Step("second", "make")],
        limits=Limits(backoff=0.02),
    )
    return Runnable(definition, PlanDriver(lambda step, _: {"what": step}), {"world": world})


@asynccontextmanager
async def at_work(
    client: Client, store: Store, *sagas: Runnable, queue: str, options: dict[str, Any] | None = None, **of_client: Any
) -> AsyncIterator[SagaClient]:
    """A worker in this process, and a client of its sagas."""
    settings = WorkerOptions(task_queue=queue, grace=1.0, patience=1.0, **(options or {}))
    async with saga_worker(client, store, sagas, settings):
        yield SagaClient(client, store, task_queue=queue, **{"heartbeat": 2.0} | of_client)
