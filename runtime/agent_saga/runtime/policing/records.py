"""Where decision records go: anything that takes one line, such as a file.

A record is told before the lines that follow from its decision become durable; where that fails, nothing is called. A
decision that another process overtook is followed by another one.
"""

import os
from collections.abc import Callable
from os import PathLike, fspath

from agent_saga.runtime.errors import RuntimeFault

Sink = Callable[[bytes], None]
"""Told one record, a JSON line without its LF. Raises RuntimeFault when it could not be kept."""


def file_sink(path: str | PathLike[str]) -> Sink:
    """Appends each record to a file that its owner alone can read; several processes may share it."""
    place = fspath(path)

    def told(line: bytes) -> None:
        try:
            handle = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if os.write(handle, line + b"\n") != len(line) + 1:
                    raise OSError("only a part was written")
            finally:
                os.close(handle)
        except OSError as fault:
            raise RuntimeFault(
                f"{place}: the record of a decision cannot be written ({fault.strerror or fault}); nothing was called: "
                "make the file writable, or leave the records out"
            ) from fault

    return told
