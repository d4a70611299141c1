"""Child sagas: an effect that is carried out by a saga of its own, with its own agent, tools and trace.

The child's id is the effect's idempotency key, so that asking what became of the call is reading the child. A child
that reached its goal does not end before its parent does: once ended it could not be undone. When the parent undoes the
effect, the child rolls back and ends, and then the undo is confirmed. When the parent ends, so does the child.
"""

from dataclasses import asdict, replace
from typing import Any

import msgspec

from agent_saga.runtime.arguments import digest
from agent_saga.runtime.calls import Absent, Call, Found, Landed, Result, Unresolved
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.errors import NotDone, SagaBusy
from agent_saga.runtime.report import Report
from agent_saga.runtime.tools import Tool, tool
from agent_saga.trace.events import EffectRef

CHILD_TIMEOUT = 3600.0
"""Seconds that a child saga may take, unless told otherwise: it asks models and waits for providers."""

_UNDONE = frozenset({"compensated_verified", "aborted_clean"})


def saga_tool(
    engine: Engine, definition: SagaDefinition, driver: DecisionDriver, *, name: str, timeout: float = CHILD_TIMEOUT
) -> Tool:
    """A tool that runs a saga of this definition for a goal, and undoes it as a whole. timeout: seconds.

    Its arguments are ``goal``; its undo is a tool of the name with ``.undo`` behind it. A child that waits for a person
    leaves its parent's effect unknown, so that the parent waits too.
    """

    @tool(name=f"{name}.undo", semantics="compensable", timeout=timeout)
    async def back(saga: str, call: Call) -> Any:
        return _undone(await engine.run(definition, driver, saga=saga))

    @back.reconcile
    async def _(call: Call) -> Found:
        return await _asked(engine, definition, driver, call.args["saga"], undo=True)

    @tool(name=name, semantics="compensable", undo=back, timeout=timeout)
    async def forth(goal: Any, call: Call) -> Result:
        parent = EffectRef(call.saga, call.effect)
        report = await engine.run(definition, driver, goal=goal, saga=call.key, parent=parent)
        if report.status in _UNDONE:
            raise NotDone(f"saga {report.saga} ended {report.status}")
        return Result(_done(report), undo=back.call(saga=report.saga))

    @forth.reconcile
    async def _(call: Call) -> Found:
        found = await _asked(engine, definition, driver, call.key, undo=False)
        return Landed(found.value, undo=back.call(saga=call.key)) if isinstance(found, Landed) else found

    forth.child, forth.runs = (definition, driver), definition_digest(definition)
    return forth


def definition_digest(definition: SagaDefinition) -> str:
    """SHA-256 of a definition: its tools, with what those run in turn, plan, checks, pivot and limits."""
    content = {
        "name": definition.name,
        "tools": {name: msgspec.to_builtins(tool.spec) for name, tool in definition.catalogue.items()},
        "steps": [asdict(step) for step in definition.steps],
        "checks": list(definition.goal_checks),
        "pivot": definition.pivot,
        "limits": asdict(replace(definition.limits, money=dict(definition.limits.money))),
        "spec": definition.spec,
    }
    return digest(content)


async def _asked(engine: Engine, definition: SagaDefinition, driver: DecisionDriver, saga: str, undo: bool) -> Found:
    """What became of a child: a child that was interrupted goes on first."""
    if not await engine.store.read(saga):
        return Absent()
    try:
        report = await engine.run(definition, driver, saga=saga)
    except SagaBusy as busy:
        return Unresolved(str(busy))
    if report.status in _UNDONE:
        return Landed({"saga": saga, "status": report.status}) if undo else Absent()
    if report.status in ("waiting_parent", "succeeded_verified"):
        return Absent() if undo else Landed({"saga": saga})
    return Unresolved(f"saga {saga} is {report.status}")


def _done(report: Report) -> dict[str, str]:
    """The answer of a child that reached its goal. Raises for one that did not: nobody knows what stands."""
    if report.status not in ("waiting_parent", "succeeded_verified"):
        raise RuntimeError(f"saga {report.saga} is {report.status}")
    return {"saga": report.saga}


def _undone(report: Report) -> dict[str, str]:
    if report.status not in _UNDONE:
        raise RuntimeError(f"saga {report.saga} is {report.status}")
    return {"saga": report.saga, "status": report.status}
