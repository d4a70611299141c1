"""``agent-saga policy verify``: whether the people of a registry stand for exactly this policy."""

import json
import os
from typing import Annotated

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.log import LOG
from agent_saga.cli.policies.given import FORMATS, NO, Form, PolicyArgument, RegistryOption, loaded, say_faults
from agent_saga.cli.terminal import say, visible


def verify(
    file: PolicyArgument,
    registry: RegistryOption,
    registry_digest: Annotated[
        str, typer.Option("--registry-digest", metavar="HEX", help="The digest that the registry must have.")
    ] = "",
    signatures: Annotated[
        str, typer.Option("--signatures", metavar="FILE", help="The signatures. [POLICY.sig.json]")
    ] = "",
    previous: Annotated[
        str, typer.Option("--previous", metavar="HEX", help="Refuse a version that does not follow this digest.")
    ] = "",
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="No signature may be later (RFC 3339). [now]")] = "",
    form: Form = "text",
) -> int:
    """Check the signatures of a policy against your own key registry: who signed, and that they are enough.

    Whose signature counts and how many it takes is the registry's rule for changes. Exit codes: 0 signed, 1 not, or
    the policy does not load; 2 there is no such file.
    """
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.cli.approvals.given import instant_of, now, read_bytes, registry_of
    from agent_saga.policies.loading import PolicyError
    from agent_saga.policies.signing import read_signatures, signature_path, verify_policy

    require_known("format", form, FORMATS)
    moment, path = instant_of(at, "--at") if at else now(), signatures or signature_path(file)
    try:
        policy, (known, digest) = loaded(file), registry_of(registry)
        if registry_digest not in ("", digest):
            raise NotApproved("wrong-registry", f"{registry} has the digest {digest}: expected {registry_digest[:64]}")
        if not os.path.lexists(path):
            raise NotApproved("unsigned", f"{path}: there is none: nobody has signed")
        found = verify_policy(policy, read_signatures(read_bytes(path)), known, moment)
        if previous and found.previous != previous:
            raise NotApproved("stale-version", f"it follows {found.previous or 'nothing'}: expected {previous[:64]}")
    except PolicyError as error:
        return say_faults(error, form)
    except NotApproved as fault:
        if form == "json":
            say(json.dumps({"signed": False, "reason": fault.reason, "message": str(fault)}, indent=2) + "\n")
        LOG.error("policy", f"{file}: not signed ({fault.reason}): {fault}")
        return NO
    if form == "json":
        names = ("policy", "version", "digest", "previous")
        told = {name: getattr(found, name) for name in names} | {"persons": list(found.persons)}
        say(json.dumps({"signed": True} | told, indent=2) + "\n")
        return 0
    say(visible(f"{file}: {found.policy} version {found.version} is signed by {', '.join(found.persons)}") + "\n")
    say(f"digest {found.digest}\nfollows {found.previous or 'nothing: it is the first'}\n")
    return 0
