"""``agent-saga policy adopt``: a policy that is in force in a log from here on, as a signed line of the log's own."""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_saga.cli.approvals.changing import append_own, change_by, in_force
from agent_saga.cli.approvals.gathering import Gathering
from agent_saga.cli.approvals.given import NO, StoreArgument, answered, now, told
from agent_saga.cli.grouped import grouped
from agent_saga.cli.policies.given import PolicyArgument, loaded, say_faults
from agent_saga.cli.terminal import say, visible

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import InForce
    from agent_saga.policies.model import Policy

_OTHERWISE: Final = "nobody can adopt a policy in it; name its digest where the log is opened"


@grouped
def adopt(
    file: PolicyArgument,
    store: StoreArgument,
    gathering: Gathering,
) -> int:
    """Put a policy in force in a log that was opened with a registry, by the quorum that its registry asks for.

    --export for each of the others, `approvals sign` where they are, and their files with --proof here. Requests for
    approval that were made under another policy no longer count. Exit codes: 0 adopted, 1 refused.
    """
    from agent_saga.policies.loading import PolicyError

    def work() -> int:
        try:
            policy = loaded(file)
        except PolicyError as error:
            return say_faults(error, "text")
        log, standing = in_force(store, _OTHERWISE)
        by = partial(change_by, standing, "adopt", policy.digest)
        return gathering.carry(by, standing.registry, partial(_adopted, store, log, standing, policy))

    return answered(work)


def _adopted(store: str, log: list[bytes], standing: "InForce", policy: "Policy", proofs: list[dict[str, Any]]) -> int:
    """Verify as every reader of the log will, and only then write the line."""
    from agent_saga.approvals.registry.changes import Due, check_change

    at, proof = now(), {"signatures": proofs}
    if standing.policy == policy.digest:
        told(f"{policy.policy} version {policy.version} is in force already")
        return NO
    due = Due(standing.log, "adopt", policy.digest, standing.digest, standing.prev, at)
    check_change(proof, due, standing.registry, tuple(standing.revoked))
    append_own(store, log, at, "policy.adopted", {"policy": policy.digest, "proof": proof})
    say(visible(f"adopted: {policy.policy} version {policy.version}, digest {policy.digest}") + "\n")
    return 0
