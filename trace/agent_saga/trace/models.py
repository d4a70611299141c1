"""The pydantic models of every line type, and the JSON Schema exported from them.

They are built from :mod:`agent_saga.trace.events`, so there is one description of the format, not two. The models check
what the published schema says; the codec checks the same and the spelling of the bytes. A property test holds the two
together: they accept the same lines.

Source: docs/spec/trace-v1.md; JSON Schema draft 2020-12.
"""

from functools import cache
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, create_model

from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EVENT_TYPES, Amount, Form, Payload
from agent_saga.trace.values import check_amount, scan

SCHEMA_ID: Final = "urn:agent-saga:trace:v1"
_CONFIG: Final = ConfigDict(extra="forbid", frozen=True, strict=True)
_MONEY_SCHEMA: Final[dict[str, Any]] = {
    "description": "Integer minor units with an ISO 4217 currency; the whole or a part may stand concealed.",
    "type": "object",
    "minProperties": 1,
    "maxProperties": 2,
}


def _payload(value: Any) -> Any:
    try:
        scan(value)
    except LineError as fault:
        raise ValueError(fault.message) from fault
    return value


def _money(value: dict[str, Any]) -> dict[str, Any]:
    try:
        check_amount(value)
    except LineError as fault:
        raise ValueError(fault.message) from fault
    return value


def _pydantic(hint: Any) -> Any:
    """The same annotation in pydantic's terms."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(hint, args[0])
    if origin is Literal:
        return hint
    if origin is tuple:
        return tuple[_pydantic(args[0]), ...]  # type: ignore[misc]
    if origin is dict:
        return dict[_pydantic(args[0]), _pydantic(args[1])]  # type: ignore[misc]
    if len(args) == 2 and args[1] is type(None):
        return _pydantic(args[0]) | None
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return model_of(hint)
    return hint


def _annotated(hint: Any, base: Any) -> Any:
    if hint == Amount:
        return Annotated[base, AfterValidator(_money), AfterValidator(_payload), Field(json_schema_extra=_MONEY_SCHEMA)]
    for marker in hint.__metadata__:
        if isinstance(marker, Form):
            return Annotated[base, StringConstraints(pattern=f"^(?:{marker.pattern})$"), Field(description=marker.says)]
        if isinstance(marker, Payload):
            return Annotated[base, AfterValidator(_payload), Field(description=marker.says)]
        if isinstance(marker, msgspec.Meta):
            return Annotated[base, Field(ge=marker.ge, le=marker.le)]
    return base


@cache
def model_of(cls: type[msgspec.Struct]) -> type[BaseModel]:
    """The pydantic model of one class of :mod:`agent_saga.trace.events`."""
    hints = get_type_hints(cls, include_extras=True)
    defaults = dict(zip(reversed(cls.__struct_fields__), reversed(cls.__struct_defaults__), strict=False))
    fields: dict[str, Any] = {}
    for name in cls.__struct_fields__:
        default = ... if name == "salt" or name not in defaults else defaults[name]
        fields[name] = (_pydantic(hints[name]), ... if default is msgspec.NODEFAULT else default)
    return create_model(cls.__name__, __config__=_CONFIG, __doc__=cls.__doc__, **fields)


@cache
def line_adapter() -> TypeAdapter[BaseModel]:
    """The union of all line types, discriminated by ``type``."""
    models = tuple(model_of(cls) for cls in EVENT_TYPES.values())
    return TypeAdapter(Annotated[Union[models], Field(discriminator="type")])  # type: ignore[valid-type]


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line. It cannot say that a line is spelled compactly; the spec does."""
    schema = line_adapter().json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "A line of an agent-saga trace, format 1",
        **schema,
    }
