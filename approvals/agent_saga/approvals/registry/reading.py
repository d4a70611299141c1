"""A registry out of JSON: its members strictly, then what contradicts what.

Source: docs/spec/approval-v1.md, "The registry".
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.limits import MAX_CREDENTIAL, MAX_REGISTRY
from agent_saga.approvals.registry.model import Key, Registry
from agent_saga.approvals.schemes.evidence import es256_key
from agent_saga.approvals.schemes.webauthn import EDDSA
from agent_saga.approvals.spelling import from_base64url
from agent_saga.approvals.strict import Unreadable, parse, read
from agent_saga.proofs.registry import registry_digest
from agent_saga.proofs.vkeys import weak

_ORIGIN = re.compile(
    r"https://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]{1,5})?|http://(localhost)(?::[0-9]{1,5})?"
).fullmatch


def read_registry(data: bytes) -> tuple[Registry, str]:
    """Read a registry file: the registry and its digest. White space is free. Raises RegistryFault."""
    try:
        value = parse(data, "the registry", MAX_REGISTRY)
    except Unreadable as fault:
        raise RegistryFault(str(fault)) from fault
    return parse_registry(value), registry_digest(value)


def parse_registry(value: Any) -> Registry:
    """Read a registry strictly. Raises RegistryFault, which names what contradicts what."""
    try:
        registry = read(value, Registry, "no key registry of version 1")
    except Unreadable as fault:
        raise RegistryFault(str(fault)) from fault
    for what, ids in (
        ("person", [one.id for one in registry.people]),
        ("agent", [one.id for one in registry.agents]),
        ("key", [one.id for one in registry.keys]),
        ("passkey", [one.credential for one in registry.keys if one.credential]),
    ):
        _unique(ids, what)
    _check_owners(registry)
    _check_party(registry)
    for key in registry.keys:
        _check_key(registry, key)
    _refuse_shared(registry.keys)
    _check_rule(registry)
    return registry


def _unique(ids: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise RegistryFault(f"{what} {one[:64]} stands twice: ids are unique")
        seen.add(one)


def _check_owners(registry: Registry) -> None:
    for agent in registry.agents:
        if agent.owner not in registry.person:
            raise RegistryFault(f"agent {agent.id[:64]!r} belongs to {agent.owner}, who is none of the people")


def _check_party(registry: Registry) -> None:
    """Browsers sign on secure origins only, and for the host of the origin or a parent of it."""
    if registry.rp is None:
        return
    for origin in registry.rp.origins:
        found = _ORIGIN(origin)
        host = (found[1] or found[2]) if found else ""
        if not host or not f".{host}".endswith(f".{registry.rp.id}"):
            raise RegistryFault(
                f"rp: {origin[:80]!r} is no origin of {registry.rp.id[:80]!r}: expected https://HOST, "
                "perhaps with :PORT, or http://localhost"
            )
    if not registry.rp.origins or not registry.rp.id:
        raise RegistryFault("rp: a relying party has an id and at least one origin")


def _check_key(registry: Registry, key: Key) -> None:
    for wrong, words in _faults(registry, key):
        if wrong:
            raise RegistryFault(f"key {key.id}{words}")
    try:
        raw = key.raw
        if key.credential:
            from_base64url(key.credential, "its credential id", most=MAX_CREDENTIAL)
        if key.algorithm == EDDSA and weak(raw):
            raise RegistryFault(f"key {key.id} is weak: anybody can sign under it, so its owner can deny anything")
        if key.algorithm != EDDSA:
            es256_key(raw)
    except (NotApproved, ValueError) as fault:
        raise RegistryFault(f"key {key.id}: {fault}") from fault


def _faults(registry: Registry, key: Key) -> Iterable[tuple[bool, str]]:
    passkey, touched = key.scheme == "webauthn", key.scheme in ("webauthn", "sshsig-sk")
    yield key.person not in registry.person, f" belongs to {key.person}, who is none of the people"
    yield key.not_before >= key.not_after, f" ends at {key.not_after}, before it begins at {key.not_before}"
    with_application = key.application.startswith("ssh:")
    yield (
        with_application != (key.scheme == "sshsig-sk") or (bool(key.application) and not with_application),
        ": a security key over ssh, and only that, has an application, and it begins with ssh:",
    )
    yield passkey != bool(key.credential), ": a passkey, and only a passkey, has a credential id"
    yield not passkey and key.algorithm != EDDSA, ": only a passkey may have another algorithm than Ed25519"
    yield (
        key.algorithm not in registry.algorithms,
        f" has the COSE algorithm {key.algorithm}: the registry allows {', '.join(map(str, registry.algorithms))}",
    )
    yield passkey and registry.rp is None, " is a passkey, and the registry names no relying party (rp)"
    yield (key.verify or key.counter > 0) and not touched, f": scheme {key.scheme} tells of no PIN and has no counter"
    yield key.attested and key.attestation is None, " is said to be attested, and nothing of that was kept"
    yield key.attested and key.scheme in ("ed25519", "sshsig"), f": nothing can attest a key of scheme {key.scheme}"


def _refuse_shared(keys: Sequence[Key]) -> None:
    seen: dict[bytes, Key] = {}
    for key in keys:
        other = seen.setdefault(key.raw, key)
        if other is not key:
            raise RegistryFault(f"keys {other.id} and {key.id} are one raw key: a quorum counts persons, not keys")


def _check_rule(registry: Registry) -> None:
    """A registry that nobody could ever change again is refused while it still can be."""
    if registry.changes is None:
        return
    holders = {key.person for key in registry.keys if registry.in_role(key.person, registry.changes.roles)}
    if len(holders) < registry.changes.quorum:
        raise RegistryFault(
            f"a change needs {registry.changes.quorum} persons in the roles {', '.join(registry.changes.roles)}, and "
            f"{len(holders)} have a key: nobody could ever change this registry"
        )
