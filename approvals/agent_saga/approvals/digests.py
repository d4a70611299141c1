"""What is hashed, under which domain. Domains are never mixed, so no signature means two things.

    action   = SHA-256("agent-saga/action/v1\\0"   || JCS(content))
    request  = SHA-256("agent-saga/approval/v1\\0" || JCS(request))
    decision = SHA-256("agent-saga/decision/v1\\0" || JCS(decision))
    registry = SHA-256("agent-saga/registry/v1\\0" || JCS(registry or change))

No registry is a change and no change a registry: each has a member that the other must not have.

Source: docs/spec/approval-v1.md, "Digests"; JCS is RFC 8785.
"""

import re
from base64 import b32encode
from functools import cache
from hashlib import sha256
from typing import Any, Final

import msgspec
import rfc8785

from agent_saga.proofs.registry import DOMAIN

ACTION: Final = b"agent-saga/action/v1\0"
APPROVAL: Final = b"agent-saga/approval/v1\0"
DECISION: Final = b"agent-saga/decision/v1\0"
REGISTRY: Final = DOMAIN

_FINGERPRINT: Final = 20
"""Bytes of a digest that a fingerprint shows: 160 bits, beyond any search for a second request like it."""
_HIGH: Final = re.compile(rb"[\xf0-\xf4]").search
"""Finds the first byte of a character from U+10000 on."""
_sorted = msgspec.json.Encoder(order="sorted").encode


def canonical(value: Any) -> bytes:
    """Canonical JSON (RFC 8785) of a value, or a struct, without floats. Raises ValueError for what is no JSON.

    Below U+10000 the order of UTF-8 is that of UTF-16 code units, and a compiled encoder writes the same much sooner.
    """
    written = _sorted(value)
    return rfc8785.dumps(msgspec.to_builtins(value)) if not written.isascii() and _HIGH(written) else written


def digest(domain: bytes, value: Any) -> bytes:
    """The 32 bytes of SHA-256 over the domain and the canonical JSON of the value, which holds no floats."""
    return digest_written(domain, canonical(value))


def digest_written(domain: bytes, written: bytes) -> bytes:
    """The same of a value that is in canonical JSON already."""
    return sha256(domain + written).digest()


def message(domain: bytes, found: bytes) -> bytes:
    """What schemes without a challenge sign: one line of ASCII, without LF, that names its purpose.

    domain: :data:`APPROVAL`, :data:`DECISION` or :data:`REGISTRY`. found: the 32 bytes of the digest.
    """
    return _purpose(domain) + found.hex().encode()


@cache
def _purpose(domain: bytes) -> bytes:
    return b"agent-saga-" + domain.split(b"/")[1] + b"-v1 sha256:"


def fingerprint(found: bytes) -> str:
    """The first 160 bits of a digest for people to compare: eight groups of four letters and digits (RFC 4648, 6)."""
    text = b32encode(found[:_FINGERPRINT]).decode()
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))
