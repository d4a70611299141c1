"""Examples in words: which value the call has, and what the engine answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent_saga.policies.answers import Decision
from agent_saga.policies.cel.syntax import Expression, Literal, Name, Select
from agent_saga.policies.model import Limit, Rule
from agent_saga.policies.rendering.blocks import Sample, Tone
from agent_saga.policies.rendering.boundaries import Edge, Edges, value_at
from agent_saga.policies.rendering.conditions import term
from agent_saga.policies.rendering.constants import constant
from agent_saga.policies.rendering.naming import Names, amount, money_of, names_for, path_of
from agent_saga.policies.rendering.prose import Code, Prose, codes, counted
from agent_saga.policies.rendering.sentences import scope
from agent_saga.policies.sampling.calls import ABSENT
from agent_saga.policies.sampling.constants import Path, constants

MOST_OTHERS: Final = 3
"""Values beside the one that an example is about."""


def rule_samples(edges: Edges, rule: Rule, tools: Sequence[str]) -> tuple[Sample, ...]:
    """Calls on both sides of a rule's boundaries."""
    names = names_for(edges.policy, scope(rule.when.tree)[0], [rule.when.tree])
    read = [path for path in constants([rule.when.tree]) if path[0] == "args"]
    pairs = edges.of_rule(rule, tools)
    return tuple(_sample(edge, read, names) for pair in pairs for edge in pair)


def limit_samples(edges: Edges, limit: Limit, tools: Sequence[str]) -> tuple[Sample, ...]:
    """A call that just fits, and one unit more."""
    trees = [limit.of.tree, *([limit.measure.tree] if limit.measure else [])]
    names = names_for(edges.policy, scope(limit.of.tree)[0], trees)
    return tuple(_spent(edge, limit, names) for pair in edges.of_limit(limit, tools) for edge in pair)


def _sample(edge: Edge, read: Sequence[Path], names: Names) -> Sample:
    """The call by the value that matters, and by the others that the rule reads."""
    call: Prose = (Code(edge.given["tool"]), *_named(edge, " with ", names))
    others = [path for path in read if path != edge.path and path[-1] != "currency"][:MOST_OTHERS]
    for path in others:
        value = value_at(edge.given, path)
        if value is not ABSENT and not isinstance(value, dict):
            call = (*call, *_named(replace(edge, path=path, value=value), ", ", names))
    return Sample(call, decision_words(edge.decision), _tone(edge.decision))


def _named(edge: Edge, before: str, names: Names) -> Prose:
    tree = _tree(edge.path)
    if edge.value is ABSENT:
        return (" without ", *term(tree, names))
    return (before, *term(tree, names), " ", *_value(edge, tree, names))


def _value(edge: Edge, tree: Expression, names: Names) -> Prose:
    value = edge.value
    if money_of(tree, names) is not None:
        return amount(value, _currency(edge, edge.path))
    if isinstance(value, bool | int | float | str):
        return constant(Literal(value), tree, names)
    return (Code(repr(value)),)


def _currency(edge: Edge, path: Path) -> tuple[str, ...]:
    """The currency that the call itself names beside an amount in minor units."""
    found = value_at(edge.given, (*path[:-1], "currency"))
    return (found,) if isinstance(found, str) else ()


def _tree(path: Path) -> Expression:
    found: Expression = Name(path[0])
    for name in path[1:]:
        found = Select(found, name)
    return found


def _spent(edge: Edge, limit: Limit, names: Names) -> Sample:
    def sums(value: int) -> Prose:
        if limit.measure is None:
            return (counted(value, "call", "calls"),)
        currencies = money_of(limit.measure.tree, names)
        own = _currency(edge, ("args", *path_of(limit.measure.tree)))
        return (f"{value:,}",) if currencies is None else amount(value, own or currencies)

    tool = Code(edge.given["tool"])
    call = (tool, " that adds ", *sums(edge.amount or 0), " when ", *sums(edge.used or 0), " is used already")
    return Sample(call, decision_words(edge.decision), _tone(edge.decision))


def _tone(decision: Decision) -> Tone:
    return decision.effect


def decision_words(decision: Decision) -> Prose:
    """An answer in few words, and what gave it."""
    by: Prose = (" (", Code(decision.rule), ")") if decision.rule else ()
    if decision.effect == "deny":
        return ("denied", *by)
    if decision.approve is None:
        return ("allowed",)
    asked = decision.approve
    people = counted(asked.quorum, "person", "people")
    return (f"needs {people} in the role ", *codes(asked.roles), *by)
