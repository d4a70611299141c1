"""What the model finds wrong, in words and with places: found, expected, and the name that was probably meant."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from agent_saga.policies.document import Fault, Node, did_you_mean, found, shown
from agent_saga.runtime.jobs.document import EXPECTED, FORMAT, JobDocument
from agent_saga.runtime.kernel.payload import unsound

Loc = Sequence[str | int]
_TYPES: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


def faults_of(error: ValidationError, root: Node) -> Iterator[Fault]:
    """Everything that the model found wrong."""
    for detail in error.errors(include_url=False, include_input=False):
        kind, loc = detail["type"], tuple(part for part in detail["loc"] if part != "[key]")
        if kind == "extra_forbidden":
            yield root.name_at(loc).fault(f"unknown member {shown(loc[-1])}{_meant(loc)}")
        elif kind == "missing":
            hint = f"; expected {FORMAT}" if loc == ("format",) else ""
            yield root.at(loc[:-1]).fault(f"{_named(loc[:-1])} lacks {loc[-1]!r}{hint}")
        elif "[key]" in detail["loc"]:
            money = loc[:1] == ("budgets",)
            expected = "an ISO 4217 code such as EUR" if money else "a name of a tool: 1-128 of A-Z a-z 0-9 . _ : -"
            yield root.name_at(loc).fault(f"{_named(loc[:-1])}: found {shown(loc[-1])}; expected {expected}")
        else:
            node = root.at(loc)
            yield node.fault(f"{_named(loc)}: found {found(node.plain)}; expected {_expected(detail, loc)}")


def _expected(detail: Any, loc: Loc) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _TYPES:
        return _TYPES[kind]
    word = _word(loc)
    if word in EXPECTED and kind in ("string_pattern_mismatch", "literal_error"):
        return EXPECTED[word]
    if kind == "string_pattern_mismatch":
        return "one line of text"
    bound = next((name for name in _BOUNDS if name in context), None)
    unit = " characters" if kind.startswith("string_") else ""
    return _BOUNDS[bound].format(context[bound]) + unit if bound else str(detail["msg"])


_BOUNDS: Final = {"min_length": "at least {}", "max_length": "at most {}", "ge": "at least {}", "le": "at most {}"}


def _word(loc: Loc) -> str:
    """The member that says what a place holds: lists and maps of names take it from their own."""
    if loc and loc[0] in ("checks", "tools"):
        return str(loc[0])
    return next((str(part) for part in reversed(loc) if isinstance(part, str)), "")


def _named(loc: Loc) -> str:
    return ".".join(map(str, loc)) if loc else "the job"


def _meant(loc: Loc) -> str:
    known = _members(JobDocument, loc[:-1])
    return did_you_mean(str(loc[-1]), known) or f"; expected one of {', '.join(known)}"


def _members(model: type[BaseModel], loc: Loc) -> list[str]:
    """The members that the object at this place may have."""
    names = [part for part in loc if isinstance(part, str)]
    for name in names:
        field = model.model_fields.get(name)
        inner = _model_in(field.annotation) if field else None
        if inner is None:
            break
        model = inner
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((one for part in get_args(annotation) if (one := _model_in(part))), None)


def secrets(root: Node) -> Iterator[Fault]:
    """Texts and names that have the form of a credential: a job is public."""
    for node in root.parts():
        if isinstance(node.value, str) and (wrong := unsound(node.value)) and wrong[0] == "secret":
            yield node.fault("a text that has the form of a credential; a job is public: name it, never write it")


def nothing(root: Node) -> Iterator[Fault]:
    """Members and items without a value: what there is none of is left out, so that one job has one digest."""
    return (node.fault("found nothing; give a value, or leave it out") for node in root.parts() if node.value is None)
