"""``markdown``: for a comment on a pull or merge request. No name of the policy can ping, link or break a table.

It stays under 60,000 bytes (GitHub takes 65,536 characters): what got looser stands first, and what is left out is
counted.
"""

from collections.abc import Iterator
from typing import Final

from agent_saga.policies.diffing.comparing import worst_first
from agent_saga.policies.diffing.reports.words import answer, call, examples, headline, sureness, title
from agent_saga.policies.diffing.result import Change, Comparison, Example
from agent_saga.trace.escaping import code, markdown

COMMENT_BYTES: Final = 60_000
_SIGN: Final = {"equivalent": "✅", "stricter": "🔒", "looser": "⚠️", "incomparable": "⚠️"}


def report(comparison: Comparison) -> str:
    """The comparison as a page."""
    lines = [f"## {_SIGN[comparison.direction]} {markdown(headline(comparison))}", ""]
    lines += [f"{markdown(_sure(comparison))}", ""]
    lines += _examples(comparison.whole)
    changes = worst_first(comparison.changes)
    if changes:
        lines += ["| part | direction | what changed |", "|---|---|---|"]
    blocks = [[_row(one)] for one in changes]
    rest = _fit(lines, blocks)
    lines.append("")
    rest += _fit(lines, [_shown(one) for one in changes if examples(one)])
    if rest:
        lines += [f"{rest} more did not fit; `--format text` has all of it.", ""]
    digests = f"{code(comparison.before.digest[:16])} to {code(comparison.after.digest[:16])}"
    return "\n".join([*lines, f"<sub>digest {digests}</sub>", ""])


def _sure(comparison: Comparison) -> str:
    sure = sureness(comparison.whole)
    return f"{sure[:1].upper()}{sure[1:]}; {comparison.calls:,} calls were tried."


def _fit(lines: list[str], blocks: list[list[str]]) -> int:
    """Add the blocks that still fit; how many do not."""
    room = COMMENT_BYTES - sum(len(line.encode()) + 1 for line in lines)
    for number, block in enumerate(blocks):
        room -= sum(len(line.encode()) + 1 for line in block)
        if room < 0:
            return len(blocks) - number
        lines += block
    return 0


def _row(change: Change) -> str:
    sure = "" if change.finding.proven else " (sampled)"
    told = "<br>".join(code(line) for line in change.details) or "-"
    return f"| {markdown(title(change))} | {_SIGN[change.direction]} {change.direction}{sure} | {told} |"


def _shown(change: Change) -> list[str]:
    return [f"### {markdown(title(change))}", "", *_examples(change)]


def _examples(change: Change) -> Iterator[str]:
    for way, example in examples(change):
        yield f"<details><summary>A call that shows it is {way}{_note(example)}</summary>"
        yield ""
        yield from _calls(example)
        yield ""
        yield f"- before: {markdown(answer(example.old))}"
        yield f"- after: {markdown(answer(example.new))}"
        yield ""
        yield "</details>"
        yield ""


def _note(example: Example) -> str:
    return f", {markdown(example.note)}" if example.note else ""


def _calls(example: Example) -> Iterator[str]:
    calls = [example.after] if example.before == example.after else [example.before, example.after]
    for given in calls:
        # ASCII JSON on one line: no value can end the fence, since a line of it begins with a brace.
        yield "```json"
        yield call(given)
        yield "```"
