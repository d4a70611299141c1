"""How far the judging is, on one line of a terminal; nothing anywhere else."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent_saga.cli.terminal import is_terminal, visible

PAUSE: Final = 0.2
"""Seconds between two updates: often enough to look alive, seldom enough to cost nothing."""


@dataclass
class Progress:
    """A callable for the judge: ``progress(path, bytes_so_far)``."""

    clock: Callable[[], float] = time.monotonic
    _shown_at: float = float("-inf")
    _drawn: bool = False

    def __call__(self, path: str, size: int) -> None:
        """Show where the judge is, unless it was shown a moment ago."""
        now = self.clock()
        if now - self._shown_at >= PAUSE:
            self._shown_at, self._drawn = now, True
            self._write(f"\r\x1b[K{visible(path)}: {size / 1e6:,.1f} MB")

    def clear(self) -> None:
        """Leave the line empty for what is printed next."""
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # the terminal went away; the judging goes on
            self._shown_at = float("inf")


def wanted(quiet: int, log_format: str) -> bool:
    """Only for a person who looks at standard error and did not ask for silence."""
    return not quiet and log_format == "text" and is_terminal(sys.stderr)
