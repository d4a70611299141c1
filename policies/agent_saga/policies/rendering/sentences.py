"""One plain English sentence for each rule and each limit of a policy.

What people sign must say all that the engine does, and no more: the subject (which calls), the condition, the answer,
and what lifts it.
"""

from collections.abc import Sequence
from typing import Final

from agent_saga.policies.cel.syntax import Call, Expression, ListOf, Literal, Name
from agent_saga.policies.model import Approve, Enforcement, Limit, Policy, Rule, Then
from agent_saga.policies.rendering.conditions import chained, condition, term
from agent_saga.policies.rendering.naming import Names, amount, money_of, names_for
from agent_saga.policies.rendering.prose import Prose, codes, counted, duration, join, sentence

STRENGTHS: Final = {
    "A": "attested hardware with a PIN or biometry seen",
    "B": "attested hardware, touched",
    "C": "a hardware key or passkey",
    "D": "any enrolled key",
}
ENFORCEMENTS: Final = {
    "hard": "No waiver lifts this",
    "soft": "A signed waiver may lift this",
    "advisory": "This is told and recorded, and blocks nothing",
    "evaluate": "This is on trial: it is computed and recorded, and has no effect",
}


def rule_sentence(policy: Policy, rule: Rule) -> Prose:
    """What a rule does."""
    tools, classes, rest = scope(rule.when.tree)
    names = names_for(policy, tools, [rule.when.tree])
    when = ("when ", *condition(rest, names), ", ") if rest is not None else ()
    return sentence((*when, *_subject(tools, classes, rest is None), f" {_verb(rule.enforcement)}", *answer(rule.then)))


def limit_sentence(policy: Policy, limit: Limit) -> Prose:
    """What a limit bounds, over which time, for whom, and what happens beyond it."""
    tools, classes, rest = scope(limit.of.tree)
    trees = [limit.of.tree, *([limit.measure.tree] if limit.measure else [])]
    names = names_for(policy, tools, trees)
    when = (" when ", *condition(rest, names)) if rest is not None else ()
    measured: Prose = ("the number of",)
    if limit.measure is not None:
        measured = ("the sum of ", *term(limit.measure.tree, names), " over")
    calls = (" calls of ", *codes(tools)) if tools else (" all calls",)
    return sentence(
        (
            f"In any {duration(limit.window)}",
            *_per(limit, names),
            ", ",
            *measured,
            *calls,
            *(_of_class(classes)),
            *when,
            " may reach ",
            *bound(limit, names),
            f"; a call that would exceed it {_verb(limit.enforcement)}",
            *answer(limit.then),
        )
    )


def bound(limit: Limit, names: Names) -> Prose:
    """The maximum of a limit, as money where it is money."""
    currencies = money_of(limit.measure.tree, names) if limit.measure else None
    return amount(limit.max, currencies) if currencies is not None else (f"{limit.max:,}",)


def _per(limit: Limit, names: Names) -> Prose:
    if not limit.per:
        return (", for all calls together",)
    return (", for each ", *join([term(key.tree, names) for key in limit.per], ", ", " and "))


def scope(tree: Expression) -> tuple[tuple[str, ...], tuple[str, ...], Expression | None]:
    """Take the tools and the classes out of a condition: they are the subject of its sentence. The rest may be None."""
    tools: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    rest: list[Expression] = []
    for part in chained(tree, "&&"):
        found = _fixed(part, "tool")
        if found and not tools:
            tools = found
        elif (found := _fixed(part, "semantics")) and not classes:
            classes = found
        else:
            rest.append(part)
    if not rest or (len(rest) == 1 and isinstance(rest[0], Literal) and rest[0].value is True):
        return tools, classes, None
    return tools, classes, rest[0] if len(rest) == 1 else Call("&&", tuple(rest))


def _fixed(tree: Expression, name: str) -> tuple[str, ...]:
    """The strings that a comparison fixes a variable to; () when it does not."""
    if not isinstance(tree, Call) or len(tree.args) != 2:
        return ()
    left, right = tree.args
    if tree.name == "==" and isinstance(left, Literal):
        left, right = right, left
    if not isinstance(left, Name) or left.name != name:
        return ()
    items: Sequence[Expression] = (right,) if tree.name == "==" else ()
    if tree.name == "in" and isinstance(right, ListOf):
        items = right.items
    values = tuple(one.value for one in items if isinstance(one, Literal) and isinstance(one.value, str))
    return values if len(values) == len(items) else ()


def _subject(tools: Sequence[str], classes: Sequence[str], every: bool) -> Prose:
    of = ("of ", *codes(tools)) if tools else ("of any tool",)
    return ("every call " if every else "a call ", *of, *_of_class(classes))


def _of_class(classes: Sequence[str]) -> Prose:
    return (f" whose class is {' or '.join(classes)}",) if classes else ()


def _verb(enforcement: Enforcement) -> str:
    return {"advisory": "is noted, as one that ", "evaluate": "is noted on trial, as one that "}.get(enforcement, "")


def answer(then: Then) -> Prose:
    """What happens to the call."""
    if isinstance(then, Approve):
        return ("needs ", *approval(then))
    return ("is denied",) if then == "deny" else ("is noted, and allowed unless another rule says otherwise",)


def approval(asked: Approve) -> Prose:
    """Who must say yes, how surely, and how soon."""
    people = counted(asked.quorum, "person", "people")
    key = f"{STRENGTHS[asked.strength]} (strength {asked.strength}{' or better' if asked.strength in 'BC' else ''})"
    role = f"the approval of {people} in the role "
    return (role, *codes(asked.roles), f" within {duration(asked.within)}, signed with {key}")


def lifted(enforcement: Enforcement) -> str:
    """What can lift the rule, as a sentence."""
    return f"{ENFORCEMENTS[enforcement]}."
