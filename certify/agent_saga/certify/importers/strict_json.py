"""JSON values as other projects write them, and as events of ours hold them.

Decoding is strict (RFC 8259, with duplicate names refused) and bounded. Events of ours carry no floats and no integers
beyond 2^53-1: such a number becomes the string that the source wrote.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from agent_saga.trace.limits import MAX_INT

MAX_DIGITS: Final = 400
"""Characters of a number: more than any double needs, and far below what makes a parser slow."""

_DOTS = re.compile(r"\.{3,}").fullmatch


class Number(float):
    """A JSON number with a fraction or an exponent, which remembers how it was written."""

    literal: str

    def __new__(cls, literal: str) -> "Number":
        """Keep the literal beside its value."""
        number = super().__new__(cls, literal)
        number.literal = literal
        return number


def strict_decoder(problems: list[str]) -> json.JSONDecoder:
    """A JSON decoder that notes in ``problems`` what strict JSON forbids, and reads on."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            problems.append(f"the name {_twice(items)[:80]!r} stands twice in one object")
        return found

    def bounded(kind: Callable[[str], Any]) -> Callable[[str], Any]:
        def parse(literal: str) -> Any:
            if len(literal) > MAX_DIGITS:
                found = f"the number {literal[:20]}... has {len(literal)} characters"
                problems.append(f"{found}; at most {MAX_DIGITS} are read")
                return 0
            return kind(literal)

        return parse

    def real(literal: str) -> Any:
        number = Number(literal)
        if number - number != 0:
            problems.append(f"the number {literal[:40]} is beyond the range of a double")
        return number

    def constant(literal: str) -> Any:
        problems.append(f"{literal} is not JSON")
        return 0

    return json.JSONDecoder(
        object_pairs_hook=pairs, parse_int=bounded(int), parse_float=bounded(real), parse_constant=constant
    )


def _twice(items: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for name, _ in items:
        if name in seen:
            return name
        seen.add(name)
    return ""


def has_surrogate(value: Any) -> bool:
    """Tell whether a parsed value holds half of a surrogate pair, which is no Unicode character."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    return False


def plain(value: Any) -> Any:
    """A decoded value as a payload of ours: floats and large integers as strings, no reserved name.

    The name ``...`` marks concealed values in traces of ours, so a foreign name of three or more dots gets one more.
    """
    if isinstance(value, dict):
        return {name + "." if _DOTS(name) else name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Number):
        return value.literal
    if type(value) is int and not -MAX_INT <= value <= MAX_INT:
        return str(value)
    return value


def canonical(value: Any) -> bytes:
    """Sorted names, compact separators, non-ASCII kept: the bytes over which foreign digests are computed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
