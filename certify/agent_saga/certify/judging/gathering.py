"""The lines of one saga brought together, so that it is judged in one go.

Sagas are written side by side, by the thousand. Judged line by line, each line would find the memory of its saga cold,
and that alone would be a quarter of the time. So the lines of a saga wait, unread, until the saga ends or enough of
them have come; what is said about a line does not depend on the lines of other sagas before it.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from agent_saga.trace.heads import place_of, sagas_of
from agent_saga.trace.limits import LOG_SAGA

_LOG: Final = LOG_SAGA.encode()
"""The saga of the log's own lines. They never wait, and every part gets them: when a line is judged, all that the log
put in force before it is known."""

_RUN: Final = 64
"""Lines of a saga that wait at most."""

_WAITING: Final = 48 << 20
"""Bytes of lines that wait at most; it is enough for 10,000 sagas of the usual size."""


class Run(NamedTuple):
    """Lines of one saga, in their order, with their numbers."""

    numbers: list[int]
    lines: list[bytes]


class Gatherer:
    """Brings together the lines of each saga of an input. part, parts: only of the sagas that fall into this part."""

    def __init__(self, part: int = 0, parts: int = 1) -> None:
        self._part, self._parts = part, parts
        self._waiting: dict[bytes, Run] = {}
        self._size = 0
        self.lines = 0
        """Lines taken in, those of other parts too."""

    def runs(self, blocks: Iterable[list[bytes]]) -> Iterator[Run]:
        """The lines of these blocks, run by run; a saga's last run is given at its ``saga.ended``, the rest at last.

        A line of the log's own is a run by itself, at once, whatever part it falls into (:meth:`elsewhere`).
        """
        for block in blocks:
            yield from self._complete(block)
            if self._size > _WAITING:
                yield from self._all()
        yield from self._all()

    def elsewhere(self, run: Run) -> bool:
        """Whether a run belongs to another part, and is given only for what it tells of the log."""
        if self._parts == 1 or place_of(_LOG, self._parts) == self._part:
            return False
        ((saga, _),) = sagas_of(run.lines[:1])
        return saga == _LOG

    def _complete(self, block: list[bytes]) -> Iterator[Run]:
        """Take in a block; give the runs that are complete."""
        waiting, size = self._waiting, self._size
        for number, (line, (saga, ends)) in enumerate(zip(block, sagas_of(block), strict=True), self.lines + 1):
            run = waiting.get(saga)
            if run is None:
                if saga == _LOG:
                    yield Run([number], [line])
                    continue
                if self._parts > 1 and place_of(saga, self._parts) != self._part:
                    continue
                run = waiting[saga] = Run([], [])
            numbers, lines = run
            numbers.append(number)
            lines.append(line)
            size += len(line)
            if ends or len(lines) == _RUN:
                del waiting[saga]
                size -= sum(map(len, lines))
                yield run
        self._size = size
        self.lines += len(block)

    def _all(self) -> Iterator[Run]:
        yield from self._waiting.values()
        self._waiting.clear()
        self._size = 0
