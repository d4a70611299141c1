"""Every number and name that a condition is compared with, as rows of a table."""

from collections.abc import Iterator

from agent_saga.policies.cel import atoms
from agent_saga.policies.cel.syntax import Call, Expression, ListOf, Literal, Name
from agent_saga.policies.model import Limit, Policy, Rule
from agent_saga.policies.rendering.comparisons import MIRROR
from agent_saga.policies.rendering.conditions import term
from agent_saga.policies.rendering.constants import constant
from agent_saga.policies.rendering.naming import Names, names_for
from agent_saga.policies.rendering.prose import Code, Prose, any_of, duration
from agent_saga.policies.rendering.sentences import bound, scope

_WORDS = {"<": "below", "<=": "up to", ">": "above", ">=": "from", "==": "equal to", "!=": "other than"}

Row = tuple[Prose, Prose, Prose, Prose]


def thresholds(policy: Policy) -> Iterator[Row]:
    """Where it stands, what is compared, how, and with what; rules first."""
    for rule in policy.rules:
        names = names_for(policy, scope(rule.when.tree)[0], [rule.when.tree])
        yield from _of(rule, rule.when.tree, names)
    for limit in policy.limits:
        yield from _limit(policy, limit)


def _of(part: Rule | Limit, tree: Expression, names: Names) -> Iterator[Row]:
    for atom in atoms(tree):
        if isinstance(atom, Call) and (found := _compared(atom, names)) is not None:
            yield ((Code(part.id),), *found)


def _limit(policy: Policy, limit: Limit) -> Iterator[Row]:
    trees = [limit.of.tree, *([limit.measure.tree] if limit.measure else [])]
    names = names_for(policy, scope(limit.of.tree)[0], trees)
    counted: Prose = ("number of calls",)
    if limit.measure is not None:
        counted = ("sum of ", *term(limit.measure.tree, names))
    yield ((Code(limit.id),), (*counted, f" in {duration(limit.window)}"), ("up to",), bound(limit, names))
    yield from _of(limit, limit.of.tree, names)


def _compared(atom: Call, names: Names) -> tuple[Prose, Prose, Prose] | None:
    if len(atom.args) != 2:
        return None
    left, right, word = atom.args[0], atom.args[1], atom.name
    if isinstance(left, Literal) and word in MIRROR:
        left, right, word = right, left, MIRROR[word]
    if isinstance(left, Name) and left.name in ("tool", "semantics"):
        return None
    if word in _WORDS and isinstance(right, Literal):
        return term(left, names), (_WORDS[word],), constant(right, left, names)
    if word == "in" and isinstance(right, ListOf):
        listed = [constant(one, left, names) for one in right.items if isinstance(one, Literal)]
        return term(left, names), ("one of",), any_of(listed)
    if word in ("startsWith", "endsWith", "contains") and isinstance(right, Literal):
        words = {"startsWith": "begins with", "endsWith": "ends with", "contains": "contains"}
        return term(left, names), (words[word],), constant(right, left, names)
    if word in _WORDS and not isinstance(left, Literal):
        return term(left, names), (_WORDS[word],), term(right, names)
    return None
