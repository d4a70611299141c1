"""What the first line of a store says about its log: origin, the key that signs, registry 0, policy.

Source: docs/spec/log-v1.md, "The log's own lines"; docs/spec/trace-v1.md, "log.opened".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import rfc8785

from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.errors import KeyFault, LogFault
from agent_saga.proofs.vkeys import parse_vkey
from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import Event, KeysEnrolled, KeysRevoked, LogIndexed, LogOpened, PolicyAdopted


def registry_digest(registry: dict[str, Any]) -> str:
    """Digest of a key registry, hex: SHA-256("agent-saga/registry/v1\\0" || JCS(registry)) (RFC 8785)."""
    return sha256(b"agent-saga/registry/v1\0" + rfc8785.dumps(registry)).hexdigest()


@dataclass(frozen=True, slots=True)
class InForce:
    """Digests in force and the indices of the lines that set them, as ``log.indexed`` names them."""

    keys: dict[str, Any]
    policy: dict[str, Any] | None = None

    def members(self) -> dict[str, Any]:
        """The members of ``log.indexed``."""
        return {"keys": self.keys} | ({"policy": self.policy} if self.policy else {})


def opening_of(line: bytes) -> LogOpened | None:
    """What ``log.opened`` says, when the line is one."""
    event = event_of(line)
    return event if isinstance(event, LogOpened) else None


def event_of(line: bytes) -> Event | None:
    """The event on a line; None when it is no line of a trace."""
    try:
        return decode(line)[0]
    except LineError:
        return None


def pin_of(opened: LogOpened) -> Pin:
    """Origin and key that the log names itself. Raises LogFault when its key is none."""
    try:
        return Pin(opened.origin, parse_vkey(opened.vkey))
    except KeyFault as fault:
        raise LogFault(f"log.opened: {fault}") from fault


def in_force(opened: LogOpened, own: Sequence[tuple[int, bytes]]) -> InForce:
    """What is in force after these lines of the log's own. Raises LogFault for a change that cannot be checked here."""
    for index, line in own:
        event = event_of(line)
        if isinstance(event, KeysEnrolled | KeysRevoked | PolicyAdopted):
            raise LogFault(
                f"line {index}: {event.type} changes what is in force, and this release cannot check its signatures; "
                "no index is signed over it: use a release that can"
            )
    policy = {"digest": opened.policy, "index": 0} if opened.policy else None
    return InForce({"digest": registry_digest(opened.keys), "index": 0}, policy)


def indexed_of(line: bytes) -> LogIndexed | None:
    """What ``log.indexed`` says, when the line is one."""
    event = event_of(line)
    return event if isinstance(event, LogIndexed) else None
