"""``agent-saga approvals enroll``: a person's key as an entry for the registry, or as the registry's next version."""

import os
from typing import Annotated, Any

import typer

from agent_saga.cli.approvals.entries import Held, placed, window
from agent_saga.cli.approvals.given import (
    Output,
    answered,
    instant_of,
    now,
    put_json,
    read_json,
    registry_of,
    told,
)
from agent_saga.cli.approvals.signers import Fido, Label, Means, Module, PinFile, Token


def enroll(
    person: Annotated[str, typer.Argument(metavar="PERSON", help="Who holds it: a pseudonym, never a name.")],
    key_id: Annotated[str, typer.Option("--id", metavar="KEY", help="Id of the key; never used for another key.")],
    role: Annotated[
        list[str] | None, typer.Option("--role", metavar="ROLE", help="What the person may approve; repeatable.")
    ] = None,
    vkey: Annotated[
        str, typer.Option("--vkey", metavar="VKEY", help="A software key: what `agent-saga keys show` prints.")
    ] = "",
    ssh_public: Annotated[
        str, typer.Option("--ssh-public", metavar="FILE", help="An ssh key, plain or of a security key: its .pub file.")
    ] = "",
    pkcs11: Module = "",
    token: Token = "",
    label: Label = "",
    fido: Fido = False,
    passkey: Annotated[
        str, typer.Option("--passkey", metavar="FILE", help="A passkey: what the approval page wrote when it was made.")
    ] = "",
    pin_file: PinFile = "",
    attestation: Annotated[
        str, typer.Option("--attestation", metavar="FILE", help="Keep what ssh-keygen -O write-attestation wrote.")
    ] = "",
    challenge: Annotated[
        str,
        typer.Option("--challenge", metavar="FILE", help="With --attestation: the file of ssh-keygen -O challenge."),
    ] = "",
    trust_root: Annotated[
        str, typer.Option("--trust-root", metavar="PEM", help="Certificates of makers: verify the attestation now.")
    ] = "",
    verify: Annotated[
        bool, typer.Option("--require-pin", help="Refuse signatures of it without PIN or biometry.")
    ] = False,
    begin: Annotated[str, typer.Option("--from", metavar="TIME", help="It signs from then on (RFC 3339). [now]")] = "",
    days: Annotated[int, typer.Option("--days", metavar="N", help="For so many days.", min=1)] = 365,
    registry: Annotated[
        str, typer.Option("--registry", metavar="FILE", help="Write its next version, with this key, not the entry.")
    ] = "",
    output: Output = "-",
) -> int:
    """Make a registry entry of a key that a person holds; the secret is not needed, and is never read.

    Without --registry the entry is printed; with it, the registry's next version, which its people then have to sign.
    """
    means = Means(module=pkcs11, token=token, label=label, fido=fido, pin_file=pin_file)
    held = Held(means, vkey, ssh_public, passkey, attestation, challenge, trust_root)
    if fido and not registry:
        raise typer.BadParameter("--fido: give --registry FILE, whose relying party (rp) the key is made for")
    if output != "-" and os.path.lexists(output):
        raise typer.BadParameter(f"{output}: there is something already; name a new file, nothing is written over")

    def work() -> int:
        party = registry_of(registry)[0].rp if registry else None
        named = {"id": key_id, "person": person}
        key = named | held.members(person, party) | window(instant_of(begin, "--from") if begin else now(), days)
        key |= {"verify": True} if verify else {}
        put_json(output, _written(key, role or [], registry))
        return 0

    return answered(work)


def _written(key: dict[str, Any], roles: list[str], registry: str) -> Any:
    """The entry, read strictly as of a registry that holds it alone; or the registry's next version."""
    from agent_saga.approvals.registry import registry_digest

    if not registry:
        party = {"rp": {"id": "x", "origins": ["https://x"]}, "algorithms": [-8, -7]}
        placed({"v": 1, "version": 1} | party, key, roles)
        return {"person": {"id": key["person"]} | ({"roles": roles} if roles else {}), "key": key}
    made = placed(read_json(registry, "the registry"), key, roles)
    told(f"version {made['version']}, digest {registry_digest(made)}")
    return made
