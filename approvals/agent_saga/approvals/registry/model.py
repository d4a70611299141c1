"""The registry as it is written, read strictly.

    {"v":1,"version":3,"rp":{"id":"approve.example","origins":["https://approve.example"]},
     "changes":{"roles":["registrar"],"quorum":2,"strength":"C"},
     "people":[{"id":"p-ana","roles":["treasury","registrar"]}, ...],
     "agents":[{"id":"checkout-agent","owner":"p-ben"}],
     "keys":[{"id":"k1","person":"p-ana","scheme":"sshsig-sk","public":"...","application":"ssh:",
              "not_before":"2026-11-01T00:00:00.000000Z","not_after":"2027-11-01T00:00:00.000000Z"}, ...]}

Source: docs/spec/approval-v1.md, "The registry".
"""

from functools import cached_property
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.schemes.evidence import Scheme, Strength
from agent_saga.approvals.schemes.webauthn import EDDSA, ES256, Credential, RelyingParty
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.forms import Count, Id, Instant, Json, Text

SIZES = {EDDSA: 32, ES256: 65}
"""Bytes of a raw public key by COSE algorithm: RFC 8032; an uncompressed point (SEC 1)."""


class Party(Struct, frozen=True, forbid_unknown_fields=True):
    """The relying party of passkeys: its id, and the origins on which they may sign."""

    id: Text
    origins: tuple[Text, ...]


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """Who may change the registry: so many persons who have one of the roles, with keys of this strength at least."""

    roles: tuple[Id, ...]
    quorum: Count
    strength: Strength


class Person(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Somebody who may approve or decide. id: a pseudonym; the table of names is kept apart."""

    id: Id
    roles: tuple[Id, ...] = ()


class Agent(Struct, frozen=True, forbid_unknown_fields=True):
    """An agent that proposes. owner: the person who answers for it, and cannot approve what it proposes."""

    id: Text
    owner: Id


class Key(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, dict=True):
    """One key of one person. public: base64url. not_before, not_after: between which it signs.

    application: of a security key over ssh. credential: id of a passkey. algorithm: COSE number of a passkey.
    verify: signatures without PIN or biometry are refused. counter: the authenticator's, at enrolment.
    attestation: what was kept at enrolment. attested: that evidence was verified against a trust root then.
    """

    id: Id
    person: Id
    scheme: Scheme
    public: Text
    not_before: Instant
    not_after: Instant
    application: Text = ""
    credential: Text = ""
    algorithm: Literal[-8, -7] = EDDSA
    verify: bool = False
    counter: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0
    attested: bool = False
    attestation: Json | None = None

    @cached_property
    def raw(self) -> bytes:
        """The bytes of the public key. Raises NotApproved for another size than its algorithm's."""
        return from_base64url(self.public, f"the public key of {self.id}", SIZES[self.algorithm])

    @cached_property
    def passkey(self) -> Credential:
        """What verifies an assertion of it."""
        return Credential(self.credential, self.raw, self.algorithm)

    def same_key(self, other: "Key") -> bool:
        """Whether this is the same key of the same person, perhaps with another window or other evidence."""
        return all(getattr(self, name) == getattr(other, name) for name in _IDENTITY)


_IDENTITY = ("id", "person", "scheme", "public", "application", "credential", "algorithm")


class Registry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, dict=True):
    """Everybody and everything that an approval is judged against.

    changes: who may change it; without it nobody may. algorithms: COSE numbers that its passkeys may have.
    """

    v: Literal[1]
    version: Count
    people: tuple[Person, ...] = ()
    agents: tuple[Agent, ...] = ()
    keys: tuple[Key, ...] = ()
    rp: Party | None = None
    changes: Rule | None = None
    algorithms: tuple[Literal[-8, -7], ...] = (EDDSA,)

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

    @cached_property
    def party(self) -> RelyingParty:
        """Where passkeys may sign. Raises NotApproved (``wrong-rp``) when the registry names no relying party."""
        if self.rp is None:
            raise NotApproved("wrong-rp", "the registry names no relying party for passkeys")
        return RelyingParty(self.rp.id, self.rp.origins)

    def in_role(self, person: str, roles: Any) -> bool:
        """Whether this person has one of the roles."""
        found = self.person.get(person)
        return found is not None and not set(roles).isdisjoint(found.roles)
