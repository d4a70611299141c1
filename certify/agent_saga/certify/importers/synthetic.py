"""Events of ours made from another project's records: numbered, timed, checked, and never an exception.

A made event has its place in the source and nothing else: no leaf, no chain (``prev`` and ``salt`` are empty), and
``seq`` counts the events made. What the source says may not fit our forms; the record then becomes a fault.

Source: docs/spec/trace-v1.md, "Foreign sources".
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.checks import Check, members
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EVENT_TYPES, SUCCEEDED_UNVERIFIED, Event
from agent_saga.trace.limits import MAX_ID

_EPOCH: Final = "1970-01-01T00:00:00.000000Z"
_NAMES: Final = {cls: name for name, cls in EVENT_TYPES.items()}
_NOT_OURS: Final = frozenset({"prev", "salt"})

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
).fullmatch
_TAIL: Final = 32
"""Hex digits of the digest that shortens a long name: 128 bits."""

_checks: dict[type[Event], tuple[tuple[str, Check], ...]] = {}


def ident(name: str, limit: int = MAX_ID) -> str:
    """A foreign name as an id of ours; different names give different ids.

    Letters, digits, ``_`` and ``-`` stay; any other run becomes ``.HEX.`` of its UTF-8; what is then too long is cut
    and ends in ``..`` and 128 bits of the name's SHA-256.
    """
    safe = _UNSAFE.sub(lambda run: f".{run[0].encode(errors='surrogatepass').hex()}.", name)
    if 0 < len(safe) <= limit:
        return safe
    digest = sha256(name.encode(errors="surrogatepass")).hexdigest()[:_TAIL]
    return f"{safe[: limit - _TAIL - 2]}..{digest}"


def instant(text: object) -> str | None:
    """A time stamp (RFC 3339) in the form of ours: UTC, six decimals, finer ones cut off; None when it is none."""
    match = _INSTANT(text) if isinstance(text, str) else None
    if match is None:
        return None
    day, clock, fraction, sign, hours, minutes = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)
        if sign:
            offset = timedelta(hours=int(hours), minutes=int(minutes))
            moment = moment - offset if sign == "+" else moment + offset
    except (ValueError, OverflowError):
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{(fraction or '').ljust(6, '0')[:6]}Z".rjust(len(_EPOCH), "0")


def tool_name(name: object) -> str:
    """A foreign name as a tool's name: control characters escaped, cut to 128 characters with a digest."""
    text = name if isinstance(name, str) and name else "(unnamed)"
    text = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", text)
    if len(text) <= 128:
        return text
    return f"{text[: 128 - _TAIL - 2]}..{sha256(text.encode(errors='surrogatepass')).hexdigest()[:_TAIL]}"


class Maker:
    """Makes the events of one saga. at: the time of the events made next; the last good one is kept."""

    def __init__(self, saga: str) -> None:
        self.saga, self.seq, self.at = saga, 0, _EPOCH

    def make(self, cls: type[Event], line: int, by: str = "runtime", /, **said: Any) -> Observed | Fault:
        """One event at a line of the source, or a fault when what the source says has no place in an event."""
        head: Mapping[str, Any] = {
            "v": 1, "saga": self.saga, "seq": self.seq, "prev": "", "at": self.at, "type": _NAMES[cls], "by": by
        }  # fmt: skip
        event = cls(**head, **said)
        try:
            traits = _traits(event)
        except LineError as fault:
            return Fault(line, fault.code, fault.message, self.saga, what=_NAMES[cls])
        self.seq += 1
        return Observed(line, event, traits)


def _traits(event: Event) -> int:
    cls = type(event)
    if cls not in _checks:
        _checks[cls] = tuple((name, check) for name, check in dict(members(cls)).items() if name not in _NOT_OURS)
    traits = 0
    for name, check in _checks[cls]:
        value = getattr(event, name)
        if value != SUCCEEDED_UNVERIFIED or name != "status":  # the one status that only importers write
            traits |= check(value)
    return traits


def money(minor: object, currency: object) -> dict[str, Any] | None:
    """An amount in the form of ours; None when the two are not an integer and a currency's code."""
    if type(minor) is int and isinstance(currency, str) and re.fullmatch("[A-Z]{3}", currency):
        return {"minor": minor, "currency": currency}
    return None
