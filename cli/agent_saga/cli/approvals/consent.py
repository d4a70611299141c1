"""What you see is what you sign: the whole request on the terminal, and a person who says yes to its fingerprint."""

import json
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import typer

from agent_saga.cli.approvals.given import Declined, fingerprint_of, told
from agent_saga.cli.approvals.signers import Means, waiting
from agent_saga.cli.terminal import is_terminal

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry
    from agent_saga.approvals.signing import Signer


def signed(
    value: Any, registry: "Registry", means: Means, disclosures: Iterable[str], fingerprint: str
) -> dict[str, Any]:
    """Show what would be signed, ask, sign, verify; returns the proof.

    fingerprint: what ``--fingerprint`` names, in place of asking; "" asks. Raises Declined, NotApproved, SigningFault,
    KeyFault, BadParameter.
    """
    from agent_saga.approvals.display import reading, show
    from agent_saga.approvals.signing import sign

    known = list(disclosures)
    means.check()
    value = json.loads(reading(value).written)  # what is shown comes from the bytes whose digest is signed
    agreed(show(value, known), fingerprint_of(value), fingerprint, _grave(value))
    return made(means, registry, lambda signer: sign(value, registry, signer, known))


def agreed(lines: Iterable[str], due: str, given: str, grave: bool = False) -> None:
    """Show what would be signed and ask. due: its fingerprint. given: what ``--fingerprint`` names; "" asks.

    Raises Declined, BadParameter.
    """
    for line in lines:
        told(line)
    _agree(due, given, grave)


def made(means: Means, registry: "Registry", make: "Callable[[Signer], dict[str, Any]]") -> dict[str, Any]:
    """Open what signs and let it sign, with a sign of life where a person has to touch something."""
    signer = means.signer(registry)
    if means.key_file:
        return make(signer)
    with waiting(_words(means)):
        return make(signer)


def _words(means: Means) -> str:
    if means.ssh:
        return "waiting for ssh-keygen: touch the key when it blinks; ssh-keygen itself asks for PIN or passphrase"
    return (
        f"waiting for token {means.token}" if means.module else "waiting for the security key: touch it when it blinks"
    )


def _grave(value: dict[str, Any]) -> bool:
    """Whether a mere yes is not enough: what cannot be undone, and what breaks the glass."""
    semantics = value["content"]["semantics"] if "content" in value else ""
    return semantics == "irreversible" or value.get("decision") == "break_glass"


def _agree(due: str, given: str, grave: bool) -> None:
    """Raise Declined unless the person means this fingerprint."""
    if given:
        if _plain(given) != _plain(due):
            raise Declined(f"the fingerprint is {due}, not {given[:80]!r}: nothing was signed")
        return
    if not is_terminal(sys.stdin):
        raise typer.BadParameter(
            "no terminal to ask at: export the request, look at it with `agent-saga approvals show`, and sign the file "
            "with --fingerprint"
        )
    first = due.split(" ")[0]
    wanted = f"{first}, the first group of the fingerprint," if grave else f"yes, or {first},"
    answer = typer.prompt(f"Type {wanted} to sign", default="", show_default=False, err=True).strip()
    words = {_plain(first), _plain(due)} | (set() if grave else {"YES"})
    if _plain(answer) not in words:
        raise Declined("not confirmed: nothing was signed")


def _plain(text: str) -> str:
    return "".join(text.split()).upper()
