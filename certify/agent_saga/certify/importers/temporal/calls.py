"""The calls of one workflow as effects and undos: what depends on what, and which undo belongs to which effect."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agent_saga.certify.importers.synthetic import money
from agent_saga.certify.importers.temporal.mapping import Entry
from agent_saga.certify.importers.temporal.payloads import is_opaque
from agent_saga.trace.values import MISSING, resolve


@dataclass(slots=True)
class Call:
    """One call. id: in our events; opened, closed: positions in the history; state: "", or its outcome."""

    id: str
    entry: Entry
    args: dict[str, Any]
    key: str
    opened: int
    closed: int = 0
    state: str = ""
    attempt: int = 1
    doubted: bool = False
    """Earlier attempts under the same key may have landed, so that a failure of the last one proves nothing."""
    result: Any = None
    target: "Call | None" = None
    """The effect that an undo undoes."""
    undos: list["Call"] = field(default_factory=list)

    @property
    def undo(self) -> bool:
        """It undoes another call."""
        return self.entry.semantics == "undo"

    @property
    def amount(self) -> dict[str, Any] | None:
        """The amount that the mapping file points at; None when it points at none, or nothing fitting stands there."""
        if not self.entry.minor:
            return None
        code = self.entry.currency
        currency = resolve(code, self.args) if code.startswith("/") else code
        return money(resolve(self.entry.minor, self.args), currency)

    @property
    def taken(self) -> bool:
        """An undo of it succeeded or is under way, so that the next undo is of another call."""
        return any(undo.state in ("", "succeeded") for undo in self.undos)


class Frontier:
    """Which calls a new one depends on: those that had closed when it was scheduled.

    Only the last of them need to be named, for ``after`` is transitive: a call that closed before another closed one
    was scheduled is reached through it.
    """

    def __init__(self) -> None:
        self._closed: list[Call] = []
        self._latest = 0

    def close(self, call: Call) -> None:
        """A forward call has an outcome now."""
        self._closed.append(call)
        self._latest = max(self._latest, call.opened)
        self._closed = [one for one in self._closed if one.closed > self._latest]

    def after(self) -> tuple[str, ...]:
        """Ids of the calls that one scheduled now directly depends on."""
        return tuple(call.id for call in self._closed)


class Ledger:
    """The forward calls of a workflow by tool, newest last, to find the effect of an undo."""

    def __init__(self) -> None:
        self._by_undo: dict[str, list[Call]] = {}

    def add(self, call: Call) -> None:
        """A forward call was scheduled."""
        if call.entry.undo:
            self._by_undo.setdefault(call.entry.undo, []).append(call)

    def target(self, undo: Call) -> tuple[Call | None, str]:
        """The effect that an undo is of, and "" or why that is a guess.

        By the mapping file's match, else the newest that is neither absent nor undone, else the newest of all: an undo
        of something undone or absent is for the rules to name.
        """
        known = self._by_undo.get(undo.entry.tool, [])
        doubt = ""
        if undo.entry.match_undo:
            wanted = resolve(undo.entry.match_undo, undo.args)
            if wanted is MISSING or _sealed(wanted):
                doubt = f"nothing readable stands at {undo.entry.match_undo} of its arguments"
            else:
                known = [call for call in known if _at(call, undo.entry.match_effect) == wanted]
        return next(_best(known), None), doubt


def _best(calls: list[Call]) -> Iterator[Call]:
    yield from (call for call in reversed(calls) if not call.taken and call.state != "failed")
    yield from (call for call in reversed(calls) if call.state != "failed")
    yield from reversed(calls)


def _at(call: Call, pointer: str) -> Any:
    found = resolve(pointer, {"args": call.args, "result": call.result})
    return None if found is MISSING else found


def _sealed(value: Any) -> bool:
    return is_opaque(value)
