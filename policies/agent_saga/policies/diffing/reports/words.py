"""What all formats say in the same words: a direction, an answer, how sure it is, a call as JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final

from agent_saga.policies.answers import Decision
from agent_saga.policies.diffing.result import Change, Comparison, Example
from agent_saga.policies.model import Approve
from agent_saga.policies.rendering.prose import counted, duration

HEADLINES: Final = {
    "equivalent": "no call is answered otherwise",
    "stricter": "it lets less through",
    "looser": "it lets more through",
    "incomparable": "it lets more through for some calls, and less for others",
}


def headline(comparison: Comparison) -> str:
    """``payments 7 -> 8: LOOSER: it lets more through``."""
    old, new = comparison.before, comparison.after
    names = f"{new.policy} {old.version} -> {new.version}"
    if old.policy != new.policy:
        names = f"{old.policy} {old.version} -> {new.policy} {new.version}"
    text = HEADLINES[comparison.direction]
    if comparison.direction == "equivalent" and not comparison.whole.finding.proven:
        text = "no call that was tried is answered otherwise"
    return f"{names}: {comparison.direction.upper()}: {text}"


def sureness(change: Change) -> str:
    """``proven``, or ``sampled`` and why; a direction that an example shows both ways needs no more."""
    if change.finding.proven:
        return "proven"
    return f"sampled: {change.finding.why}" if change.finding.why else "sampled"


def title(change: Change) -> str:
    """``rule wire-needs-two``, with what happened to it where it is no mere change."""
    state = {"added": " (added)", "removed": " (removed)", "renamed": " (renamed)"}.get(change.what, "")
    return f"{change.kind} {change.id}{state}"


def answer(decision: Decision) -> str:
    """A decision in one line, with what decided it."""
    by = f" [{decision.rule}]" if decision.rule else ""
    if decision.effect == "deny":
        return f"denied: {decision.code}{by}"
    if decision.approve is None:
        return "allowed"
    return f"needs approval: {approval(decision.approve)}{by}"


def approval(asked: Approve) -> str:
    """An approval in one line."""
    people = counted(asked.quorum, "person", "people")
    return f"{people} of {' or '.join(asked.roles)}, strength {asked.strength}, within {duration(asked.within)}"


def call(given: Mapping[str, Any]) -> str:
    """A call as JSON that ``policy explain`` reads."""
    return json.dumps(given, ensure_ascii=True)


def examples(change: Change) -> list[tuple[str, Example]]:
    """The calls that show a change, by the way that they show."""
    found = (("looser", change.finding.looser), ("stricter", change.finding.stricter))
    return [(way, example) for way, example in found if example is not None]
