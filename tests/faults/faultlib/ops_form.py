"""Lines whose bytes are not what the format allows, in a chain that fits them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .lines import GENESIS, changed, dumps, leaf, replaced
from .mutants import Change, codes, operator
from .ops_values import edit
from .shapes import Base
from .view import View

Spoil = Callable[[bytes], bytes]


def _sub(pattern: bytes, by: bytes) -> Spoil:
    return lambda line: re.sub(pattern, lambda _: by, line, count=1)


def _seq(by: bytes) -> Spoil:
    return lambda line: re.sub(rb'"seq":(\d+)', lambda found: b'"seq":' + by.replace(b"N", found[1]), line, count=1)


def _member(text: bytes) -> Spoil:
    return _sub(rb',"salt":"', b"," + text + b',"salt":"')


MALFORMED: dict[str, Spoil] = {
    "a float": _seq(b"N.0"),
    "an exponent": _seq(b"Ne0"),
    "a leading zero": _seq(b"0N"),
    "a minus zero": _sub(rb'"seq":\d+', b'"seq":-0'),
    "a number that is none": _sub(rb'"seq":\d+', b'"seq":NaN'),
    "a name twice": _sub(rb'"v":1,', b'"v":1,"v":1,'),
    "a name twice, once escaped": _sub(rb'"v":1,', b'"v":1,"\\u0076":1,'),
    "a space after the brace": _sub(rb"^\{", b"{ "),
    "a space at the end": lambda line: line + b" ",
    "a carriage return at the end": lambda line: line + b"\r",
    "a byte order mark": lambda line: b"\xef\xbb\xbf" + line,
    "an escape that is not needed": _sub(rb'"by":"r', b'"by":"\\u0072'),
    "a byte that is no UTF-8": _sub(rb'"by":"', b'"by":"\xff'),
    "a brace missing": lambda line: line[:-1],
    "two values on one line": lambda line: line + line,
    "an array": lambda line: b"[" + line + b"]",
    "no JSON": lambda line: b"saga ended well",
    "nothing": lambda line: b"",
    "more than the longest line": lambda line: line + b" " * 262_145,
    "a lone surrogate": _member(b'"note":"\\ud800"'),
    "65 levels deep": _member(b'"note":' + b"[" * 65 + b"]" * 65),
    "an integer beyond 2^53": _member(b'"note":9007199254740992'),
}
AGAINST_SCHEMA: dict[str, Spoil] = {
    "a member that no table names": _member(b'"note":1'),
    "a member missing": _sub(rb'"by":"[^"]*",', b""),
    "a member that is null": _member(b'"note":null'),
    "a seq that is text": _seq(b'"N"'),
    "a saga that is a list": _sub(rb'"saga":("[^"]*")', b'"saga":["x"]'),
    "a prev that is no digest": _sub(rb'"prev":"[0-9a-f]{64}"', b'"prev":"none"'),
    "a time without its Z": _sub(rb'000000Z"', b'000000"'),
    "a salt too short": _sub(rb'"salt":"[^"]{22}"', b'"salt":"short"'),
    "a speaker of no kind": _sub(rb'"by":"[^"]*"', b'"by":"somebody"'),
    "an amount that is text": _sub(rb'"attempt":1,"amount":\{"minor":\d+', b'"attempt":1,"amount":{"minor":"42"'),
}
UNKNOWN: dict[str, Spoil] = {
    "version 2": _sub(rb'"v":1', b'"v":2'),
    "a type that nobody knows": _sub(rb'"type":"[^"]*"', b'"type":"effect.wished"'),
    "a format of a later minor": _sub(rb'"format":"1.0"', b'"format":"1.1"'),
    "a format of a later major": _sub(rb'"format":"1.0"', b'"format":"2.0"'),
}


def _spoiled(base: Base, i: int, spoil: Spoil) -> bytes | None:
    """The file with line i spoiled and the chain counted over the spoiled bytes; None where nothing
    changes."""
    heads: dict[str, str] = {}
    out = []
    for k, line in enumerate(base.lines):
        text = dumps({**line, "prev": heads.get(line["saga"], GENESIS)})
        if k == i:
            before, text = text, spoil(text)
            if before == text:
                return None
        heads[line["saga"]] = leaf(text)
        out.append(text + b"\n")
    return b"".join(out)


def _places(base: Base) -> list[int]:
    """Every line of the plain success, the first and the middle one of the others."""
    if not base.good:
        return []
    return list(range(len(base.lines))) if base.name == "plain_success" else [0, len(base.lines) // 2]


def _spoil_all(base: Base, spoils: dict[str, Spoil], *names: str) -> Iterator[Change]:
    for i in _places(base):
        for what, spoil in spoils.items():
            data = _spoiled(base, i, spoil)
            if data is not None:
                yield Change(f"{what} in line {i + 1}", data, codes(*names))


@operator
def malformed_line(base: Base) -> Iterator[Change]:
    """Bytes that are no line: floats, names twice, white space, escapes, broken UTF-8."""
    yield from _spoil_all(base, MALFORMED, "101")


@operator
def against_the_schema(base: Base) -> Iterator[Change]:
    """Members that the type does not have, or has in another form."""
    yield from _spoil_all(base, AGAINST_SCHEMA, "102")


@operator
def unknown_version_or_type(base: Base) -> Iterator[Change]:
    """A version, format or type that this format does not know."""
    yield from _spoil_all(base, UNKNOWN, "103")


@operator
def log_lines_out_of_place(base: Base) -> Iterator[Change]:
    """The log's own types in a saga, and a saga's types in the reserved saga."""
    view = View(base.lines)
    for i in view.where("log.indexed") if base.good else ():
        other = {**base.lines[i], "saga": view.sagas()[0]}
        yield Change("log.indexed in a saga", replaced(base.lines, i, other), codes("102"))
    for i in view.where("check.evaluated") if base.name == "with_the_logs_own_lines" else ():
        other = {**base.lines[i], "saga": "log"}
        yield Change("a check in the reserved saga", replaced(base.lines, i, other), codes("102"))


SECRETS = {
    "an access key": "AKIA" + "Q7ZJ4XW2M5TRB6HN",
    "a private key": "-----BEGIN PRIVATE "
    + "KEY-----\nMC4CAQAwBQYDK2VwBCIEIBv9zQ0m7x2aTt5v9WcZ1eA3kJx\n-----END PRIVATE KEY-----",
    "a bearer token": "eyJhbGciOiJIUzI1NiJ9."
    + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
}


@operator
def secret_in_clear(base: Base) -> Iterator[Change]:
    """A credential stands readable in a result or in a check's evidence."""
    view = View(base.lines)
    for i in view.where("effect.succeeded", "check.evaluated", "undo.succeeded") if base.good else ():
        name = "evidence" if base.lines[i]["type"] == "check.evaluated" else "result"
        for what, secret in SECRETS.items():
            twin = changed(base.lines[i], name, to={"ref": "r", "answer": [secret]})
            yield edit(base, i, f"{what} in the {name}", twin, "604")


@operator
def reuse_salt(base: Base) -> Iterator[Change]:
    """Two lines of a saga carry one salt."""
    view = View(base.lines)
    for i in range(len(base.lines)) if base.good else ():
        k = view.next(i)
        if k is not None:
            twin = changed(base.lines[k], "salt", to=base.lines[i]["salt"])
            yield Change(f"lines {i + 1} and {k + 1} share a salt", replaced(base.lines, k, twin), codes("603"))
