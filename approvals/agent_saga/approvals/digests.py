"""What is hashed, under which domain. Domains are never mixed, so no signature means two things.

    action   = SHA-256("agent-saga/action/v1\\0"   || JCS(content))
    request  = SHA-256("agent-saga/approval/v1\\0" || JCS(request))
    decision = SHA-256("agent-saga/decision/v1\\0" || JCS(decision))
    registry = SHA-256("agent-saga/registry/v1\\0" || JCS(registry))

Source: docs/spec/approval-v1.md, "Digests"; JCS is RFC 8785.
"""

from hashlib import sha256
from typing import Any, Final

import rfc8785

ACTION: Final = b"agent-saga/action/v1\0"
APPROVAL: Final = b"agent-saga/approval/v1\0"
DECISION: Final = b"agent-saga/decision/v1\0"
REGISTRY: Final = b"agent-saga/registry/v1\0"
CHANGE: Final = b"agent-saga/registry-change/v1\0"


def canonical(value: Any) -> bytes:
    """Canonical JSON (RFC 8785). Raises ValueError for what JSON, or an exact reader of it, has no word for."""
    return rfc8785.dumps(value)


def digest(domain: bytes, value: Any) -> bytes:
    """The 32 bytes of SHA-256 over the domain and the canonical JSON of the value."""
    return sha256(domain + canonical(value)).digest()


def message(domain: bytes, found: bytes) -> bytes:
    """What schemes without a challenge sign: one line of ASCII, without LF, that names its purpose.

    domain: :data:`APPROVAL`, :data:`DECISION` or :data:`CHANGE`. found: the 32 bytes of the digest.
    """
    purpose = domain.split(b"/")[1]
    return b"agent-saga-" + purpose + b"-v1 sha256:" + found.hex().encode()
