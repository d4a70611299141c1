"""``agent-saga policy check``: everything that is wrong with a policy, at its line and column, in one pass."""

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import (
    FORMATS,
    NO,
    Form,
    PolicyArgument,
    RegistryOption,
    policy_bytes,
    say_faults,
)
from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry
    from agent_saga.policies.linting import Note
    from agent_saga.policies.model import Policy


def check(
    file: PolicyArgument,
    registry: RegistryOption = "",
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="Judge keys as of this time (RFC 3339). [now]")] = "",
    form: Form = "text",
) -> int:
    """Find every error of a policy: its shape, its conditions against the arguments of each tool, its tests.

    With --registry also every quorum that nobody could reach, every role that nobody has, and the waivers beside it.
    Rules that cannot do what they seem to are remarked on. Exit codes: 0 it loads (its digest is printed), 1 it does
    not, 2 there is no such file.
    """
    from agent_saga.cli.approvals.given import instant_of, now, registry_of
    from agent_saga.policies.loading import PolicyError, load_policy
    from agent_saga.policies.loading.reaching import unreachable

    require_known("format", form, FORMATS)
    moment = instant_of(at, "--at") if at else now()
    known = registry_of(registry)[0] if registry else None
    try:
        text = policy_bytes(file)
        policy = load_policy(file, text=text)
        if known is not None:
            unreachable(policy, known, moment, text)
        problems = _waivers(policy, known, moment[:10])
    except PolicyError as error:
        return say_faults(error, form)
    from agent_saga.policies.linting import lint

    notes = lint(policy, False)
    if form == "json":
        record = {"file": file, "policy": policy.policy, "version": policy.version, "digest": policy.digest}
        told = [{"line": one.place.line, "column": one.place.column, "message": one.message} for one in notes]
        say(json.dumps(record | {"errors": [], "waivers": problems, "notes": told}, indent=2) + "\n")
    else:
        say("".join(visible(line) + "\n" for line in [*problems, *_told(policy, notes)]))
    return NO if problems else 0


def _waivers(policy: "Policy", registry: "Registry | None", today: str) -> list[str]:
    """What is wrong with the waivers beside a policy; nothing where there are none, or nobody to judge them by."""
    from agent_saga.policies.waiving import read_waivers, waivers_path

    path = waivers_path(policy.source)
    if not os.path.lexists(path):
        return []
    if registry is None:
        note(f"{visible(path)}: not looked at without --registry, by which its signatures are verified")
        return []
    return list(read_waivers(path, policy, registry, today).problems)


def _told(policy: "Policy", notes: "list[Note]") -> "Iterator[str]":
    for one in notes:
        yield f"{policy.source}:{one.place.line}:{one.place.column}: note: {one.message}"
    counts = f"{len(policy.tools)} tools, {len(policy.rules)} rules, {len(policy.limits)} limits"
    yield f"{policy.source}: {policy.policy} version {policy.version}: {counts}, {len(policy.tests)} tests: no errors"
    yield f"digest {policy.digest}"
