"""Comparing payloads that may be partly sealed: equal, different, or not decidable.

Digests are never compared: the same value concealed twice has two digests, so only opened values can be equal.

Source: docs/rules.md, "An effect, formally".
"""

from typing import Any

import msgspec
from msgspec import Struct

from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.currencies import in_units
from agent_saga.trace.values import CONCEALED_NAME, MISSING, dumps, is_concealed, resolve

_canonical = msgspec.json.Encoder(order="sorted").encode
_MARK = dumps(CONCEALED_NAME)
_decode = msgspec.json.Decoder().decode


class Known(Struct, frozen=True, gc=False):
    """A payload as far as it can be opened: its compact JSON, and whether a part of it stays sealed."""

    json: bytes
    sealed: bool = False

    def value(self) -> Any:
        """The payload as a JSON value."""
        return _decode(self.json)

    def says(self, value: Any) -> bool:
        """Tell whether it is in the open and written like this value: a quick yes that needs no disclosure."""
        return not self.sealed and self.json == dumps(value)


class Money(Struct, frozen=True, gc=False):
    """An amount: integer minor units and an ISO 4217 currency."""

    minor: int
    currency: str

    def __str__(self) -> str:
        return f"{self.currency} {in_units(self.minor, self.currency)}"


def known(value: Any, disclosures: Disclosures) -> Known:
    """Keep a payload for later comparison, opened where a disclosure allows."""
    written = dumps(value)
    if _MARK not in written:
        return Known(written)
    opened, sealed = disclosures.open(value)
    return Known(dumps(opened), sealed)


def money(value: dict[str, Any] | None, disclosures: Disclosures) -> Money | None | bool:
    """An amount as money; None when there is none, False when it is sealed."""
    if value is None:
        return None
    minor, currency = value.get("minor"), value.get("currency")
    if type(minor) is int and type(currency) is str:
        return Money(minor, currency)
    opened, sealed = disclosures.open(value)
    if sealed or type(opened) is not dict:
        return False
    minor, currency = opened.get("minor"), opened.get("currency")
    return Money(minor, currency) if type(minor) is int and type(currency) is str else False


def identical(a: Any, b: Any) -> bool:
    """Tell whether two values are in the open and written alike: a quick yes that needs no disclosure."""
    if type(a) is str:
        return type(b) is str and a == b
    written = dumps(a)
    return written == dumps(b) and _MARK not in written


def same(a: Known, b: Known, ignoring: str | None = None) -> bool | None:
    """Tell whether two payloads are equal as JSON; None when a sealed part keeps it open.

    ignoring: a JSON Pointer whose value does not count in either (the amount of a partial undo).
    """
    if a.json == b.json and not (a.sealed or b.sealed):
        return True
    if ignoring == "":
        return True
    left, right = a.value(), b.value()
    if ignoring is not None:
        _drop(left, ignoring)
        _drop(right, ignoring)
    one, other = _canonical(left), _canonical(right)
    sealed = (a.sealed and _MARK in one) or (b.sealed and _MARK in other)
    if not sealed:
        return one == other
    return False if _differ(left, right) else None


def _drop(value: Any, pointer: str) -> None:
    """Blank out what a pointer names."""
    parent, _, last = pointer.rpartition("/")
    holder = resolve(parent, value)
    if is_concealed(holder):
        return
    if isinstance(holder, dict):
        holder.pop(last.replace("~1", "/").replace("~0", "~"), None)
    elif isinstance(holder, list) and resolve("/" + last, holder) is not MISSING:
        holder[int(last)] = None


def _differ(a: Any, b: Any) -> bool:
    """Tell whether two values differ for certain, whatever their sealed parts hold."""
    if is_concealed(a) or is_concealed(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() != b.keys() or any(_differ(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) != len(b) or any(map(_differ, a, b))
    return _canonical(a) != _canonical(b)
