"""``agent-saga approvals export`` and ``import``: requests carried by hand to who signs them, and proofs back."""

from typing import Annotated, Any

import typer

from agent_saga.cli.approvals.answering import Asked, decision_value, request_value
from agent_saga.cli.approvals.given import (
    Disclosures,
    KeyOption,
    Output,
    Reason,
    RegistryOption,
    SagaArgument,
    StepArgument,
    StoreArgument,
    answered,
    fingerprint_of,
    put,
    read_bytes,
    read_json,
    read_value,
    told,
)
from agent_saga.cli.approvals.recording import record
from agent_saga.cli.approvals.stores import look
from agent_saga.cli.choosing import require_known

_ANSWERS = {"approve": "approve", "deny": "deny", "break-glass": "break_glass"}


def export(
    store: StoreArgument,
    saga: SagaArgument = "",
    step: StepArgument = "",
    key: KeyOption = "",
    registry: RegistryOption = "",
    answer: Annotated[
        str, typer.Option("--answer", metavar="|".join(_ANSWERS), help="What the signature is going to say.")
    ] = "approve",
    target: Annotated[
        str, typer.Option("--target", metavar="TARGET", help="A decision about this effect, undo or saga instead.")
    ] = "",
    verdict: Annotated[
        str, typer.Option("--verdict", metavar="landed|absent|undone|kept", help="With --target: what is the case.")
    ] = "",
    reason: Reason = "",
    disclosures: Disclosures = None,
    disclosures_to: Annotated[
        str, typer.Option("--disclosures-to", metavar="FILE", help="Write what opens its values to this new file.")
    ] = "",
    output: Output = "-",
) -> int:
    """Write the request that one key's person would sign as a file, to be signed elsewhere.

    It is canonical JSON: its bytes are what the digest is over, so that ssh-keygen alone can sign it (docs).
    """
    require_known("answer", answer, _ANSWERS)
    if bool(target) != bool(verdict):
        raise typer.BadParameter("--target and --verdict go together")
    if target:
        require_known("verdict", verdict, ("landed", "absent", "undone", "kept"))

    def work() -> int:
        from agent_saga.approvals.digests import canonical

        asked = Asked(store, saga, step, key, registry, disclosures, reason)
        made: Any = decision_value(asked, target, verdict) if target else request_value(asked, _ANSWERS[answer])  # type: ignore[arg-type]
        value, _, known = made
        needed = _needed(value, known)
        if needed and not disclosures_to:
            raise typer.BadParameter("its values are concealed: name --disclosures-to FILE, which goes to the signer")
        if disclosures_to:
            _put_private(disclosures_to, needed)
        put(output, canonical(value) + b"\n")
        _tell(value)
        return 0

    return answered(work)


def _needed(value: Any, disclosures: list[str]) -> list[str]:
    """Those Ds that open the values of this request, and no others; all must be there. Raises NotApproved."""
    from agent_saga.approvals.concealing import open_all
    from agent_saga.trace.conceal import digest_of, digests_in

    open_all(value, disclosures)
    wanted = set(digests_in(value))
    return [text for text in disclosures if digest_of(text) in wanted]


def _put_private(path: str, texts: list[str]) -> None:
    """Write disclosures to a new file that only its owner reads."""
    from agent_saga.trace.store.moving import new_file

    with new_file(path, private=True) as out:
        out.writelines(text.encode("ascii") + b"\n" for text in texts)


def _tell(value: dict[str, Any]) -> None:
    told(f"fingerprint  {fingerprint_of(value)}")
    told(f"to be signed by {value['person']} with {value['key_id']} until {value['not_after']}")


def import_(
    store: StoreArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A proof; or, with --signature, the request.")],
    signature: Annotated[
        str, typer.Option("--signature", metavar="FILE", help="What `ssh-keygen -Y sign` alone made of the request.")
    ] = "",
    registry: RegistryOption = "",
) -> int:
    """Record a proof that was made elsewhere, after verifying it. Exit codes: 0 recorded, 1 it does not hold."""

    def work() -> int:
        if signature:
            return record(store, _of_ssh(store, file, signature, registry), registry)
        return record(store, read_json(file, "a proof"), registry)

    return answered(work)


def _of_ssh(store: str, file: str, signature: str, registry: str) -> dict[str, Any]:
    """The proof out of a request and an armored signature. Raises NotApproved, SigningFault."""
    from agent_saga.approvals.display import reading
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.approvals.requests import Request
    from agent_saga.approvals.signing.openssh import from_armor

    value = read_value(file)
    about = reading(value).about
    name, asked_under = about.key_id, about.content.keys if isinstance(about, Request) else None
    key = look(store).registry(registry, asked_under)[0].key.get(name)
    if key is None:
        raise NotApproved("unknown-key", f"the registry holds no key {name[:64]!r}")
    made = from_armor(read_bytes(signature))
    return {"scheme": key.scheme, "key_id": key.id, "request": value, "signature": made}
