"""Which policy counts: the user's own file, with the waivers that the user hands over. Never one of the judged party.

Source: docs/rules.md, "Policies".
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent_saga.certify.approving.trust import Trust
from agent_saga.trace.errors import AgentSagaError

if TYPE_CHECKING:
    from agent_saga.approvals.registry.model import Registry
    from agent_saga.policies.model import Policy, Waivers


class PolicyChoice(AgentSagaError):
    """The options about the policy do not go together, or the file is another policy than the digest names."""


@dataclass(frozen=True, slots=True)
class PolicyTrust:
    """What calls are judged by. policy: None where the user gave none. first_use: a digest that the log names is taken
    as it is, and no call is judged by it."""

    policy: "Policy | None" = None
    waivers: "Waivers | None" = None
    first_use: bool = False

    @property
    def digest(self) -> str:
        """Of the policy, 64 hex digits; "" without one."""
        return self.policy.digest if self.policy else ""


NO_POLICY: Final = PolicyTrust()


@dataclass(frozen=True, slots=True)
class Files:
    """What the user names. policy, waivers: paths, "" for none. digest: what the policy must have, "" for any."""

    policy: str = ""
    digest: str = ""
    waivers: str = ""


def read_policy_trust(files: Files, people: Trust) -> PolicyTrust:
    """Read the user's policy and waivers. people: the key registry that waivers are verified by.

    Whether a waiver has ended is told call by call, by the day of each, so that a verdict is the same years later.
    Raises PolicyChoice, and PolicyError or SourceError for files that cannot be read or are not what they must be.
    """
    if not files.policy:
        for name, value in (("--require-policy-digest", files.digest), ("--waivers", files.waivers)):
            if value:
                raise PolicyChoice(f"{name} goes with --policy FILE: without the policy itself no call can be judged")
        return PolicyTrust(first_use=people.first_use)
    from agent_saga.policies.loading import load_policy

    policy = load_policy(files.policy)
    if files.digest and policy.digest != files.digest:
        raise PolicyChoice(
            f"{files.policy}: is the policy {policy.digest}, and --require-policy-digest names {files.digest}"
        )
    if not files.waivers:
        return PolicyTrust(policy)
    from agent_saga.policies.waiving import read_waivers

    return PolicyTrust(policy, read_waivers(files.waivers, policy, _registry(people)))


def _registry(people: Trust) -> "Registry | None":
    """The registry that the user gave as a file; the log's own cannot say who may waive before the log was read."""
    if not people.registry:
        return None
    from agent_saga.approvals.registry import read_registry

    registry, _ = read_registry(people.registry)
    return registry
