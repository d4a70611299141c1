"""What the first line of a store says about its log: origin, the key that signs, registry 0, policy.

Source: docs/spec/log-v1.md, "The log's own lines"; docs/spec/trace-v1.md, "log.opened".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.errors import KeyFault, LogFault
from agent_saga.proofs.registry import registry_digest
from agent_saga.proofs.vkeys import parse_vkey
from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import Event, KeysEnrolled, KeysRevoked, LogIndexed, LogOpened, PolicyAdopted


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


CHANGES: Final = (KeysEnrolled, KeysRevoked, PolicyAdopted)
"""Lines that change what is in force, if their signatures hold."""
Standing = Callable[[Sequence[tuple[int, bytes]]], InForce]
"""What is in force after all of the log's own lines, each with its index. Whoever can check signatures brings one."""


def in_force(opened: LogOpened, own: Sequence[tuple[int, bytes]]) -> InForce:
    """What is in force after these lines of the log's own. Raises LogFault for a change that cannot be checked here."""
    for index, line in own:
        event = event_of(line)
        if isinstance(event, CHANGES):
            raise LogFault(
                f"line {index}: {event.type} changes what is in force, and its signatures cannot be checked here; no "
                "index is signed over it: sign it with what can (`agent-saga log checkpoint`, or standing=...)"
            )
    policy = {"digest": opened.policy, "index": 0} if opened.policy else None
    return InForce({"digest": registry_digest(opened.keys), "index": 0}, policy)


def changes(line: bytes) -> bool:
    """Whether a line would change what is in force."""
    return isinstance(event_of(line), CHANGES)


def indexed_of(line: bytes) -> LogIndexed | None:
    """What ``log.indexed`` says, when the line is one."""
    event = event_of(line)
    return event if isinstance(event, LogIndexed) else None
