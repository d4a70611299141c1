"""Whether a document has the members it must have, by its JSON Schema; what is wrong in words, at its place.

Source: docs/spec/policy-v1.md, "Members"; JSON Schema 2020-12.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from agent_saga.policies.document import Fault, Node, did_you_mean, found, shown
from agent_saga.trace.printing import visible

Loc = Sequence[str | int]
_ASK: Final = "deny, allow, or {approve: {...}}"
_NAME: Final = "1-64 of A-Z a-z 0-9 . _ -"
_DURATION: Final = "an ISO 8601 duration such as PT15M, PT24H or P1D"
_DAY: Final = "a day such as 2026-12-15"
_TOOL: Final = "the name of a tool: 1-128 of A-Z a-z 0-9 . _ : -"
EXPECTED: Final = {
    "then": _ASK,
    "expect": _ASK,
    "args": "a JSON Schema, or the path of a file that holds one",
    "window": _DURATION,
    "within": _DURATION,
    "policy": _NAME,
    "id": _NAME,
    "rule": _NAME,
    "roles": f"a role: {_NAME}",
    "owner": "one line of text of at most 500 characters",
    "agents": "the id of an agent, one line of text",
    "approved_by": _NAME,
    "tools": _TOOL,
    "tool": _TOOL,
    "undo": _TOOL,
    "spent": f"the id of a limit: {_NAME}",
    "created": _DAY,
    "expires": _DAY,
}
"""In words, what a member of this name holds, where its schema would say it badly."""
_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "array": "a list",
    "object": "an object",
    "boolean": "true or false",
}
_BOUNDS: Final = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "minProperties": "at least {} of them",
    "maxProperties": "at most {} of them",
}


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    """As in ECMA 262, where ``$`` is the end: Python's also matches before a last line feed."""
    if isinstance(value, str) and not re.search(pattern.removesuffix("$") + r"\Z", value):
        yield ValidationError(f"does not match {pattern}")


_extended: Any = extend
_Validator: Final[Any] = _extended(Draft202012Validator, {"pattern": _pattern})


@cache
def _validator(schema: Callable[[], dict[str, Any]]) -> Any:
    return _Validator(schema())


def shape_faults(root: Node, schema: Callable[[], dict[str, Any]], word: str) -> Iterator[Fault]:
    """All that does not fit the schema. schema: makes it. word: what the document is, such as ``the policy``."""
    for error in _validator(schema).iter_errors(root.plain):
        yield from told_of(error, root, word)


def told_of(error: Any, root: Node, word: str, words: Mapping[str, str] = EXPECTED) -> Iterator[Fault]:
    """An error of a schema in words, at its place. words: what members of these names hold."""
    loc = tuple(error.absolute_path)
    if error.validator == "anyOf" and (inner := _fitting(error)):
        for one in inner:
            yield from told_of(one, root, word, words)
    elif error.validator == "additionalProperties":
        yield from _unknown(error, root, loc)
    elif error.validator == "required":
        lacking = [name for name in error.validator_value if name not in error.instance]
        yield from (root.at(loc).fault(f"{named(loc, word)} lacks {name!r}") for name in lacking)
    elif "propertyNames" in error.absolute_schema_path:
        what = f"{named(loc, word)}: found {shown(error.instance)}; expected {words.get(_word(loc), 'another name')}"
        yield root.name_at((*loc, error.instance)).fault(what)
    else:
        node = root.at(loc)
        hint = did_you_mean(str(node.value), _words(error)) if isinstance(node.value, str) else ""
        yield node.fault(
            f"{named(loc, word)}: found {found(node.plain)}; expected {_expected(error, loc, words)}{hint}"
        )


def _words(error: Any) -> list[str]:
    """The words that may stand there, where there are such."""
    errors = [error, *(error.context or ())]
    return [str(word) for one in errors if one.validator == "enum" for word in one.validator_value]


def _fitting(error: Any) -> list[Any]:
    """The errors of the one case that is meant: whose type fits, though something in it does not."""
    cases: dict[Any, list[Any]] = {}
    for one in error.context or ():
        cases.setdefault(one.relative_schema_path[0], []).append(one)
    for errors in cases.values():
        if not any(one.validator in ("type", "enum") and not one.relative_path for one in errors):
            return errors
    return []


def _unknown(error: Any, root: Node, loc: Loc) -> Iterator[Fault]:
    known = list(error.schema.get("properties", ())) if isinstance(error.schema, Mapping) else []
    for name in error.instance:
        if name not in known:
            hint = did_you_mean(name, known) or f"; expected one of {', '.join(known[:16])}"
            yield root.name_at((*loc, name)).fault(f"unknown member {shown(name)}{hint}")


def _expected(error: Any, loc: Loc, words: Mapping[str, str]) -> str:
    kind, value, word = str(error.validator), error.validator_value, _word(loc)
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(value)
    if kind == "enum":
        return words.get(word) or "one of " + ", ".join(map(str, value))
    if kind == "type" and loc and isinstance(loc[-1], str) and word in words and value == "string":
        return words[word]
    if kind == "type":
        return " or ".join(_TYPES.get(str(one), str(one)) for one in (value if isinstance(value, list) else [value]))
    return words.get(word) or "what its schema allows"


def _word(loc: Loc) -> str:
    """The member that says what a place holds; lists and maps of names take it from their own."""
    return next((str(part) for part in reversed(loc) if isinstance(part, str)), "")


def named(loc: Loc, word: str) -> str:
    """A place in words: ``rules[0].then``; the document's own word for its root."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return visible(text[text.startswith(".") :][:200]) if text else word


def nothing(root: Node, spared: Iterable[Node] = ()) -> Iterator[Fault]:
    """Members and items without a value: what there is none of is left out, so that one policy has one digest."""
    apart = {id(part) for node in spared for part in node.parts()}
    for node in root.parts():
        if node.value is None and id(node) not in apart:
            yield node.fault("found nothing; give a value, or leave it out")


def fractions(root: Node, spared: Iterable[Node] = ()) -> Iterator[Fault]:
    """Numbers with a fraction, which no trace holds. spared: schemas, whose bounds may have one."""
    apart = {id(part) for node in spared for part in node.parts()}
    for node in root.parts():
        if isinstance(node.value, float) and id(node) not in apart:
            what = f"{node.value} is a number with a fraction; write a whole number, or text in quotes"
            yield node.fault(what)
