"""From paths to lines: files, directories, globs and standard input, plain or compressed, read as a stream.

Nothing here understands a line; it only finds the bytes between two LFs, bounded by the format's limit, and says where
an input ends. Memory does not grow with the input, nor with a line that never ends.
"""

import glob
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, cast

from agent_saga.trace.errors import SourceError
from agent_saga.trace.limits import MAX_LINE

CHUNK: Final = 1 << 20
HEAD: Final = 1 << 16
STDIN: Final = "-"
SUFFIXES: Final = (".jsonl", ".wal", ".json", ".ndjson")
"""Names that a directory is searched for, each also with .gz or .zst behind it."""
COMPRESSED: Final = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}


def expand(paths: Iterable[str]) -> Iterator[str]:
    """Turn what a user names into inputs, in a stable order, each once: ``-``, files, globs, directories.

    A directory gives its traces (by suffix), searched in depth, hidden names left out. Raises SourceError for a path
    that does not exist; a directory or glob without traces gives nothing.
    """
    seen: set[str] = set()
    for path in paths:
        for name in _expand_one(path):
            if name not in seen:
                seen.add(name)
                yield name


def _expand_one(path: str) -> Iterator[str]:
    if path == STDIN or os.path.isfile(path):
        yield path
    elif os.path.isdir(path):
        yield from _walk(path)
    elif os.path.exists(path):
        yield path  # a FIFO or /dev/fd/N: process substitution
    elif glob.has_magic(path):
        for found in sorted(glob.glob(path, recursive=True)):
            yield from _walk(found) if os.path.isdir(found) else [found]
    else:
        raise SourceError(f"{path}: no such file or directory")


def _walk(folder: str) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            stem = name.removesuffix(".gz").removesuffix(".zst")
            if not name.startswith(".") and stem.endswith(SUFFIXES):
                yield os.path.join(root, name)


@dataclass
class Opened:
    """One input, opened: its head can be looked at before it is streamed once.

    path: as the user named it. size and digest: of the stored bytes, complete once the stream is exhausted.
    """

    path: str
    head: bytes
    _chunks: Iterator[bytes]
    _raw: "_Counting"
    truncated: str = field(default="", init=False)
    """Why the stream ended early (a cut gzip, a file that grew), "" when it did not."""

    @property
    def size(self) -> int:
        """Stored bytes read so far."""
        return self._raw.size

    @property
    def digest(self) -> str:
        """SHA-256 of the stored bytes read so far, lower-case hex."""
        return self._raw.hash.hexdigest()

    def chunks(self) -> Iterator[bytes]:
        """The decompressed bytes, once. A damaged or growing input sets :attr:`truncated` and ends the stream."""
        try:
            yield from self._chunks
        except (EOFError, OSError, ValueError, *_zstd_errors()) as fault:
            self.truncated = f"the stream breaks off: {fault}"
        else:
            self.truncated = self._raw.grew()
        finally:
            self._raw.close()

    def lines(self) -> Iterator[bytes]:
        """Lines without their LF. The last item is what follows the last LF: b"" when the input ends as it must.

        A line beyond the format's limit is given cut to one byte more than the limit: too long, and told so later.
        """
        rest = b""
        skipping = False
        for chunk in self.chunks():
            if skipping:
                cut = chunk.find(b"\n")
                if cut < 0:
                    continue
                chunk, skipping = chunk[cut:], False
            pieces = (rest + chunk).split(b"\n")
            rest = pieces.pop()
            yield from pieces
            if len(rest) > MAX_LINE:
                rest, skipping = rest[: MAX_LINE + 1], True
        yield rest

    def read(self, limit: int) -> bytes:
        """The whole input, for formats that are one document. Raises SourceError above ``limit`` bytes."""
        parts, size = [], 0
        for chunk in self.chunks():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise SourceError(f"{self.path}: more than {limit} bytes in one document")
        return b"".join(parts)


class _Counting:
    """A raw stream that counts and hashes what passes, and notices a file that grows."""

    def __init__(self, stream: IO[bytes], path: str) -> None:
        self.stream, self.path = stream, path
        self.size, self.hash = 0, sha256()
        self._expected = os.fstat(stream.fileno()).st_size if Path(path).is_file() else None

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size if size > 0 else CHUNK)
        self.size += len(data)
        self.hash.update(data)
        return data

    def readable(self) -> bool:
        return True

    def grew(self) -> str:
        """Why the bytes read are not the file as it was when it was opened; "" when they are."""
        if self._expected is None or self._expected == self.size:
            return ""
        return f"the file changed while it was read: {self._expected} bytes when opened, {self.size} when read"

    def close(self) -> None:
        if self.stream is not sys.stdin.buffer:
            self.stream.close()


def _zstd_errors() -> tuple[type[Exception], ...]:
    module: Any = sys.modules.get("zstandard")
    return (module.ZstdError,) if module else ()


def open_input(path: str) -> Opened:
    """Open one input and look at its first bytes. Raises SourceError when it cannot be read."""
    try:
        stream: IO[bytes] = sys.stdin.buffer if path == STDIN else open(path, "rb")  # noqa: SIM115
    except OSError as fault:
        raise SourceError(f"{path}: {fault.strerror or fault}") from fault
    raw = _Counting(stream, path)
    chunks = _decompressed(raw, path)
    first: list[bytes] = []
    opened = Opened(path, b"", iter(()), raw)
    try:
        for chunk in chunks:
            first.append(chunk)
            if sum(map(len, first)) >= HEAD:
                break
    except (EOFError, OSError, ValueError, *_zstd_errors()) as fault:
        if isinstance(fault, IsADirectoryError):
            raise SourceError(f"{path}: is a directory") from fault
        opened.truncated = f"the stream breaks off: {fault}"
        chunks = _failing(fault)
    opened.head = b"".join(first)[:HEAD]
    opened._chunks = _chain(first, chunks)
    return opened


def _failing(fault: Exception) -> Iterator[bytes]:
    raise fault
    yield b""


def _chain(first: list[bytes], rest: Iterator[bytes]) -> Iterator[bytes]:
    yield from first
    yield from rest


def _decompressed(raw: _Counting, path: str) -> Iterator[bytes]:
    lead = raw.read(CHUNK)
    if lead.startswith(COMPRESSED[".gz"]):
        return _gunzip(lead, raw)
    if lead.startswith(COMPRESSED[".zst"]):
        return _unzstd(lead, raw, path)
    return _plain(lead, raw)


def _plain(lead: bytes, raw: _Counting) -> Iterator[bytes]:
    while lead:
        yield lead
        lead = raw.read(CHUNK)


class _Rejoined:
    """The lead that was looked at, then the rest of the stream."""

    def __init__(self, lead: bytes, raw: _Counting) -> None:
        self.lead, self.raw = lead, raw

    def read(self, size: int = -1) -> bytes:
        if self.lead:
            data, self.lead = self.lead, b""
            if 0 <= size < len(data):
                data, self.lead = data[:size], data[size:]
            return data
        return self.raw.read(size)


def _gunzip(lead: bytes, raw: _Counting) -> Iterator[bytes]:
    import gzip

    with gzip.GzipFile(fileobj=cast(IO[bytes], _Rejoined(lead, raw)), mode="rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def _unzstd(lead: bytes, raw: _Counting, path: str) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise SourceError(f"{path}: is compressed with Zstandard; install agent-saga-toolkit[zstd] to read it") from None
    source = cast(IO[bytes], _Rejoined(lead, raw))
    with zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True) as stream:
        while chunk := stream.read(CHUNK):
            yield chunk
