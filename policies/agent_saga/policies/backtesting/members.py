"""The members of lines that a policy can ask about, and their decoders; what else stands on a line is passed over.

Source: docs/spec/trace-v1.md, "Types".
"""

from typing import Any

import msgspec

from agent_saga.trace.forms import Semantics


class Intent(msgspec.Struct, gc=False):
    """A call, before it is made."""

    saga: str
    at: str
    type: str
    effect: str
    step: str
    tool: str
    semantics: Semantics
    args: dict[str, Any]
    attempt: int
    approvals: tuple[str, ...] = ()
    amount: dict[str, Any] | None = None


class Tool(msgspec.Struct, gc=False):
    """What the catalogue says of a tool."""

    semantics: Semantics
    amount_from: str | None = None


class Inverse(msgspec.Struct, gc=False):
    """The call that undoes another."""

    tool: str
    args: dict[str, Any]


class Outcome(msgspec.Struct, gc=False):
    """What became of a call."""

    saga: str
    type: str
    effect: str
    undo: Inverse | None = None


class Started(msgspec.Struct, gc=False):
    """The first line of a saga."""

    saga: str
    type: str
    tools: dict[str, Tool]
    agent: str | None = None


class Proposed(msgspec.Struct, gc=False):
    """What an agent proposed."""

    saga: str
    at: str
    type: str
    by: str
    step: str
    tool: str
    args: dict[str, Any]


class Refused(msgspec.Struct, gc=False):
    """What was refused."""

    saga: str
    at: str
    type: str
    step: str
    code: str


intent = msgspec.json.Decoder(Intent).decode
outcome = msgspec.json.Decoder(Outcome).decode
started = msgspec.json.Decoder(Started).decode
proposed = msgspec.json.Decoder(Proposed).decode
refused = msgspec.json.Decoder(Refused).decode


def pointed(args: dict[str, Any], pointer: str | None) -> Any:
    """The value that a catalogue's ``amount_from`` points at; None where there is none."""
    from agent_saga.trace.values import MISSING, resolve

    found = resolve(pointer, args) if pointer else None
    return None if found is MISSING else found
