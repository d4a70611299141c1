"""Messages for people and log collectors, on standard error only; reports go elsewhere.

A message never holds a value of a trace: the log of a CI job is read by more people than the trace is.
"""

import json
import sys
from dataclasses import dataclass
from typing import Final

from agent_saga.cli.terminal import visible

ERROR, WARNING, INFO, DEBUG = range(4)
_NAMES: Final = ("error", "warning", "info", "debug")


@dataclass
class Log:
    """Where messages go. level: the lightest that is shown. form: ``text``, or ``json`` for an object a line."""

    level: int = WARNING
    form: str = "text"

    def configure(self, verbose: int, quiet: int, form: str) -> None:
        """Set the level from how often ``-v`` and ``-q`` were given, and the format."""
        self.level = max(ERROR, min(DEBUG, WARNING + verbose - quiet))
        self.form = form

    def error(self, event: str, message: str) -> None:
        """Say why the command did not do what it was asked to do."""
        self._write(ERROR, event, message)

    def warning(self, event: str, message: str) -> None:
        """Say what the user should look at although the command went on."""
        self._write(WARNING, event, message)

    def info(self, event: str, message: str) -> None:
        """Say what is being done (``-v``)."""
        self._write(INFO, event, message)

    def debug(self, event: str, message: str) -> None:
        """Say how it is being done (``-vv``)."""
        self._write(DEBUG, event, message)

    def _write(self, level: int, event: str, message: str) -> None:
        if level > self.level or sys.stderr is None:
            return
        name = _NAMES[level]
        line = f"agent-saga: {name}: {visible(message)}"
        if self.form == "json":
            line = json.dumps({"level": name, "event": event, "message": message})
        try:
            print(line, file=sys.stderr, flush=True)
        except OSError:  # nobody reads it; the exit code still speaks
            sys.stderr = None


LOG: Final = Log()
"""The log of this process. It is the command's alone: no part below writes to it."""
