"""What makes a definition impossible to undo or to judge."""

import re
from typing import TYPE_CHECKING

from agent_saga.runtime.errors import DefinitionError
from agent_saga.runtime.tools import UNDOABLE
from agent_saga.trace.limits import MAX_INT

if TYPE_CHECKING:
    from agent_saga.runtime.definition import SagaDefinition, Step

_BRANCH = re.compile(r"[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{1,64}").fullmatch
_CURRENCY = re.compile(r"[A-Z]{3}").fullmatch


def rivals(one: "Step", other: "Step") -> bool:
    """Whether two steps belong to different options of one group."""
    if one.branch is None or other.branch is None or one.branch == other.branch:
        return False
    return one.branch.partition(".")[0] == other.branch.partition(".")[0]


def check_branches(definition: "SagaDefinition") -> None:
    """Alternatives can be decided, and what loses can be undone. Raises DefinitionError."""
    replaced = {step.fallback_for for step in definition.steps}
    for step in definition.steps:
        if step.branch is None:
            continue
        where = f"step {step.name}, branch {step.branch}"
        if not _BRANCH(step.branch) or len(definition.groups[step.branch.partition(".")[0]]) < 2:
            raise DefinitionError(f"{where}: expected GROUP.OPTION, and another option in the group")
        if step.optional or step.fallback_for or step.name in replaced or step.name == definition.pivot:
            raise DefinitionError(f"{where}: neither optional steps, fallbacks, what they replace, nor the pivot")
        if definition.catalogue[step.tool].semantics == "irreversible":
            raise DefinitionError(f"{where}: {step.tool} is irreversible, and what loses must be undone")
        rival = next((name for name in definition.needs[step.name] if rivals(definition.plan[name], step)), "")
        if rival:
            raise DefinitionError(f"{where}: it waits for {rival}, which is of another option")


def check_undos(definition: "SagaDefinition") -> None:
    """Whatever can be undone has an undo that can undo it. Raises DefinitionError."""
    undo_tools = definition.undo_tools
    for tool in definition.catalogue.values():
        if tool.undo_name is None:
            if tool.semantics in UNDOABLE and tool.name not in undo_tools:
                raise DefinitionError(f"tool {tool.name} is {tool.semantics} and has no undo; name one")
            continue
        undo = definition.catalogue.get(tool.undo_name)
        if undo is None:
            raise DefinitionError(f"tool {tool.name}: its undo {tool.undo_name} is none of the saga's tools")
        if undo is tool or undo.semantics not in UNDOABLE:
            raise DefinitionError(
                f"tool {tool.name}: its undo {undo.name} is {undo.semantics}; expected another tool, "
                "reversible or compensable"
            )
    for step in definition.steps:
        if step.tool in undo_tools:
            raise DefinitionError(f"step {step.name}: tool {step.tool} undoes another; the runtime alone calls it")


def check_limits(definition: "SagaDefinition") -> None:
    """Limits of money are amounts of currencies. Raises DefinitionError."""
    for currency, minor in definition.limits.money.items():
        if not _CURRENCY(currency) or type(minor) is not int or not 0 <= minor <= MAX_INT:
            raise DefinitionError(
                f"saga {definition.name}: limit of money {currency!r}: {minor!r}; expected an ISO 4217 code and an "
                "integer of minor units from 0, such as {'EUR': 50000}"
            )


def check_cycles(definition: "SagaDefinition") -> None:
    """No steps wait for each other. Raises DefinitionError."""
    done: set[str] = set()
    waiting = dict(definition.needs)
    while ready := [name for name, needs in waiting.items() if needs <= done]:
        done.update(ready)
        for name in ready:
            del waiting[name]
    if waiting:
        raise DefinitionError(f"saga {definition.name}: the steps {', '.join(sorted(waiting))} wait for each other")
