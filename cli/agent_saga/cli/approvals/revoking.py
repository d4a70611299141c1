"""``agent-saga approvals revoke``: a key that no later effect may rely on, as a signed line of the log's own."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.approvals.changing import append_own, change_by, in_force
from agent_saga.cli.approvals.gathering import Gathering
from agent_saga.cli.approvals.given import NO, StoreArgument, answered, instant_of, now, told
from agent_saga.cli.grouped import grouped
from agent_saga.cli.terminal import say, visible

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import InForce

_OTHERWISE: Final = "nothing in it can be revoked; take the key out of the registry file, and pin the new digest"


@grouped
def revoke(
    store: StoreArgument,
    lost: Annotated[str, typer.Argument(metavar="KEY", help="Id of the key that is revoked.")],
    gathering: Gathering,
    since: Annotated[
        str,
        typer.Option("--compromised-since", metavar="TIME", help="From when on it was in other hands (RFC 3339)."),
    ] = "",
) -> int:
    """Revoke a key in a log that was opened with a registry. Who lost a key may do it alone.

    --compromised-since takes back earlier approvals, and needs the quorum of the registry: --export for each of the
    others, `approvals sign` where they are, and their files with --proof here. Exit codes: 0 revoked, 1 refused.
    """

    def work() -> int:
        moment = instant_of(since, "--compromised-since") if since else None
        log, standing = in_force(store, _OTHERWISE)
        by = partial(_change, standing, lost, since=moment)
        return gathering.carry(by, standing.registry, partial(_revoked, store, log, standing, lost, moment))

    return answered(work)


def _change(standing: "InForce", lost: str, key_id: str, since: str | None) -> dict[str, Any]:
    """What the holder of this key signs. Raises NotApproved."""
    from agent_saga.approvals.errors import NotApproved

    if lost not in standing.registry.key:
        raise NotApproved("unknown-key", f"the registry holds no key {lost[:64]!r} that could be revoked")
    return change_by(standing, "revoke", lost, key_id, since)


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
    append_own(store, log, at, "keys.revoked", members)
    say(visible(f"revoked: {lost}") + "\n")
    return 0
