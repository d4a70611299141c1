"""Whether the people of a registry stand for exactly this policy.

Whose signature counts, and how many persons it takes, is what the registry says of changes (``changes``): the same
people who adopt a policy in a log.

Source: docs/spec/policy-v1.md, "Verifying".
"""

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed, verified
from agent_saga.approvals.registry import Registry
from agent_saga.approvals.strengths import reaches
from agent_saga.approvals.windows import check_window
from agent_saga.policies.model import Policy
from agent_saga.policies.signing.files import Signatures
from agent_saga.policies.signing.statements import DOMAIN, PolicyStatement


class Verified(Struct, frozen=True):
    """Who stands for a policy. persons: in the order of the file."""

    policy: str
    version: int
    digest: str
    previous: str | None
    persons: tuple[str, ...]


def verify_policy(policy: Policy, found: Signatures, registry: Registry, at: str) -> Verified:
    """Check every signature of a file, and that they suffice. at: an instant that none may lie behind.

    Raises NotApproved: ``wrong-policy`` (another name, version or digest), ``wrong-role``, ``weak-key``, ``too-few``,
    ``no-rule``, ``outside-window``, ``late``, and the reasons of one signature.
    """
    if found.policy != policy.policy or found.version != policy.version:
        signed = f"{found.policy} version {found.version}"
        raise NotApproved("wrong-policy", f"what is signed is {signed}: not {policy.policy} version {policy.version}")
    if found.digest != policy.digest:
        raise NotApproved("wrong-policy", f"signed is the digest {found.digest}: this file has {policy.digest}")
    persons = tuple(
        _one(proof, about, canonical, registry, at)
        for proof, (about, canonical) in zip(found.proofs, found.statements, strict=True)
    )
    if len({*persons}) < len(persons):
        raise NotApproved("too-few", "one person signed twice: a quorum counts persons")
    if registry.changes is not None and len(persons) < registry.changes.quorum:
        raise NotApproved("too-few", f"{len(persons)} persons signed: {registry.changes.quorum} are asked for")
    return Verified(found.policy, found.version, found.digest, found.previous, persons)


def _one(proof: dict[str, object], about: PolicyStatement, canonical: bytes, registry: Registry, at: str) -> str:
    signed: Signed[PolicyStatement] = verified(proof, registry, about, canonical, DOMAIN)
    rule, key = registry.changes, signed.key
    if rule is None:
        raise NotApproved("no-rule", "the registry says of nobody that they may change anything (changes)")
    if not registry.in_role(about.person, rule.roles):
        raise NotApproved("wrong-role", f"{about.person} has none of the roles {', '.join(rule.roles)}")
    if not reaches(signed.strength, rule.strength):
        raise NotApproved("weak-key", f"a signature of strength {signed.strength}: {rule.strength} is asked for")
    check_window(key.not_before, key.not_after, about.signed_at, "outside-window", f"key {key.id}")
    if about.signed_at > at:
        raise NotApproved("late", f"{about.person} signed at {about.signed_at}, which is after {at}")
    return about.person


def check_successor(policy: Policy, name: str, version: int) -> None:
    """Check that a policy may follow a version. Raises NotApproved (``wrong-policy``, ``stale-version``)."""
    if policy.policy != name:
        raise NotApproved("wrong-policy", f"{policy.policy} cannot follow {name}: another policy has another file")
    if policy.version <= version:
        raise NotApproved(
            "stale-version", f"version {version} is signed, and this text is another one: raise version above {version}"
        )
