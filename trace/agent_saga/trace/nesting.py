"""How deep JSON text nests, told without parsing it: parsing what is too deep is what must not happen.

Source: docs/spec/trace-v1.md, "Values"; RFC 8259, section 9 (a parser may limit the depth).
"""

import re

_STRUCTURE = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""Possessive and never failing after a quote, so one pass over the text is enough, whatever stands in it."""


def too_deep(text: bytes, limit: int) -> int:
    """Where the first array or object opens that lies deeper than ``limit`` levels, as an offset; -1 for none.

    The text need not be JSON; a string that never ends reaches to the end. Takes time that is linear in the text.
    """
    depth = 0
    for token in _STRUCTURE.finditer(text):
        first = text[token.start()]
        if first in b"[{":
            depth += 1
            if depth > limit:
                return token.start()
        elif first in b"]}":
            depth -= 1
    return -1
