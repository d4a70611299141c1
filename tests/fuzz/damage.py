"""Whole traces, damaged: lines edited, dropped, doubled, moved, files cut, joined, padded and compressed."""

from __future__ import annotations

import gzip
import json
import random
from hashlib import sha256

import zstandard
from line_mutations import mutate

from agent_saga.trace import LineError, decode


def damage(data: bytes, source: random.Random) -> bytes:
    """The trace after one to three pieces of damage, as this source of randomness says."""
    for _ in range(source.randint(1, 3)):
        data = source.choice(_DAMAGES)(data, source)
    return data


def _edit(data: bytes, source: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = source.randrange(len(lines))
    lines[at] = mutate(lines[at], source) if lines[at] else b"x"
    return b"\n".join(lines)


def _move(data: bytes, source: random.Random) -> bytes:
    """Drop, double or move one line."""
    lines = data.split(b"\n")
    one, two = source.randrange(len(lines)), source.randrange(len(lines))
    taken = lines[one] if source.random() < 0.3 else lines.pop(one)
    if source.random() < 0.7:
        lines.insert(two, taken)
    return b"\n".join(lines)


def _cut(data: bytes, source: random.Random) -> bytes:
    at = source.randint(0, len(data))
    return data[:at] if source.random() < 0.7 else data[at:]


def _pad(data: bytes, source: random.Random) -> bytes:
    junk = source.choice([b"\n", b"\r\n", b"\xef\xbb\xbf", b"\0" * 512, b"{}\n", b"[" * 9999, b"\xff\xfe", b" "])
    return junk + data if source.random() < 0.5 else data + junk


def _carriage(data: bytes, _source: random.Random) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _splice(data: bytes, source: random.Random) -> bytes:
    start, end = sorted(source.randint(0, len(data)) for _ in range(2))
    return data[:start] + source.randbytes(source.randint(0, 40)) + data[end:]


_DAMAGES = [_edit, _edit, _edit, _move, _move, _cut, _pad, _carriage, _splice]


def stored(data: bytes, source: random.Random) -> tuple[bytes, bool]:
    """The bytes as a file may hold them, sometimes compressed and cut; and whether something was cut off."""
    kind = source.randrange(6)
    if kind > 1:
        return data, False
    packed = gzip.compress(data, mtime=0) if kind == 0 else zstandard.compress(data)
    cut = source.randint(1, 20) if source.random() < 0.5 else 0
    return packed[: len(packed) - cut], cut > 0


def is_faulty(data: bytes) -> bool:
    """Whether the format says that something is wrong: worked out without the certifier."""
    *lines, rest = data.split(b"\n")
    if rest or not lines or any(refusal(line) for line in lines):
        return True
    heads: dict[str, tuple[int, str]] = {}
    for line in lines:
        record = json.loads(line)
        place = (record["seq"], record["prev"])
        if place != heads.get(record["saga"], (0, "0" * 64)):
            return True
        heads[record["saga"]] = (record["seq"] + 1, sha256(b"\0" + line).hexdigest())
    return False


def refusal(line: bytes) -> LineError | None:
    """Why the codec refuses a line; None when it does not."""
    try:
        decode(line)
    except LineError as refused:
        return refused
    return None
