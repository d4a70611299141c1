"""Lines as dicts and bytes: compact JSON, chained over the bytes that are written."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

Line = dict[str, Any]
GENESIS = "0" * 64


def dumps(value: Any) -> bytes:
    """Compact JSON, raw where it can be."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def leaf(line: bytes) -> str:
    """What the next line's prev says."""
    return sha256(b"\0" + line).hexdigest()


def salt(*parts: object) -> str:
    """22 characters, derived from what they are for: fixtures must come out the same each time."""
    digest = sha256("\0".join(map(str, parts)).encode()).digest()[:16]
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def unpadded(data: bytes) -> str:
    """base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def conceal(value: Any, *parts: object) -> tuple[dict[str, str], str]:
    """A placeholder and the disclosure that opens it."""
    disclosure = unpadded(dumps([salt("disclosure", *parts), value]))
    return {"...": unpadded(sha256(disclosure.encode()).digest())}, disclosure


def chain(lines: Iterable[Line], bend: Callable[[int, bytes], bytes] = lambda _, line: line) -> list[bytes]:
    """Number and chain the lines of each saga. bend: spoils the bytes of a line before the next is chained to it."""
    heads: dict[str, tuple[int, str]] = {}
    out = []
    for n, line in enumerate(lines):
        seq, head = heads.get(line["saga"], (0, GENESIS))
        text = bend(n, dumps({**line, "seq": seq, "prev": head}))
        heads[line["saga"]] = seq + 1, leaf(text)
        out.append(text)
    return out


def parsed(data: bytes) -> list[Line]:
    """The lines of a file."""
    return [json.loads(line) for line in data.splitlines()]


def written(lines: Iterable[bytes]) -> bytes:
    """The bytes of a file."""
    return b"".join(line + b"\n" for line in lines)
