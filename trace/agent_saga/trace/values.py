"""Payload values: the bounds they keep, how a pointer finds a part of them, and how two of them compare.

A payload is the agent's own data. Any part of it may stand concealed as ``{"...":"DIGEST"}``
(:mod:`agent_saga.trace.conceal`); a comparison that meets a concealed part is neither equal nor different but unknown.

Source: docs/spec/trace-v1.md, sections "Line form" and "Concealed values"; JSON Pointer is RFC 6901.
"""

import json
import re
from functools import lru_cache
from typing import Any, Final

import msgspec

from agent_saga.trace.errors import LineError
from agent_saga.trace.limits import MAX_DEPTH, MAX_INT
from agent_saga.trace.secrets import kind_of_secret

CONCEALED_NAME: Final = "..."
MIN_INT: Final = -MAX_INT
_DIGEST = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]").fullmatch
_CURRENCY = re.compile(r"[A-Z]{3}").fullmatch

CONCEALS: Final = 1
"""Trait of a payload: some part of it is concealed."""

SUSPECT: Final = 2
"""Trait of a payload: some string or name of it looks like a credential (:mod:`agent_saga.trace.secrets`)."""

LONG_TEXT: Final = SUSPECT
"""Trait of a payload of which it is only known that some string or name is long enough to be a credential."""

LONG: Final = 16
"""Characters from which a string may be a credential: no credential format in use is shorter."""

dumps = msgspec.json.Encoder().encode
"""Compact JSON of a payload value, as it stands on a line."""


def is_concealed(value: object) -> bool:
    """Tell whether this value is a placeholder ``{"...":"DIGEST"}``; :func:`scan` has seen to its form."""
    return type(value) is dict and CONCEALED_NAME in value


def scan(value: object, depth: int = 2) -> int:
    """Check a payload against the format's bounds and return its traits (:data:`CONCEALS`, :data:`SUSPECT`).

    depth: the nesting at which the value stands in its line; a top-level member stands at 2 if it is a container.
    Raises LineError (AS101) for an integer outside +-(2^53-1) or a depth over 64, and (AS102) for ``...`` misused.
    """
    kind = type(value)
    if kind is str:
        return SUSPECT if len(value) >= LONG and kind_of_secret(value) else 0  # type: ignore[arg-type]
    if kind is dict:
        return scan_object(value, depth)  # type: ignore[arg-type]
    if kind is list or kind is tuple:
        return _scan_array(value, depth)  # type: ignore[arg-type]
    if kind is int:
        if not MIN_INT <= value <= MAX_INT:  # type: ignore[operator]
            raise LineError("AS101", f"the integer {_short(value)} is outside +-(2^53-1); write it as a string")
    elif value is not None and kind is not bool:
        raise LineError("AS101", _stranger(value))
    return 0


def _stranger(value: object) -> str:
    if isinstance(value, float):
        return f"the number {value} is a float; write decimals as strings"
    return (
        f"a {type(value).__name__} is no JSON value; expected text, an integer, true, false, null, an array or object"
    )


def scan_object(value: dict[str, Any], depth: int = 2) -> int:
    """:func:`scan` of an object; raises the same."""
    if depth > MAX_DEPTH:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}")
    if CONCEALED_NAME in value:
        digest = value[CONCEALED_NAME]
        if len(value) != 1 or type(digest) is not str or not _DIGEST(digest):
            raise LineError("AS102", 'the name "..." is reserved: expected {"...":"43 base64url characters"} alone')
        return CONCEALS
    traits = 0
    for name, item in value.items():
        kind = type(item)
        if kind is str:
            if len(item) >= LONG and kind_of_secret(item):
                traits |= SUSPECT
        elif kind is dict:
            traits |= scan_object(item, depth + 1)
        elif kind is int:
            if not MIN_INT <= item <= MAX_INT:
                scan(item)
        elif item is not None and kind is not bool:
            traits |= scan(item, depth + 1)
        if len(name) >= LONG and kind_of_secret(name):
            traits |= SUSPECT
    return traits


def _scan_array(value: list[Any] | tuple[Any, ...], depth: int) -> int:
    if depth > MAX_DEPTH:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}")
    traits = 0
    for item in value:
        traits |= scan(item, depth + 1)
    return traits


def _short(value: object) -> str:
    """Abridge a number for a message without ever building its full text."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"of {value.bit_length()} bits"
    return str(value)


def scan_amount(value: dict[str, Any], depth: int = 2) -> int:
    """:func:`check_amount` and :func:`scan`; short where the amount is in the clear and its currency is known."""
    minor, currency = value.get("minor"), value.get("currency")
    if type(minor) is int and type(currency) is str and currency in _CURRENCIES and len(value) == 2:
        return scan(minor)
    check_amount(value)
    if type(currency) is str and len(_CURRENCIES) < _MANY:
        _CURRENCIES.add(currency)
    return scan_object(value, depth)


_CURRENCIES: Final[set[str]] = set()
_MANY: Final = 256
"""Currencies remembered as well-formed: there are fewer than 200 in ISO 4217."""


def check_amount(value: dict[str, Any]) -> None:
    """Check that a value is money in the form of the spec, or concealed. Raises LineError (AS102)."""
    if CONCEALED_NAME in value:
        return
    minor, currency = value.get("minor"), value.get("currency")
    known_currency = is_concealed(currency) or (type(currency) is str and _CURRENCY(currency))
    if len(value) == 2 and known_currency and (type(minor) is int or is_concealed(minor)):
        return
    raise LineError("AS102", 'an amount is {"minor":INTEGER,"currency":"ISO 4217 code"}; found ' + _excerpt(value))


def _excerpt(value: object, limit: int = 80) -> str:
    text = json.dumps(value)  # escapes what does not print
    return text if len(text) <= limit else text[:limit] + "..."


class Missing:
    """The type of :data:`MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""What :func:`resolve` returns when a pointer leads nowhere."""


def resolve(pointer: str, value: Any) -> Any:
    """Follow a JSON Pointer (RFC 6901) into a value; :data:`MISSING` when a step does not exist.

    A concealed container on the way is returned as it stands: what lies below it cannot be known.
    """
    if not pointer:
        return value
    for token in _tokens(pointer):
        if type(value) is dict:
            if CONCEALED_NAME in value:
                return value
            if token not in value:
                return MISSING
            value = value[token]
        elif type(value) is list and re.fullmatch("0|[1-9][0-9]{0,9}", token) and int(token) < len(value):
            value = value[int(token)]
        else:
            return MISSING
    return value


@lru_cache(maxsize=256)
def _tokens(pointer: str) -> tuple[str, ...]:
    """The names and positions that a pointer leads through; the pointers of a catalogue come again and again."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
