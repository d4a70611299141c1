"""Lines as they come: those of a store or of a trace file that were not seen yet.

Source: docs/guide/store.md.
"""

from collections.abc import Callable, Iterator
from io import RawIOBase
from itertools import islice

from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import open_input
from agent_saga.trace.store.postgres.addresses import is_address, masked
from agent_saga.trace.store.snapshot import Snapshot
from agent_saga.trace.store.telling import is_sqlite
from agent_saga.trace.streams import Broken


def lines_since(path: str, seen: int) -> Iterator[bytes]:
    """The whole lines after the first ``seen`` ones. Raises SourceError when the path cannot be read to its end."""
    if is_address(path) or is_sqlite(path):
        yield from _of_store(path, seen)
        return
    source = open_input(path)
    ahead: bytes | None = None
    for line in islice(source.lines(), seen, None):
        if ahead is not None:
            yield ahead
        ahead = line  # the last item is what follows the last LF


def _of_store(path: str, seen: int) -> Iterator[bytes]:
    stream = _snapshot(path, seen)
    try:
        while data := stream.read():
            yield from data[:-1].split(b"\n")
    except Broken as fault:
        raise SourceError(f"{masked(path)}: {fault}") from fault
    finally:
        stream.close()


def _snapshot(path: str, seen: int) -> RawIOBase:
    if is_address(path):
        from agent_saga.trace.store.postgres.stream import PostgresSnapshot

        return PostgresSnapshot(path, since=seen)
    return Snapshot(path, since=seen)


def follow(path: str, seen: int, pause: Callable[[], None]) -> Iterator[bytes]:
    """Lines after the first ``seen`` ones, for ever. pause: called between two looks; PostgreSQL tells by itself."""
    if is_address(path):
        from agent_saga.trace.store.postgres.stream import follow as followed

        yield from followed(path, seen)
        return
    while True:
        for line in lines_since(path, seen):
            seen += 1
            yield line
        pause()
