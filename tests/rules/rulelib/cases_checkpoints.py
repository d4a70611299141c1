"""AS110, AS111, AS112 and AS115: the trace and the signed checkpoint that it is held against."""

from __future__ import annotations

import re

from .case import INPUT, case
from .checkpoints import STRANGER, note

SHORT = """
    do e1 stock.reserve
    check first
    success e1
"""


def rewritten(line: bytes) -> bytes:
    """The line with another salt."""
    return re.sub(rb'"salt":"..', b'"salt":"AA', line)


case(
    "AS110",
    "ended_behind_it",
    "The saga ends two lines behind the checkpoint.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note(lines[:-2]), "good": note},
)
case(
    "AS110",
    "empty_checkpoint",
    "The checkpoint is of a log without lines.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note([]), "good": note},
)
case(
    "AS111",
    "other_lines",
    "The checkpoint was signed over another first line: the log was written anew, with all its chains.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note([rewritten(lines[0]), *lines[1:]]), "good": note},
)
case(
    "AS111",
    "lines_moved",
    "The checkpoint was signed over the same lines in another order.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note([*lines[:-2], lines[-1], lines[-2]]), "good": note},
)
case(
    "AS111",
    "last_line_doubled",
    "The checkpoint names as many lines as there are; its root is over the last one twice.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note([*lines, lines[-1]], claimed=len(lines)), "good": note},
)
case(
    "AS112",
    "signed_by_another_key",
    "The checkpoint is signed by a key that the pin does not name.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note(lines, STRANGER), "good": note},
)
case(
    "AS112",
    "of_another_log",
    "The checkpoint is of another origin.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note(lines, origin="log.example/other"), "good": note},
)
case(
    "AS112",
    "root_changed_after_signing",
    "A digit of the signed size was changed.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note(lines).replace(b"\n%d\n" % len(lines), b"\n1\n", 1), "good": note},
)
case(
    "AS115",
    "tail_cut_off",
    "The checkpoint covers one line more than the log has: the first line of another saga was cut off.",
    SHORT,
    kind=INPUT,
    checkpoint={"bad": lambda lines: note([*lines, lines[0]]), "good": note},
)
