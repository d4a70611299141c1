"""The salts of an input's lines: is each used once?

Kept as plain bytes, 30 a line with its number, and compared exactly. They stand in shelves by their first character,
so that the comparison at the end needs the memory of one shelf only.

Source: docs/rules.md, AS603.
"""

from array import array
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final

_WIDTH: Final = 22
_LOOSE: Final = 4096
"""Salts that are put on their shelves together: it is quicker than one by one."""


class Salts:
    """All salts seen so far."""

    def __init__(self) -> None:
        self._shelves: dict[int, tuple[bytearray, array[int]]] = {}
        """By first character: salts, end to end, and the lines they stand on."""
        self._loose: list[bytes] = []
        self._places: list[int] = []

    def add(self, salts: Sequence[bytes], lines: Sequence[int]) -> None:
        """Take in salts and the line of each."""
        self._loose += salts
        self._places += lines
        if len(self._loose) >= _LOOSE:
            self._shelve()

    def _shelve(self) -> None:
        shelves = self._shelves
        for salt, line in zip(self._loose, self._places, strict=True):
            first = salt[0]
            if first not in shelves:
                shelves[first] = bytearray(), array("Q")
            texts, lines = shelves[first]
            texts += salt
            lines.append(line)
        self._loose, self._places = [], []

    def merge(self, other: "Salts") -> None:
        """Take in the salts of another part of the same input."""
        self._shelve()
        other._shelve()
        for first, (texts, lines) in other._shelves.items():
            mine, places = self._shelves.setdefault(first, (bytearray(), array("Q")))
            mine += texts
            places.extend(lines)

    def columns(self) -> list[tuple[bytes, "array[int]"]]:
        """Every salt, shelf by shelf: their texts end to end, and their lines."""
        self._shelve()
        return [(bytes(texts), lines) for texts, lines in self._shelves.values()]

    def put(self, texts: bytes, lines: Sequence[int]) -> None:
        """Take in one of the :meth:`columns`. Raises ValueError when it is none."""
        if not lines or len(texts) != _WIDTH * len(lines) or len(set(texts[::_WIDTH])) > 1:
            raise ValueError(f"{len(texts)} bytes are no shelf of {len(lines)} salts")
        mine, places = self._shelves.setdefault(texts[0], (bytearray(), array("Q")))
        mine += texts
        places.extend(lines)

    def all(self) -> Iterator[tuple[bytes, int]]:
        """Every salt, with its line."""
        self._shelve()
        for texts, lines in self._shelves.values():
            yield from zip((bytes(texts[at : at + _WIDTH]) for at in range(0, len(texts), _WIDTH)), lines, strict=True)

    def repeated(self) -> Iterator[tuple[str, int, int]]:
        """Each salt that stands again: its text, the line of its first use, and the line of the other."""
        self._shelve()
        for texts, lines in sorted(self._shelves.values(), key=_first_line):
            pieces = Struct(f"{_WIDTH}s" * len(lines)).unpack(texts)
            if len(set(pieces)) < len(pieces):
                yield from _repeats(pieces, lines)


def _first_line(shelf: tuple[bytearray, "array[int]"]) -> int:
    return min(shelf[1])


def _repeats(pieces: Sequence[bytes], lines: "array[int]") -> Iterator[tuple[str, int, int]]:
    first: dict[bytes, int] = {}
    for line, piece in sorted(zip(lines, pieces, strict=True)):
        earlier = first.setdefault(piece, line)
        if earlier != line:
            yield piece.decode(), earlier, line
