"""The registry as it is written, read strictly.

    {"v":1,"version":3,"rp":{"id":"approve.example","origins":["https://approve.example"]},
     "people":[{"id":"p-ana","roles":["treasury"]}],
     "agents":[{"id":"checkout-agent","owner":"p-ben"}],
     "keys":[{"id":"k1","person":"p-ana","scheme":"sshsig-sk","public":"...","application":"ssh:",
              "not_before":"2026-11-01T00:00:00.000000Z","not_after":"2027-11-01T00:00:00.000000Z"}]}

Source: docs/spec/approval-v1.md, "The registry".
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from agent_saga.approvals.digests import REGISTRY, digest
from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.schemes.evidence import Scheme
from agent_saga.approvals.schemes.webauthn import EDDSA, ES256
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.forms import Id, Instant, Text

_SIZES: Final = {EDDSA: 32, ES256: 65}


class Party(Struct, frozen=True, forbid_unknown_fields=True):
    """The relying party of passkeys: its id, and the origins on which they may sign."""

    id: Text
    origins: tuple[Text, ...]


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who may approve or decide. id: a pseudonym; the table of names is kept apart."""

    id: Id
    roles: tuple[Id, ...] = ()


class Agent(Struct, frozen=True, forbid_unknown_fields=True):
    """An agent that proposes. owner: the person who answers for it, and cannot approve what it proposes."""

    id: Text
    owner: Id


class Key(Struct, frozen=True, forbid_unknown_fields=True):
    """One key of one person. public: base64url. not_before, not_after: between which it signs.

    application: of a security key over ssh. credential: id of a passkey. algorithm: COSE number of a passkey.
    attestation: what was kept at enrolment. attested: that evidence was verified against a trust root then.
    """

    id: Id
    person: Id
    scheme: Scheme
    public: str
    not_before: Instant
    not_after: Instant
    application: Text = ""
    credential: str = ""
    algorithm: Literal[-8, -7] = EDDSA
    attested: bool = False
    attestation: Any = None

    @property
    def raw(self) -> bytes:
        """The bytes of the public key. Raises NotApproved for another size than its algorithm's."""
        return from_base64url(self.public, f"the public key of {self.id}", _SIZES[self.algorithm])


class Registry(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Everybody and everything that an approval is judged against."""

    v: Literal[1]
    version: int
    people: tuple[Person, ...] = ()
    agents: tuple[Agent, ...] = ()
    keys: tuple[Key, ...] = ()
    rp: Party | None = None

    @cached_property
    def key(self) -> dict[str, Key]:
        """Keys by id."""
        return {one.id: one for one in self.keys}

    @cached_property
    def person(self) -> dict[str, Person]:
        """People by id."""
        return {one.id: one for one in self.people}

    @cached_property
    def owner(self) -> dict[str, str]:
        """Agent to its owner."""
        return {one.id: one.owner for one in self.agents}


def registry_digest(value: Any) -> str:
    """The digest of a registry as written, lower-case hex."""
    return digest(REGISTRY, value).hex()


def parse_registry(value: Any) -> Registry:
    """Read a registry strictly. Raises RegistryFault, which names what contradicts what."""
    try:
        registry = msgspec.convert(value, Registry, strict=True)
    except msgspec.ValidationError as fault:
        raise RegistryFault(f"no key registry of version 1: {fault}") from fault
    _unique([one.id for one in registry.people], "person")
    _unique([one.id for one in registry.agents], "agent")
    _unique([one.id for one in registry.keys], "key")
    _check_owners(registry)
    for key in registry.keys:
        _check_key(registry, key)
    _refuse_shared(registry.keys)
    return registry


def _unique(ids: Sequence[str], what: str) -> None:
    twice = {one for one in ids if ids.count(one) > 1}
    if twice:
        raise RegistryFault(f"{what} {min(twice)} stands twice: ids are unique")


def _check_owners(registry: Registry) -> None:
    for agent in registry.agents:
        if agent.owner not in registry.person:
            raise RegistryFault(f"agent {agent.id} belongs to {agent.owner}, who is none of the people")


def _check_key(registry: Registry, key: Key) -> None:
    if key.person not in registry.person:
        raise RegistryFault(f"key {key.id} belongs to {key.person}, who is none of the people")
    if key.not_before >= key.not_after:
        raise RegistryFault(f"key {key.id} ends at {key.not_after}, before it begins at {key.not_before}")
    if key.application.startswith("ssh:") != (key.scheme == "sshsig-sk"):
        raise RegistryFault(f"key {key.id}: a security key over ssh has an application that begins with ssh:")
    if (key.scheme == "webauthn") != bool(key.credential) or (key.algorithm != EDDSA and key.scheme != "webauthn"):
        raise RegistryFault(f"key {key.id}: a passkey, and only a passkey, has a credential id and may have ES256")
    if key.scheme == "webauthn" and registry.rp is None:
        raise RegistryFault(f"key {key.id} is a passkey, and the registry names no relying party (rp)")
    try:
        _ = key.raw
    except NotApproved as fault:
        raise RegistryFault(f"key {key.id}: {fault}") from fault


def _refuse_shared(keys: Sequence[Key]) -> None:
    seen: dict[str, Key] = {}
    for key in keys:
        other = seen.setdefault(key.public, key)
        if other is not key:
            raise RegistryFault(f"keys {other.id} and {key.id} are one raw key: a quorum counts persons, not keys")
