"""Digests: of a policy, which stands in traces, approvals and certificates, and of a file of waivers.

    policy  = SHA-256("agent-saga/policy/v1\\0"  || JCS(document without tests, each args path replaced by its schema))
    waivers = SHA-256("agent-saga/waivers/v1\\0" || JCS(document))

Comments, order and spelling change nothing; every member but the tests does, and so does a schema in another file.

Source: docs/spec/policy-v1.md, "Digest"; JCS is RFC 8785.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import rfc8785

POLICY: Final = b"agent-saga/policy/v1\0"
WAIVERS: Final = b"agent-saga/waivers/v1\0"


def policy_digest(document: Mapping[str, Any]) -> str:
    """The digest of a policy, 64 hex digits. document: its members, each schema in place of the path to it."""
    return _digest(POLICY, {name: value for name, value in document.items() if name != "tests"})


def waivers_digest(document: Mapping[str, Any]) -> str:
    """The digest of a file of waivers, 64 hex digits: proofs included, so that none changes unseen."""
    return _digest(WAIVERS, dict(document))


def _digest(domain: bytes, value: Any) -> str:
    return sha256(domain + rfc8785.dumps(value)).hexdigest()
