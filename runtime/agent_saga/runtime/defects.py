"""What makes a definition impossible to undo or to judge."""

import re
from collections.abc import Collection, Iterable, Mapping

from agent_saga.runtime.errors import DefinitionError
from agent_saga.runtime.limits import Limits
from agent_saga.runtime.steps import Step, alternatives, rivals
from agent_saga.runtime.tools import UNDOABLE, Tool
from agent_saga.trace.limits import MAX_INT

_BRANCH = re.compile(r"[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{1,64}").fullmatch
_CURRENCY = re.compile(r"[A-Z]{3}").fullmatch


def check_branches(
    plan: Mapping[str, Step], catalogue: Mapping[str, Tool], needs: Mapping[str, frozenset[str]], pivot: str | None
) -> None:
    """Alternatives can be decided, and what loses can be undone. Raises DefinitionError."""
    groups = alternatives(plan.values())
    replaced = {step.fallback_for for step in plan.values()}
    for step in plan.values():
        if step.branch is None:
            continue
        where = f"step {step.name}, branch {step.branch}"
        if not _BRANCH(step.branch) or len(groups[step.branch.partition(".")[0]]) < 2:
            raise DefinitionError(f"{where}: expected GROUP.OPTION, and another option in the group")
        if step.optional or step.fallback_for or step.name in replaced or step.name == pivot:
            raise DefinitionError(f"{where}: neither optional steps, fallbacks, what they replace, nor the pivot")
        if catalogue[step.tool].semantics == "irreversible":
            raise DefinitionError(f"{where}: {step.tool} is irreversible, and what loses must be undone")
        rival = next((name for name in needs[step.name] if rivals(plan[name], step)), "")
        if rival:
            raise DefinitionError(f"{where}: it waits for {rival}, which is of another option")


def check_undos(plan: Mapping[str, Step], catalogue: Mapping[str, Tool], undo_tools: Collection[str]) -> None:
    """Whatever can be undone has an undo that can undo it. Raises DefinitionError."""
    for tool in catalogue.values():
        if tool.undo_name is None:
            if tool.semantics in UNDOABLE and tool.name not in undo_tools:
                raise DefinitionError(f"tool {tool.name} is {tool.semantics} and has no undo; name one")
            continue
        undo = catalogue.get(tool.undo_name)
        if undo is None:
            raise DefinitionError(f"tool {tool.name}: its undo {tool.undo_name} is none of the saga's tools")
        if undo is tool or undo.semantics not in UNDOABLE:
            raise DefinitionError(
                f"tool {tool.name}: its undo {undo.name} is {undo.semantics}; expected another tool, "
                "reversible or compensable"
            )
    for step in plan.values():
        if step.tool in undo_tools:
            raise DefinitionError(f"step {step.name}: tool {step.tool} undoes another; the runtime alone calls it")


def check_limits(name: str, limits: Limits) -> None:
    """Limits of money are amounts of currencies. Raises DefinitionError."""
    for currency, minor in limits.money.items():
        if not _CURRENCY(currency) or type(minor) is not int or not 0 <= minor <= MAX_INT:
            raise DefinitionError(
                f"saga {name}: limit of money {currency!r}: {minor!r}; expected an ISO 4217 code and an "
                "integer of minor units from 0, such as {'EUR': 50000}"
            )


def check_cycles(saga: str, links: Mapping[str | int, Iterable[str | int]]) -> None:
    """No steps wait for each other. links: what each waits for; numbers stand for several. Raises DefinitionError."""
    left: dict[str | int, int] = {}
    behind: dict[str | int, list[str | int]] = {}
    for one, before in links.items():
        waits_for = set(before)
        left[one] = len(waits_for)
        for other in waits_for:
            behind.setdefault(other, []).append(one)
    ready = [one for one, number in left.items() if not number]
    while ready:
        for one in behind.get(ready.pop(), ()):
            left[one] -= 1
            if not left[one]:
                ready.append(one)
    waiting = sorted(one for one, number in left.items() if number and isinstance(one, str))
    if waiting:
        raise DefinitionError(f"saga {saga}: the steps {', '.join(waiting)} wait for each other")
