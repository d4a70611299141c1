"""Which policy counts: the user's own file, with the waivers that the user hands over. Never one of the judged party.

Source: docs/rules.md, "Policies".
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent_saga.certify.standing.trust import Trust
from agent_saga.trace.errors import AgentSagaError

if TYPE_CHECKING:
    from agent_saga.approvals.registry.model import Registry
    from agent_saga.policies.model import Policy, Waivers


class PolicyChoice(AgentSagaError):
    """The options about the policy do not go together, or the file is another policy than the digest names."""


@dataclass(frozen=True, slots=True)
class PolicyTrust:
    """What calls are judged by. policy: None where the user gave none. first_use: a digest that the log names is taken
    as it is, and no call is judged by it. earlier: the policies that were in force before this one, in their order."""

    policy: "Policy | None" = None
    waivers: "Waivers | None" = None
    first_use: bool = False
    earlier: "tuple[PolicyTrust, ...]" = ()

    @property
    def digest(self) -> str:
        """Of the policy, 64 hex digits; "" without one."""
        return self.policy.digest if self.policy else ""

    @property
    def all(self) -> "tuple[PolicyTrust, ...]":
        """Every policy in the order in which they were in force; empty where none was given."""
        return (*self.earlier, self) if self.policy else ()

    @property
    def earlier_digests(self) -> tuple[str, ...]:
        """Of the policies that were in force before."""
        return tuple(one.digest for one in self.earlier)


NO_POLICY: Final = PolicyTrust()


@dataclass(frozen=True, slots=True)
class Files:
    """What the user names. policies: paths, in the order in which they were in force. digest: what the last one must
    have, "" for any. waivers: a path, "" for none."""

    policies: tuple[str, ...] = ()
    digest: str = ""
    waivers: str = ""


def read_policy_trust(files: Files, people: Trust) -> PolicyTrust:
    """Read the user's policies, and the waivers that may lift what any of them has.

    people: the key registry that waivers are verified by.
    Whether a waiver has ended is told call by call, by the day of each, so that a verdict is the same years later.
    Raises PolicyChoice, and PolicyError or SourceError for files that cannot be read or are not what they must be.
    """
    if not files.policies:
        for name, value in (("--require-policy-digest", files.digest), ("--waivers", files.waivers)):
            if value:
                raise PolicyChoice(f"{name} goes with --policy FILE: without the policy itself no call can be judged")
        return PolicyTrust(first_use=people.first_use)
    *earlier, last = _policies(files)
    if not files.waivers:
        return PolicyTrust(last, earlier=tuple(map(PolicyTrust, earlier)))
    from agent_saga.policies.waiving import read_waivers

    registry = _registry(people)
    read = [PolicyTrust(one, read_waivers(files.waivers, one, registry)) for one in (*earlier, last)]
    return replace(read[-1], earlier=tuple(read[:-1]))


def _policies(files: Files) -> "list[Policy]":
    """The policies of these files, each another. Raises PolicyChoice, PolicyError."""
    from agent_saga.policies.loading import load_policy

    found: dict[str, Policy] = {}
    for path in files.policies:
        policy = load_policy(path)
        if policy.digest in found:
            raise PolicyChoice(f"{path}: is the policy {policy.digest}, which another --policy names already")
        found[policy.digest] = policy
    if files.digest and policy.digest != files.digest:
        raise PolicyChoice(f"{path}: is the policy {policy.digest}, and --require-policy-digest names {files.digest}")
    return list(found.values())


def _registry(people: Trust) -> "Registry | None":
    """The registry that the user gave as a file; the log's own cannot say who may waive before the log was read."""
    if not people.registry:
        return None
    from agent_saga.approvals.registry import read_registry

    registry, _ = read_registry(people.registry)
    return registry
