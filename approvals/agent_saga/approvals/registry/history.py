"""Which registry and policy are in force at a line of the log, and which keys were revoked by then.

It begins with log.opened. A keys.* or policy.adopted line counts only with a valid proof under what was in force before
it; one without has no effect and is told as a fault. Order is the log's own, never a clock's.

Source: docs/spec/approval-v1.md, "Changes"; docs/spec/trace-v1.md, "The log's own lines".
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.registry.changes import Due, check_change
from agent_saga.approvals.registry.model import Key, Registry
from agent_saga.approvals.registry.reading import parse_registry
from agent_saga.approvals.windows import Moment, surely_before
from agent_saga.proofs.errors import KeyFault
from agent_saga.proofs.registry import registry_digest
from agent_saga.proofs.vkeys import parse_vkey
from agent_saga.trace.events import Event, KeysEnrolled, KeysRevoked, LogOpened, PolicyAdopted

NOBODY = Registry(v=1, version=1)
"""In force where registry 0 cannot be read: nobody may approve anything, and nobody may change that."""


_THE_LOG = "the log itself"
"""Stands for the owner of the key that signs checkpoints: no id of a key reads so."""


def check_log_key(registry: Registry, vkey: str) -> None:
    """Raises RegistryFault where a person's key is the log's own, under which whoever writes the log can sign."""
    for key in registry.keys:
        if key.raw in _of_the_log(vkey):
            raise RegistryFault(f"key {key.id} is the log's own: a key serves one purpose; give {key.person} another")


def _of_the_log(vkey: str) -> dict[bytes, str]:
    """The log's raw key; nothing where its first line names none, which is told elsewhere."""
    try:
        return {parse_vkey(vkey).raw: _THE_LOG}
    except KeyFault:
        return {}


class Revoked(Struct, frozen=True):
    """Where a key was revoked. index: of the line. since: from when on its signatures count for nothing, or None."""

    index: int
    since: str | None = None


class Ineffective(Struct, frozen=True):
    """A line that would have changed what is in force, and did not. reason: as of NotApproved."""

    index: int
    reason: str
    words: str


class InForce(Struct, frozen=True):
    """What holds after a line. keys_index, policy_index: of the lines that set them. prev: leaf of the last change."""

    log: str
    registry: Registry
    digest: str
    keys_index: int
    prev: str
    revoked: Mapping[str, Revoked]
    policy: str | None = None
    policy_index: int = 0


