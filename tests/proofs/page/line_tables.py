"""What the page knows of the trace format, written out of agent_saga.trace.events as a JavaScript module."""

from __future__ import annotations

import json
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from agent_saga.trace import forms
from agent_saga.trace.events import EVENT_TYPES, LOG_TYPES
from agent_saga.trace.forms import Amount, Form, JsonObject, Payload
from agent_saga.trace.limits import GENESIS, LOG_SAGA, MAX_LINE

_NAMED = {repr(hint): name for name, hint in vars(forms).items() if get_origin(hint) in (Annotated, Literal)}
_HEAD = """// Generated from agent_saga.trace.events by tests/proofs/page/make_page.py: line types and their members.
// A member is [name, kind]: "name?" may be absent, "name+" may be absent and is never empty. A kind is one of KINDS or
// PARTS; Kind[] is an array, Name>Kind a map. The order is the order on the line.
"""


class Tables:
    """Collects the kinds and parts that the members of line types name."""

    def __init__(self) -> None:
        self.kinds: dict[str, Any] = {}
        self.parts: dict[str, list[list[str]]] = {}

    def members(self, cls: type[msgspec.Struct]) -> list[list[str]]:
        """The members of a class in order, each with its kind."""
        hints = get_type_hints(cls, include_extras=True)
        defaults = dict(zip(reversed(cls.__struct_fields__), reversed(cls.__struct_defaults__), strict=False))
        return [
            [name + ("" if name == "salt" else _mark(defaults.get(name, msgspec.NODEFAULT))), self.kind(hints[name])]
            for name in cls.__struct_fields__
        ]

    def kind(self, hint: Any) -> str:
        """The name of a kind; it is added to the tables."""
        origin, args = get_origin(hint), get_args(hint)
        if repr(hint) in _NAMED:
            return self._add(_NAMED[repr(hint)], _simple(hint))
        if origin in (Union, types.UnionType):
            (present,) = [arm for arm in args if arm is not type(None)]
            return self.kind(present)
        if origin is tuple:
            return f"{self.kind(args[0])}[]"
        if origin is dict:
            return f"{self.kind(args[0])}>{self.kind(args[1])}"
        if origin is Literal:
            return self._add("|".join(map(str, args)), {"one": list(args)})
        if hint is bool:
            return self._add("Boolean", {"one": [True, False]})
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            if hint.__name__ not in self.parts:
                self.parts[hint.__name__] = self.members(hint)
            return hint.__name__
        raise ValueError(f"the page has no word for members like {hint}")

    def _add(self, name: str, simple: dict[str, Any]) -> str:
        self.kinds[name] = simple
        return name


def _mark(default: Any) -> str:
    """How a member that may be absent is marked."""
    if default is msgspec.NODEFAULT:
        return ""
    return {None: "?", (): "+"}[default]


def _simple(hint: Any) -> dict[str, Any]:
    if get_origin(hint) is Literal:
        return {"one": list(get_args(hint))}
    (marker,) = hint.__metadata__
    if isinstance(marker, Form):
        return {"text": marker.pattern, "says": marker.says}
    if isinstance(marker, Payload):
        return {"payload": "amount" if hint == Amount else "object" if hint == JsonObject else "any"}
    return {"whole": [marker.ge, marker.le]}


def module() -> str:
    """The text of tables.js."""
    tables = Tables()
    of_types = {name: tables.members(cls) for name, cls in EVENT_TYPES.items()}
    first = next(iter(of_types.values()))
    common = first[: [name for name, _ in first].index("by") + 1]
    common = [[name, "Name" if name == "type" else kind] for name, kind in common]
    tables.kinds["Name"] = {"text": "[^\\x00]{1,32}", "says": "the name of a type"}
    own = {}
    for name, members in of_types.items():
        if [one for one, _ in members[: len(common)]] != [one for one, _ in common] or members[-1] != ["salt", "Salt"]:
            raise ValueError(f"{name} does not begin and end as every line does")
        own[name] = members[len(common) : -1]
        tables.kinds.pop(name, None)  # the literal of its own type
    told = {
        "LOG_SAGA": LOG_SAGA,
        "GENESIS": GENESIS,
        "MAX_LINE": MAX_LINE,
        "LOG_TYPES": sorted(LOG_TYPES),
        "COMMON": common,
        "TYPES": own,
        "PARTS": tables.parts,
        "KINDS": dict(sorted(tables.kinds.items())),
    }
    return _HEAD + "".join(f"\nexport const {name} = {_spelled(value)};\n" for name, value in told.items())


def _spelled(value: Any) -> str:
    """One row a line, so that a reviewer sees what changed."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{\n" + "".join(f"  {json.dumps(name)}: {json.dumps(item)},\n" for name, item in value.items()) + "}"
