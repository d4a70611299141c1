"""Whether bytes are exactly one CBOR map, as the extensions of authenticator data must be. Nothing is made of it.

Source: RFC 8949, sections 3 and 5.3; CTAP2 canonical form has definite lengths only.
"""

from typing import Final

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import MAX_CBOR_DEPTH

_BYTES, _TEXT, _ARRAY, _MAP, _TAG, _SIMPLE = 2, 3, 4, 5, 6, 7
_WIDTHS: Final = {24: 1, 25: 2, 26: 4, 27: 8}


def check_map(data: bytes) -> None:
    """Check that the bytes are one map of definite length and no more. Raises NotApproved (``bad-proof``)."""
    if not data or data[0] >> 5 != _MAP or _skip(data, 0, MAX_CBOR_DEPTH) != len(data):
        raise NotApproved("bad-proof", "the extensions in authenticatorData are not exactly one CBOR map")


def _skip(data: bytes, at: int, depth: int) -> int:
    """The index after the item that begins here."""
    kind, argument, at = _head(data, at)
    if kind in (_BYTES, _TEXT):
        at += argument
    elif kind in (_ARRAY, _MAP, _TAG):
        items = 1 if kind == _TAG else argument * (2 if kind == _MAP else 1)
        if not depth or items > len(data):
            raise NotApproved("bad-proof", "the extensions in authenticatorData are nested too deep or cut off")
        for _ in range(items):
            at = _skip(data, at, depth - 1)
    if at > len(data):
        raise NotApproved("bad-proof", "the extensions in authenticatorData are cut off")
    return at


def _head(data: bytes, at: int) -> tuple[int, int, int]:
    """Major type, argument, and the index after them."""
    if at >= len(data):
        raise NotApproved("bad-proof", "the extensions in authenticatorData are cut off")
    kind, short = data[at] >> 5, data[at] & 31
    if short < 24:
        return kind, short, at + 1
    width = _WIDTHS.get(short, 0)
    if not width or at + 1 + width > len(data):
        raise NotApproved("bad-proof", "the extensions in authenticatorData have no definite length, or are cut off")
    return kind, int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width