class History:
    """Everything that was ever in force in one log. faults: lines that had no effect."""

    def __init__(self, opened: LogOpened, leaf: str) -> None:
        """opened: line 0 of the log; leaf: its hash."""
        self.faults: list[Ineffective] = []
        self._log = opened.origin
        self._known: dict[str, Key] = {}
        self._owners = _of_the_log(opened.vkey)
        registry = self._first(opened)
        self._remember(registry)
        begun = InForce(self._log, registry, registry_digest(opened.keys), 0, leaf, MappingProxyType({}), opened.policy)
        self._indices, self._states = [0], [begun]

    def _first(self, opened: LogOpened) -> Registry:
        try:
            registry = parse_registry(opened.keys)
            check_log_key(registry, opened.vkey)
        except RegistryFault as fault:
            self.faults.append(Ineffective(0, "bad-registry", str(fault)))
            return NOBODY
        return registry

    def add(self, index: int, leaf: str, event: Event) -> None:
        """Take in one more line of the log's own, in order; others than changes are passed over."""
        if index <= self._indices[-1]:
            raise ValueError(f"line {index} after line {self._indices[-1]}: the log's own lines come in order")
        try:
            state = self._after(index, leaf, event)
        except RegistryFault as fault:
            self.faults.append(Ineffective(index, "bad-registry", str(fault)))
        except NotApproved as fault:
            self.faults.append(Ineffective(index, fault.reason, str(fault)))
        else:
            if state is not None:
                self._indices.append(index)
                self._states.append(state)

    def extend(self, lines: Iterable[tuple[int, str, Event]]) -> "History":
        """Take in lines in order, each with index and leaf; returns itself."""
        for index, leaf, event in lines:
            self.add(index, leaf, event)
        return self

    @property
    def last(self) -> InForce:
        """What is in force after all lines that were taken in."""
        return self._states[-1]

    def at(self, index: int) -> InForce:
        """What was in force when the line of this index was written: by what stands before it."""
        return self._states[max(bisect_left(self._indices, index) - 1, 0)]

    def check_key(self, key_id: str, used: int, recorded: Moment) -> None:
        """Check that a key held for an approval that the intent at index ``used`` relied on.

        recorded: when the approval was. Raises NotApproved: ``revoked`` when the intent stands after the revocation;
        ``compromised`` when the approval was not surely given before the key was lost.
        """
        revoked = self.last.revoked.get(key_id)
        if revoked is None:
            return
        if revoked.index < used:
            raise NotApproved("revoked", f"key {key_id} was revoked at line {revoked.index}, before line {used}")
        if revoked.since and not surely_before(recorded, revoked.since):
            raise NotApproved("compromised", f"key {key_id} is said to be in other hands since {revoked.since}")

    def _after(self, index: int, leaf: str, event: Event) -> InForce | None:
        if isinstance(event, KeysEnrolled):
            return self._enrolled(index, leaf, event)
        if isinstance(event, KeysRevoked):
            return self._revoked(index, leaf, event)
        if isinstance(event, PolicyAdopted):
            self._allowed(event, "adopt", event.policy)
            return self._next(leaf, policy=event.policy, policy_index=index)
        return None

    def following(self, value: Any) -> Registry:
        """Read a registry that is to follow the one in force, whoever approves that.

        Raises RegistryFault for what is none, and NotApproved (``wrong-version``, ``key-id-reused``, ``key-reused``,
        ``revoked``).
        """
        registry = parse_registry(value)
        if registry.version != self.last.registry.version + 1:
            raise NotApproved(
                "wrong-version", f"version {registry.version} after {self.last.registry.version}: they count up by one"
            )
        for key in registry.keys:
            self._check_reuse(key)
        return registry

    def _enrolled(self, index: int, leaf: str, event: KeysEnrolled) -> InForce:
        registry, digest = self.following(event.registry), registry_digest(event.registry)
        self._allowed(event, "enroll", digest)
        self._remember(registry)
        return self._next(leaf, registry=registry, digest=digest, keys_index=index)

    def _revoked(self, index: int, leaf: str, event: KeysRevoked) -> InForce:
        if event.key_id not in self._known or event.key_id in self.last.revoked:
            raise NotApproved("unknown-key", f"key {event.key_id[:64]!r} was never enrolled, or was revoked before")
        self._allowed(event, "revoke", event.key_id, event.compromised_since)
        revoked = {**self.last.revoked, event.key_id: Revoked(index, event.compromised_since)}
        return self._next(leaf, revoked=MappingProxyType(revoked), keys_index=index)

    def _check_reuse(self, key: Key) -> None:
        """One key id is one key for ever, one raw key one person's and not the log's; what was revoked stays so."""
        known = self._known.get(key.id)
        if known is not None and not known.same_key(key):
            raise NotApproved("key-id-reused", f"key {key.id} was another key before: a new key needs a new id")
        if key.id in self.last.revoked:
            raise NotApproved("revoked", f"key {key.id} was revoked: it cannot be enrolled again")
        if self._owners.get(key.raw, key.id) != key.id:
            raise NotApproved("key-reused", f"key {key.id} has the raw key of {self._owners[key.raw]}")

    def _remember(self, registry: Registry) -> None:
        for key in registry.keys:
            self._known[key.id] = key
            self._owners[key.raw] = key.id

    def _allowed(
        self,
        event: KeysEnrolled | KeysRevoked | PolicyAdopted,
        change: str,
        subject: str,
        since: str | None = None,
    ) -> None:
        last = self.last
        due = Due(self._log, change, subject, last.digest, last.prev, event.at, since)
        check_change(event.proof, due, last.registry, tuple(last.revoked))

    def _next(self, leaf: str, **changed: Any) -> InForce:
        last = self.last
        members = {name: getattr(last, name) for name in InForce.__struct_fields__}
        return InForce(**members | changed | {"prev": leaf})
