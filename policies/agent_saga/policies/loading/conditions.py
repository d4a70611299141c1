"""Conditions: parsed, and checked against the arguments of every tool that they can be about, all faults at once.

A condition is specialised for each tool first. What folds away for a tool, such as the right side of
``tool == "a" && args.x > 1`` for another tool, is not looked at for it.

Source: docs/spec/policy-v1.md, "Conditions"; docs/spec/policy-cel-v1.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agent_saga.policies.arguments import Path
from agent_saga.policies.cel import CelError, CelFault, check, parse, specialise, text_of
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, Name, Select
from agent_saga.policies.cel.types import BOOL, INT, STRING, TIMESTAMP, Field, ObjectType, Type
from agent_saga.policies.cel.walking import parts
from agent_saga.policies.document import Fault, Node, did_you_mean, shown
from agent_saga.policies.loading.money import money_faults
from agent_saga.policies.loading.places import text_place
from agent_saga.policies.loading.tools import Tool
from agent_saga.policies.model import Condition

CHAIN: Final = ObjectType({"semantics": Field(STRING, True), "consequence": Field(STRING, True)}, open=False)
_NO_ARGS: Final = ObjectType({}, open=False)
_CLASSES: Final = ("preview", "reversible", "compensable", "irreversible")
_CONSEQUENCES: Final = ("low", "medium", "high", "critical")
MAX_WORK: Final = 3_000_000
"""Parts of conditions, each counted for every tool: five hundred rules for five hundred tools; some ten seconds."""
SCALARS: Final = (STRING, INT, BOOL)
_SOME: Final[Mapping[Type, str | int | bool]] = {STRING: "", INT: 0, BOOL: False}
"""A value of each type that is asked for."""


def names_for(tool: Tool) -> Mapping[str, Type]:
    """The variables of a condition and their types, for calls of one tool."""
    found = tool.arguments
    return {
        "tool": STRING,
        "args": found.type if found is not None else _NO_ARGS,
        "semantics": STRING,
        "agent": STRING,
        "saga": STRING,
        "step": STRING,
        "at": TIMESTAMP,
        "chain": CHAIN,
    }


class Checker:
    """Reads the conditions of one policy. tools, agents: what it knows of both. faults: what is wrong so far."""

    def __init__(self, tools: Mapping[str, Tool], agents: Iterable[str] = ()) -> None:
        self._tools = tools
        self._words = ({"tool": (*tools,)} if tools else {}) | {"semantics": _CLASSES, "chain.semantics": _CLASSES}
        self._words |= {"chain.consequence": _CONSEQUENCES}
        self._words |= {"agent": (*agents,)} if (agents := [*agents]) else {}
        self.faults: list[Fault] = []
        self._work = 0

    def condition(
        self, node: Node | None, wanted: tuple[Type, ...], word: str, of: Condition | None = None
    ) -> Condition | None:
        """A condition of one of the wanted types; None where none can be made of it.

        word: what it is, for messages. of: which calls it is about at all; None for every call.
        """
        if node is None or not isinstance(node.value, str):
            return None
        try:
            tree = parse(node.value)
        except CelError as error:
            self.faults += [node.fault_inside(one.at, one.message) for one in error.faults]
            return None
        self._work += len(self._tools) * sum(1 for _ in parts(tree))
        if self._work > MAX_WORK:
            self.faults.append(node.fault(f"conditions times tools are more than {MAX_WORK} parts; divide the policy"))
            return None
        found = Condition(node.value, tree, text_place(node))
        money = dict(money_faults(tree))
        known = {(one.at, one.message): "" for one in [*self._unknown(tree), *money]}
        for fault, tools in self._by_tool(found, wanted, word, of).items():
            if fault[0] not in money.values():  # what an operation with money lacks is told already
                known.setdefault(fault, tools)
        self.faults += [node.fault_inside(at, message + tools) for (at, message), tools in known.items()]
        return found

    def _by_tool(
        self, found: Condition, wanted: tuple[Type, ...], word: str, of: Condition | None
    ) -> Mapping[tuple[int, str], str]:
        """Faults, and for which tools where it is not all that the condition is about."""
        about = [one for one in self._tools.values() if not one.broken and (of is None or concerns(of.tree, one))]
        about = [one for one in about if not isinstance(specialised(found.tree, one), Literal)] or about
        told: dict[tuple[int, str], list[str]] = {}
        for tool in about:
            for fault in _faults(found.tree, tool, wanted, word, of):
                told.setdefault((fault.at, fault.message), []).append(tool.name)
        faulty = {name for names in told.values() for name in names}
        sound = [one.name for one in about if one.name not in faulty]
        return {fault: "" if len(names) == len(about) else _for(names, sound) for fault, names in told.items()}

    def _unknown(self, tree: Expression) -> Iterator[CelFault]:
        """Texts that a variable of few values is compared with and never has."""
        for part in parts(tree):
            if isinstance(part, Call) and part.name in ("==", "!=", "in") and len(part.args) == 2:
                for name, other in (part.args, part.args[::-1]):
                    known = self._words.get(path_of(name))
                    if known is not None:
                        yield from _strangers(path_of(name), other, known)


def _strangers(name: str, other: Expression, known: tuple[str, ...]) -> Iterator[CelFault]:
    for one in other.items if isinstance(other, ListOf) else (other,):
        if isinstance(one, Literal) and isinstance(one.value, str) and one.value not in known:
            what = "the policy has no tool" if name == "tool" else f"{name} is never"
            hint = did_you_mean(one.value, known) or f"; expected one of {', '.join(map(shown, known[:8]))}"
            yield CelFault(one.at, f"{what} {shown(one.value)}{hint}")


def _for(names: list[str], sound: list[str]) -> str:
    """For which tools something is a fault; and how to say that it is about the one that it fits, where it fits one."""
    told = f"for {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
    hint = f"; if it is about {sound[0]}, put tool == {text_of(Literal(sound[0]))} && before it" if sound else ""
    return f" ({told}{hint if len(sound) == 1 else ''})"


def specialised(tree: Expression, tool: Tool) -> Expression:
    """What is left of a condition for the calls of one tool."""
    return specialise(tree, {"tool": tool.name} | ({"semantics": tool.semantics} if tool.semantics else {}))


def concerns(tree: Expression, tool: Tool) -> bool:
    """Whether a condition can hold for a call of this tool."""
    return specialised(tree, tool) != Literal(False)


def _faults(
    tree: Expression, tool: Tool, wanted: tuple[Type, ...], word: str, of: Condition | None
) -> Iterator[CelFault]:
    left = specialised(tree, tool)
    gaps = list(gaps_of(left, tool))
    yield from gaps
    if gaps:
        return
    found, faults = check(left, names_for(tool))
    if faults and of is not None and _guarded(left, tool, wanted, specialised(of.tree, tool)):
        return
    yield from faults
    if not faults and found is not None and found not in wanted:
        yield CelFault(tree.at, f"{word} is of type {found}; expected {' or '.join(map(str, wanted))}")


def _guarded(left: Expression, tool: Tool, wanted: tuple[Type, ...], of: Expression) -> bool:
    """Whether an expression has no fault where ``of`` holds, which is asked before: it may hold the guards."""
    for type_ in wanted:
        both = Call("?:", (of, left, Literal(_SOME[type_])))
        if not check(both, names_for(tool))[1]:
            return True
    return False


def gaps_of(tree: Expression, tool: Tool, root: str = "args") -> Iterator[CelFault]:
    """Arguments that are used and have no type. root: the variable that holds them."""
    found = tool.arguments
    for part in parts(tree):
        path = argument(part, root)
        if path is None:
            continue
        if found is None and not path:
            yield CelFault(part.at, f"the tool {shown(tool.name)} gives no schema of its arguments; add args: to it")
        elif found is not None and path in found.gaps:
            yield CelFault(part.at, f"{'.'.join((root, *path))} cannot be used: {found.gaps[path]}")


def argument(part: Expression, root: str = "args") -> Path | None:
    """The path of an argument that an expression names; () for the root itself, None for anything else."""
    if isinstance(part, Name):
        return () if part.name == root else None
    if isinstance(part, Select):
        above = argument(part.of, root)
        return None if above is None else (*above, part.field)
    if isinstance(part, Index):
        above = argument(part.of, root)
        named = part.index.value if isinstance(part.index, Literal) and isinstance(part.index.value, str) else "[]"
        return None if above is None else (*above, named)
    return None


def path_of(part: Expression) -> str:
    """A variable, or a member of one, as written: ``chain.semantics``; "" for anything else."""
    if isinstance(part, Name):
        return part.name
    if isinstance(part, Select) and not part.test:
        above = path_of(part.of)
        return f"{above}.{part.field}" if above else ""
    return ""
