"""Approvals in an agent-saga log: claims without a signature, bound to the next call of the same tool.

The records name a request and a tool, no saga and no step. A request is taken to be for the next intent of its tool in
a saga that was already open when it was made, and whose arguments do not contradict the request's context. A grant
whose context contradicts the call is bound with another action, so that the judge sees an approval for something else.

Source: docs/sources/agent-saga-log.md, "Approvals".
"""

from hashlib import sha256
from typing import Any, Final, NamedTuple

from agent_saga.trace.errors import LineError

_HELD: Final = 256
"""Open requests remembered of each tool, and tools with any; the oldest goes first. Bounds a hostile log."""


class Answer(NamedTuple):
    """One recorded decision. person: "" when nobody decided."""

    line: int
    at: str
    decision: str
    person: str
    event: str


class Request:
    """One request for approval and what was answered. context: the arguments that the approver was shown."""

    def __init__(self, name: str, tool: str, line: int, at: str) -> None:
        self.id, self.tool, self.line, self.at = name, tool, line, at
        self.rule, self.expires, self.asked = "", "", False
        self.context: dict[str, Any] = {}
        self.answers: list[Answer] = []

    @property
    def granted(self) -> bool | None:
        """The latest answer: granted or not; None when there is none."""
        return self.answers[-1].decision != "deny" if self.answers else None

    @property
    def action(self) -> str:
        """A digest that stands for what was approved: the request's id is all that the log gives."""
        return sha256(f"agent-saga approval request {self.id}".encode(errors="surrogatepass")).hexdigest()

    def agrees(self, args: dict[str, Any]) -> bool:
        """Tell whether no argument that both name differs. Values shown only by their type say nothing."""
        return all(
            name == "semantics" or name not in args or value == args[name] or _opaque(value, args[name])
            for name, value in self.context.items()
        )


def _opaque(shown: Any, value: Any) -> bool:
    return type(value) in (dict, list) and type(shown) is str and shown.startswith("<")


class Approvals:
    """Requests that no call has used yet."""

    def __init__(self) -> None:
        self.by_tool: dict[str, dict[str, Request]] = {}

    def request(self, name: str, tool: str, line: int, at: str) -> Request:
        """The open request of this name, begun when it is new."""
        known = self.by_tool.setdefault(tool, {})
        if name not in known:
            known[name] = Request(name, tool, line, at)
            _trim(known)
            _trim(self.by_tool)
        return known[name]

    def bind(self, tool: str, args: dict[str, Any], since: int) -> tuple[Request, bool] | None:
        """Use up the request for a call: the request, and whether it is for this call's arguments.

        since: the line at which the call's saga began; a request made before it is for another saga.
        """
        known = self.by_tool.get(tool)
        if not known:
            return None
        open_now = [request for request in known.values() if request.line > since]
        agreeing = [request for request in open_now if request.agrees(args)]
        grants = [request for request in agreeing if request.granted]
        others = [request for request in open_now if request.granted]
        chosen = next(iter(grants or agreeing[-1:] or others), None)
        if chosen is None:
            return None
        del known[chosen.id]
        for request in agreeing:
            if _stale(request, chosen):
                known.pop(request.id, None)
        return chosen, chosen in agreeing


def _trim(known: dict[str, Any]) -> None:
    if len(known) > _HELD:
        del known[next(iter(known))]


def _stale(request: Request, used: Request) -> bool:
    """A refusal of the same call before the request that was used: the call was asked for again."""
    return request.granted is False and request.line < used.line


def moment(value: Any) -> float | int | None:
    """The time at which a request expires; None when the log gives none. Raises LineError (AS102)."""
    if value is None or value == 0:
        return None
    if type(value) in (int, float):
        return value  # type: ignore[no-any-return]
    raise LineError("AS102", "member 'expires_at' is no time; expected seconds since 1970")
