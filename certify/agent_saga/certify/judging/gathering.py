"""The lines of each saga brought together, so that a saga is judged in one go.

Sagas are written side by side, by the thousand. Judged line by line, each line would find the memory of its saga cold,
and that alone would be a quarter of the time. So the lines of a saga wait, unread, until the saga ends or enough of
them have come; what is said about a line does not depend on the lines of other sagas before it.
"""

from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any, Final, NamedTuple

from agent_saga.trace.heads import ends_of, places_of, sagas_of
from agent_saga.trace.limits import LOG_SAGA

_LOG: Final = LOG_SAGA.encode()
"""The saga of the log's own lines. They never wait, and every part gets them: when a line is judged, all that the log
put in force before it is known."""

_SAGA: Final = 64
"""Lines of a saga that wait at most."""

TOGETHER: Final = 256
"""Lines that are given together at least: to read so many at once is quicker than saga by saga."""

_WAITING: Final = 48 << 20
"""Bytes of lines that wait at most; it is enough for 10,000 sagas of the usual size."""


class Run(NamedTuple):
    """Lines with their numbers, those of each saga in their order."""

    numbers: list[int]
    lines: list[bytes]


class Gatherer:
    """Brings together the lines of each saga of an input. part, parts: only of the sagas that fall into this part.

    together: lines that a run has at least; with 1 a run holds lines of one saga.
    """

    def __init__(self, part: int = 0, parts: int = 1, together: int = TOGETHER) -> None:
        self._part, self._parts, self._together = part, parts, together
        self._also = parts > 1 and places_of([_LOG], parts) != [part]
        """Whether the log's own lines, which every part gets, belong to another."""
        self._waiting: dict[bytes, list[Any]] = {}
        """Of each saga, its lines that wait: a number, its line, the next number, and so on."""
        self._run = Run([], [])
        self._size = 0
        self.lines = 0
        """Lines taken in, those of other parts too."""

    def runs(self, blocks: Iterable[list[bytes]]) -> Iterator[Run]:
        """The lines of these blocks, run by run; a saga's last ones follow its ``saga.ended``, the rest comes at last.

        A line of the log's own is a run by itself, at once, whatever part it falls into (:meth:`elsewhere`).
        """
        for block in blocks:
            yield from self._complete(block)
            if self._size > _WAITING:
                yield from self._all()
        yield from self._all()

    def elsewhere(self, run: Run) -> bool:
        """Whether a run belongs to another part, and is given only for what it tells of the log."""
        return self._also and sagas_of(run.lines[:1]) == [_LOG]

    def _complete(self, block: list[bytes]) -> Iterator[Run]:
        """Take in a block; give the runs that are complete."""
        waiting, many = self._waiting, 2 * _SAGA
        for number, line, saga, last in self._mine(block):
            lines = waiting.get(saga)
            if lines is None:
                if saga == _LOG:  # none of its lines ever waits
                    self._size -= len(line)
                    yield from self._given()
                    yield Run([number], [line])
                    continue
                lines = waiting[saga] = []
            lines.append(number)
            lines.append(line)
            if last or len(lines) == many:
                self._take(saga)
                if len(self._run.lines) >= self._together:
                    yield from self._given()

    def _mine(self, block: list[bytes]) -> Iterator[tuple[int, bytes, bytes, bool]]:
        """The lines of a block that are given to this part: each with its number, its saga, and whether it ends it."""
        numbers: Iterable[int] = range(self.lines + 1, self.lines + 1 + len(block))
        self.lines += len(block)
        sagas = sagas_of(block)
        if self._parts > 1:
            part = self._part
            kept = [place == part for place in places_of(sagas, self._parts)]
            if self._also and _LOG in sagas:
                kept = [mine or saga == _LOG for mine, saga in zip(kept, sagas, strict=True)]
            numbers, block, sagas = compress(numbers, kept), list(compress(block, kept)), list(compress(sagas, kept))
        self._size += sum(map(len, block))
        return zip(numbers, block, sagas, ends_of(block), strict=True)

    def _take(self, saga: bytes) -> None:
        """Put the waiting lines of a saga into the run that is given next."""
        lines = self._waiting.pop(saga)
        self._run.numbers.extend(lines[::2])
        self._run.lines.extend(lines[1::2])
        self._size -= sum(map(len, lines[1::2]))

    def _given(self, least: int = 1) -> Iterator[Run]:
        """The run that was put together, if it has at least so many lines."""
        if len(self._run.lines) >= least:
            yield self._run
            self._run = Run([], [])

    def _all(self) -> Iterator[Run]:
        for saga in list(self._waiting):
            self._take(saga)
            yield from self._given(self._together)
        yield from self._given()
