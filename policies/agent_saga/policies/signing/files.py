"""The file of signatures beside a policy.

Source: docs/spec/policy-v1.md, "Signatures".
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import MAX_SIGNATURES
from agent_saga.approvals.strict import Unreadable, parse
from agent_saga.policies.signing.statements import PolicyStatement, read_statement

MAX_FILE: Final = 1_048_576
"""Bytes of a file of signatures: a thousand of the largest scheme."""


class Signatures(Struct, frozen=True):
    """The proofs in a file, and what they are all about; nothing of it is verified yet."""

    policy: str
    version: int
    digest: str
    previous: str | None
    proofs: tuple[dict[str, Any], ...]
    statements: tuple[tuple[PolicyStatement, bytes], ...]


def signature_path(policy: str) -> str:
    """Where the signatures of a policy stand: ``payments.yaml.sig.json`` beside ``payments.yaml``."""
    return f"{policy}.sig.json"


def read_signatures(data: bytes) -> Signatures:
    """Read a file of signatures strictly. Raises NotApproved (``bad-proof``, ``bad-request``, ``wrong-policy``)."""
    try:
        value = parse(data, "the file of signatures", MAX_FILE)
    except Unreadable as fault:
        raise NotApproved("bad-proof", str(fault)) from fault
    if not isinstance(value, dict) or set(value) != {"v", "signatures"} or repr(value["v"]) != "1":
        raise NotApproved("bad-proof", 'a file of signatures is {"v":1,"signatures":[...]}')
    proofs = value["signatures"]
    if not isinstance(proofs, list) or not 1 <= len(proofs) <= MAX_SIGNATURES:
        raise NotApproved("bad-proof", f"a policy has 1 to {MAX_SIGNATURES} signatures")
    if not all(isinstance(one, dict) for one in proofs):
        raise NotApproved("bad-proof", "each signature of a policy is an object")
    return _of(proofs)


def _of(proofs: list[dict[str, Any]]) -> Signatures:
    read = tuple(read_statement(one.get("request")) for one in proofs)
    first = read[0][0]
    for about, _ in read:
        if _subject(about) != _subject(first):
            raise NotApproved("wrong-policy", f"{about.person} signed another version than {first.person}")
    return Signatures(first.policy, first.version, first.digest, first.previous, tuple(proofs), read)


def _subject(about: PolicyStatement) -> tuple[Any, ...]:
    return about.policy, about.version, about.digest, about.previous


def written(proofs: tuple[Mapping[str, Any], ...]) -> bytes:
    """The bytes of a file of signatures, for people to look at."""
    return json.dumps({"v": 1, "signatures": list(proofs)}, indent=2).encode() + b"\n"
