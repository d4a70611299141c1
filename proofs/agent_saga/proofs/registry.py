"""The digest of a key registry, which log.opened, log.indexed, signatures and certificates name.

    digest = SHA-256("agent-saga/registry/v1\\0" || JCS(registry))

Source: docs/spec/approval-v1.md, "Digests"; JCS is RFC 8785.
"""

from hashlib import sha256
from typing import Any, Final

import rfc8785

DOMAIN: Final = b"agent-saga/registry/v1\0"


def registry_digest(value: Any) -> str:
    """The digest of a registry as written, lower-case hex."""
    return sha256(DOMAIN + rfc8785.dumps(value)).hexdigest()
