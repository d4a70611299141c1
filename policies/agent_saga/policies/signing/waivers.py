"""The signature of a waiver: by the person who approves it, over everything else that it says.

    digest = SHA-256("agent-saga/waiver/v1\\0" || JCS(waiver without proof, and policy: the policy's name))

The name is signed as well, so that no waiver can be copied beside another policy.

Source: docs/spec/policy-v1.md, "Waivers".
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from agent_saga.approvals.digests import canonical
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import verified
from agent_saga.approvals.registry import Registry
from agent_saga.approvals.signing.making import Signer, proof_of
from agent_saga.approvals.strengths import reaches
from agent_saga.policies.model import Policy

DOMAIN: Final = b"agent-saga/waiver/v1\0"


class Approver(NamedTuple):
    """Who signs a waiver, with which key."""

    person: str
    key_id: str


def signed_value(waiver: Mapping[str, Any], policy: str) -> dict[str, Any]:
    """What the approver of a waiver signs. policy: the policy's name."""
    return {name: value for name, value in waiver.items() if name != "proof"} | {"policy": policy}


def sign_waiver(
    waiver: Mapping[str, Any], policy: str, key_id: str, registry: Registry, signer: Signer
) -> dict[str, Any]:
    """The proof of a waiver by its approver. Raises NotApproved, SigningFault."""
    value = signed_value(waiver, policy)
    about = Approver(str(waiver["approved_by"]), key_id)
    proof = proof_of(value, about, canonical(value), DOMAIN, registry, signer)
    return {name: member for name, member in proof.items() if name != "request"}


def check_waiver(waiver: Mapping[str, Any], policy: Policy, registry: Registry) -> None:
    """Check that a waiver of the right shape is signed by its approver, who may. Raises NotApproved."""
    proof, person = waiver.get("proof"), str(waiver["approved_by"])
    if not isinstance(proof, Mapping):
        raise NotApproved("unsigned", f"{person} has not signed it")
    if "request" in proof:
        raise NotApproved("bad-proof", "the proof of a waiver holds no request: the waiver itself is what is signed")
    value = signed_value(waiver, policy.policy)
    signed = verified(proof, registry, Approver(person, str(proof.get("key_id"))), canonical(value), DOMAIN)
    if not registry.in_role(person, policy.waive.roles):
        raise NotApproved("wrong-role", f"{person} has none of the roles {', '.join(policy.waive.roles)}")
    if not reaches(signed.strength, policy.waive.strength):
        least = policy.waive.strength
        raise NotApproved("weak-key", f"a signature of strength {signed.strength}: {least} is asked for")
    if not signed.key.not_before[:10] <= waiver["created"] <= signed.key.not_after[:10]:
        raise NotApproved("outside-window", f"key {signed.key.id} did not sign on {waiver['created']}")
