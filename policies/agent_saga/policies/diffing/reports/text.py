"""``text``: for a terminal."""

from collections.abc import Iterator
from typing import Final

from agent_saga.policies.diffing.comparing import worst_first
from agent_saga.policies.diffing.reports.words import answer, call, examples, headline, sureness, title
from agent_saga.policies.diffing.result import Change, Comparison, Example
from agent_saga.trace.escaping import shown

_WIDE: Final = 14


def report(comparison: Comparison) -> str:
    """The comparison, a part below the other, the worst first."""
    lines = [headline(comparison), f"{'':<{_WIDE}}{sureness(comparison.whole)}; {comparison.calls:,} calls were tried"]
    lines += _examples(comparison.whole)
    for change in worst_first(comparison.changes):
        lines += ["", *_change(change)]
    return "".join(f"{shown(line)}\n" for line in lines)


def _change(change: Change) -> Iterator[str]:
    sure = "" if change.finding.proven else f" ({sureness(change)})"
    yield f"{change.direction:<{_WIDE}}{title(change)}{sure}"
    yield from (f"{'':<{_WIDE}}{line}" for line in change.details)
    yield from _examples(change)


def _examples(change: Change) -> Iterator[str]:
    for way, example in examples(change):
        yield from _example(way, example)


def _example(way: str, example: Example) -> Iterator[str]:
    note = f" {example.note}" if example.note else ""
    if example.before == example.after:
        yield f"{'':<{_WIDE}}{way}{note}: {call(example.after)}"
    else:
        yield f"{'':<{_WIDE}}{way}{note}, before: {call(example.before)}"
        yield f"{'':<{_WIDE}}{way}{note}, after:  {call(example.after)}"
    yield f"{'':<{_WIDE}}    before: {answer(example.old)}"
    yield f"{'':<{_WIDE}}    after:  {answer(example.new)}"
