"""Which concealed values of a saga somebody means, and where each stands on its lines.

Source: docs/guide/erase.md; pointers are RFC 6901.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from agent_saga.trace.store.errors import Refusal
from agent_saga.trace.values import CONCEALED_NAME, is_concealed

_PATH: Final = re.compile(r"(0|[1-9][0-9]{0,15})(?::((?:/(?:[^/~]|~[01])*)*))?", re.DOTALL).fullmatch


class Choice(NamedTuple):
    """What to erase. paths: ``SEQ`` or ``SEQ:/POINTER``, what stands there or below. every: all of the saga.

    subject: all values of this subject, in the saga, or in all sagas when none is named.
    """

    paths: tuple[str, ...] = ()
    every: bool = False
    subject: str = ""


class Place(NamedTuple):
    """Where a concealed value stands."""

    seq: int
    pointer: str
    digest: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.pointer}"


def places(lines: Sequence[bytes]) -> list[Place]:
    """Every concealed value on the lines of a saga. lines: those of seq 0, 1, 2 ..."""
    return [place for seq, line in enumerate(lines) for place in _on(seq, line)]


def _on(seq: int, line: bytes) -> Iterator[Place]:
    members = msgspec.json.decode(line)
    members.pop("tools", None)  # a catalogue: names of tools, no values
    for pointer, digest in _below("", members):
        yield Place(seq, pointer, digest)


def _below(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    if is_concealed(value):
        yield pointer, value[CONCEALED_NAME]
        return
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from _below(f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}", item)


def named(paths: Sequence[str], found: Sequence[Place]) -> set[str]:
    """The digests that the paths mean. Raises Refusal for a path that is none, or that names no concealed value."""
    return {place.digest for path in paths for place in _named(path, found)}


def _named(path: str, found: Sequence[Place]) -> list[Place]:
    parsed = _PATH(path)
    if parsed is None:
        raise Refusal(f"{path!r} names no value: expected SEQ or SEQ:/POINTER, such as 4:/args/card")
    seq, pointer = int(parsed[1]), parsed[2] or ""
    meant = [one for one in found if one.seq == seq and f"{one.pointer}/".startswith(f"{pointer}/")]
    if not meant:
        there = ", ".join(str(one) for one in found if one.seq == seq) or "none on that line"
        raise Refusal(
            f"{path}: nothing is concealed there (concealed: {there}); what stands in clear is part of the line's hash "
            "and cannot be erased"
        )
    return meant


def by_digest(found: Sequence[Place]) -> Mapping[str, list[str]]:
    """The places of each digest."""
    where: dict[str, list[str]] = {}
    for place in found:
        where.setdefault(place.digest, []).append(str(place))
    return where
