"""A job, and the saga that it is for."""

from __future__ import annotations

from typing import Any

import pytest

from agent_saga.runtime import Call, Checked, Facts, Limits, Result, SagaDefinition, Step, tool
from agent_saga.runtime.jobs import tool_digests


@tool(name="stock.release", semantics="reversible")
async def release(item: str, call: Call) -> dict[str, Any]:
    return {"released": item}


@tool(name="stock.reserve", semantics="reversible", undo=release)
async def reserve(item: str, call: Call) -> Result:
    return Result({"item": item}, undo=release.call(item=item))


@tool(name="stock.look", semantics="preview")
async def look(item: str) -> dict[str, Any]:
    return {"left": 3}


def reserved(facts: Facts) -> Checked:
    return Checked(True, {"steps": sorted(facts.results)})


@pytest.fixture
def order() -> SagaDefinition:
    return SagaDefinition(
        "order", [reserve, look], [reserved], [Step("reserve", "stock.reserve")], Limits(turns=9, backoff=0.0)
    )


@pytest.fixture
def job(order: SagaDefinition) -> str:
    """A good saga.yaml."""
    return f"""\
format: agent-saga/job/v1
name: order
objective: "Reserve the item: once, and for good."
instructions: |
  Look before you reserve.
success:
  - criterion: The item is reserved.
    check: reserved
checks: [reserved]
tools:
  stock.reserve: {tool_digests(order.catalogue)["stock.reserve"]}
budgets:
  turns: 4
  deadline_seconds: 3600
escalation: {{person: ops-7, reason: answers for the stock}}
"""
