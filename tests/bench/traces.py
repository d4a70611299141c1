"""Traces of any size: sagas of all shapes, interleaved, the same bytes for the same seed.

Run as a program it writes one and prints what it is, as JSON: `python traces.py FILE LINES OPEN_AT_ONCE [POLICY]`.
POLICY is the digest that its sagas name.
"""

from __future__ import annotations

import json
import random
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
from shapes import SHAPES, Line, Story

_encode = msgspec.json.Encoder().encode


class _Saga:
    """An open saga of the generator: its remaining lines and the head of its chain."""

    __slots__ = ("head", "lines", "name", "seq")

    def __init__(self, name: str, lines: list[Line]) -> None:
        self.name, self.lines, self.seq, self.head = name, lines[::-1], 0, "0" * 64

    def next_line(self, at: str, salt: str) -> bytes:
        type, by, members = self.lines.pop()
        place = f'"v":1,"saga":"{self.name}","seq":{self.seq},"prev":"{self.head}","at":"{at}"'
        body = _encode(members)[1:-1].decode()
        line = f'{{{place},"type":"{type}","by":"{by}",{body},"salt":"{salt}"}}'.encode()
        self.seq, self.head = self.seq + 1, sha256(b"\0" + line).hexdigest()
        return line


def _at(number: int) -> str:
    seconds, micros = divmod(number * 1009, 1_000_000)
    return f"2026-11-30T{7 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros:06}Z"


def _sagas(rng: random.Random) -> Iterator[_Saga]:
    number = 0
    while True:
        story = Story(rng, number)
        yield _Saga(_b64(rng.randbytes(16)), list(SHAPES[number % len(SHAPES)](story)))
        number += 1


def _b64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


class Trace:
    """At least this many lines (the last sagas are finished), with up to so many sagas open at once."""

    def __init__(self, lines: int, open_at_once: int, seed: int = 1) -> None:
        self.wanted, self.open_at_once = lines, open_at_once
        self._rng = random.Random(seed)
        self.written = self.most_open = self.sagas = 0

    def lines(self) -> Iterator[bytes]:
        """The lines, without LF."""
        rng, fresh, planned = self._rng, _sagas(self._rng), 0
        window: list[_Saga] = []
        while planned < self.wanted or window:
            while planned < self.wanted and len(window) < self.open_at_once:
                window.append(next(fresh))
                planned += len(window[-1].lines)
                self.sagas += 1
            self.most_open = max(self.most_open, len(window))
            at = rng.randrange(len(window))
            yield window[at].next_line(_at(self.written), _b64(rng.randbytes(16)))
            self.written += 1
            if not window[at].lines:
                window[at] = window[-1]
                window.pop()

    def write(self, path: Path) -> None:
        """Write the trace to a file."""
        with path.open("wb", buffering=1 << 20) as out:
            out.writelines(line + b"\n" for line in self.lines())


def main(arguments: list[str]) -> None:
    """Write one trace."""
    Story.policy = arguments[3] if len(arguments) > 3 else ""
    trace = Trace(int(arguments[1]), int(arguments[2]))
    trace.write(Path(arguments[0]))
    print(json.dumps({"lines": trace.written, "sagas": trace.sagas, "open": trace.most_open}))


if __name__ == "__main__":
    main(sys.argv[1:])
