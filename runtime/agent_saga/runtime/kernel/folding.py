"""The fold of calls: effects and undos, their attempts and what became of them.

Source: docs/spec/trace-v1.md, "What the members mean together".
"""

from collections.abc import Callable
from typing import Any, Final

from agent_saga.runtime.kernel.state import ABSENT, APPLIED, OPEN, Call, Effect, State, Undo

FOUND: Final = {"landed": APPLIED, "absent": ABSENT}
"""What a provider or a person found, as the state calls it; unresolved changes nothing."""


def _again(call: Call, event: Any) -> None:
    call.attempt, call.state, call.at = event.attempt, OPEN, event.at
    call.tries, call.asked = call.tries + 1, 0


def intended(state: State, event: Any, leaf: str) -> None:
    """A call, or another attempt of one, is about to be made."""
    state.calls += 1
    state.in_row = 0
    state.requests.pop(event.step, None)
    if event.effect in state.effects:
        _again(state.effects[event.effect], event)
        state.sort(state.effects[event.effect])
        return
    effect = state.effects[event.effect] = Effect(
        id=event.effect,
        tool=event.tool,
        args=event.args,
        key=event.key,
        amount=event.amount,
        at=event.at,
        step=event.step,
        semantics=event.semantics,
        after=event.after,
        order=len(state.effects),
        resource=event.resource,
        fallback_of=event.fallback_of,
        branch=event.branch,
        action=event.action,
        approvals=event.approvals,
    )
    state.by_plan.setdefault(effect.plan, []).append(effect)
    state.loose[effect.id] = effect
    state.sort(effect)


def undo_intended(state: State, event: Any, leaf: str) -> None:
    """A compensating call, or another attempt of one, is about to be made."""
    if event.undo in state.undos:
        _again(state.undos[event.undo], event)
        state.open_undos[event.undo] = state.undos[event.undo]
        return
    state.undos[event.undo] = state.open_undos[event.undo] = Undo(
        id=event.undo,
        tool=event.tool,
        args=event.args,
        key=event.key,
        amount=event.amount,
        at=event.at,
        effect=event.effect,
    )
    state.effects[event.effect].undos.append(event.undo)


def outcome(word: str) -> Callable[[State, Any, str], None]:
    """An attempt's outcome: what is applied stays so."""

    def change(state: State, event: Any, leaf: str) -> None:
        call = _call_of(state, event)
        call.at = event.at
        call.error = getattr(event, "error", None)
        settle(state, call, word, event)

    return change


def reconciled(state: State, event: Any, leaf: str) -> None:
    """What the provider said about a call."""
    call = _call_of(state, event)
    call.at = event.at
    if event.found == "unresolved":
        call.asked += 1
        return
    settle(state, call, FOUND[event.found], event)


def _call_of(state: State, event: Any) -> Call:
    return state.undos[event.undo] if event.type.startswith("undo.") else state.effects[event.effect]


def settle(state: State, call: Call, word: str, event: Any) -> None:
    """What became of a call; word: one of the states. What is applied stays so."""
    if call.state != APPLIED:
        call.state = word
    if word == APPLIED:
        call.result = getattr(event, "result", None)
    if isinstance(call, Effect):
        if word == APPLIED:
            call.landed = call.landed or state.seq
        call.undo = getattr(event, "undo", None) or call.undo
        if call.semantics != "preview":
            state.fresh.clear()
        state.sort(call)
    elif isinstance(call, Undo) and call.state == APPLIED:
        state.open_undos.pop(call.id, None)
        effect = state.effects[call.effect]
        effect.undone = True
        state.sort(effect)
