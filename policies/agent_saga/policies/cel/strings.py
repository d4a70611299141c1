"""Reads string and bytes literals: raw, triple-quoted, and the escapes of both.

Source: CEL language definition, "String and Bytes Values". A carriage return inside a literal is refused, since
implementations of CEL differ on whether it stays one; ``\\r`` says it. So is a backslash at the end of a raw string,
which some read as an escape of the quote.
"""

import re
from typing import Final

from agent_saga.policies.cel.faults import CelFault

_ESCAPE = re.compile(
    r"\\(?:(?P<plain>[abfnrtv\\?\"'`])|[xX](?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-3][0-7]{2})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<bad>.?))",
    re.DOTALL,
)
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class _Bad(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.fault = CelFault(at, message)


def decode(word: str) -> tuple[str | bytes | None, CelFault | None]:
    """The value of a literal, or the fault in it with its offset inside the literal."""
    quote = len(word) - len(word.lstrip("bBrR"))
    prefix = word[:quote].lower()
    width = 3 if word.startswith(word[quote] * 3, quote) and len(word) >= quote + 6 else 1
    body, start = word[quote + width : -width], quote + width
    if "\r" in body:
        return None, CelFault(start + body.index("\r"), "a string holds a carriage return; write it as \\r")
    if "r" in prefix and body.endswith("\\"):
        return None, CelFault(start + len(body) - 1, "a raw string ends with a backslash; write it without the r")
    try:
        if "b" in prefix:
            return (body.encode() if "r" in prefix else _bytes(body, start)), None
        return (body if "r" in prefix else _text(body, start)), None
    except _Bad as bad:
        return None, bad.fault


def _text(body: str, start: int) -> str:
    return _ESCAPE.sub(lambda match: _character(match, start), body) if "\\" in body else body


def _character(match: re.Match[str], start: int) -> str:
    """One escape of a string: a Unicode code point."""
    if match["plain"]:
        return _PLAIN.get(match["plain"], match["plain"])
    digits = match["byte"] or match["short"] or match["long"]
    if match["bad"] is not None:
        raise _Bad(start + match.start(), _no_escape(match[0]))
    code = int(digits, 16) if digits else int(match["octal"], 8)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise _Bad(start + match.start(), f"`{match[0]}` is no Unicode character")
    return chr(code)


def _bytes(body: str, start: int) -> bytes:
    """Escapes of bytes are octets; other characters stand for their UTF-8."""
    made, at = bytearray(), 0
    for match in _ESCAPE.finditer(body):
        made += body[at : match.start()].encode()
        made.append(_octet(match, start))
        at = match.end()
    return bytes(made + body[at:].encode())


def _octet(match: re.Match[str], start: int) -> int:
    if match["short"] or match["long"]:
        raise _Bad(start + match.start(), f"`{match[0]}` stands for a character; bytes take \\x and two digits")
    return ord(_character(match, start))


def _no_escape(word: str) -> str:
    return f"`{word}` is no escape; write a backslash itself as \\\\, or a raw string r'...'"
