"""What the commands of ``agent-saga policy`` are given, and how they tell what is wrong with it."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.policies.document import DocumentError, Fault
    from agent_saga.policies.model import Policy

NO, NOTHING = 1, 4
FORMATS: Final = ("text", "json")
PolicyArgument = Annotated[str, typer.Argument(metavar="POLICY", help="A policy: YAML, or JSON in a file *.json.")]
Form = Annotated[str, typer.Option("--format", "-f", metavar="text|json", autocompletion=lambda: list(FORMATS))]
RegistryOption = Annotated[str, typer.Option("--registry", metavar="FILE", help="The key registry, a JSON file.")]


def loaded(path: str) -> "Policy":
    """The policy in a file. Raises BadParameter where there is no such file, PolicyError for one that does not load."""
    from agent_saga.policies.loading import load_policy

    return load_policy(path, text=policy_bytes(path))


def policy_bytes(path: str) -> bytes:
    """The bytes of a policy, or one too many where it is too large. Raises BadParameter."""
    from agent_saga.policies.document import DocumentError, read
    from agent_saga.policies.loading.errors import POLICY

    try:
        return read(path, POLICY)
    except DocumentError as fault:
        raise typer.BadParameter(f"{path}: {fault.faults[0].message}") from fault


def say_faults(error: "DocumentError", form: str) -> int:
    """Say all that is wrong with a document, a line each or as JSON; returns the exit code."""
    if form == "json":
        say(json.dumps({"file": error.path, "errors": listed(error.faults)}, indent=2) + "\n")
    else:
        say("".join(visible(line) + "\n" for line in str(error).splitlines()))
        note(f"{len(error.faults)} {'error' if len(error.faults) == 1 else 'errors'}")
    return NO


def listed(faults: "Iterable[Fault]") -> list[dict[str, Any]]:
    """Faults as JSON."""
    return [{"line": one.line, "column": one.column, "message": one.message} for one in faults]
