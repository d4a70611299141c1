"""People for tests and demos, with software keys that everybody knows: they sign, and nobody may trust them.

    people = People({"mira": ["approver"], "noor": ["approver"]}, agents={"demo-agent": "omar"})
    engine = Engine(store, registry=people.registry)
    await engine.approve(saga, people.answer("mira", pending(lines)[0], now=NOW))

A key is made from the person's name alone, so the same people have the same registry everywhere. Never enrol one.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_saga.approvals.limits import NONCE_BYTES
from agent_saga.approvals.registry import Key, parse_registry, registry_digest
from agent_saga.approvals.requests import as_written
from agent_saga.approvals.signing.making import sign
from agent_saga.runtime.approving import Paused, Pending, open_decision, open_request
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.forms import Verdict

_FROM: Final = "2026-01-01T00:00:00.000000Z"
_UNTIL: Final = "2099-01-01T00:00:00.000000Z"
_SEED: Final = b"agent-saga testing: a key that everybody knows, of "


class People:
    """Some people, the agents that they own, and the registry that holds them all."""

    def __init__(
        self,
        people: Mapping[str, Sequence[str]],
        agents: Mapping[str, str],
        *,
        changes: Mapping[str, Any] | None = None,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """people: roles by person. agents: owner by agent; owners who are none of the people get no role.

        changes: the registry's rule for its own changes. random: returns that many random bytes. Raises RegistryFault.
        """
        roles = dict.fromkeys(agents.values(), ()) | {person: tuple(some) for person, some in people.items()}
        self._random = random
        self.registry: dict[str, Any] = {
            "v": 1,
            "version": 1,
            "people": [{"id": one, **({"roles": list(some)} if some else {})} for one, some in roles.items()],
            "agents": [{"id": agent, "owner": owner} for agent, owner in agents.items()],
            "keys": [_key(one) for one in roles],
        } | ({"changes": dict(changes)} if changes else {})
        """As it stands in a registry file."""
        self._read = parse_registry(self.registry)

    @property
    def digest(self) -> str:
        """The digest of the registry, lower-case hex."""
        return registry_digest(self.registry)

    def answer(
        self,
        person: str,
        pending: Pending,
        decision: Literal["approve", "deny", "break_glass"] = "approve",
        *,
        now: str,
        reason: Any = "",
        disclosures: Iterable[str] = (),
    ) -> dict[str, Any]:
        """The proof that this person's answer to a request makes. now: an instant. Raises NotApproved."""
        request = open_request(pending, person, key_id(person), decision, self._nonce(), now, reason)
        return self.signed(as_written(request), disclosures)

    def decision(
        self, person: str, paused: Paused, target: str, verdict: Verdict, reason: Any, *, now: str
    ) -> dict[str, Any]:
        """The proof that this person's decision about a paused saga makes. now: an instant. Raises NotApproved."""
        opened = open_decision(paused, target, verdict, person, key_id(person), self._nonce(), now, reason)
        return self.signed(as_written(opened))

    def signed(self, value: Mapping[str, Any], disclosures: Iterable[str] = ()) -> dict[str, Any]:
        """The proof that a request, decision or change makes when whom it names signs it. Raises NotApproved."""
        return sign(dict(value), self._read, _Known(str(value["person"])), disclosures)

    def _nonce(self) -> str:
        return unpadded(self._random(NONCE_BYTES))


def key_id(person: str) -> str:
    """The id of this person's key."""
    return f"{person}-software"


class _Known:
    """Signs with the key that everybody knows."""

    def __init__(self, person: str) -> None:
        self._private = _private(person)

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        """The one member of the scheme ed25519."""
        return {"signature": unpadded(self._private.sign(line))}


def _key(person: str) -> dict[str, Any]:
    public = unpadded(_private(person).public_key().public_bytes_raw())
    members = {"id": key_id(person), "person": person, "scheme": "ed25519", "public": public}
    return members | {"not_before": _FROM, "not_after": _UNTIL}


def _private(person: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(_SEED + person.encode()).digest())
