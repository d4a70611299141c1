"""The pydantic models of every line type, and the JSON Schema exported from them.

They are built from :mod:`agent_saga.trace.events`, so there is one description of the format, not two. The models check
what the published schema says; the codec checks the same and the spelling of the bytes. A property test holds the two
together: they accept the same lines.

Source: docs/spec/trace-v1.md; JSON Schema draft 2020-12.
"""

from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    create_model,
)

from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EVENT_TYPES
from agent_saga.trace.forms import Amount, Form, Payload, anchored
from agent_saga.trace.values import CONCEALED_NAME, check_amount, scan

SCHEMA_ID: Final = "urn:agent-saga:trace:v1"
_CONFIG: Final = ConfigDict(extra="forbid", frozen=True, strict=True)
_CONCEALED_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {CONCEALED_NAME: {"type": "string", "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"}},
    "required": [CONCEALED_NAME],
    "additionalProperties": False,
}
_MONEY_SCHEMA: Final[dict[str, Any]] = {
    "description": "Integer minor units with an ISO 4217 currency; the whole or a part may stand concealed.",
    "anyOf": [
        {
            "properties": {
                "minor": {"anyOf": [{"type": "integer"}, _CONCEALED_SCHEMA]},
                "currency": {"anyOf": [{"type": "string", "pattern": "^[A-Z]{3}$"}, _CONCEALED_SCHEMA]},
            },
            "required": ["minor", "currency"],
            "additionalProperties": False,
        },
        _CONCEALED_SCHEMA,
    ],
}


def _payload(depth: int) -> AfterValidator:
    def check(value: Any) -> Any:
        try:
            scan(value, depth)
        except LineError as fault:
            raise ValueError(fault.message) from fault
        return value

    return AfterValidator(check)


def _money(value: dict[str, Any]) -> dict[str, Any]:
    try:
        check_amount(value)
    except LineError as fault:
        raise ValueError(fault.message) from fault
    return value


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers")  # though Python holds true to equal 1
    return value


def _pydantic(hint: Any, depth: int) -> Any:
    """The same annotation in pydantic's terms, for a value that stands at this depth of the line."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(hint, args[0], depth)
    if origin is Literal:
        return hint if isinstance(args[0], str) else Annotated[hint, BeforeValidator(_no_boolean)]
    if origin is tuple:
        return tuple[_pydantic(args[0], depth + 1), ...]  # type: ignore[misc]
    if origin is dict:
        return dict[_pydantic(args[0], depth + 1), _pydantic(args[1], depth + 1)]  # type: ignore[misc]
    if len(args) == 2 and args[1] is type(None):
        return _pydantic(args[0], depth) | None
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _model(hint, depth if _holds_payload(hint) else 0)
    return hint


def _holds_payload(cls: type[msgspec.Struct]) -> bool:
    return any("Payload(" in str(hint) for hint in get_type_hints(cls, include_extras=True).values())


def _annotated(hint: Any, base: Any, depth: int) -> Any:
    if hint == Amount:
        return Annotated[base, AfterValidator(_money), _payload(depth), Field(json_schema_extra=_MONEY_SCHEMA)]
    for marker in hint.__metadata__:
        if isinstance(marker, Form):
            return Annotated[base, StringConstraints(pattern=anchored(marker)), Field(description=marker.says)]
        if isinstance(marker, Payload):
            return Annotated[base, _payload(depth), Field(description=marker.says)]
        if isinstance(marker, msgspec.Meta):
            return Annotated[base, Field(ge=marker.ge, le=marker.le)]
    return base


def model_of(cls: type[msgspec.Struct]) -> type[BaseModel]:
    """The pydantic model of one line type of :mod:`agent_saga.trace.events`."""
    return _model(cls, 1)


@cache
def _model(cls: type[msgspec.Struct], depth: int) -> type[BaseModel]:
    hints = get_type_hints(cls, include_extras=True)
    defaults = dict(zip(reversed(cls.__struct_fields__), reversed(cls.__struct_defaults__), strict=False))
    fields: dict[str, Any] = {}
    for name in cls.__struct_fields__:
        default = ... if name == "salt" or name not in defaults else defaults[name]
        field = Field(... if default is msgspec.NODEFAULT else default, alias=name)
        fields[f"{name}_" if hasattr(BaseModel, name) else name] = (_pydantic(hints[name], depth + 1), field)
    return create_model(cls.__name__, __config__=_CONFIG, __doc__=cls.__doc__, **fields)


@cache
def line_adapter() -> TypeAdapter[BaseModel]:
    """The union of all line types, discriminated by ``type``."""
    union: Any = reduce(or_, (model_of(cls) for cls in EVENT_TYPES.values()))
    return TypeAdapter(Annotated[union, Field(discriminator="type")])


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line. It cannot say that a line is spelled compactly; the spec does."""
    schema: dict[str, Any] = _strict(line_adapter().json_schema())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "A line of an agent-saga trace, format 1",
        **schema,
    }


def _strict(schema: Any) -> Any:
    """What pydantic leaves open: an optional member is absent, never null, and a name that no pattern fits is none."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _strict(item) for name, item in schema.items() if (name, item) != ("default", None)}
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    arms = kept.get("anyOf")
    if isinstance(arms, list) and {"type": "null"} in arms:
        (arm,) = [arm for arm in arms if arm != {"type": "null"}]
        return {name: item for name, item in kept.items() if name != "anyOf"} | arm
    return kept
