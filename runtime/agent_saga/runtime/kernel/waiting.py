"""What the lines say on which a saga begins to wait for a person: what about, and who is asked."""

from typing import Any

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.gate import unfit_undo
from agent_saga.runtime.kernel.actions import Append, Draft, Moment
from agent_saga.runtime.kernel.payload import unsound
from agent_saga.runtime.kernel.state import APPLIED, State


def asking(definition: SagaDefinition, reason: dict[str, Any]) -> dict[str, Any]:
    """The reason for a wait, and who is asked to end it, where the definition says so."""
    asked = definition.escalation
    if asked is None:
        return reason
    return reason | {"asks": {"person": asked.person} | ({"reason": asked.reason} if asked.reason else {})}


def halted(definition: SagaDefinition, moment: Moment) -> Draft:
    """The line that stops a saga because the kill switch or a quarantine says so."""
    return Draft("saga.halted", {"reason": asking(definition, {"code": moment.stop})})


def given_up(code: str, why: Any) -> Draft:
    """The line that rolls a saga back because its agent ended it. why: in the agent's words."""
    cause: dict[str, Any] = {"code": code}
    return Draft("rollback.started", {"cause": cause | ({"why": why} if why is not None and not unsound(why) else {})})


def backoff(definition: SagaDefinition, tries: int) -> float:
    """Seconds to wait after so many tries: doubled with each further one."""
    return definition.limits.backoff * float(2 ** max(0, min(tries, 20) - 1))


def paused(state: State, definition: SagaDefinition, waiting: tuple[str, ...], gate: object) -> Append | None:
    """The line that puts effects and undos before a person; None when there are none. gate: says what it forbade."""
    if not waiting:
        return None
    told = [words(state, name) + _forbidden(state, name, gate) for name in waiting]
    reason = asking(definition, {"code": "unproven", "what": told})
    return Append((Draft("saga.paused", {"reason": reason, "waiting": list(waiting)}),))


def _forbidden(state: State, name: str, gate: object) -> str:
    """Why the gate does not let an effect be undone as it was recorded; "" where it does, or nothing was to be made."""
    effect = state.effects.get(name)
    if effect is None or effect.undo is None or effect.state != APPLIED:
        return ""
    why = unfit_undo(gate, effect.tool, effect.args, effect.undo.args)
    return f"; its undo {effect.undo.tool} was not made: {why}"[:500] if why else ""


def words(state: State, name: str) -> str:
    """An effect or undo that waits, in words."""
    call = state.undos.get(name) or state.effects[name]
    return f"{name} {call.tool}: {call.state}"
