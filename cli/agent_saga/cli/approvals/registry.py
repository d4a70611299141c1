"""``agent-saga approvals registry``: what is wrong with a key registry, what differs between two, and the next one."""

import json
import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_saga.cli.approvals.adopting import adopt
from agent_saga.cli.approvals.entries import attestations
from agent_saga.cli.approvals.given import FORMATS, NO, NOTHING, Form, instant_of, now, read_bytes, registry_of, rows
from agent_saga.cli.choosing import require_known
from agent_saga.cli.log import LOG
from agent_saga.cli.terminal import say

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry

app = typer.Typer(
    help="Check a key registry, compare two of them, and put the next one in force.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_QUORUM = re.compile(r"([0-9]{1,4}):(.+)", re.ASCII).fullmatch
_NOBODY: Final = "nobody could ever approve"
File = Annotated[str, typer.Argument(metavar="FILE", help="A key registry, a JSON file.")]


@app.callback()
def _group() -> None: ...


@app.command("check")
def check(
    file: File,
    quorum: Annotated[
        list[str] | None,
        typer.Option("--quorum", metavar="N:ROLE,ROLE", help="So many persons of these roles are asked for."),
    ] = None,
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="Judge keys as of this time (RFC 3339). [now]")] = "",
    trust_root: Annotated[
        str,
        typer.Option("--trust-root", metavar="PEM", help="Certificates of makers: verify what keys are attested by."),
    ] = "",
    form: Form = "text",
) -> int:
    """Find what cannot work: contradictions, a quorum that nobody can reach, a person without a valid key.

    With --trust-root a key that is said to be attested, and is not under these roots, is an error.
    Exit codes: 0 nothing that stops anybody, 1 an error, 4 a registry of nobody. Prints its digest, to be pinned.
    """
    from agent_saga.approvals.errors import RegistryFault
    from agent_saga.approvals.registry import lint

    require_known("format", form, FORMATS)
    asked, moment = _quorums(quorum or []), instant_of(at, "--at") if at else now()
    roots = read_bytes(trust_root) if trust_root else b""
    try:
        registry, digest = registry_of(file)
    except RegistryFault as fault:
        return _tell(form, "", 0, [str(fault)], [])
    found = list(lint(registry, asked | _own(registry), moment))
    found += _with_duties(registry, asked, moment)
    errors = [line for line in found if _NOBODY in line]
    warnings = [line for line in found if line not in errors]
    if trust_root:
        unproven, unsaid = attestations(registry, roots)
        errors, warnings = errors + unproven, warnings + unsaid
    code = _tell(form, digest, registry.version, errors, warnings)
    return code or (0 if registry.people else NOTHING)


def _with_duties(registry: "Registry", asked: dict[tuple[str, ...], int], moment: str) -> list[str]:
    """Quorums that fail only because whoever owns an agent cannot approve what it proposes."""
    from msgspec.structs import replace

    from agent_saga.approvals.registry import lint

    known = set(lint(registry, asked, moment))
    told = []
    for agent in registry.agents:
        others = replace(registry, people=tuple(one for one in registry.people if one.id != agent.owner))
        short = [line for line in lint(others, asked, moment) if _NOBODY in line and line not in known]
        told += [f"agent {agent.id}, whose owner {agent.owner} may not approve: {line}" for line in short]
    return told


def _tell(form: str, digest: str, version: int, errors: list[str], warnings: list[str]) -> int:
    if form == "json":
        record = {"digest": digest or None, "version": version or None, "errors": errors, "warnings": warnings}
        say(json.dumps(record, indent=2) + "\n")
    else:
        head = [f"digest       {digest}", f"version      {version}"] if digest else []
        rows([*head, *(f"error        {one}" for one in errors), *(f"warning      {one}" for one in warnings)])
    return NO if errors else 0


def _own(registry: "Registry") -> dict[tuple[str, ...], int]:
    """What the registry itself asks for."""
    return {registry.changes.roles: registry.changes.quorum} if registry.changes else {}


def _quorums(words: list[str]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for word in words:
        match = _QUORUM(word)
        if match is None:
            raise typer.BadParameter(f"--quorum {word[:80]!r}: expected N:ROLE,ROLE such as 2:treasury")
        roles = tuple(match[2].split(","))
        found[roles] = max(found.get(roles, 0), int(match[1]))
    return found


@app.command("diff")
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A key registry.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The one that is to follow it.")],
    form: Form = "text",
) -> int:
    """Say in sentences what differs between two registries. Exit codes: 0 nothing does, 1 something, 2 unreadable."""
    from agent_saga.approvals.registry import diff as differences

    require_known("format", form, FORMATS)
    (before, before_digest), (after, after_digest) = registry_of(old), registry_of(new)
    found = list(differences(before, after))
    if after.version != before.version + 1 and found:
        LOG.warning("registry", f"version {after.version} does not follow {before.version}: they count up by one")
    if form == "json":
        say(json.dumps({"old": before_digest, "new": after_digest, "differences": found}, indent=2) + "\n")
    else:
        rows(found)
    return NO if found else 0


app.command("adopt")(adopt)
