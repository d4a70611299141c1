"""What of a rule or limit stands otherwise, a line each, for people."""

from collections.abc import Iterator

from agent_saga.policies.cel import text_of
from agent_saga.policies.diffing.directions import Direction
from agent_saga.policies.diffing.settings import approval_details
from agent_saga.policies.diffing.subjects import Part
from agent_saga.policies.model import Approve, Enforcement, Limit, Rule, Then
from agent_saga.policies.rendering.prose import duration

_BINDING = ("hard", "soft")


def details(old: Part, new: Part) -> tuple[str, ...]:
    """The differences of two parts of one id."""
    lines: list[str] = []
    if isinstance(old, Rule) and isinstance(new, Rule):
        if text_of(old.when.tree) != text_of(new.when.tree):
            lines += [f"when {text_of(old.when.tree)} -> {text_of(new.when.tree)}"]
    elif isinstance(old, Limit) and isinstance(new, Limit):
        lines += _limit(old, new)
    else:
        lines.append(f"a {_word(old)} -> a {_word(new)}")
    lines += _then(old.then, new.then)
    if old.enforcement != new.enforcement:
        lines.append(f"enforcement {old.enforcement} -> {new.enforcement}")
    return tuple(lines)


def _word(part: Part) -> str:
    return "limit" if isinstance(part, Limit) else "rule"


def _limit(old: Limit, new: Limit) -> Iterator[str]:
    if old.max != new.max:
        yield f"max {old.max:,} -> {new.max:,}"
    if old.window != new.window:
        yield f"window {duration(old.window)} -> {duration(new.window)}"
    texts = [(text_of(one.of.tree), text_of(one.measure.tree) if one.measure else "calls") for one in (old, new)]
    if texts[0][0] != texts[1][0]:
        yield f"of {texts[0][0]} -> {texts[1][0]}"
    if texts[0][1] != texts[1][1]:
        yield f"sum of {texts[0][1]} -> {texts[1][1]}"
    keys = [sorted(text_of(key.tree) for key in one.per) for one in (old, new)]
    if keys[0] != keys[1]:
        yield f"per {', '.join(keys[0]) or 'nothing'} -> {', '.join(keys[1]) or 'nothing'}"


def _then(old: Then, new: Then) -> Iterator[str]:
    if isinstance(old, Approve) and isinstance(new, Approve):
        yield from approval_details(old, new)
    elif old != new:
        yield f"then {_answer(old)} -> {_answer(new)}"


def _answer(then: Then) -> str:
    return f"approval by {then.quorum} of {', '.join(then.roles)}" if isinstance(then, Approve) else then


def waivable(old: Enforcement, new: Enforcement) -> Direction:
    """Whether a waiver may lift what it could not lift before: no call shows it as long as there is no waiver."""
    if old in _BINDING and new in _BINDING and old != new:
        return "looser" if new == "soft" else "stricter"
    return "equivalent"
