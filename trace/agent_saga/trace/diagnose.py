"""Words for a bad line: the slow second look at what the codec refused.

Only the first fault of a line is named, the outermost one: bytes before JSON, JSON before version and type, these
before members, members before spelling.
"""

import difflib
import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import msgspec
from pydantic import ValidationError

from agent_saga.trace import forms
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EVENT_TYPES, LOG_TYPES, may_stand_in
from agent_saga.trace.limits import FORMAT, LOG_SAGA, MAX_DEPTH, MAX_LINE, VERSION
from agent_saga.trace.models import model_of
from agent_saga.trace.nesting import too_deep
from agent_saga.trace.values import scan

_BOM: Final = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,15}").fullmatch
_LONGEST_NEAR: Final = 64


def diagnose(line: bytes) -> LineError:
    """Name the fault of a line that the codec refused."""
    try:
        record = _parse(line)
        _check_type(record)
        _check_members(record)
        _check_spelling(line, record)
    except LineError as fault:
        return fault
    return LineError("AS101", "not a line of a trace: the line breaks a rule of docs/spec/trace-v1.md")


def _parse(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise LineError("AS101", f"the line has more than the {MAX_LINE} bytes that are allowed", MAX_LINE)
    if not line.strip():
        raise LineError("AS101", "the line is empty; expected one JSON object", 0)
    if line.startswith(_BOM):
        raise LineError("AS101", "the line begins with a byte order mark; remove its three bytes", 0)
    if line.endswith(b"\r"):
        raise LineError("AS101", "the line ends in CR LF; expected LF alone", len(line) - 1)
    try:
        text = line.decode()
    except UnicodeDecodeError as fault:
        raise LineError("AS101", f"byte 0x{line[fault.start]:02x} is not UTF-8", fault.start) from None
    if too_deep(line, MAX_DEPTH) >= 0:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}")
    try:
        record = json.loads(
            text, object_pairs_hook=_object, parse_float=_float, parse_int=_integer, parse_constant=_constant
        )
    except json.JSONDecodeError as fault:
        column = len(text[: fault.pos].encode())
        raise LineError("AS101", f"not JSON: {fault.msg} at byte {column}", column) from None
    except RecursionError:
        raise LineError("AS101", f"nesting is deeper than {MAX_DEPTH}") from None
    if not isinstance(record, dict):
        raise LineError("AS101", f"expected a JSON object; found {_kind(record)}", 0)
    _check_surrogates(text, record)
    return record


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", int: "a number", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "another value")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise LineError("AS101", f"the name {twice[:80]!r} stands twice in one object")
    return found


def _float(literal: str) -> Any:
    raise LineError("AS101", f"the number {literal[:40]} is a float; write decimals as strings, money as minor units")


def _constant(literal: str) -> Any:
    raise LineError("AS101", f"{literal} is not JSON")


def _integer(literal: str) -> int:
    if not _INTEGER(literal):
        shown = literal if len(literal) <= 40 else f"{literal[:20]}... of {len(literal)} digits"
        raise LineError("AS101", f"the number {shown} is no integer within +-(2^53-1) in its shortest form")
    return int(literal)


def _check_surrogates(text: str, record: dict[str, Any]) -> None:
    if "\\u" in text:
        try:
            msgspec.json.encode(record)
        except UnicodeEncodeError:
            raise LineError("AS101", "a lone surrogate stands in a string; it is no Unicode character") from None


def _check_type(record: dict[str, Any]) -> None:
    version = record.get("v")
    if version != VERSION or type(version) is not int:
        raise LineError(
            "AS103",
            f"v is {json.dumps(version)[:40]}; this release reads v {VERSION}: upgrade agent-saga, or fix the line",
        )
    name = record.get("type")
    if not isinstance(name, str) or name not in EVENT_TYPES:
        raise LineError("AS103", f"unknown type {json.dumps(name)[:80]}{_suggest(name, EVENT_TYPES)}")
    saga = record.get("saga")
    if isinstance(saga, str) and not may_stand_in(saga, name):
        where = f"only in the reserved saga {LOG_SAGA!r}" if name in LOG_TYPES else f"in no saga named {LOG_SAGA!r}"
        raise LineError("AS102", f"{name} stands in saga {saga[:80]!r}; it may stand {where}")


def _suggest(name: object, known: Iterable[str]) -> str:
    near = _near(name, known)
    return f"; did you mean {near!r}?" if near else f" (format {FORMAT} knows {len(EVENT_TYPES)} types)"


def _near(name: object, known: Iterable[str]) -> str:
    """The known name that was probably meant; "" when none is near."""
    if not isinstance(name, str) or len(name) > _LONGEST_NEAR:
        return ""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), "")


def _check_members(record: dict[str, Any]) -> None:
    for name, value in record.items():
        if name != "tools":  # names of tools, not of values
            scan(value)
    model = model_of(EVENT_TYPES[record["type"]])
    try:
        model.model_validate_json(msgspec.json.encode(record))
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        raise LineError("AS102", _say(first, model.model_fields)) from None


def _say(error: Any, known: Iterable[str]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"member {where!r} is missing"
    if error["type"] == "extra_forbidden":
        near = _near(where, known)
        return f"unknown member {where[:80]!r}" + (f"; did you mean {near!r}?" if near else "")
    found = json.dumps(error["input"], default=str)
    pattern = error.get("ctx", {}).get("pattern", "")
    wanted = (
        f"expected {_words()[pattern]}" if pattern in _words() else error["msg"][:200].removeprefix("Value error, ")
    )
    return f"member {where!r}: {wanted}; found {found[:80]}"


@cache
def _words() -> dict[str, str]:
    """What a pattern of the models means, in words."""
    found = (marker for hint in vars(forms).values() for marker in getattr(hint, "__metadata__", ()))
    return {forms.anchored(form): form.says for form in found if isinstance(form, forms.Form)}


def _check_spelling(line: bytes, record: dict[str, Any]) -> None:
    try:
        event = msgspec.convert(record, EVENT_TYPES[record["type"]])
    except msgspec.ValidationError as fault:  # the models are no looser than the codec; if they were, this says why
        raise LineError("AS102", str(fault)[:200]) from None
    expected = msgspec.json.encode(event)
    if expected == line:
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(line, expected, strict=False)) if a != b), min(len(line), len(expected))
    )
    found, wanted = line[at : at + 24].decode(errors="replace"), expected[at : at + 24].decode(errors="replace")
    raise LineError(
        "AS101",
        f"not the compact form: at byte {at} found {found!r}, expected {wanted!r} "
        "(no white space, members in the order of the spec, optional members absent instead of null)",
        at,
    )
