"""The lines of a store or of a trace file for those who look at them, and how the reading ended.

Looking is no judging, but what cannot be looked at must not pass for what was: an input without a line, one that ends
inside a line and one of other bytes each end the command with a message and an exit code of their own.

Source: docs/exit-codes.md.
"""

import os
from collections.abc import Iterator

from agent_saga.cli.log import LOG
from agent_saga.trace.errors import SourceError
from agent_saga.trace.heads import claimed
from agent_saga.trace.reader import open_input
from agent_saga.trace.store.following import lines_since
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.telling import is_sqlite


def database(path: str) -> bool:
    """Whether a SQLite database stands there, or it is an address of one. Raises SourceError when it cannot be read."""
    try:
        return is_address(path) or is_sqlite(path)
    except OSError as fault:
        raise SourceError(f"{path}: cannot be read: {fault.strerror or fault}") from fault


class Lines:
    """The whole lines, in the order of the log, as often as they are asked for; known after the first time through:

    count: how many there are. bad: those that are no line of a trace; a caller may add what it could not decode.
    rest: bytes behind the last LF. broken: why the stream ended early, "" when it did not.
    """

    def __init__(self, path: str) -> None:
        """Raises SourceError when the path cannot be read. What can be read once only is kept in memory."""
        self.path, self._store = path, database(path)
        self.count, self.bad, self.rest, self.broken = 0, 0, 0, ""
        self._kept = None if self._store or os.path.isfile(path) else list(self._read())

    def __iter__(self) -> Iterator[bytes]:
        return self._read() if self._kept is None else iter(self._kept)

    def _read(self) -> Iterator[bytes]:
        count, bad = 0, 0
        for line in lines_since(self.path, 0) if self._store else self._of_file():
            count, bad = count + 1, bad + (claimed(line) is None)
            yield line
        self.count, self.bad = count, bad

    def _of_file(self) -> Iterator[bytes]:
        source = open_input(self.path)
        ahead: bytes | None = None
        for line in source.lines():
            if ahead is not None:
                yield ahead
            ahead = line
        self.rest, self.broken = len(ahead or b""), source.truncated

    def require_trace(self) -> None:
        """Raise SourceError when no whole line of several is one of a trace: these are other bytes."""
        if self.count and self.bad >= self.count:
            lines = "its only line is none" if self.count == 1 else f"none of its {self.count} lines is one"
            raise SourceError(f"{self.path}: no trace: {lines} of a trace; name a store or a trace")

    def ending(self) -> int:
        """The exit code for who read to the end: 1 for lines that are none, 4 for an end inside a line, or no line.

        Says on standard error why it is not 0. Raises as :meth:`require_trace`.
        """
        self.require_trace()
        if self.bad:
            LOG.error("trace", f"{self.path}: {self.bad} of {self.count} lines cannot be read; certify says why")
            return 1
        if self.broken or self.rest:
            why = self.broken or f"{self.rest} bytes follow the last whole line"
            LOG.error("trace", f"{self.path}: unterminated: {why}; it is torn, or still being written")
            return 4
        if not self.count:
            LOG.error("trace", f"{self.path}: empty: it holds no line of a trace")
            return 4
        return 0
