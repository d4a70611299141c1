"""``agent-saga approvals revoke``: a key that no later effect may rely on, as a signed line of the log's own."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.approvals.consent import signed
from agent_saga.cli.approvals.given import (
    NO,
    KeyOption,
    StoreArgument,
    answered,
    fingerprint_of,
    instant_of,
    now,
    put,
    read_json,
    told,
)
from agent_saga.cli.approvals.signers import Fido, KeyFile, Label, Means, Module, PinFile, SshKey, Token
from agent_saga.cli.approvals.signing import Fingerprint, fresh
from agent_saga.cli.approvals.stores import open_lines
from agent_saga.cli.keys import Passphrase
from agent_saga.cli.terminal import say, visible

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import InForce

CHANGE_SECONDS: Final = 86_400
"""Within which the signatures of a change are gathered: a day, since the second person may sit elsewhere."""


def revoke(
    store: StoreArgument,
    lost: Annotated[str, typer.Argument(metavar="KEY", help="Id of the key that is revoked.")],
    key: KeyOption = "",
    since: Annotated[
        str,
        typer.Option("--compromised-since", metavar="TIME", help="From when on it was in other hands (RFC 3339)."),
    ] = "",
    proof: Annotated[
        list[str] | None,
        typer.Option("--proof", metavar="FILE", help="What another person signed for this change; repeatable."),
    ] = None,
    export: Annotated[
        str, typer.Option("--export", metavar="FILE", help="Write what --key is to sign to this new file; - is stdout.")
    ] = "",
    key_file: KeyFile = "",
    ssh: SshKey = "",
    pkcs11: Module = "",
    token: Token = "",
    label: Label = "",
    fido: Fido = False,
    pin_file: PinFile = "",
    passphrase_file: Passphrase = "",
    fingerprint: Fingerprint = "",
) -> int:
    """Revoke a key in a log that was opened with a registry. Who lost a key may do it alone.

    --compromised-since takes back earlier approvals, and needs the quorum of the registry: --export for each of the
    others, `approvals sign` where they are, and their files with --proof here. Exit codes: 0 revoked, 1 refused.
    """
    means = Means(key_file, ssh, pkcs11, token, label, fido, pin_file, passphrase_file)

    def work() -> int:
        moment = instant_of(since, "--compromised-since") if since else None
        log, standing = _standing(store)
        if export:
            return _exported(export, _change(standing, lost, key, moment))
        proofs = [read_json(path, "a proof") for path in proof or []]
        if key:
            about = _change(standing, lost, key, moment)
            proofs.append(signed(about, standing.registry, means, (), fingerprint))
        return _revoked(store, log, standing, lost, moment, proofs)

    if not key and (export or not proof):
        raise typer.BadParameter("--key KEY: name the key that signs; or give what others signed with --proof")
    return answered(work)


def _standing(store: str) -> "tuple[list[bytes], InForce]":
    from agent_saga.runtime.approving.standing import standings

    own = open_lines(store)[1]
    found = standings(own)
    if not found:
        raise typer.BadParameter(
            f"{store}: its log was not opened with a registry (`agent-saga log open --registry`): nothing in it can be "
            "revoked; take the key out of the registry file, and pin the new digest"
        )
    return own, found[-1]


def _change(standing: "InForce", lost: str, key_id: str, since: str | None) -> dict[str, Any]:
    """What the holder of this key signs. Raises NotApproved."""
    from agent_saga.approvals.display import reading
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.approvals.requests import Change, as_written
    from agent_saga.approvals.windows import shifted

    key = standing.registry.key.get(key_id)
    if key is None:
        raise NotApproved("unknown-key", f"the registry holds no key {key_id[:64]!r}")
    if lost not in standing.registry.key:
        raise NotApproved("unknown-key", f"the registry holds no key {lost[:64]!r} that could be revoked")
    begin = now()
    change = Change(
        v=1,
        log=standing.log,
        change="revoke",
        subject=lost,
        registry=standing.digest,
        prev=standing.prev,
        person=key.person,
        key_id=key.id,
        nonce=fresh(),
        issued_at=begin,
        not_after=shifted(begin, CHANGE_SECONDS),
        compromised_since=since,
    )
    value = as_written(change)
    reading(value)
    return value


def _exported(output: str, change: dict[str, Any]) -> int:
    from agent_saga.approvals.digests import canonical

    put(output, canonical(change) + b"\n")
    told(f"fingerprint  {fingerprint_of(change)}")
    return 0


def _revoked(
    store: str, log: list[bytes], standing: "InForce", lost: str, since: str | None, proofs: list[dict[str, Any]]
) -> int:
    """Verify as every reader of the log will, and only then write the line."""
    from agent_saga.approvals.registry.changes import Due, check_change

    at, proof = now(), {"signatures": proofs}
    if lost in standing.revoked:
        told(f"key {lost} was revoked before")
        return NO
    due = Due(standing.log, "revoke", lost, standing.digest, standing.prev, at, since)
    check_change(proof, due, standing.registry, tuple(standing.revoked))
    members = {"key_id": lost, "proof": proof} | ({"compromised_since": since} if since else {})
    asyncio.run(_append(store, log, at, members))
    say(visible(f"revoked: {lost}") + "\n")
    return 0


async def _append(store: str, log: list[bytes], at: str, members: dict[str, Any]) -> None:
    """The next of the log's own lines; when another came between, the store refuses it. Raises StoreError."""
    import os

    from agent_saga.trace.codec import decode, leaf_hash
    from agent_saga.trace.limits import LOG_SAGA
    from agent_saga.trace.store import NewLine, open_store
    from agent_saga.trace.writer import SagaWriter

    seq = decode(log[-1])[0].seq + 1
    line = SagaWriter(LOG_SAGA, os.urandom, seq=seq, head=leaf_hash(log[-1])).line("keys.revoked", at, **members)
    opened = open_store(store, create=False)
    try:
        await opened.append([NewLine(LOG_SAGA, seq, line)])
    finally:
        await opened.close()
