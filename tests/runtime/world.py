"""A plain model of the world: providers that keep a ledger, and lose replies as they are told to.

It shares no code with the runtime: what really happened is what stands in ``ledger``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Facts,
    Found,
    Landed,
    NotDone,
    Result,
    SagaDefinition,
    Step,
    Tool,
    Unresolved,
    tool,
)
from agent_saga.runtime.limits import Limits

OK, FAIL, LOST_LANDED, LOST_ABSENT, DEAF = "ok", "fail", "lost, landed", "lost, absent", "lost, landed, never told"
NEVER, RETRY = "fails each time", "fails once"
BEHAVIOURS = (OK, FAIL, LOST_LANDED, LOST_ABSENT)
NO_WAIT = Limits(backoff=0.0)
FORWARD_ONLY = (*BEHAVIOURS, DEAF)


class Lost(Exception):
    """The reply was lost."""


@dataclass
class World:
    """What really exists outside. behaviour: by tool; the first call behaves so, later ones work."""

    behaviour: dict[str, str] = field(default_factory=dict)
    delays: dict[str, int] = field(default_factory=dict)
    ledger: dict[str, str] = field(default_factory=dict)
    """Key of a call that took effect: its tool."""
    counts: Counter[str] = field(default_factory=Counter)
    """Effects by resource: 1 while it stands, 0 when it was undone."""
    order: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    repeats: list[str] = field(default_factory=list)
    """Calls made again although they had taken effect: nobody may rely on a provider to notice."""

    def act(self, name: str, call: Call, resource: str, change: int) -> None:
        """One call of a provider, idempotent by key."""
        self.calls[name] += 1
        told = self.behaviour.get(name, OK)
        now = told if self.calls[name] == 1 or told in (NEVER, DEAF) else OK
        if now in (FAIL, NEVER, RETRY):
            raise NotDone(f"{name} declined", retry=now == RETRY or name.endswith(".undo"))
        if call.key in self.ledger:
            self.repeats.append(name)
        if now != LOST_ABSENT and call.key not in self.ledger:
            self.ledger[call.key] = name
            self.counts[resource] += change
            self.order.append(name)
        if now != OK:
            raise Lost(f"{name}: no reply")

    def find(self, name: str, call: Call) -> bool | None:
        """Whether the provider knows the key; None when it does not tell."""
        if self.behaviour.get(name) == DEAF:
            return None
        return call.key in self.ledger

    @property
    def standing(self) -> dict[str, int]:
        """The effects that really stand."""
        return {name: count for name, count in self.counts.items() if count}


class _Now:
    """The world that the tools made once act upon."""

    def __getattr__(self, name: str) -> Any:
        return getattr(NOW.get(), name)


NOW: ContextVar[World] = ContextVar("NOW")
world = _Now()


@cache
def pair(name: str, semantics: str = "compensable", **options: Any) -> tuple[Tool, Tool]:
    """A forward tool and its undo, over the world of the day."""
    back_name, undoable = f"{name}.undo", semantics in ("reversible", "compensable")

    @tool(name=back_name, semantics="compensable", attempts=3)
    async def back(item: str, call: Call) -> dict[str, Any]:
        world.act(back_name, call, name, -1)
        return {"undone": item}

    @back.reconcile
    async def _(call: Call) -> Found:
        known = world.find(back_name, call)
        return Unresolved() if known is None else Landed({"undone": True}) if known else Absent()

    @tool(name=name, semantics=semantics, undo=back if undoable else None, **options)  # type: ignore[arg-type]
    async def forward(item: str, call: Call) -> Result:
        for _ in range(world.delays.get(name, 0)):
            await asyncio.sleep(0)
        if semantics != "preview":
            world.act(name, call, name, 1)
        elif world.behaviour.get(name, OK) != OK and not world.calls[name]:
            world.calls[name] += 1
            raise NotDone("no answer") if world.behaviour[name] in (FAIL, NEVER) else Lost("no answer")
        return Result({"item": item}, undo=back.call(item=item))

    @forward.reconcile
    async def _(call: Call) -> Found:
        known = world.find(name, call)
        if known is None:
            return Unresolved()
        return Landed({"item": "i"}, undo=back.call(item=call.args["item"])) if known else Absent()

    return forward, back


def shop(
    world: World,
    names: Sequence[str] = ("a", "b", "c"),
    *,
    goal: bool = True,
    after: dict[str, tuple[str, ...]] | None = None,
    classes: dict[str, str] | None = None,
    limits: Limits = NO_WAIT,
    **options: Any,
) -> SagaDefinition:
    """A saga of one step a name, over the world; its goal check passes or not."""
    NOW.set(world)
    tools = [pair(name, (classes or {}).get(name, "compensable"))[0] for name in names]

    def reached(facts: Facts) -> Checked:
        return Checked(goal, {"steps": sorted(facts.results)})

    steps = [Step(name, name, after=(after or {}).get(name)) for name in names]
    return SagaDefinition("shop", tools, [reached], steps, limits, **options)
