"""A tool's arguments: the model made of a function's signature, the digest of its schema, what is wrong with a call."""

import inspect
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from agent_saga.runtime.errors import DefinitionError
from agent_saga.trace.values import dumps


def model_of(function: Callable[..., Any], name: str) -> tuple[type[BaseModel], bool]:
    """A model of the function's arguments, and whether it takes the call besides."""
    fields: dict[str, Any] = {}
    signature = inspect.signature(function, eval_str=True)
    for parameter in signature.parameters.values():
        if parameter.name == "call":
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise DefinitionError(f"tool {name}: {parameter} takes any number of arguments; name each of them")
        if parameter.annotation is parameter.empty:
            raise DefinitionError(f"tool {name}: argument {parameter.name} has no annotation")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (parameter.annotation, default)
    config = ConfigDict(extra="forbid", validate_default=True)
    try:
        model: type[BaseModel] = create_model(f"{name} arguments", __config__=config, **fields)
    except Exception as error:
        raise DefinitionError(f"tool {name}: pydantic cannot read its arguments: {error}") from error
    return model, "call" in signature.parameters


def digest(value: Any) -> str:
    """SHA-256, in hex, of a JSON value as compact text with all names in order."""
    return sha256(dumps(_sorted(value))).hexdigest()


def _sorted(value: Any) -> Any:
    """With all names in order: a digest must not depend on it."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def faults_of(error: ValidationError) -> list[dict[str, str]]:
    """What is wrong with arguments, without the values themselves: they may be what must not be written."""
    return [{"at": "/" + "/".join(map(str, fault["loc"])), "what": fault["msg"]} for fault in error.errors()]
