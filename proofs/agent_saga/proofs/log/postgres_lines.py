"""The lines of a store in PostgreSQL, each by its index, read in one transaction: the store at one moment.

Source: docs/spec/store-v1.md, "The PostgreSQL store".
"""

from collections.abc import Iterator
from typing import Any, Final

from agent_saga.proofs.errors import LogFault, Unprovable
from agent_saga.trace.errors import SourceError
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import faults_told
from agent_saga.trace.store.postgres.stream import at_one_moment, page, size_of

_ROWS: Final = 1024
"""Lines fetched at a time: half a megabyte at the usual size; whole tiles."""
_OF: Final = (
    "SELECT l.first + e.pos, e.line FROM agent_saga.events e JOIN agent_saga.log l ON l.batch = e.batch "
    "WHERE e.saga = %s AND e.pos < l.lines AND l.first + e.pos >= %s AND l.first + e.pos < %s ORDER BY e.seq"
)


class PostgresLines:
    """See :class:`~agent_saga.proofs.log.lines.Lines`."""

    def __init__(self, address: str) -> None:
        """Raises SourceError."""
        self.path = masked(address)
        try:
            self._connection = at_one_moment(address)
            self._size = size_of(self._connection, self.path)
        except StoreError as fault:
            raise SourceError(str(fault)) from None

    def batches(self, since: int) -> Iterator[list[bytes]]:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        while since < self._size:
            rows = self._page(since, _ROWS)
            if [index for index, _ in rows] != list(range(since, since + len(rows))) or not rows:
                raise LogFault(f"{self.path}: an index after {since} is missing, though a log has no gaps")
            since += len(rows)
            yield [line for _, line in rows]

    def at(self, index: int) -> bytes:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        for found, line in self._page(index, 1):
            if found == index:
                return line
        raise Unprovable(f"{self.path}: has no line {index}")

    def of(self, saga: str, first: int, below: int) -> Iterator[tuple[int, bytes]]:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        yield from self._rows(_OF, saga, first, below)

    def _page(self, since: int, limit: int) -> list[tuple[int, bytes]]:
        try:
            return page(self._connection, self.path, since, limit)
        except StoreError as fault:
            raise LogFault(str(fault)) from None

    def _rows(self, query: Any, *values: Any) -> list[Any]:
        try:
            with faults_told(self.path):
                return self._connection.execute(query, values, binary=True).fetchall()
        except StoreError as fault:
            raise LogFault(str(fault)) from None

    def close(self) -> None:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        self._connection.close()
