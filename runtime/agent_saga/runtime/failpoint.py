"""A failpoint for tests of recovery: the process kills itself right before or after its N-th append.

``AGENT_SAGA_FAILPOINT=before:3`` or ``after:3`` (``3`` alone is ``after:3``). SIGKILL: nothing is cleaned up, as
when the power goes.
"""

import os
import re
import signal
from collections.abc import Mapping
from typing import Final

from agent_saga.runtime.errors import RuntimeFault

VARIABLE: Final = "AGENT_SAGA_FAILPOINT"


class Failpoint:
    """Counts the appends of this process, and ends it at the one that was named."""

    def __init__(self, named: str = "") -> None:
        """named: what the variable holds; "" for never. Raises RuntimeFault when it is nothing of the kind."""
        match = re.fullmatch(r"(?:(before|after):)?([1-9][0-9]{0,5})", named) if named else None
        if named and not match:
            raise RuntimeFault(f"{VARIABLE} is {named!r}; expected such as before:3 or after:3")
        self._where, self._number = (match[1] or "after", int(match[2])) if match else ("", 0)
        self._count = 0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Failpoint":
        """The failpoint that the environment names."""
        return cls(environment.get(VARIABLE, ""))

    def before(self) -> None:
        """An append is about to be made."""
        self._count += 1
        self._reached("before")

    def after(self) -> None:
        """An append has become durable."""
        self._reached("after")

    def _reached(self, where: str) -> None:
        if self._number == self._count and self._where == where:
            os.kill(os.getpid(), signal.SIGKILL)
