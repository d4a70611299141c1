"""What changed against the version before: from the comparison, each part with a call that shows it."""

import json
from collections.abc import Iterator
from typing import Final

from agent_saga.policies.diffing.comparing import worst_first
from agent_saga.policies.diffing.reports.words import HEADLINES, examples, sureness, title
from agent_saga.policies.diffing.result import Change, Comparison, Example
from agent_saga.policies.rendering.blocks import Block, Card, Paragraph, Sample, Section
from agent_saga.policies.rendering.prose import Code, Prose
from agent_saga.policies.rendering.samples import decision_words

_DOES: Final = {
    "looser": "lets more through",
    "stricter": "lets less through",
    "equivalent": "says the same in other words",
    "incomparable": "lets more through for some calls and less for others",
}


def change_section(comparison: Comparison) -> Section:
    """The section of the changes."""
    return Section("changes", f"Changes since version {comparison.before.version}", tuple(_blocks(comparison)))


def _blocks(comparison: Comparison) -> Iterator[Block]:
    whole = comparison.whole
    words = HEADLINES[comparison.direction]
    sure = "This is proven." if whole.finding.proven else f"This is {sureness(whole)}."
    yield Paragraph((f"In all, the policy is {comparison.direction}: {words}. {sure}",))
    for change in worst_first(comparison.changes):
        yield _card(change)
    if not comparison.changes:
        yield Paragraph(("No rule, limit, tool or setting is another one.",), quiet=True)


def _card(change: Change) -> Card:
    verb = {"added": " is new: it ", "removed": " is gone: that "}.get(change.what, " ")
    sure = "" if change.finding.proven else f" ({sureness(change)})"
    words: Prose = (*_name(change), f"{verb}{_DOES[change.direction]}{sure}.")
    shown = [sample for way, example in examples(change) for sample in _samples(way, example)]
    return Card(change.id, change.direction, change.direction, words, tuple(map(_detail, change.details)), tuple(shown))


def _name(change: Change) -> Prose:
    kind = title(change).partition(" ")[0]
    return (f"{kind[:1].upper()}{kind[1:]} ", Code(change.id))


def _detail(text: str) -> Prose:
    name, _, rest = text.partition(" ")
    old, arrow, new = rest.partition(" -> ")
    return (f"{name}: ", Code(old), " is now ", Code(new)) if arrow else (text,)


def _samples(way: str, example: Example) -> Iterator[Sample]:
    note = f"{example.note}, " if example.note else ""
    for word, given, decision in (("before", example.before, example.old), ("now", example.after, example.new)):
        args = {name: value for name, value in given.items() if name != "tool"}
        call: Prose = (f"{note}{word}: ", Code(given["tool"]), " ", Code(_compact(args)))
        yield Sample(call, decision_words(decision), decision.effect)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(", ", ": "))
