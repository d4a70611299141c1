"""``agent-saga policy check``: everything that is wrong with a policy, at its line and column, in one pass."""

import json
from typing import Annotated

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import (
    FORMATS,
    Form,
    PolicyArgument,
    RegistryOption,
    listed,
    loaded,
    say_faults,
)
from agent_saga.cli.terminal import say, visible


def check(
    file: PolicyArgument,
    registry: RegistryOption = "",
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="Judge keys as of this time (RFC 3339). [now]")] = "",
    form: Form = "text",
) -> int:
    """Find every error of a policy: its shape, its conditions against the arguments of each tool, its tests.

    With --registry also every quorum that nobody could reach and every role that nobody has. Exit codes: 0 it loads
    (its digest is printed), 1 it does not, 2 there is no such file.
    """
    from agent_saga.cli.approvals.given import instant_of, now, registry_of
    from agent_saga.policies.loading import PolicyError
    from agent_saga.policies.loading.reaching import unreachable

    require_known("format", form, FORMATS)
    moment = instant_of(at, "--at") if at else now()
    known = registry_of(registry)[0] if registry else None
    try:
        policy = loaded(file)
        if known is not None:
            unreachable(policy, known, moment)
    except PolicyError as error:
        return say_faults(error, form)
    if form == "json":
        record = {"file": file, "policy": policy.policy, "version": policy.version, "digest": policy.digest}
        say(json.dumps(record | {"errors": listed([])}, indent=2) + "\n")
        return 0
    counts = f"{len(policy.tools)} tools, {len(policy.rules)} rules, {len(policy.limits)} limits"
    say(f"{visible(file)}: {policy.policy} version {policy.version}: {counts}, {len(policy.tests)} tests: no errors\n")
    say(f"digest {policy.digest}\n")
    return 0
