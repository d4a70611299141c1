"""What a value of a call is called in a sentence, and which values are money: read from the tools' argument schemas.

An object with an integer ``minor`` and a string ``currency`` is money (the trace's own form of an amount).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.cel.syntax import Call, Expression, Index, Literal, Name, Select
from agent_saga.policies.model import Policy
from agent_saga.policies.rendering.prose import Code, Prose, counted
from agent_saga.policies.sampling.schemas import member
from agent_saga.trace.currencies import exponent, in_units

_SHORT: Final = 30
"""Characters of a description that stands in a sentence."""
_VARIABLES: Final = {
    "tool": "the tool",
    "semantics": "the class of the call",
    "agent": "the agent",
    "saga": "the saga",
    "step": "the step",
    "at": "the time of the call",
    "args": "the arguments",
}
_CHAIN: Final = {
    "semantics": "the worst class among the steps of the saga",
    "consequence": "the worst consequence among the steps of the saga",
}


@dataclass(frozen=True, slots=True)
class Names:
    """How to speak of arguments. schemas: of the tools that a sentence is about. pinned: currency by money path."""

    schemas: tuple[Mapping[str, Any], ...] = ()
    pinned: Mapping[tuple[str, ...], str] = field(default_factory=dict)

    def schema(self, path: Sequence[str]) -> Mapping[str, Any]:
        """The schema of an argument, from the first tool that has it; empty when none does."""
        for schema in self.schemas:
            if found := member(schema, path):
                return found
        return {}

    def named(self, path: tuple[str, ...]) -> Prose:
        """An argument by its title, else by its path."""
        schema, written = self.schema(path), Code(".".join(path))
        title, said = schema.get("title"), schema.get("description")
        if isinstance(title, str) and title:
            return (f"{title} (", written, ")")
        if isinstance(said, str) and 0 < len(said) <= _SHORT:  # such as a unit
            return (written, f" ({said})")
        return (written,)

    def currencies(self, path: tuple[str, ...]) -> tuple[str, ...] | None:
        """Of a money object: the currencies it may have, () for any; None when it is no money."""
        minor, currency = self.schema((*path, "minor")), self.schema((*path, "currency"))
        if minor.get("type") != "integer" or currency.get("type", "string") != "string" or not currency:
            return None
        if path in self.pinned:
            return (self.pinned[path],)
        listed = [currency["const"]] if "const" in currency else currency.get("enum", [])
        return tuple(code for code in listed if isinstance(code, str))


def names_for(policy: Policy, tools: Sequence[str], conditions: Sequence[Expression]) -> Names:
    """Names for a sentence about these tools (all where none is given), whose conditions may pin a currency."""
    chosen = [policy.tools[name] for name in tools or policy.tools if name in policy.tools]
    pinned = {path[:-1]: code for tree in conditions for path, code in _equal_strings(tree) if path[-1] == "currency"}
    return Names(tuple(tool.args for tool in chosen if tool.args is not None), pinned)


def _equal_strings(tree: Expression) -> Iterator[tuple[tuple[str, ...], str]]:
    """The arguments that a condition fixes to one string, in its conjunction."""
    if isinstance(tree, Call) and tree.name == "&&":
        for part in tree.args:
            yield from _equal_strings(part)
    elif isinstance(tree, Call) and tree.name == "==":
        for left, right in (tree.args, tree.args[::-1]):
            path = path_of(left)
            if path and isinstance(right, Literal) and isinstance(right.value, str):
                yield path, right.value


def path_of(tree: Expression) -> tuple[str, ...]:
    """The path below ``args`` of an argument; () for anything else."""
    found: list[str] = []
    while not isinstance(tree, Name):
        if isinstance(tree, Select) and not tree.test:
            found.append(tree.field)
            tree = tree.of
        elif isinstance(tree, Index) and isinstance(tree.index, Literal) and isinstance(tree.index.value, str):
            found.append(tree.index.value)
            tree = tree.of
        else:
            return ()
    return tuple(reversed(found)) if tree.name == "args" else ()


def variable(tree: Expression) -> Prose | None:
    """A variable that is no argument, in words; None for anything else."""
    if isinstance(tree, Name):
        return (_VARIABLES.get(tree.name, tree.name),)
    if isinstance(tree, Select) and isinstance(tree.of, Name) and tree.of.name == "chain" and not tree.test:
        return (_CHAIN.get(tree.field, tree.field),)
    return None


def money_of(tree: Expression, names: Names) -> tuple[str, ...] | None:
    """The currencies of a sum of money, () for any; None when the expression is not money alone."""
    path = path_of(tree)
    if path and path[-1] == "minor":
        return names.currencies(path[:-1])
    if isinstance(tree, Call) and tree.name in ("+", "-") and len(tree.args) == 2:
        left, right = (money_of(arg, names) for arg in tree.args)
        return left if left == right else None
    return None


def amount(minor: int, currencies: Sequence[str]) -> Prose:
    """A sum of money in minor units, written as its currency writes it where one is known."""
    digits = {exponent(code) for code in currencies}
    if len(digits) != 1:
        units = counted(minor, "minor unit", "minor units")
        return (f"{units} of its currency (such as EUR {in_units(minor, 'EUR', thousands=',')})",)
    written = in_units(minor, currencies[0], thousands=",")
    return (f"{currencies[0]} {written}",) if len(currencies) == 1 else (f"{written} ({', '.join(currencies)})",)
