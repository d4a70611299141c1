"""The little CBOR that a passkey's attestation is written in: whole numbers, bytes, text, arrays, maps, true, false.

Source: RFC 8949, sections 3 and 5; CTAP 2.1, section 8 (definite lengths, no more than a few levels).
"""

from typing import Any, Final

from agent_saga.approvals.limits import MAX_CBOR_DEPTH
from agent_saga.console.errors import Refused

_UINT, _NINT, _BYTES, _TEXT, _ARRAY, _MAP, _SIMPLE = 0, 1, 2, 3, 4, 5, 7
_WIDTHS: Final = {24: 1, 25: 2, 26: 4, 27: 8}
_WORDS: Final = {20: False, 21: True, 22: None}


def read(data: bytes, at: int = 0, depth: int = MAX_CBOR_DEPTH) -> tuple[Any, int]:
    """The item that begins at ``at``, and the index after it. Raises Refused (``bad-attestation``)."""
    kind, number, at = _head(data, at)
    if kind in (_UINT, _NINT):
        return (number if kind == _UINT else -1 - number), at
    if kind in (_BYTES, _TEXT):
        return _string(data, at, number, kind == _TEXT), at + number
    if kind == _SIMPLE and number in _WORDS:
        return _WORDS[number], at
    if kind not in (_ARRAY, _MAP) or not depth or number > len(data) - at:
        raise _wrong("an item that no attestation has")
    items: list[Any] = []
    for _ in range(number * (2 if kind == _MAP else 1)):
        item, at = read(data, at, depth - 1)
        items.append(item)
    return (items if kind == _ARRAY else _map(items)), at


def read_map(data: bytes, at: int = 0) -> tuple[dict[Any, Any], int]:
    """The map that begins at ``at``, and the index after it. Raises Refused (``bad-attestation``)."""
    found, end = read(data, at)
    if not isinstance(found, dict):
        raise _wrong("no map where one must stand")
    return found, end


def _map(items: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(name, int | str) for name in items[::2]):
        raise _wrong("a map whose names are neither numbers nor text")
    found = dict(zip(items[::2], items[1::2], strict=True))
    if len(found) * 2 != len(items):
        raise _wrong("a name twice in one map")
    return found


def _string(data: bytes, at: int, size: int, text: bool) -> bytes | str:
    if size > len(data) - at:
        raise _wrong("cut off")
    found = data[at : at + size]
    try:
        return found.decode() if text else found
    except UnicodeDecodeError as fault:
        raise _wrong("text that is not UTF-8") from fault


def _head(data: bytes, at: int) -> tuple[int, int, int]:
    if at >= len(data):
        raise _wrong("cut off")
    kind, short = data[at] >> 5, data[at] & 31
    if short < 24:
        return kind, short, at + 1
    width = _WIDTHS.get(short, 0)
    if not width or at + 1 + width > len(data):
        raise _wrong("a length that is not definite, or cut off")
    return kind, int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width


def _wrong(what: str) -> Refused:
    return Refused(400, "bad-attestation", f"the new passkey's attestation is not readable: {what}")
