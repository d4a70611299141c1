"""Text with random mistakes: what we read as a condition is CEL and means the same; what we refuse of CEL is left out
on purpose."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from cel_differential import agree
from cel_generator import VARIABLES, Conditions, values
from cel_oracle import Oracle, converted, ours

from agent_saga.policies.cel import CelError, compile_, parse

PIECES = [
    *"()[]{}.,:?!-+*/%<>=&|'\"\\rbuxU0159aeE_ \n\t#`$@;~^", "&&", "||", "==", "'''", '"""', "has(", "in", "//", "0x",
    "\\u", "true", "1u", "r'", 'b"', "é", "\U0001f600", "1.", "e5", "..", "args", "if", "\r", "\x00", "\u200b",
]  # fmt: skip

ON_PURPOSE = re.compile(
    "left out here|unseen character|carriage return|put what follows the first sign in brackets|neither a number nor a"
    "|beyond the greatest double|has\\(\\) takes one field|raw string ends with a backslash|nests? deeper than"
    "|carriage return without|is a reserved word of CEL, expected a value$|expected a value, found `,`$"
)
"""Words of the faults of texts that are CEL but no condition (policy-cel-v1.md, "What of CEL is left out"); and
of ``[,]``, which is neither, but which they read as ``[]``."""

TIMES = re.compile(r"timestamp|duration|int\(|double\(")
"""Where a mistake may turn a constant text into one that only some readers take: cel_known.KNOWN."""


def mistaken(random_: random.Random, text: str) -> str:
    """A text with a piece put in, cut out, repeated or replaced."""
    at, chance = random_.randrange(len(text) + 1), random_.random()
    if chance < 0.4:
        return text[:at] + random_.choice(PIECES) + text[at:]
    if chance < 0.7:
        return text[:at] + text[at + random_.choice((1, 1, 2, 3)) :]
    other = random_.randrange(len(text) + 1)
    if chance < 0.85:
        return text[:at] + text[min(at, other) : max(at, other)] + text[at:]
    return text[:at] + random_.choice(PIECES) + text[at + 1 :]


def disagreements(seed: int, count: int) -> Iterator[str]:
    """Each text that the two read differently, without a reason."""
    random_, oracle = random.Random(seed), Oracle()
    making = Conditions(random_, wrong=0.1)
    for _ in range(count):
        text = making.of("bool", random_.choice((0, 1, 2)))
        for _ in range(random_.choice((1, 1, 2, 3))):
            text = mistaken(random_, text)
        theirs = oracle.compile(text)
        try:
            tree = parse(text)
        except CelError as why:
            if theirs is not None and not ON_PURPOSE.search(str(why)):
                yield f"{text!r}: we refuse it: {why}"
            continue
        if theirs is None:
            yield f"{text!r}: they refuse it"
            continue
        try:
            function = compile_(tree, VARIABLES)
        except CelError:
            continue
        given = values(random_)
        mine, other = ours(function, converted(given)), oracle.run(theirs, given)
        known = TIMES.search(text) or "string() takes no" in str(mine) or "ALREADY_EXISTS" in str(other)
        if not agree(mine, other) and not known:
            yield f"{text!r}: ours {mine}, theirs {other}"


def test_no_text_is_read_differently() -> None:
    assert list(disagreements(seed=1, count=4_000)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_no_text_is_read_differently_in_a_long_run(seed: int) -> None:
    assert list(disagreements(seed, count=60_000)) == []
