"""What a saga is made of: its tools, the steps and their order, the checks of its goal, and what it may spend."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from agent_saga.runtime.calls import Checked, Facts
from agent_saga.runtime.defects import check_branches, check_cycles, check_limits, check_undos
from agent_saga.runtime.errors import DefinitionError
from agent_saga.runtime.kernel.actions import Allowed
from agent_saga.runtime.limits import DEFAULT_LIMITS, Limits
from agent_saga.runtime.needs import Needs
from agent_saga.runtime.steps import Step, alternatives
from agent_saga.runtime.tools import Tool

GoalCheck = Callable[[Facts], Awaitable[Checked | bool] | Checked | bool]
_STEP = re.compile(r"[A-Za-z0-9_-]{1,48}").fullmatch
_RESERVED: Final = ("undone-", "turn-")


@dataclass(frozen=True, slots=True)
class Contact:
    """Who is asked when a saga cannot go on: a pseudonym, and why this person. Both stand in the trace."""

    person: str
    reason: str = ""


@dataclass(frozen=True)
class SagaDefinition:
    """A kind of saga. Raises DefinitionError when it could not be undone or judged.

    tools: all that may be called; those that undo others come along by themselves. checks: functions that prove the
    goal, at least one. steps: the plan; without one the agent may call any tool that undoes no other. pivot: the
    step before which nothing irreversible may happen. summary: what the agent is told. spec: digest of the document
    that the saga is run by, for its first line. escalation: who is asked when it cannot go on. From these come the
    catalogue of tools, the plan and the checks by name, what each step needs before it, the main steps, without the
    fallbacks, and the replaceable ones: those that have a fallback, or that the goal does not need.
    """

    name: str
    tools: Sequence[Tool]
    checks: Sequence[GoalCheck]
    steps: Sequence[Step] = ()
    limits: Limits = DEFAULT_LIMITS
    pivot: str | None = None
    summary: str = ""
    spec: str | None = None
    escalation: Contact | None = None
    catalogue: dict[str, Tool] = field(init=False, repr=False)
    plan: dict[str, Step] = field(init=False, repr=False)
    goal_checks: dict[str, GoalCheck] = field(init=False, repr=False)
    needs: Needs = field(init=False, repr=False)
    main: frozenset[str] = field(init=False, repr=False)
    replaceable: dict[str, Step] = field(init=False, repr=False)
    _fallbacks: dict[str, list[Step]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "catalogue", _catalogue(self))
        object.__setattr__(self, "plan", _plan(self))
        object.__setattr__(self, "goal_checks", _checks(self))
        object.__setattr__(self, "needs", Needs(self.steps, self.groups))
        object.__setattr__(self, "_fallbacks", _fallbacks(self))
        object.__setattr__(self, "main", frozenset(one.name for one in self.steps if one.fallback_for is None))
        others = {one.name: one for one in self.steps if one.optional or one.branch or one.name in self._fallbacks}
        object.__setattr__(self, "replaceable", others)
        check_branches(self.plan, self.catalogue, self.needs, self.pivot)
        check_undos(self.plan, self.catalogue, self.undo_tools)
        check_cycles(self.name, self.needs.links())
        check_limits(self.name, self.limits)

    @cached_property
    def undo_tools(self) -> frozenset[str]:
        """Names of the tools that undo others: the agent never calls them."""
        return frozenset(tool.undo_name for tool in self.catalogue.values() if tool.undo_name)

    @cached_property
    def conceals(self) -> dict[str, tuple[str, ...]]:
        """What is concealed on the lines of its tools, by tool: only those that declare something."""
        return {name: tool.conceal for name, tool in self.catalogue.items() if tool.conceal}

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each step in the plan."""
        return {step.name: place for place, step in enumerate(self.steps)}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The main steps, in the order of the plan."""
        return tuple(step.name for step in self.steps if step.fallback_for is None)

    @cached_property
    def apart(self) -> dict[str, Step]:
        """The steps that do not simply follow all main steps before them."""
        others = (one for one in self.steps if one.after is not None or one.branch or one.fallback_for is not None)
        found = {step.name: step for step in others}
        seen: set[str] = set()
        for step in self.steps if self.groups else ():
            if not self.needs[step.name] <= seen:  # the rest of a group
                found[step.name] = step
            seen.add(step.name)
        return found

    @cached_property
    def offers(self) -> dict[str, Allowed]:
        """What the agent is told of each step, by name; without a plan, of each tool that undoes no other."""
        if self.steps:
            return {step.name: _offer(step.name, self.catalogue[step.tool]) for step in self.steps}
        return {name: _offer("", tool) for name, tool in self.catalogue.items() if name not in self.undo_tools}

    @cached_property
    def classes(self) -> dict[str, str]:
        """The semantics of all its tools, by name."""
        return {name: tool.semantics for name, tool in self.catalogue.items()}

    @cached_property
    def groups(self) -> dict[str, dict[str, frozenset[str]]]:
        """The groups of alternatives: by group and option, the steps."""
        return alternatives(self.steps)

    def ordered(self, step: str) -> tuple[str, ...]:
        """What a step needs before it, in the order of the plan."""
        needs = self.needs[step]
        return tuple(one.name for one in self.steps if one.name in needs)

    def fallbacks(self, step: str) -> list[Step]:
        """The steps that may stand in for this one, in order."""
        return self._fallbacks.get(step, [])

    def family(self, step: str) -> tuple[str, ...]:
        """The step and all that may stand in for it, fallbacks of fallbacks too."""
        return (step, *(name for other in self.fallbacks(step) for name in self.family(other.name)))

    def stands_for(self, step: Step) -> str:
        """The step in whose place this one stands, also as the fallback of a fallback; its own name for others."""
        while step.fallback_for is not None:
            step = self.plan[step.fallback_for]
        return step.name


def _offer(step: str, tool: Tool) -> Allowed:
    return Allowed(step, tool.name, tool.semantics, tool.summary, tool.schema)


def _fallbacks(definition: SagaDefinition) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in definition.steps:
        if step.fallback_for is not None:
            found.setdefault(step.fallback_for, []).append(step)
    return found


def _catalogue(definition: SagaDefinition) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    pending = list(definition.tools)
    while pending:
        tool = pending.pop(0)
        if not isinstance(tool, Tool):
            raise DefinitionError(f"saga {definition.name}: {tool!r} is no tool; decorate the function with @tool")
        if found.get(tool.name, tool) is not tool:
            raise DefinitionError(f"saga {definition.name}: two tools are named {tool.name}")
        if tool.name not in found and isinstance(tool.undo, Tool):
            pending.append(tool.undo)
        found[tool.name] = tool
    return found


def _plan(definition: SagaDefinition) -> dict[str, Step]:
    plan: dict[str, Step] = {}
    for step in definition.steps:
        if not _STEP(step.name) or step.name.startswith(_RESERVED):
            raise DefinitionError(f"step name {step.name!r}: expected 1-48 of A-Z a-z 0-9 _ -")
        if step.name in plan:
            raise DefinitionError(f"saga {definition.name}: two steps are named {step.name}")
        if step.tool not in definition.catalogue:
            raise DefinitionError(f"step {step.name}: tool {step.tool} is none of the saga's tools")
        plan[step.name] = step
    for step in plan.values():
        for name in (*(step.after or ()), *filter(None, [step.fallback_for])):
            if name not in plan or name == step.name:
                raise DefinitionError(f"step {step.name} refers to {name}, which is no other step of the saga")
    check_cycles(definition.name, {one.name: tuple(filter(None, [one.fallback_for])) for one in plan.values()})
    if definition.pivot is not None and definition.pivot not in plan:
        raise DefinitionError(f"saga {definition.name}: pivot {definition.pivot} is none of its steps")
    replaced = {step.fallback_for for step in plan.values()}
    if definition.pivot is not None and (definition.pivot in replaced or plan[definition.pivot].optional):
        raise DefinitionError(
            f"saga {definition.name}: pivot {definition.pivot} is optional or has a fallback; what comes after it "
            "relies on the pivot itself"
        )
    return plan


def _checks(definition: SagaDefinition) -> dict[str, GoalCheck]:
    checks: dict[str, GoalCheck] = {}
    for check in definition.checks:
        name: Any = getattr(check, "__name__", "")
        if not _STEP(name) or name.startswith(_RESERVED) or name in checks:
            raise DefinitionError(f"check {name!r}: expected another name, of A-Z a-z 0-9 _ -, given once")
        checks[name] = check
    if not checks:
        raise DefinitionError(f"saga {definition.name} has no check: nothing could ever prove that its goal holds")
    return checks


__all__ = ["Contact", "GoalCheck", "SagaDefinition", "Step"]
