"""The salts of an input's lines: is each used once?

Kept as plain bytes, 30 a line with its number, and compared exactly. They stand in shelves by their first character,
so that the comparison at the end needs the memory of one shelf only.

Source: docs/rules.md, AS603.
"""

from array import array
from collections.abc import Iterator
from typing import Final

_WIDTH: Final = 22


class Shelf:
    """Salts with one first character, and the lines they stand on."""

    __slots__ = ("lines", "salts")

    def __init__(self) -> None:
        self.salts = bytearray()
        self.lines = array("Q")


class Salts(dict[str, Shelf]):
    """All salts seen so far, by first character. To add one: ``shelf.salts += ...; shelf.lines.append(line)``."""

    def __missing__(self, first: str) -> Shelf:
        shelf = self[first] = Shelf()
        return shelf

    def merge(self, other: "Salts") -> None:
        """Take in the salts of another part of the same input."""
        for first, shelf in other.items():
            self[first].salts += shelf.salts
            self[first].lines += shelf.lines

    def repeated(self) -> Iterator[tuple[str, int, int]]:
        """Each salt that stands again: its text, the line of its first use, and the line of the other."""
        for shelf in self.values():
            text = bytes(shelf.salts)
            pieces = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
            if len(set(pieces)) < len(pieces):
                yield from _repeats(pieces, shelf.lines)


def _repeats(pieces: list[bytes], lines: "array[int]") -> Iterator[tuple[str, int, int]]:
    first: dict[bytes, int] = {}
    for line, piece in sorted(zip(lines, pieces, strict=True)):
        earlier = first.setdefault(piece, line)
        if earlier != line:
            yield piece.decode(), earlier, line
