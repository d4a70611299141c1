"""The bounds of a condition. Each is far above what a person writes and low enough that the worst case is quick.

The CEL specification ("Syntax") asks for at least 32 of each; every limit here is above that.
"""

from typing import Final

MAX_TEXT: Final = 10_000
"""Characters of a condition: some two hundred lines."""

MAX_NESTING: Final = 64
"""Levels of the syntax tree and of brackets, so that walking a tree stays far from Python's limit of 1,000 calls.

A chain of ``&&`` or of ``||`` is one level, however long.
"""

MAX_NODES: Final = 2_000
"""Parts of a condition: a table of some hundred entries with its look-ups."""

MAX_INT: Final = 2**63 - 1
"""Of the type int: CEL's integers have 64 bits."""

MIN_INT: Final = -(2**63)

MAX_VALUE_NESTING: Final = 64
"""Levels of a value that is compared: as deep as a trace may nest (docs/spec/trace-v1.md, "Line form")."""
