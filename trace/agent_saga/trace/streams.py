"""Stored bytes as a stream: counted and hashed as they pass, and decompressed when they are compressed.

Everything that was stored before a break is given out before the break is told: a cut file loses its end only.
"""

import io
import os
import stat
import zlib
from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any, Final

from agent_saga.trace.errors import SourceError

CHUNK: Final = 1 << 17
"""Bytes read at a time: with the lines that are made of them they fit in a processor's own cache."""

COMPRESSED: Final = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}

_GZIP: Final = 31
"""zlib's word for: a gzip header and trailer around the data, both checked."""
_OUTPUT: Final = 1 << 18
"""Bytes asked of zlib at a time: a bomb of zeros is given out in pieces of this size."""
_GZIP_INPUT: Final = 1 << 14
"""Bytes given to zlib at a time: what follows a member is copied, and many small ones may follow."""
_LEAST: Final = 1 << 14
"""Bytes of a piece that is given out before the last: whoever takes them goes through all of a line for each."""
_ZSTD_INPUT: Final = 1 << 8
"""Bytes given to Zstandard at a time; one may stand for 32 KiB, so a bomb is given out in pieces of 8 MiB."""


class Broken(Exception):
    """The stored bytes end or are damaged where more was due."""


class Counted:
    """A raw stream that counts and hashes what passes, and notices a file that changes meanwhile.

    owned: whether to close the stream at the end (standard input is left open).
    """

    def __init__(self, stream: IO[bytes], *, owned: bool) -> None:
        self._stream, self._owned = stream, owned
        self.size, self.hash = 0, sha256()
        self._before = _state(stream) if owned else None

    def read(self) -> bytes:
        """The next stored bytes; b"" at the end."""
        data = self._stream.read(CHUNK)
        self.size += len(data)
        self.hash.update(data)
        return data

    def changed(self) -> str:
        """Why the bytes read are not the file as it was when it was opened; "" when they are."""
        if self._before is None:
            return ""
        (before, since), (after, until) = self._before, _state(self._stream) or self._before
        if before == after == self.size and since == until:
            return ""
        sizes = f"{before} bytes when it was opened, {self.size} read, {after} at the end"
        return f"the file changed while it was read: {sizes}"

    def close(self) -> None:
        """Close the stream, if it is ours."""
        if self._owned:
            self._stream.close()


def _state(stream: IO[bytes]) -> tuple[int, int] | None:
    """Size and time of the last change of a regular file; None for what has none (a store sees one moment)."""
    try:
        found = os.fstat(stream.fileno())
    except io.UnsupportedOperation:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def decompressed(raw: Counted, path: str) -> Iterator[bytes]:
    """The bytes behind the stored ones; compression is told by the first bytes, never by a name.

    Raises Broken, OSError and SourceError, also while it is iterated.
    """
    lead = raw.read()
    pieces = _pieces(lead, raw)
    if lead.startswith(COMPRESSED[".gz"]):
        return _joined(_gunzip(_slices(pieces, _GZIP_INPUT)))
    if lead.startswith(COMPRESSED[".zst"]):
        return _joined(_unzstd(pieces, path))
    return pieces


def _pieces(lead: bytes, raw: Counted) -> Iterator[bytes]:
    while lead:
        yield lead
        lead = raw.read()


def _gunzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(_GZIP)
    try:
        for piece in pieces:
            while piece:
                if member.eof:  # another member may follow, or zeros that fill a block
                    piece = piece.lstrip(b"\0")
                    member = zlib.decompressobj(_GZIP) if piece else member
                    continue
                yield member.decompress(piece, _OUTPUT)
                piece = member.unused_data if member.eof else member.unconsumed_tail
        yield member.flush() if not member.eof else b""
    except zlib.error as fault:
        raise Broken(f"the gzip data is damaged: {fault}") from fault
    if not member.eof:
        raise Broken("the gzip data ends before its end marker")


def _unzstd(pieces: Iterator[bytes], path: str) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise SourceError(
            f"{path}: is compressed with Zstandard; install agent-saga-toolkit[zstd] to read it"
        ) from None
    frame: Any = None
    for piece in _slices(pieces, _ZSTD_INPUT):
        while piece:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(piece)
            except zstandard.ZstdError as fault:
                raise Broken(f"the Zstandard data is damaged: {fault}") from fault
            piece, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise Broken("the Zstandard data ends inside a frame")


def _slices(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), size):
            yield piece[start : start + size]


def _joined(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in no piece smaller than it need be: what was stored in a million members is a few pieces."""
    held: list[bytes] = []
    size = 0
    try:
        for part in filter(None, parts):
            held.append(part)
            size += len(part)
            if size >= _LEAST:
                yield b"".join(held)
                held, size = [], 0
    except (Broken, OSError, SourceError):
        yield b"".join(held)
        raise
    yield b"".join(held)
