"""Standard output and the terminal: any text can be printed, and a reader that goes away is no error."""

import contextlib
import os
import shutil
import sys
from typing import Final, TextIO

from agent_saga.trace.printing import visible as visible

WIDTH: Final = 100
"""Columns of text that goes to no terminal: the same wherever it is made."""


def prepare() -> None:
    """Let both outputs write any character, as ``\\uXXXX`` where the encoding of the terminal lacks it."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Write to standard output, at once. A closed pipe is quiet. Raises OSError when the output cannot be written."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def note(text: str) -> None:
    """Say something beside the output, on standard error, for people only."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(text, file=sys.stderr)


def drop_output() -> None:
    """Send what is still buffered nowhere, or the interpreter complains of it when it ends."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is looking at it."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color() -> bool:
    """Colour on a terminal; NO_COLOR forbids it, FORCE_COLOR asks for it anywhere (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(sys.stdout)


def width() -> int:
    """Columns of text on standard output: COLUMNS, the terminal's, or WIDTH; at least 40."""
    return max(40, shutil.get_terminal_size((WIDTH, 24)).columns)
