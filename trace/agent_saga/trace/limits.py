"""Every bound of trace format 1, with its reason. Nothing else in the code base repeats these numbers."""

from typing import Final

FORMAT: Final = "1.0"
"""The format this release writes: MAJOR is the ``v`` of each line, MINOR grows with optional members."""

VERSION: Final = 1
MINOR: Final = 0

MAX_LINE: Final = 262_144
"""Bytes of a line without its LF: four times the largest payload seen in agent traces; bounds every reader's memory."""

MAX_DEPTH: Final = 64
"""Nesting of a line, its own object being 1: far above real payloads, far below any parser's stack."""

MAX_INT: Final = 2**53 - 1
"""Largest magnitude that every JSON implementation reads exactly (RFC 8259, section 6)."""

MAX_SAGA_ID: Final = 128
MAX_ID: Final = 64
MAX_KEY: Final = 128

GENESIS: Final = "0" * 64
"""``prev`` of a saga's first line."""

LOG_SAGA: Final = "log"
"""The reserved saga that holds the log's own lines."""
