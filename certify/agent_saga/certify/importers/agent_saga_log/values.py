"""Foreign values in the forms that our events demand: ids, tool names, times, payloads.

Every change is injective or documented: an id that fits passes unchanged; one that does not becomes its fitting
characters, ``.x`` and 24 hex digits of its hash, and so does an id that already looks like that.

Source: docs/sources/agent-saga-log.md, "Values"; docs/spec/trace-v1.md, "Line form".
"""

import json
import re
import time
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

import msgspec

from agent_saga.trace.errors import LineError
from agent_saga.trace.limits import MAX_DEPTH, MAX_ID, MAX_INT, MAX_SAGA_ID
from agent_saga.trace.values import CONCEALED_NAME, LONG, LONG_TEXT

_FITS: Final = {
    MAX_ID: re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch,
    MAX_SAGA_ID: re.compile(r"[A-Za-z0-9._:-]{1,128}").fullmatch,
}
_RESERVED = re.compile(r".*\.x[0-9a-f]{24}|u[0-9]+|log").fullmatch
"""Ids that the importer makes itself: escaped ones and those of undos; and the reserved saga."""
_USUAL = re.compile(r"[0-9A-Za-km-tv-z_-][0-9A-Za-z_-]{0,63}").fullmatch
"""Ids like those that the package makes: without a dot, and beginning like none that the importer makes, they fit."""
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MAX_TOOL: Final = 128
_TOOLS: dict[str, str] = {}
_KNOWN_LIMIT: Final = 1000
"""Tool names remembered; they are few, and each is met in many records."""
_LAST_SECOND: Final = 253_402_300_799
"""9999-12-31T23:59:59Z."""
_EXACT: Final = 1 << 20
"""From here on, in seconds, a double has so few bits behind the point that their millionths are an exact double."""
_WITH_MICROS: Final = len("1970-01-13T03:16:16.000001Z")
_moment = datetime.fromtimestamp
_spelled = msgspec.to_builtins


def fit(raw: str, limit: int = MAX_ID, kind: str = "") -> str:
    """An id of ours for an id of theirs. kind: keeps ids of different kinds apart; a kind is always escaped."""
    if not kind and (_USUAL(raw) or (_FITS[limit](raw) and not _RESERVED(raw))):
        return raw
    stem = _UNFIT.sub("_", raw)[: limit - 26]
    return f"{stem}.x{sha256(f'{kind}:{raw}'.encode(errors='surrogatepass')).hexdigest()[:24]}"


def fit_saga(raw: str) -> str:
    """A saga id of ours for one of theirs."""
    return fit(raw, MAX_SAGA_ID)


def fit_tool(raw: str) -> str:
    """A tool name without control characters, of at most 128 characters."""
    known = _TOOLS.get(raw)
    if known is None:
        if len(_TOOLS) >= _KNOWN_LIMIT:
            _TOOLS.clear()
        known = _TOOLS[raw] = _fit_tool(raw)
    return known


def _fit_tool(raw: str) -> str:
    if raw and len(raw) <= _MAX_TOOL and not _CONTROL.search(raw):
        return raw
    digest = sha256(raw.encode(errors="surrogatepass")).hexdigest()[:24]
    return f"{_CONTROL.sub('?', raw)[: _MAX_TOOL - 26]}.x{digest}"


def fit_text(raw: str) -> str:
    """Free text without NUL, of at most 4096 characters."""
    return raw.replace("\0", "?")[:4096]


class Clock:
    """Turns seconds since 1970 into RFC 3339; remembers the last second, which most records share."""

    def __init__(self) -> None:
        self._second = ""
        self._prefix = ""

    def at(self, ts: Any) -> str:
        """The time with six decimals, exactly rounded (half to even). Raises LineError (AS102) for anything else."""
        kind = type(ts)
        if kind is float and _EXACT <= ts < _LAST_SECOND:
            text: str = _spelled(_moment(ts, UTC))
            if len(text) == _WITH_MICROS:
                return text
        if not (kind is float or kind is int) or not 0 <= ts <= _LAST_SECOND:
            raise LineError("AS102", f"ts is {json.dumps(ts, default=str)[:40]}; expected seconds since 1970")
        second, _, micro = f"{ts:.6f}".partition(".")
        if second != self._second:
            self._second, self._prefix = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(int(second)))
        return f"{self._prefix}.{micro}Z"


def clean(value: Any, depth: int = 2) -> tuple[Any, int]:
    """A payload in our form and its traits: floats and integers beyond 2^53 as text, ``...`` as a name nowhere.

    depth: where the value stands; a container at its line's top level is at 2. Raises LineError (AS101) beyond 64.
    """
    kind = type(value)
    if kind is str:
        return value, LONG_TEXT if len(value) >= LONG else 0
    if kind is dict:
        return clean_object(value, depth)
    if kind is list:
        return _array(value, depth)
    if kind is float:
        return repr(value), 0
    if kind is int and not -MAX_INT <= value <= MAX_INT:
        return str(value), LONG_TEXT
    return value, 0


def clean_object(value: dict[str, Any], depth: int = 2) -> tuple[Any, int]:
    """:func:`clean` of an object; raises the same. Text for one with the name ``...``."""
    if depth > MAX_DEPTH:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}")
    if CONCEALED_NAME in value:
        return json.dumps(value, ensure_ascii=False), LONG_TEXT
    traits = 0
    changed: dict[str, Any] | None = None
    for name, item in value.items():
        kind = type(item)
        if kind is str:
            if len(item) >= LONG:
                traits = LONG_TEXT
        elif not (item is None or (kind is int and -MAX_INT <= item <= MAX_INT)):
            new, more = clean(item, depth + 1)
            traits |= more
            if new is not item:
                changed = changed or {}
                changed[name] = new
        if len(name) >= LONG:
            traits = LONG_TEXT
    return ({**value, **changed} if changed else value), traits


def _array(value: list[Any], depth: int) -> tuple[list[Any], int]:
    if depth > MAX_DEPTH:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}")
    items, traits = [], 0
    for item in value:
        new, more = clean(item, depth + 1)
        items.append(new)
        traits |= more
    return items, traits
