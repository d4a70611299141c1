"""What the shape of a policy cannot say: ids, classes, durations, conditions, money, tests. All faults in one pass."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agent_saga.policies.cel.types import BOOL, INT
from agent_saga.policies.document import Fault, Node
from agent_saga.policies.loading.answers import asking_faults, items, twice
from agent_saga.policies.loading.cases import case_faults
from agent_saga.policies.loading.conditions import SCALARS, Checker
from agent_saga.policies.loading.inverses import Inverses, Terms
from agent_saga.policies.loading.money import uncounted
from agent_saga.policies.loading.shape import fractions, nothing, shape_faults
from agent_saga.policies.loading.tools import Tool, Tools
from agent_saga.policies.model import Condition
from agent_saga.policies.schema import json_schema


@dataclass(frozen=True)
class Found:
    """What was read of a policy beside its plain members. conditions: by the place of their text. terms: of tools
    whose undos the policy says something of."""

    tools: Mapping[str, Tool]
    conditions: Mapping[tuple[int, int], Condition]
    terms: Mapping[str, Terms]

    def of(self, node: Node) -> Condition:
        """The condition of this text."""
        return self.conditions[node.line, node.column]


def examine(root: Node, path: str, faults: list[Fault]) -> Found:
    """What was read of a document. path: of the file, beside which schemas stand.

    faults: of its spelling; everything else that is wrong is added to them.
    """
    tools = Tools(root, os.path.dirname(path))
    add(faults, shape_faults(root, json_schema, "the policy"))
    holders = [holder for tool in _tools(root) for holder in (tool, tool.get("inverse")) if holder is not None]
    schemas = [args for holder in holders if (args := holder.get("args")) is not None]
    payloads = [args for test in items(root, "tests") if (args := test.at(["given"]).get("args")) is not None]
    add(faults, nothing(root, [*schemas, *payloads]))
    add(faults, fractions(root, schemas))
    add(faults, tools.faults)
    add(faults, _ids(root))
    add(faults, asking_faults(root))
    checker = Checker(tools.known, [one.value for one in items(root, "agents") if isinstance(one.value, str)])
    conditions = dict(_conditions(root, checker))
    add(faults, checker.faults)
    inverses = Inverses(tools.known).read(root)
    add(faults, inverses.faults)
    limits, rules = ({*_names(root, word)} for word in ("limits", "rules"))
    add(faults, case_faults(root, tools.known, limits, rules))
    return Found(tools.known, conditions, inverses.terms)


def add(faults: list[Fault], more: Iterable[Fault]) -> None:
    """Add those at places where nothing is known to be wrong: one mistake is told once."""
    known = {(one.line, one.column) for one in faults}
    faults += [one for one in more if (one.line, one.column) not in known]


def _tools(root: Node) -> list[Node]:
    found = root.get("tools")
    return [member.node for member in found.members.values()] if found is not None else []


def _names(root: Node, word: str) -> Iterator[str]:
    for one in items(root, word):
        found = one.get("id")
        if found is not None and isinstance(found.value, str):
            yield found.value


def _ids(root: Node) -> Iterator[Fault]:
    """Rules and limits share one space of ids, since traces and waivers name either."""
    both = [one.get("id") for name in ("rules", "limits") for one in items(root, name)]
    yield from twice((one for one in both if one is not None), "the id")


def _conditions(root: Node, checker: Checker) -> Iterator[tuple[tuple[int, int], Condition]]:
    for rule in items(root, "rules"):
        yield from _found(rule.get("when"), checker.condition(rule.get("when"), (BOOL,), "a condition"))
    for limit in items(root, "limits"):
        of = checker.condition(limit.get("of"), (BOOL,), "a condition")
        measure = checker.condition(limit.get("sum"), (INT,), "a sum", of)
        per = [checker.condition(one, SCALARS, "a key of per", of) for one in items(limit, "per")]
        yield from _found(limit.get("of"), of)
        yield from _found(limit.get("sum"), measure)
        for node, one in zip(items(limit, "per"), per, strict=True):
            yield from _found(node, one)
        listed = limit.get("per") is None or isinstance(limit.at(["per"]).value, list)
        if measure is not None and of is not None and listed and None not in per:
            fault = uncounted(measure.tree, of.tree, [one.tree for one in per if one is not None])
            if fault is not None:
                checker.faults.append(limit.at(["sum"]).fault_inside(fault.at, fault.message))


def _found(node: Node | None, condition: Condition | None) -> Iterator[tuple[tuple[int, int], Condition]]:
    if node is not None and condition is not None:
        yield (node.line, node.column), condition
