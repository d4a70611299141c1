"""What a person signs about a policy: its name, version and digest, and which version it follows.

Source: docs/spec/policy-v1.md, "Signatures".
"""

from typing import Any, Final, Literal

from msgspec import Struct

from agent_saga.approvals.requests import strictly
from agent_saga.trace.forms import Count, Digest, Id, Instant

DOMAIN: Final = b"agent-saga/policy-signature/v1\0"


class PolicyStatement(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One person stands for one version. registry: digest of the registry that the signer went by.

    previous: digest of the version before; absent for the first one. signed_at: by the signer's own clock.
    """

    v: Literal[1]
    policy: Id
    version: Count
    digest: Digest
    registry: Digest
    person: Id
    key_id: Id
    signed_at: Instant
    previous: Digest | None = None


def read_statement(value: Any) -> tuple[PolicyStatement, bytes]:
    """Read a statement strictly, and its canonical JSON. Raises NotApproved (``bad-request``)."""
    return strictly(value, PolicyStatement)
