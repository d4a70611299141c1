"""The lints, each a function from a look at the policy to notes."""

from collections.abc import Callable, Iterator
from typing import Final

from agent_saga.policies.cel import names_in
from agent_saga.policies.cel.syntax import Call, Expression, Literal
from agent_saga.policies.cel.walking import parts
from agent_saga.policies.diffing.directions import Answer, compare
from agent_saga.policies.linting.clashes import clashing
from agent_saga.policies.linting.looking import Look, Part
from agent_saga.policies.linting.notes import Note
from agent_saga.policies.linting.nulls import slipping
from agent_saga.policies.model import Approve, Limit, Place, Policy, Rule

_BINDING: Final = ("hard", "soft")
_CONVERSIONS: Final = ("timestamp", "duration", "int", "double")
MOST_PAIRS: Final = 400
"""Pairs of rules that are compared; the first of a file, so that a check of a thousand rules ends."""


def lint(policy: Policy, proving: bool | None = None) -> list[Note]:
    """All that is odd, in the order of the file. proving: ask the solver z3; None: where it is installed."""
    look = Look(policy, proving)
    notes = [note for one in _LINTS for note in one(look)]
    return sorted(notes, key=lambda note: (note.place.line, note.place.column, note.code))


def _unsure(proven: bool | None) -> str:
    return "" if proven else " (sampled: no call that was tried shows otherwise)"


def _read(tree: Expression) -> bool:
    """Whether a condition reads a time or a number out of a text, which samples hardly ever hold by chance."""
    converted = (one for one in parts(tree) if isinstance(one, Call) and one.name in _CONVERSIONS)
    return any(not isinstance(one.args[0], Literal) for one in converted)


def _never_true(look: Look) -> Iterator[Note]:
    for rule in look.policy.rules:
        proven = look.never(rule, look.about(rule))
        if proven or (proven is None and not _read(rule.when.tree)):
            text = f"the condition of rule {rule.id} holds for no call{_unsure(proven)}; correct it or take it out"
            yield Note(rule.when.place, "never-true", text)


def _always_true(look: Look) -> Iterator[Note]:
    for rule in look.policy.rules:
        # `tool == "x"` is how one says "every call of x"; what is odd is a comparison that decides nothing.
        tools = [tool for tool in look.about(rule) if not look.written(rule, tool)]
        proven = look.always(rule, tools) if tools else False
        if proven is not False:
            about = "" if len(tools) == len(look.policy.tools) else f" of {', '.join(tools)}"
            text = (
                f"the condition of rule {rule.id} holds for every call{about}{_unsure(proven)}; say so, or correct it"
            )
            yield Note(rule.when.place, "always-true", text)


def _uncountable(look: Look) -> Iterator[Note]:
    for limit in look.policy.limits:
        proven = look.never(limit, look.about(limit))
        if proven or (proven is None and not _read(limit.of.tree)):
            text = f"limit {limit.id} counts no call{_unsure(proven)}; correct `of` or take it out"
            yield Note(limit.of.place, "uncountable-limit", text)
        elif limit.measure is not None and limit.measure.tree == Literal(0):
            yield Note(limit.measure.place, "uncountable-limit", f"limit {limit.id} adds nothing for any call")


def _shadowed(look: Look) -> Iterator[Note]:
    pairs = ((one, two) for one in look.policy.rules for two in look.policy.rules if one is not two)
    for number, (one, two) in enumerate(pairs):
        if number >= MOST_PAIRS:
            return
        if not _covers(two, one) or look.never(one, look.about(one)) is not False:
            continue
        if _covers(one, two) and look.policy.rules.index(one) < look.policy.rules.index(two) and _alike(look, one, two):
            continue  # of two that shadow each other, the later one is told
        proven = look.never(one, look.about(one), without=two)
        if proven is not False:
            text = f"rule {two.id} always decides at least as strictly as rule {one.id}{_unsure(proven)}"
            yield Note(one.place, "shadowed", f"{text}; take one of them out")


def _alike(look: Look, one: Rule, two: Rule) -> bool:
    return look.never(two, look.about(two), without=one) is not False


def _covers(strict: Rule, mild: Rule) -> bool:
    """Whether a rule's answer is at least as strict, and no easier to lift."""
    if strict.enforcement not in _BINDING or mild.enforcement not in _BINDING or mild.then == "allow":
        return False
    if mild.enforcement == "hard" and strict.enforcement == "soft":
        return False
    return compare(_answer(mild), _answer(strict)) in ("stricter", "equivalent")


def _answer(rule: Rule) -> Answer:
    return ("approve", rule.then) if isinstance(rule.then, Approve) else (rule.then, None)


def _allowing(look: Look) -> Iterator[Note]:
    part: Part
    for part in look.parts:
        if part.then == "allow" and part.enforcement in _BINDING:
            kind = "limit" if isinstance(part, Limit) else "rule"
            text = f"{kind} {part.id} says allow, which changes no answer: it lifts nothing that another rule asks for"
            yield Note(part.place, "allow-changes-nothing", f"{text}; narrow the other rule, or give it a waiver")


def _previewed(look: Look) -> Iterator[Note]:
    for part in look.parts:
        if "chain" in names_in(look.tree(part)):
            continue  # a chain is asked about from its first step, which often only looks
        tools = [tool for tool in look.about(part) if look.policy.tools[tool].semantics == "preview"]
        if isinstance(part.then, Approve) and part.enforcement in _BINDING and tools:
            if look.never(part, tools) is not False:
                continue
            kind = "limit" if isinstance(part, Limit) else "rule"
            text = f"{kind} {part.id} asks persons about {', '.join(tools)}, which only looks and changes nothing"
            yield Note(part.place, "approval-for-preview", f"{text}; name the tools that it is about")


def _undoing(look: Look) -> Iterator[Note]:
    """A rule about nothing but a tool that undoes, which its writer may take for one about undos."""
    known = look.policy.tools
    pairs = [(rule, known[rule.undo]) for rule in known.values() if rule.undo and rule.undo in known]
    undone_by = {undo.name: rule for rule, undo in pairs if undo.undo != rule.name}  # else each is a call of its own
    for part in look.parts:
        tools = look.about(part)
        if tools and part.enforcement in _BINDING and all(tool in undone_by for tool in tools):
            kind, other = "limit" if isinstance(part, Limit) else "rule", undone_by[tools[0]]
            text = f"{kind} {part.id} is about calls that agents make of {', '.join(tools)}, and not about undos"
            hint = f"{text} of {other.name}; say under inverse of {other.name} what its undos must be"
            yield from () if other.inverse is not None else (Note(part.place, "judges-no-undo", hint),)


def _deciding(look: Look) -> Iterator[Note]:
    """A verdict that takes several persons, which a line ``person.decided`` of one cannot give."""
    for verdict, asked in look.policy.decide.items():
        if asked.quorum > 1:
            text = (
                f"decide.{verdict} wants {asked.quorum} persons: a decision is the signed word of one, so that nobody"
            )
            hint = "the runtime refuses such a policy, and certify each decision; ask for one person and a stronger key"
            yield Note(Place(1, 1), "decide-by-several", f"{text} may decide; {hint}")


_LINTS: Final[tuple[Callable[[Look], Iterator[Note]], ...]] = (
    _never_true,
    _always_true,
    _uncountable,
    _shadowed,
    _allowing,
    _previewed,
    _undoing,
    slipping,
    clashing,
    _deciding,
)
