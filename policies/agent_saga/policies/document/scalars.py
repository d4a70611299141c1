"""What a plain scalar of YAML means: the core schema of YAML 1.2, so that ``no``, ``on`` and ``12:30`` are text.

Source: YAML 1.2.2, section 10.3.2. Floats are refused but in schemas: traces hold none, and no digest may
depend on their spelling.
"""

import math
import re
from typing import Final

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+").fullmatch
_OTHER_INT = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+").fullmatch
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
).fullmatch
MAX_DIGITS: Final = 16
"""Digits of an integer: those of 2^53-1, the largest that every reader of JSON keeps."""


class NotAllowed(Exception):
    """A scalar that the document may not hold; the message says why."""


def scalar(text: str, fractions: bool = False) -> str | int | float | bool | None:
    """The value of a plain scalar. fractions: whether numbers with one may stand here. Raises NotAllowed."""
    if text in _NULL:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if _INT(text) or _OTHER_INT(text):
        return _integer(text)
    if _FLOAT(text):
        if fractions and math.isfinite(value := float(text) if text[-1].isdigit() or text[-1] == "." else math.nan):
            return value
        raise NotAllowed(f"{text[:40]} is a number with a fraction; write a whole number, or text in quotes")
    return text


def _integer(text: str) -> int:
    if len(text.lstrip("+-")) > MAX_DIGITS + 2:
        raise NotAllowed("an integer of too many digits; write it as text in quotes")
    value = int(text, 0) if _OTHER_INT(text) else int(text)
    if abs(value) >= 1 << 53:
        raise NotAllowed(f"the integer {value} is outside +-(2^53-1); write it as text in quotes")
    return value
