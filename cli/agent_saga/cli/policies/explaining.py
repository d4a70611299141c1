"""``agent-saga policy explain``: what a policy says of one call, and which values made it say so."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import FORMATS, Form, RegistryOption, loaded, say_faults
from agent_saga.cli.terminal import say

if TYPE_CHECKING:
    from agent_saga.policies.model import Policy, Waivers

MAX_CALL: Final = 1 << 20
"""Bytes of a call: as much as a line of a trace can hold."""
MAX_DEPTH: Final = 64
"""Nesting of a call: as deep as a line of a trace."""


def explain(
    call: Annotated[
        str, typer.Argument(metavar="CALL.json", help="A call as JSON, as `policy diff` prints it; - is stdin.")
    ],
    policy: Annotated[str, typer.Option("--policy", "-p", metavar="POLICY", help="The policy that is asked.")],
    waivers: Annotated[
        str, typer.Option("--waivers", metavar="FILE", help="Waivers; their signatures need --registry.")
    ] = "",
    registry: RegistryOption = "",
    form: Form = "text",
) -> int:
    """Ask a policy about one call: the answer, which rules and limits fired and which not, and with which values.

    A call is {"tool": NAME, "args": {...}}, and may say semantics, agent, saga, step, at, chain, and what its limits
    hold already: spent: {LIMIT: SUM}. Exit codes: 0 it is answered, 1 the policy does not load, 2 the call is none.
    """
    from agent_saga.policies.explaining import explain as explained
    from agent_saga.policies.explaining import read_call
    from agent_saga.policies.explaining.reports import as_json, text
    from agent_saga.policies.loading import PolicyError

    require_known("format", form, FORMATS)
    given = _read(call)
    try:
        known = loaded(policy)
        lifting = _waivers(waivers, known, registry)
    except PolicyError as error:
        return say_faults(error, form)
    found = explained(known, read_call(given, known), lifting)
    say(as_json(found) if form == "json" else text(found))
    return 0


def _read(path: str) -> Any:
    """The call in a file: JSON, or YAML by its name. Raises BadParameter for no file, DocumentError for no document."""
    from agent_saga.policies.document import DocumentError, Kind, parse

    name = "standard input" if path == "-" else path
    try:
        data = _bytes(path)
    except OSError as fault:
        raise typer.BadParameter(f"{name}: {fault.strerror or fault}") from fault
    spelled = name if name.lower().endswith((".yaml", ".yml")) else f"{name.removesuffix('.json')}.json"
    try:
        root, faults = parse(data, spelled, Kind("a call", MAX_CALL, MAX_DEPTH, fractions=True))
    except DocumentError as error:
        raise DocumentError(name, error.faults) from error
    if faults:
        raise DocumentError(name, faults)
    return root.plain


def _bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(MAX_CALL + 1)
    with open(path, "rb") as stream:
        return stream.read(MAX_CALL + 1)


def _waivers(path: str, policy: "Policy", registry: str) -> "Waivers | None":
    from agent_saga.cli.approvals.given import registry_of
    from agent_saga.policies.waiving import read_waivers

    if not path:
        return None
    return read_waivers(path, policy, registry_of(registry)[0] if registry else None)
