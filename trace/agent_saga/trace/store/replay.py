"""What the lines of a saga say, moment by moment: the state after each line, and what the line changed.

The words are the lines' own. Nothing is judged here, and nothing that a line does not say is concluded: whether an
effect is still in force is certify's to say.

Source: docs/spec/trace-v1.md, "Types".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec

from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import Event
from agent_saga.trace.heads import claimed

SAGA: Final = "saga"
_BAD: Final = "line that cannot be read"


class Change(NamedTuple):
    """One part of the state. before: "" when the line made it."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A line and the state after it. state: words by part, such as ``effect e1``; changes: what this line changed."""

    seq: int
    at: str
    type: str
    by: str
    state: Mapping[str, str]
    changes: tuple[Change, ...]


Words = dict[str, str]


def _effect(event: Any) -> Words:
    return {f"effect {event.effect}": f"{_last(event)}{_attempt(event)}"}


def _undo(event: Any) -> Words:
    return {f"undo {event.undo}": f"{_last(event)}{_attempt(event)}"}


def _last(event: Any) -> str:
    return str(getattr(event, "found", None) or event.type.rpartition(".")[2])


def _attempt(event: Any) -> str:
    number = getattr(event, "attempt", 1)
    return f" (attempt {number})" if number > 1 else ""


SAYS: Final[Mapping[str, Callable[[Any], Words]]] = {
    "saga.started": lambda e: {SAGA: f"started: {e.name}"},
    "step.proposed": lambda e: {f"step {e.step}": f"proposed: {e.tool}"},
    "step.refused": lambda e: {f"step {e.step}": f"refused: {e.code}"},
    "approval.requested": lambda e: {f"step {e.step}": f"waits for {e.quorum} approval(s)"},
    "approval.recorded": lambda e: {f"approval of {e.step} by {e.person}": e.decision},
    "effect.intended": lambda e: {f"effect {e.effect}": f"intended: {e.tool}{_attempt(e)}"},
    "effect.succeeded": _effect,
    "effect.failed": _effect,
    "effect.unknown": _effect,
    "effect.reconciled": _effect,
    "undo.intended": lambda e: {f"undo {e.undo}": f"intended: {e.tool} for {e.effect}{_attempt(e)}"},
    "undo.succeeded": _undo,
    "undo.failed": _undo,
    "undo.unknown": _undo,
    "undo.reconciled": _undo,
    "check.evaluated": lambda e: {f"check {e.check}": "passed" if e.passed else "failed"},
    "rollback.started": lambda e: {SAGA: "rolling back"},
    "branch.chosen": lambda e: {f"branch {e.branch}": f"won by {e.winner}"},
    "saga.halted": lambda e: {SAGA: "halted"},
    "saga.escalated": lambda e: {SAGA: "escalated to a person"},
    "saga.paused": lambda e: {SAGA: f"paused, waits for {', '.join(e.waiting) or 'a person'}"},
    "person.decided": lambda e: {f"decision on {e.target}": f"{e.verdict}, by {e.person}", SAGA: "decided by a person"},
    "saga.ended": lambda e: {SAGA: f"ended: {e.status}"},
    "log.opened": lambda e: {"log": f"opened: {e.origin}"},
    "log.indexed": lambda e: {"log index": f"size {e.size}"},
    "keys.enrolled": lambda e: {"keys": "enrolled"},
    "keys.revoked": lambda e: {f"key {e.key_id}": "revoked"},
    "policy.adopted": lambda e: {"policy": f"adopted: {e.policy[:16]}"},
}
"""What each type of line says about which part of the state."""


def replay(lines: Iterable[bytes]) -> Iterator[Moment]:
    """The moments of one saga, from its lines in order. Raises LineError for bytes that are no line."""
    state: Words = {}
    for line in lines:
        event, _ = decode(line)
        said = SAYS[event.type](event)
        changes = [Change(what, state.get(what, ""), now) for what, now in said.items() if state.get(what) != now]
        state = state | said
        yield Moment(event.seq, event.at, event.type, event.by, state, tuple(changes))


@dataclass(slots=True)
class Summary:
    """One saga in a row. state: the last word about the saga itself. bad: lines that cannot be read."""

    saga: str
    lines: int = 0
    name: str = ""
    state: str = ""
    ended: bool = False
    first_at: str = ""
    last_at: str = ""
    bad: int = field(default=0)


def summaries(lines: Iterable[bytes]) -> list[Summary]:
    """A row for each saga, in the order of first lines; what follows the last LF of an input counts when not empty."""
    found: dict[str, Summary] = {}
    for line in lines:
        head = claimed(line)
        if head is None and not line:
            continue
        row = found.setdefault(head[0] if head else "?", Summary(head[0] if head else "?"))
        row.lines += 1
        try:
            _note(row, decode(line)[0])
        except LineError:
            row.bad += 1
            row.state = _BAD
    return list(found.values())


def _note(row: Summary, event: Event) -> None:
    row.first_at = row.first_at or event.at
    row.last_at = event.at
    row.name = getattr(event, "name", "") or row.name
    row.state = SAYS[event.type](event).get(SAGA, row.state)
    row.ended = row.ended or event.type == "saga.ended"


def of_saga(lines: Iterable[bytes], saga: str) -> Iterator[bytes]:
    """Those of the lines that claim to be of this saga."""
    return (line for line in lines if (claimed(line) or ("", 0))[0] == saga)


def members(line: bytes) -> dict[str, Any]:
    """The members of a line that are its type's own, as plain data. Raises LineError."""
    event, _ = decode(line)
    common = ("v", "saga", "seq", "prev", "at", "type", "by", "salt")
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return {name: value for name, value in plain.items() if name not in common}
