"""The lines of one call: its intent, its attempts, its outcome, as an effect or as an undo."""

from collections.abc import Iterator
from typing import Any, Final

from agent_saga.certify.importers.synthetic import Maker, tool_name
from agent_saga.certify.importers.temporal.calls import Call
from agent_saga.certify.importers.temporal.kinds import FAILED, SUCCEEDED, UNKNOWN
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.events import (
    EffectFailed,
    EffectIntended,
    EffectSucceeded,
    EffectUnknown,
    Event,
    UndoFailed,
    UndoIntended,
    UndoSucceeded,
    UndoUnknown,
)

_EFFECT: Final[dict[str, type[Event]]] = {SUCCEEDED: EffectSucceeded, FAILED: EffectFailed, UNKNOWN: EffectUnknown}
_UNDO: Final[dict[str, type[Event]]] = {SUCCEEDED: UndoSucceeded, FAILED: UndoFailed, UNKNOWN: UndoUnknown}

NO_EFFECT = "none"
"""What an undo names that belongs to no effect of the history; the rules say that there is none."""


def intent(maker: Maker, line: int, call: Call, after: tuple[str, ...]) -> Iterator[Observed | Fault]:
    """The intent of the call's present attempt."""
    tool = tool_name(call.entry.tool)
    said: dict[str, Any] = {"tool": tool, "args": call.args, "key": call.key, "attempt": call.attempt}
    said["amount"] = call.amount
    if call.undo:
        effect = call.target.id if call.target else NO_EFFECT
        yield maker.make(UndoIntended, line, undo=call.id, effect=effect, **said)
    else:
        said |= {"semantics": call.entry.semantics, "after": tuple(name for name in after if name != call.id)}
        yield maker.make(EffectIntended, line, effect=call.id, step=call.id, **said)


def outcome(maker: Maker, line: int, call: Call, found: str, said: Any) -> Iterator[Observed | Fault]:
    """The outcome of the call's present attempt. said: its result, or its error."""
    by = f"tool:{tool_name(call.entry.tool)}"
    member: dict[str, Any] = {"attempt": call.attempt, "result" if found == SUCCEEDED else "error": said}
    if call.undo:
        yield maker.make(_UNDO[found], line, by, undo=call.id, **member)
    else:
        yield maker.make(_EFFECT[found], line, by, effect=call.id, **member)


def retried(
    maker: Maker, line: int, call: Call, proof: bool, error: Any, after: tuple[str, ...]
) -> Iterator[Observed | Fault]:
    """All attempts before the last one, as one attempt: failed only if that is proven."""
    yield from outcome(maker, line, call, FAILED if proof else UNKNOWN, error)
    call.attempt += 1
    yield from intent(maker, line, call, after)
