"""The salts of an input's lines: is each used once?

Kept as plain bytes, 30 a line with its number, and compared exactly. They stand in shelves by their first character,
so that the comparison at the end needs the memory of one shelf only.

Source: docs/rules.md, AS603.
"""

from array import array
from collections.abc import Iterator
from typing import Final

_WIDTH: Final = 22


Shelf = tuple[bytearray, "array[int]"]
"""Salts with one first character, end to end, and the lines they stand on."""


class Salts(dict[int, Shelf]):
    """All salts seen so far, by first character."""

    def __missing__(self, first: int) -> Shelf:
        shelf = self[first] = bytearray(), array("Q")
        return shelf

    def add(self, salt: bytes, line: int) -> None:
        """Take in the salt of a line."""
        texts, lines = self[salt[0]]
        texts += salt
        lines.append(line)

    def merge(self, other: "Salts") -> None:
        """Take in the salts of another part of the same input."""
        for first, (texts, lines) in other.items():
            mine, places = self[first]
            mine += texts
            places.extend(lines)

    def repeated(self) -> Iterator[tuple[str, int, int]]:
        """Each salt that stands again: its text, the line of its first use, and the line of the other."""
        for texts, lines in self.values():
            text = bytes(texts)
            pieces = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
            if len(set(pieces)) < len(pieces):
                yield from _repeats(pieces, lines)


def _repeats(pieces: list[bytes], lines: "array[int]") -> Iterator[tuple[str, int, int]]:
    first: dict[bytes, int] = {}
    for line, piece in sorted(zip(lines, pieces, strict=True)):
        earlier = first.setdefault(piece, line)
        if earlier != line:
            yield piece.decode(), earlier, line
