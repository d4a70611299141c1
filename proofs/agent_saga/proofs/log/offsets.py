"""Where each 256th line of a trace file begins, so that a line is found without reading the file from its start.

The file ends with the SHA-256 of what stands before it; one that is missing or damaged is not used, and lines are then
found by reading.
"""

from array import array
from hashlib import sha256

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.log.folder import LogFolder

_NAME = "offsets"
_DIGEST = 32
_MOST = 1 << 26
"""Bytes of the file: of a trace of two thousand million lines. Of a longer one no offsets are kept in memory."""


def read_offsets(folder: LogFolder) -> "array[int]":
    """As far as they were noted; that of line 0 at least."""
    offsets = array("Q", [0])
    try:
        data = folder.read(_NAME, _MOST) if folder.has(_NAME) else b""
    except LogFault:
        return offsets
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if len(body) % offsets.itemsize or not body or sha256(body).digest() != digest:
        return offsets
    found = array("Q")
    found.frombytes(body)
    return found


def write_offsets(folder: LogFolder, offsets: "array[int]") -> None:
    """Keep them; nothing is kept of a store that finds its lines by itself. Raises LogFault."""
    if len(offsets) > 1:
        body = offsets.tobytes()
        folder.replace(_NAME, body + sha256(body).digest())
