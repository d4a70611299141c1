"""What a person would sign about a policy, made from the policy itself and from what was signed before.

Source: docs/spec/policy-v1.md, "Signatures".
"""

from typing import Any

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.registry import Key, Registry
from agent_saga.approvals.requests import as_written
from agent_saga.approvals.signing.making import Signer, proof_of
from agent_saga.policies.model import Policy
from agent_saga.policies.signing.files import Signatures
from agent_saga.policies.signing.statements import DOMAIN, PolicyStatement, read_statement
from agent_saga.policies.signing.verifying import check_successor


def statement_for(
    policy: Policy, key: Key, registry: str, now: str, before: Signatures | None = None
) -> PolicyStatement:
    """What this key's person signs. registry: its digest. now: an instant. before: what stands beside the policy.

    A second person signs the same version; a new version follows the one before. Raises SigningFault, NotApproved.
    """
    previous = None
    if before is not None and before.digest == policy.digest:
        if any(about.person == key.person for about, _ in before.statements):
            raise SigningFault(f"{key.person} signed version {policy.version} before")
        previous = before.previous
    elif before is not None:
        check_successor(policy, before.policy, before.version)
        previous = before.digest
    made = PolicyStatement(1, policy.policy, policy.version, policy.digest, registry, key.person, key.id, now, previous)
    return read_statement(as_written(made))[0]


def sign_statement(statement: PolicyStatement, registry: Registry, signer: Signer) -> dict[str, Any]:
    """The proof of a statement. Raises NotApproved, SigningFault."""
    value = as_written(statement)
    about, canonical = read_statement(value)
    return proof_of(value, about, canonical, DOMAIN, registry, signer)
