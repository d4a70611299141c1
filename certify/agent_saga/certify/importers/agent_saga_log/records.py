"""One line of an agent-saga log: its bytes to a record, exactly, or a located error.

The fast path decodes with msgspec and encodes the payload once, in canonical form, which the chain needs anyway. That
encoding also proves that no name stands twice: each member has one colon outside of strings, a string has the same
colons in both spellings (unless one is spelled ``\\u003a``), and a decoder drops the first of two equal names, so the
line then has more colons than the encoding. What the fast path cannot prove, the standard library decides.

Source: docs/sources/agent-saga-log.md, "A record".
"""

import json
import re
from typing import Any, Final

import msgspec

from agent_saga.trace.errors import LineError
from agent_saga.trace.limits import MAX_DEPTH, MAX_LINE
from agent_saga.trace.nesting import too_deep

ENCRYPTED: Final = b"E1:"
"""What an encrypted line begins with."""

HEADER: Final = ("seq", "event", "ts", "_s", "_cd", "_ph", "_h", "_redacted")
_MAX_DIGITS: Final = 1000
"""Digits of an integer that is still read: no payload needs more, and converting them takes quadratic time."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder(order="sorted").encode
_HIDDEN_COLON = re.compile(rb"\\u003[aA]").search


class Record(msgspec.Struct, gc=False):
    """One record. The members of its header may hold anything, None when absent; the chain and the mapper judge them.

    payload: every other member. canonical: the payload as bytes, sorted and compact.
    """

    seq: Any
    event: Any
    ts: Any
    salt: Any
    digest: Any
    prev: Any
    hash: Any
    redacted: Any
    payload: dict[str, Any]
    canonical: bytes

    @property
    def chained(self) -> bool:
        """It carries at least one member of the chain."""
        return not (self.hash is None and self.prev is None and self.digest is None and self.salt is None)


def parse(line: bytes) -> Record:
    """Read one line, given without its LF.

    Raises LineError (AS101) when it is not one JSON object in UTF-8 with every name once and every number finite.
    """
    if len(line) <= MAX_LINE and line[-1:] == b"}" and not (b"\\" in line and _HIDDEN_COLON(line)):
        try:
            fields = _decode(line)
            if type(fields) is dict:
                count = len(fields)
                record = _record(fields)
                body = record.canonical = _encode(fields)
                if line.count(b":") == body.count(b":") + count - len(fields) and not _may_be_deep(body):
                    return record
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            pass
    return _parse_slowly(line)


def _may_be_deep(body: bytes) -> bool:
    return body.count(b"{") + body.count(b"[") >= MAX_DEPTH


def _record(fields: dict[str, Any]) -> Record:
    pop = fields.pop
    return Record(
        pop("seq", None),
        pop("event", None),
        pop("ts", None),
        pop("_s", None),
        pop("_cd", None),
        pop("_ph", None),
        pop("_h", None),
        pop("_redacted", None),
        fields,
        b"",
    )


def canonical(value: Any) -> bytes:
    """The canonical bytes of a value, as the log's writer makes them. Raises UnicodeEncodeError on lone surrogates."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _parse_slowly(line: bytes) -> Record:
    _check_bytes(line)
    try:
        text = line.decode()
        fields = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
        )
        if type(fields) is not dict:
            raise LineError("AS101", f"expected a JSON object; found {_kind(fields)}", 0)
        record = _record(fields)
        canonical(msgspec.structs.astuple(record)[: len(HEADER)])  # raises on a lone surrogate
        record.canonical = canonical(fields)
    except UnicodeDecodeError as fault:
        raise LineError("AS101", f"byte 0x{line[fault.start]:02x} is not UTF-8", fault.start) from None
    except UnicodeEncodeError:
        raise LineError("AS101", "a lone surrogate stands in a string; it is no Unicode character") from None
    except json.JSONDecodeError as fault:
        column = len(text[: fault.pos].encode())
        raise LineError("AS101", f"not JSON: {fault.msg} at byte {column}", column) from None
    except RecursionError:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}") from None
    return record


def _check_bytes(line: bytes) -> None:
    if len(line) > MAX_LINE:
        raise LineError("AS101", f"the line has more than {MAX_LINE} bytes", MAX_LINE)
    if not line.strip():
        raise LineError("AS101", "the line is empty; expected one JSON object", 0)
    if line.startswith(b"\xef\xbb\xbf"):
        raise LineError("AS101", "the line begins with a byte order mark; remove its three bytes", 0)
    if line.endswith(b"\r"):
        raise LineError("AS101", "the line ends in CR LF; expected LF alone", len(line) - 1)
    if line.startswith(ENCRYPTED):
        raise LineError("AS101", "the line is encrypted; export the log decrypted, then certify the export", 0)
    if too_deep(line, MAX_DEPTH) >= 0:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}")


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "a boolean"}
    return names.get(type(value), "null")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise LineError("AS101", f"the name {name[:80]!r} stands twice in one object")
        found[name] = value
    return found


def _integer(literal: str) -> int:
    if len(literal) > _MAX_DIGITS:
        raise LineError("AS101", f"the number {literal[:20]}... has {len(literal)} digits")
    return int(literal)


def _float(literal: str) -> float:
    number = float(literal)
    if number in (float("inf"), float("-inf")):
        raise LineError("AS101", f"the number {literal[:40]} is beyond what a double can hold")
    return number


def _constant(literal: str) -> Any:
    raise LineError("AS101", f"{literal} is not JSON")
