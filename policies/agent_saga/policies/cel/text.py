"""Writes a syntax tree as text again: one spelling for one tree, that :func:`parse` reads back to the same tree.

Source: docs/spec/policy-cel-v1.md, "Canonical spelling".
"""

import re
from collections.abc import Iterable
from typing import Final

from agent_saga.policies.cel.lexer import UNSEEN
from agent_saga.policies.cel.parser import BINDS
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select

_UNARY: Final = 6
_POSTFIX: Final = 7
_ESCAPED = re.compile(rf'[\\"\t\n\f\r]|{UNSEEN.pattern}')
_SHORT: Final = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def text_of(tree: Expression) -> str:
    """The canonical text: no bracket too many, one space around binary operators, strings in double quotes."""
    return _text(tree, 0)


def _text(tree: Expression, around: int) -> str:
    """The text, in brackets where it binds less tightly than its surroundings ask for."""
    binds, text = _bare(tree)
    return f"({text})" if binds < around else text


def _bare(tree: Expression) -> tuple[int, str]:
    """How tightly the text binds, and the text."""
    match tree:
        case Literal(value):
            return _literal(value)
        case Name(name):
            return _POSTFIX, name
        case Select(of, field, test):
            text = f"{_text(of, _POSTFIX)}.{field}"
            return _POSTFIX, f"has({text})" if test else text
        case Index(of, index):
            return _POSTFIX, f"{_text(of, _POSTFIX)}[{text_of(index)}]"
        case ListOf(items):
            return _POSTFIX, f"[{', '.join(map(text_of, items))}]"
        case MapOf(entries):
            return _POSTFIX, _braces(f"{text_of(key)}: {text_of(value)}" for key, value in entries)
        case Call():
            return _call(tree)


def _braces(entries: Iterable[str]) -> str:
    return "{" + ", ".join(entries) + "}"


def _call(tree: Call) -> tuple[int, str]:
    name, args = tree.name, tree.args
    if name == "?:":
        return 0, f"{_text(args[0], 1)} ? {_text(args[1], 1)} : {_text(args[2], 0)}"
    if name in ("!", "-_"):
        operand = _text(args[0], _POSTFIX)
        # A minus would belong to the number that the operand begins with.
        number = name == "-_" and operand[0] in "0123456789."
        return _UNARY, f"{name[0]}({operand})" if number else name[0] + operand
    if name in BINDS and not tree.receiver:
        binds = BINDS[name]
        rest = [_text(arg, binds + 1) for arg in args[1:]]
        return binds, f" {name} ".join([_text(args[0], binds), *rest])
    if tree.receiver:
        return _POSTFIX, f"{_text(args[0], _POSTFIX)}.{name}({', '.join(map(text_of, args[1:]))})"
    return _POSTFIX, f"{name}({', '.join(map(text_of, args))})"


def _literal(value: object) -> tuple[int, str]:
    if value is None or isinstance(value, bool):
        return _POSTFIX, {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _POSTFIX, quoted(value)
    if isinstance(value, bytes):
        return _POSTFIX, 'b"' + "".join(map(_octet, value)) + '"'
    text = repr(value)
    return (_UNARY if text.startswith("-") else _POSTFIX), text


def quoted(value: str) -> str:
    """A string as a literal: double quotes, and an escape for what nobody would see."""
    return '"' + _ESCAPED.sub(lambda found: _escape(found[0]), value) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return _SHORT.get(character) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")


def _octet(octet: int) -> str:
    character = chr(octet)
    return character if 0x20 <= octet < 0x7F and character not in '\\"' else f"\\x{octet:02x}"
