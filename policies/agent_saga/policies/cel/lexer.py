"""Cuts the text of a condition into tokens, and refuses what no reader could see.

Source: docs/spec/policy-cel-v1.md, "Grammar"; CEL language definition, "Syntax" (the lexis).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.policies.cel.faults import CelError, CelFault
from agent_saga.policies.cel.limits import MAX_INT, MAX_TEXT
from agent_saga.policies.cel.strings import decode

_TOKEN = re.compile(
    r"""
    (?P<space>(?:[ \t\n\f\r]|//[^\n\r]*)+)
  | (?P<string>[bB]?[rR](?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*')
      | [bB]?(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'))
  | (?P<double>(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
  | (?P<int>0x[0-9a-fA-F]+|[0-9]+)
  | (?P<word>[_a-zA-Z][_a-zA-Z0-9]*)
  | (?P<sign>&&|\|\||<=|>=|==|!=|[-+*/%<>!?:.,()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER_TAIL = re.compile(r"[_a-zA-Z0-9]+").match

UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control characters, half surrogates, and what Unicode gives no shape of its own or lets change the direction of the
text (general categories Cc, Cs, Cf): a reviewer would not see them."""

_CARRIAGE_RETURN = re.compile("\r(?!\n)")
_ALONE: Final = "a carriage return without a line feed; implementations differ on whether it ends a line"

_DANGLING: Final = {"&": "write &&", "|": "write ||", "=": "write ==", ";": "a condition is one expression"}


@dataclass(frozen=True, slots=True)
class Token:
    """kind: int, double, string, word, sign or end. text: as written. value: of a literal. end: offset after it."""

    kind: str
    text: str
    at: int
    value: Any = None
    end: int = 0


def tokens(text: str) -> list[Token]:
    """Cut a condition into tokens; the last is of kind end.

    Raises CelError with every fault of spelling in the text, or with the one that it is too long.
    """
    if len(text) > MAX_TEXT:
        raise CelError((CelFault(0, f"the condition has {len(text):,} characters; at most {MAX_TEXT:,} are read"),))
    faults = [CelFault(odd.start(), _unseen(odd[0])) for odd in UNSEEN.finditer(text)]
    faults += [CelFault(odd.start(), _ALONE) for odd in _CARRIAGE_RETURN.finditer(text)]
    if faults:
        raise CelError(tuple(faults[:10]))
    found = list(_scan(text, faults))
    if faults:
        raise CelError(tuple(faults))
    return [*found, Token("end", "", len(text), end=len(text))]


def _unseen(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return f"the text holds U+{code:04X}, half of a surrogate pair, which is no character"
    escape = f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return f"the text holds the unseen character U+{code:04X}; in a string, write it as {escape}"


def _scan(text: str, faults: list[CelFault]) -> Iterator[Token]:
    """The tokens between spaces; what is none becomes a fault, and the scan stops there: the rest would be guessed."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            faults.append(CelFault(at, _no_token(text, at)))
            return
        at, kind = match.end(), match.lastgroup or ""
        if kind != "space":
            yield _token(kind, match[0], match.start(), text, faults)


def _no_token(text: str, at: int) -> str:
    character = text[at]
    if character in "\"'":
        return (
            "the string that begins here has no end" if "\n" not in text[at:] else "the string has no end on its line"
        )
    if character == "`":
        return 'a name in back quotes is left out here; write args["name"]'
    hint = _DANGLING.get(character)
    return f"`{character}` means nothing in a condition" + (f"; {hint}" if hint else "")


def _token(kind: str, word: str, at: int, text: str, faults: list[CelFault]) -> Token:
    """One token with its value; a literal without a value becomes a fault."""
    value: Any = None
    end = at + len(word)
    if kind == "string":
        value, fault = decode(word)
        if fault is not None:
            faults.append(CelFault(at + fault.at, fault.message))
    elif kind in ("int", "double"):
        tail = _NUMBER_TAIL(text, end)
        if tail:
            faults.append(CelFault(at, _bad_number(word, tail[0])))
        value = _number(kind, word, at, faults)
    return Token(kind, word, at, value, end)


def _bad_number(word: str, tail: str) -> str:
    if tail in ("u", "U"):
        return f"`{word}{tail}`: unsigned integers are left out here; write {word}"
    return f"`{word}{tail}` is neither a number nor a name"


def _number(kind: str, word: str, at: int, faults: list[CelFault]) -> int | float | None:
    """The value. An integer may be one above the greatest: behind a minus it is the least (the parser sees to it)."""
    if kind == "double":
        double = float(word)
        if double == float("inf"):
            faults.append(CelFault(at, f"{word} is beyond the greatest double, 1.7976931348623157e308"))
        return double
    if len(word) <= 100:
        number = int(word, 16) if word.startswith("0x") else int(word)
        if number <= MAX_INT + 1:
            return number
    faults.append(CelFault(at, f"the integer is outside 64 bits, {-MAX_INT - 1} to {MAX_INT}"))
    return None
