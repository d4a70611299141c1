"""Small edits of good lines, for the property tests and the fuzzer: most break a line, some give another good one."""

from __future__ import annotations

import random

from trace_samples import good_lines

LINES = good_lines()
_TOKENS = [
    *(b'{ } [ ] , : " \\ null true false 0 -0 1.0 1e3 01 NaN 9007199254740992 "" {} [] \\u0061 \\ud800 \xff'.split()),
    *(b'"..." "v":1 "seq":0 "salt": "log" \xef\xbb\xbf \xc3\xa9 \xe2\x80\xa8 [[[[ "args":{} "x":1,'.split()),
    *(b" ", b"\r", b"\t", b"\n", b"\x00"),
]


def mutate(line: bytes, source: random.Random) -> bytes:
    """Edit a line a little, as this source of randomness says."""
    for _ in range(source.randint(1, 4)):
        line = source.choice(_EDITS)(line, source)
    return line


def _insert(line: bytes, source: random.Random) -> bytes:
    at = source.randint(0, len(line))
    return line[:at] + source.choice(_TOKENS) + line[at:]


def _delete(line: bytes, source: random.Random) -> bytes:
    at = source.randint(0, len(line))
    return line[:at] + line[at + source.randint(1, 12) :]


def _flip(line: bytes, source: random.Random) -> bytes:
    at = source.randint(0, max(0, len(line) - 1))
    return line[:at] + bytes([source.randint(0, 255)]) + line[at + 1 :]


def _part(line: bytes, source: random.Random) -> bytes:
    """Move, double, drop or replace one comma-separated part."""
    parts = line.split(b",")
    one, two = source.randrange(len(parts)), source.randrange(len(parts))
    kind = source.randrange(4)
    if kind == 0:
        parts[one], parts[two] = parts[two], parts[one]
    elif kind == 1:
        parts.insert(one, parts[two])
    elif kind == 2:
        del parts[one]
    else:
        parts[one] = parts[one].split(b":", 1)[0] + b":" + source.choice(_TOKENS)
    return b",".join(parts)


def _retype(line: bytes, source: random.Random) -> bytes:
    """The line with the type of another."""
    return line.replace(_type(line), _type(source.choice(LINES)), 1)


def _type(line: bytes) -> bytes:
    return line.split(b'"type":', 1)[-1].split(b",", 1)[0]


_EDITS = [_insert, _delete, _flip, _part, _part, _retype]
