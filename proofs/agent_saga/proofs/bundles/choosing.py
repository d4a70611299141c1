"""What to show of a saga: which lines, and which of the values that were concealed when they were written.

    all             every concealed value
    4:/args/card    the one that stands there on line 4, or all that stand below it
    4               all on line 4

Only what was concealed can be withheld: a value in clear is part of the line's hash.

Source: docs/guide/prove.md; pointers are RFC 6901.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from agent_saga.proofs.bundles.disclosing import Place
from agent_saga.proofs.errors import Unprovable
from agent_saga.trace.values import MISSING, is_concealed, resolve

ALL = "all"
_CHOICE = re.compile(r"(0|[1-9][0-9]{0,15})(?::((?:/(?:[^/~]|~[01])*)*))?", re.DOTALL).fullmatch
_RANGE = re.compile(r"(0|[1-9][0-9]{0,15})(?:\.\.(0|[1-9][0-9]{0,15}))?").fullmatch


class Choice(NamedTuple):
    """Concealed values that somebody named. seq: None for those of every line. pointer: they stand there or below."""

    seq: int | None
    pointer: str

    def __str__(self) -> str:
        return ALL if self.seq is None else f"{self.seq}:{self.pointer}"

    def names(self, place: Place) -> bool:
        """Whether this concealed value is meant."""
        below = place.pointer == self.pointer or place.pointer.startswith(f"{self.pointer}/")
        return self.seq is None or (place.seq == self.seq and below)


def parse_choice(text: str) -> Choice:
    """Read ``all``, ``SEQ`` or ``SEQ:/POINTER``. Raises Unprovable."""
    if text == ALL:
        return Choice(None, "")
    found = _CHOICE(text)
    if found is None:
        raise Unprovable(f"{text!r} names no value: expected all, SEQ or SEQ:/POINTER, such as 4:/args/card")
    return Choice(int(found[1]), found[2] or "")


def parse_ranges(texts: Sequence[str], lines: int) -> set[int]:
    """The seqs meant by ``A..B`` (both ends included) or ``A``. lines: how many there are. Raises Unprovable."""
    wanted: set[int] = set()
    for text in texts:
        found = _RANGE(text)
        if found is None:
            raise Unprovable(f"{text!r} names no lines: expected A..B, such as 4..9, both included")
        first, last = int(found[1]), int(found[2] or found[1])
        if not first <= last < lines:
            raise Unprovable(f"lines {text}: the saga has lines 0 to {lines - 1}")
        wanted.update(range(first, last + 1))
    return wanted


def chosen(
    found: Sequence[Place], lines: Mapping[int, bytes], reveal: Sequence[Choice], conceal: Sequence[Choice]
) -> set[str]:
    """The digests to open: those revealed, without those concealed; with nothing but ``conceal``, all but those.

    lines: the lines shown, by seq. Raises Unprovable for a choice that names no concealed value, and for one to conceal
    what stands in clear.
    """
    for choice in conceal:
        _require_concealed(choice, lines)
    wanted = [one for choice in reveal for one in _named(choice, found, lines)] if reveal or not conceal else found
    closed = {one.digest for choice in conceal for one in _named(choice, found, lines)}
    return {one.digest for one in wanted} - closed


def _named(choice: Choice, found: Sequence[Place], lines: Mapping[int, bytes]) -> list[Place]:
    named = [place for place in found if choice.names(place)]
    if not named and choice.seq is not None:
        raise Unprovable(_why_none(choice, _at(choice, lines)))
    return named


def _at(choice: Choice, lines: Mapping[int, bytes]) -> Any:
    if choice.seq is None or choice.seq not in lines:
        raise Unprovable(f"{choice}: line {choice.seq} is not among the lines shown")
    return resolve(choice.pointer, msgspec.json.decode(lines[choice.seq]))


def _why_none(choice: Choice, value: Any) -> str:
    if value is MISSING:
        return f"{choice}: line {choice.seq} has no {choice.pointer}"
    if is_concealed(value):
        return f"{choice}: stands inside a value that is concealed as a whole: name that one"
    return f"{choice}: nothing is concealed there; it stands in clear and is shown as it is"


def _require_concealed(choice: Choice, lines: Mapping[int, bytes]) -> None:
    if choice.seq is None:
        return
    value = _at(choice, lines)
    clear = next(_clear(choice.pointer, value), None) if value is not MISSING else None
    if clear is not None:
        raise Unprovable(
            f"{choice}: {clear or 'the line'} was written in clear and cannot be withheld: it is part of the line's "
            "hash; leave the line out with --lines, or have the value concealed when it is written"
        )


def _clear(pointer: str, value: Any) -> Iterator[str]:
    """Pointers to what stands in clear at or below a value."""
    if is_concealed(value):
        return
    if not isinstance(value, (dict, list)) or not value:
        yield pointer
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in items:
        yield from _clear(f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}", item)
