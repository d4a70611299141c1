"""A job over a definition: what it allows must exist and be what was reviewed; what it may spend becomes limits."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from agent_saga.policies.document import Fault, Node, did_you_mean
from agent_saga.runtime.definition import Contact, SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.errors import PolicyMismatch
from agent_saga.runtime.jobs.digests import tool_digests
from agent_saga.runtime.jobs.document import Budgets, JobDocument
from agent_saga.runtime.jobs.errors import JobError
from agent_saga.runtime.limits import Limits
from agent_saga.runtime.report import Report


@dataclass(frozen=True)
class BoundJob:
    """A job that can be run. definition: the job's tools, limits and words; hand it to ``Engine.recover`` too."""

    document: JobDocument
    digest: str
    definition: SagaDefinition

    async def run(self, engine: Engine, driver: DecisionDriver, *, goal: Any = None, saga: str | None = None) -> Report:
        """Begin a saga of this job, or go on with one. The job's digest stands in its first line.

        goal: what this run is about, such as an order's number. Raises what ``Engine.run`` raises, and
        PolicyMismatch for an engine under another policy than the job's.
        """
        due = (self.document.policy or "").removeprefix("sha256:")
        if due and engine.policing.digest != due:
            found = engine.policing.digest
            raise PolicyMismatch(
                f"job {self.document.name} runs under policy {due[:16]}..., the engine under "
                f"{found[:16] + '...' if found else 'none'}: give the engine that policy"
            )
        return await engine.run(self.definition, driver, goal=goal, saga=saga)


def bind(path: str, root: Node, document: JobDocument, digest: str, definition: SagaDefinition) -> BoundJob:
    """The job over the definition. Raises JobError with every place where they do not fit."""
    faults = [*_name(root, document, definition), *_checks(root, document, definition)]
    faults += [*_tools(root, document, definition), *_steps(root, document, definition)]
    if faults:
        raise JobError(path, faults)
    return BoundJob(document, digest, _bound(document, digest, definition))


def _bound(document: JobDocument, digest: str, definition: SagaDefinition) -> SagaDefinition:
    tools = [definition.catalogue[name] for name in document.tools]
    limits = _limits(document, definition.limits)
    asked = Contact(document.escalation.person, document.escalation.reason)
    return replace(definition, tools=tools, limits=limits, summary=words(document), spec=digest, escalation=asked)


def words(document: JobDocument) -> str:
    """What the agent is told: the objective, when it is reached, and how to go about it."""
    success = "\n".join(f"- {one.criterion}" for one in document.success)
    parts = [document.objective.strip(), f"It is reached when:\n{success}", (document.instructions or "").strip()]
    return "\n\n".join(filter(None, parts))


def _limits(document: JobDocument, limits: Limits) -> Limits:
    budgets = document.budgets or Budgets()
    deadline = None if budgets.deadline_seconds is None else float(budgets.deadline_seconds)
    given = budgets.model_dump(exclude={"deadline_seconds"}) | {"deadline": deadline}
    return replace(limits, **{name: value for name, value in given.items() if value is not None})


def _name(root: Node, document: JobDocument, definition: SagaDefinition) -> Iterator[Fault]:
    if document.name != definition.name:
        yield root.at(["name"]).fault(f"the job is for {document.name}; the definition is {definition.name}")


def _checks(root: Node, document: JobDocument, definition: SagaDefinition) -> Iterator[Fault]:
    known = definition.goal_checks
    for number, name in enumerate(document.checks):
        if name not in known:
            hint = did_you_mean(name, known) or f"; it has {', '.join(known)}"
            yield root.at(["checks", number]).fault(f"{definition.name} has no check {name!r}{hint}")


def _tools(root: Node, document: JobDocument, definition: SagaDefinition) -> Iterator[Fault]:
    digests, undo_tools = tool_digests(definition.catalogue), definition.undo_tools
    callable_ = [name for name in digests if name not in undo_tools]
    for name, digest in document.tools.items():
        where = root.name_at(["tools", name])
        if name not in digests:
            hint = did_you_mean(name, callable_) or f"; it has {', '.join(callable_)}"
            yield where.fault(f"{definition.name} has no tool {name!r}{hint}")
        elif name in undo_tools:
            yield where.fault(f"the tool {name!r} undoes another: the runtime alone calls it; leave it out")
        elif digest != digests[name]:
            found = f"found {digest}; the tool of today has {digests[name]}"
            yield root.at(["tools", name]).fault(f"the tool {name!r} is not the one that was reviewed: {found}")


def _steps(root: Node, document: JobDocument, definition: SagaDefinition) -> Iterator[Fault]:
    for step in definition.steps:
        if step.tool not in document.tools:
            yield root.name_at(["tools"]).fault(
                f"the step {step.name!r} of {definition.name} calls {step.tool!r}, which the job does not allow; "
                f"add it: {step.tool}: {tool_digests(definition.catalogue)[step.tool]}"
            )
