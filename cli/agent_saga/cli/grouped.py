"""Options that go together: a command takes them as one dataclass, and its command line as an option for each field."""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_origin


def grouped(command: Callable[..., int]) -> Callable[..., int]:
    """The command as typer takes it: a parameter that is a dataclass stands for the options that its fields are.

    Fields that are options are ``Annotated``; a field that is a dataclass holds more of them, and others keep their
    defaults. Raises what making the dataclass raises, when the command is called.
    """
    taken = signature(command, eval_str=True)
    groups = {name: one.annotation for name, one in taken.parameters.items() if is_dataclass(one.annotation)}

    @wraps(command)
    def called(**given: Any) -> int:
        made = {name: _made(group, given) for name, group in groups.items()}
        return command(**given, **made)

    options = [option for one in taken.parameters.values() for option in _options(one)]
    called.__signature__ = Signature(options, return_annotation=taken.return_annotation)  # type: ignore[attr-defined]
    called.__annotations__ = {option.name: option.annotation for option in options}
    return called


def _options(parameter: Parameter) -> Iterator[Parameter]:
    if is_dataclass(parameter.annotation):
        for field in fields(parameter.annotation):
            if is_dataclass(field.type) or _is_option(field):
                default = Parameter.empty if field.default is MISSING else field.default
                kind = Parameter.POSITIONAL_OR_KEYWORD
                yield from _options(Parameter(field.name, kind, default=default, annotation=field.type))
    else:
        yield parameter


def _made(group: Any, given: dict[str, Any]) -> Any:
    """The dataclass of its options, which are taken out of what the command line gave."""
    inner = {field.name: _made(field.type, given) for field in fields(group) if is_dataclass(field.type)}
    return group(**inner, **{field.name: given.pop(field.name) for field in fields(group) if _is_option(field)})


def _is_option(field: "Field[Any]") -> bool:
    return get_origin(field.type) is Annotated
