"""A job runs only over what was reviewed, within its budgets, and its digest stands in the trace."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_saga.policies.loading import load_policy
from agent_saga.runtime import Contact, Engine, Limits, PlanDriver, PolicyMismatch, SagaDefinition, Step, tool
from agent_saga.runtime.jobs import JobError, JobSpec, parse_job, tool_digest, tool_digests
from agent_saga.testing import assert_certified
from agent_saga.trace.store import open_store


def spec(text: str) -> JobSpec:
    return parse_job(text.encode(), "saga.yaml")


def refused(text: str, definition: SagaDefinition) -> str:
    with pytest.raises(JobError) as caught:
        spec(text).bind(definition)
    return str(caught.value)


def test_a_job_runs_and_its_digest_stands_in_the_first_line(job: str, order: SagaDefinition, tmp_path: Path) -> None:
    bound = spec(job).bind(order)
    driver = PlanDriver(lambda step, view: {"item": view.goal["item"]})
    report = asyncio.run(bound.run(Engine(open_store(tmp_path / "s.db")), driver, goal={"item": "i-1"}))
    assert_certified(tmp_path / "s.db")
    started = report.state.started
    assert report.status == "succeeded_verified"
    assert started is not None
    assert started.spec == bound.digest == spec(job).digest
    catalogue = {name: msgspec.to_builtins(one) for name, one in started.tools.items()}
    assert tool_digest("stock.reserve", catalogue) == bound.document.tools["stock.reserve"]


def test_a_job_with_a_policy_runs_only_under_it(job: str, order: SagaDefinition) -> None:
    tools = "tools: {stock.reserve: {semantics: reversible, undo: stock.release}, stock.look: {semantics: preview}}"
    policy = load_policy("p.yaml", text=f"policy: p\nversion: 1\nowner: r@example.com\n{tools}\n".encode())
    bound = spec(job + f"policy: sha256:{policy.digest}\n").bind(order)
    driver = PlanDriver(lambda step, view: {"item": "i-1"})
    with pytest.raises(PolicyMismatch, match="the engine under none"):
        asyncio.run(bound.run(Engine(open_store(":memory:")), driver))
    report = asyncio.run(bound.run(Engine(open_store(":memory:"), policy=policy), driver))
    assert report.state.started is not None
    assert (report.status, report.state.started.policy) == ("succeeded_verified", policy.digest)


def test_budgets_become_limits_and_the_words_reach_the_agent(job: str, order: SagaDefinition) -> None:
    definition = spec(job).bind(order).definition
    assert (definition.limits.turns, definition.limits.calls, definition.limits.deadline) == (4, 200, 3600.0)
    assert definition.limits.backoff == 0.0
    assert definition.escalation == Contact("ops-7", "answers for the stock")
    assert "once, and for good" in definition.summary
    assert "- The item is reserved." in definition.summary
    assert "Look before you reserve." in definition.summary


def test_a_budget_of_money_becomes_a_limit_and_replaces_the_definitions_own(job: str, order: SagaDefinition) -> None:
    own = replace(order, limits=Limits(money={"USD": 5}))
    assert spec(job).bind(own).definition.limits.money == {"USD": 5}
    changed = job.replace("turns: 4", "money: {EUR: 4200, JPY: 0}")
    assert spec(changed).bind(own).definition.limits.money == {"EUR": 4200, "JPY": 0}


def test_only_the_allowed_tools_and_their_undos_are_left(job: str, order: SagaDefinition) -> None:
    free = replace(order, steps=())
    assert set(spec(job).bind(free).definition.catalogue) == {"stock.reserve", "stock.release"}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("stock.reserve:", "stock.resreve:", "11:3: order has no tool 'stock.resreve'; did you mean 'stock.reserve'?"),
        (
            "stock.reserve:",
            "stock.release:",
            "11:3: the tool 'stock.release' undoes another: the runtime alone calls it",
        ),
        ("check: reserved", "check: res", "order has no check 'res'"),
        ("name: order", "name: ordre", "2:7: the job is for ordre; the definition is order"),
    ],
)
def test_what_the_definition_does_not_have_is_an_error_at_its_place(
    job: str, order: SagaDefinition, old: str, new: str, fault: str
) -> None:
    changed = job.replace(old, new)
    assert fault in refused(changed.replace("[reserved]", "[reserved, res]"), order)


def test_a_tool_that_changed_since_it_was_reviewed_is_refused_with_both_digests(
    job: str, order: SagaDefinition
) -> None:
    @tool(name="stock.reserve", semantics="reversible", undo=order.catalogue["stock.release"])
    async def wider(item: str, count: int = 1) -> Any: ...

    today = replace(order, tools=[wider])
    said = refused(job, today)
    assert said.startswith("saga.yaml:11:18: the tool 'stock.reserve' is not the one that was reviewed: found sha256:")
    assert tool_digests(today.catalogue)["stock.reserve"] in said


def test_an_undo_that_changed_changes_the_digest_of_what_it_undoes(order: SagaDefinition) -> None:
    catalogue = {name: msgspec.to_builtins(one.spec) for name, one in order.catalogue.items()}
    other = catalogue | {"stock.release": catalogue["stock.release"] | {"version": "2"}}
    assert tool_digest("stock.reserve", catalogue) != tool_digest("stock.reserve", other)


def test_a_plan_that_needs_a_tool_that_is_not_allowed_is_refused(job: str, order: SagaDefinition) -> None:
    steps = [*order.steps, Step("look", "stock.look")]
    said = refused(job, replace(order, steps=steps))
    assert (
        "10:1: the step 'look' of order calls 'stock.look', which the job does not allow; add it: stock.look: sha"
        in said
    )
