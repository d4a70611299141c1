"""Lines of trace format 1 as plain dicts: their bytes, their leaf, their chain."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

Line = dict[str, Any]

GENESIS = "0" * 64
HEAD = ("v", "saga", "seq", "prev", "at", "type", "by")


def dumps(value: Any) -> bytes:
    """Compact JSON, the one spelling that the format accepts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def leaf(line: bytes) -> str:
    """SHA-256(0x00 || line), lower-case hex."""
    return sha256(b"\0" + line).hexdigest()


def unpadded(data: bytes) -> str:
    """base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def salt(*seed: object) -> str:
    """22 base64url characters that look random and are the same in every run."""
    return unpadded(sha256(":".join(map(str, seed)).encode()).digest()[:16])


def render(lines: Iterable[Line]) -> bytes:
    """The bytes of a file."""
    return b"".join(dumps(line) + b"\n" for line in lines)


def chain(lines: Iterable[Line]) -> list[Line]:
    """The same lines with seq and prev counted anew, saga by saga: what a forger with the file in hand can
    do."""
    heads: dict[str, tuple[int, str]] = {}
    chained = []
    for line in lines:
        seq, prev = heads.get(line["saga"], (0, GENESIS))
        line = {**line, "seq": seq, "prev": prev}
        heads[line["saga"]] = seq + 1, leaf(dumps(line))
        chained.append(line)
    return chained


def changed(line: Line, *path: str, to: Any) -> Line:
    """A copy of the line with the value at the path replaced; the path must exist."""
    twin: Line = json.loads(dumps(line))
    at = twin
    for name in path[:-1]:
        at = at[name]
    assert path[-1] in at, path
    at[path[-1]] = to
    return twin


def without(line: Line, name: str) -> Line:
    """A copy of the line that lacks one member."""
    return {key: value for key, value in line.items() if key != name}


def retyped(line: Line, type_: str, **members: Any) -> Line:
    """A line in the same place with another type and other members."""
    head = {name: line[name] for name in HEAD}
    return {**head, "type": type_, **members, "salt": line["salt"]}


def replaced(lines: list[Line], i: int, line: Line) -> list[Line]:
    """The lines with line i replaced."""
    return [*lines[:i], line, *lines[i + 1 :]]


def inserted(lines: list[Line], i: int, *new: Line) -> list[Line]:
    """The lines with new ones before line i."""
    return [*lines[:i], *new, *lines[i:]]


def removed(lines: list[Line], *at: int) -> list[Line]:
    """The lines without those at these places."""
    gone = set(at)
    return [line for i, line in enumerate(lines) if i not in gone]
