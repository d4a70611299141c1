"""From paths to lines: files, directories, globs and standard input, plain or compressed, read as a stream.

A SQLite store is read as the trace that it holds, at one moment, also while it is written.

Nothing here understands a line; it only finds the bytes between two LFs, bounded by the format's limit, and says where
an input ends. Memory does not grow with the input, nor with a line that never ends.
"""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Final, cast

from agent_saga.trace.errors import SourceError
from agent_saga.trace.finding import STDIN, SUFFIXES, expand
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.store.postgres.addresses import is_address, masked
from agent_saga.trace.store.telling import is_sqlite
from agent_saga.trace.streams import CHUNK, COMPRESSED, Broken, Counted, decompressed

__all__ = ["CHUNK", "COMPRESSED", "HEAD", "STDIN", "SUFFIXES", "Opened", "expand", "open_input"]

HEAD: Final = 1 << 16


@dataclass
class Opened:
    """One input, opened: its head can be looked at before it is streamed once.

    path: as the user named it. size and digest: of the stored bytes, complete once the stream is exhausted.
    """

    path: str
    head: bytes
    _chunks: Iterator[bytes]
    _raw: Counted
    truncated: str = field(default="", init=False)
    """Why the stream ended early (a cut gzip, a file that grew), "" when it did not."""
    rest: bytes = field(default=b"", init=False)
    """What follows the last LF, once all :meth:`blocks` were given: b"" when the input ends as it must."""

    @property
    def size(self) -> int:
        """Stored bytes read so far."""
        return self._raw.size

    @property
    def digest(self) -> str:
        """SHA-256 of the stored bytes read so far, lower-case hex."""
        return self._raw.hash.hexdigest()

    def watch(self, through: Callable[[Iterator[bytes]], Iterator[bytes]]) -> None:
        """Let the decompressed bytes pass through somebody who looks at them, before they are streamed."""
        self._chunks = through(self._chunks)

    def chunks(self) -> Iterator[bytes]:
        """The decompressed bytes, once. A damaged or growing input sets :attr:`truncated` and ends the stream."""
        try:
            yield from self._chunks
        except (Broken, OSError) as fault:
            self.truncated = f"the stream breaks off: {fault}"
        else:
            self.truncated = self._raw.changed()
        finally:
            self._raw.close()

    def lines(self, limit: int = MAX_LINE) -> Iterator[bytes]:
        """Lines without their LF, one by one; the last item is :attr:`rest`. Long ones as in :meth:`blocks`."""
        for block in self.blocks(limit):
            yield from block
        yield self.rest

    def blocks(self, limit: int = MAX_LINE) -> Iterator[list[bytes]]:
        """Lines without their LF, as many at a time as were read at a time.

        A line beyond the limit is given cut to one byte more than the limit: too long, and told so later.
        """
        rest, skipping = b"", False
        for chunk in self.chunks():
            if skipping:
                end = chunk.find(b"\n")
                if end < 0:
                    continue
                chunk, skipping = chunk[end:], False
            pieces = (rest + chunk).split(b"\n")
            rest = pieces.pop()
            yield _bounded(pieces, limit)
            if len(rest) > limit:
                rest, skipping = rest[: limit + 1], True
        self.rest = rest

    def read(self, limit: int) -> bytes:
        """The whole input, for formats that are one document. Raises SourceError above ``limit`` bytes."""
        parts, size = [], 0
        for chunk in self.chunks():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise SourceError(f"{self.path}: more than {limit} bytes in one document")
        return b"".join(parts)

    def close(self) -> None:
        """Let go of the input without reading it to its end."""
        self._raw.close()


def _bounded(lines: list[bytes], limit: int) -> list[bytes]:
    if max(map(len, lines), default=0) <= limit:
        return lines
    return [line[: limit + 1] for line in lines]


def open_input(path: str, until: int = 0) -> Opened:
    """Open one input and look at its first bytes. until: lines of a store that are read at most; 0 for all.

    Raises SourceError when it cannot be read, or when anything but a store is to be read up to a line.
    """
    raw = Counted(_stream(path, until), owned=path != STDIN)
    first: list[bytes] = []
    size = 0
    opened = Opened(masked(path), b"", iter(()), raw)
    chunks: Iterator[bytes]
    try:
        chunks = decompressed(raw, path)
        for chunk in chunks:
            first.append(chunk)
            size += len(chunk)
            if size >= HEAD:
                break
    except (Broken, OSError) as fault:
        opened.truncated = f"the stream breaks off: {fault}"
        chunks = _Failing(fault)
    except SourceError:
        raw.close()
        raise
    opened.head = b"".join(first)[:HEAD]
    opened._chunks = _chain(first, chunks)
    return opened


def _stream(path: str, until: int) -> IO[bytes]:
    if until:
        return _beginning(path, until)
    if path == STDIN:
        if sys.stdin is None:
            raise SourceError("-: standard input is closed")
        return sys.stdin.buffer
    if is_address(path):
        from agent_saga.trace.store.postgres.stream import PostgresSnapshot

        return cast(IO[bytes], PostgresSnapshot(path))
    try:
        if is_sqlite(path):
            from agent_saga.trace.store.snapshot import Snapshot

            return cast(IO[bytes], Snapshot(path))
        return open(path, "rb")
    except IsADirectoryError:
        raise SourceError(f"{path}: {_why_not(path)}") from None
    except (OSError, ValueError) as fault:  # ValueError: a zero byte in the name
        raise SourceError(f"{path}: {getattr(fault, 'strerror', None) or fault}") from fault


def _beginning(path: str, until: int) -> IO[bytes]:
    if is_address(path):
        from agent_saga.trace.store.postgres.stream import PostgresSnapshot

        return cast(IO[bytes], PostgresSnapshot(path, until=until))
    if path != STDIN and is_sqlite(path):
        from agent_saga.trace.store.snapshot import Snapshot

        return cast(IO[bytes], Snapshot(path, until=until))
    raise SourceError(f"{path}: only a store can be read up to a line; this is none")


def _why_not(folder: str) -> str:
    try:
        os.listdir(folder)
    except OSError as fault:
        return f"the directory cannot be listed: {fault.strerror or fault}"
    return "is a directory"


class _Failing:
    """A stream that breaks off at once, as it did when its head was read."""

    def __init__(self, fault: Exception) -> None:
        self._fault = fault

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        raise self._fault


def _chain(first: list[bytes], rest: Iterator[bytes]) -> Iterator[bytes]:
    yield from first
    yield from rest
