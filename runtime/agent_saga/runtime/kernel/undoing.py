"""Rolling back: newest first, in the reverse of what depends on what; what cannot be undone or proven is stuck."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.gate import unfit_undo
from agent_saga.runtime.kernel.actions import FRESH, Action, Append, Draft, Moment, RunCheck, Wait
from agent_saga.runtime.kernel.fold import UNDO_CHECK
from agent_saga.runtime.kernel.hiding import sealed
from agent_saga.runtime.kernel.state import APPLIED, UNKNOWN, Effect, State, Undo
from agent_saga.runtime.times import later
from agent_saga.runtime.tools import UNDOABLE
from agent_saga.trace.values import MISSING, resolve


def step(
    state: State,
    definition: SagaDefinition,
    moment: Moment,
    backoff: Callable[[int], float],
    among: frozenset[str] | None = None,
    gate: object = None,
) -> Action | None:
    """The next step of the rollback; None when nothing more can be done without a person, or at all.

    among: the effects that are to be undone; None for all. gate: may know what an undo must be.
    """
    waits: list[Wait] = []
    for effect, blocked in _newest_first(_undoable(state, definition)):
        if among is not None and effect.id not in among:
            continue
        action = _proof(state, definition, effect)
        if action is None and not blocked:
            action = _next(state, definition, effect, moment, backoff)
            if isinstance(action, Append) and unfit(effect, gate):
                continue  # a person decides
        if isinstance(action, Wait):
            waits.append(action)
        elif action is not None:
            return action
    return min(waits, key=lambda wait: wait.until) if waits else None


def _proof(state: State, definition: SagaDefinition, effect: Effect) -> Action | None:
    """An undo that answered is checked, where its tool knows how to."""
    if not effect.undone or effect.settled or effect.id in state.verified or not effect.undos:
        return None
    undo = state.undos[effect.undos[-1]]
    if undo.state != APPLIED or definition.catalogue[undo.tool].checker is None:
        return None
    return RunCheck(f"{UNDO_CHECK}{effect.id}", f"{UNDO_CHECK}{effect.id}", undo.id)


def _next(
    state: State, definition: SagaDefinition, effect: Effect, moment: Moment, backoff: Callable[[int], float]
) -> Action | None:
    if effect.state != APPLIED or not effect.stands or effect.semantics not in UNDOABLE or effect.undo is None:
        return None
    if sealed(effect.undo.args):
        return None  # what the inverse needs was erased: a person decides
    if not effect.undos:
        return Append((_intent(state, definition, effect),))
    undo = state.undos[effect.undos[-1]]
    if not undo.absent or exhausted(undo, definition):
        return None
    due = later(undo.at, backoff(undo.tries)) if undo.tries else ""
    return Wait("backoff", due, (undo.id,)) if due > moment.at else Append((_again(undo),))


def unfit(effect: Effect, gate: object) -> str:
    """Why the gate does not let the recorded undo of an effect be made, such as one that gives back too much.

    The record was judged when it was made, by the policy of then, or by none.
    """
    return unfit_undo(gate, effect.tool, effect.args, effect.undo.args) if effect.undo is not None else ""


def exhausted(undo: Undo, definition: SagaDefinition) -> bool:
    """It failed as often as it may, or what it needs was erased."""
    if undo.absent and sealed(undo.args):
        return True
    return undo.absent and undo.tries > 0 and (undo.final or undo.tries >= definition.limits.undo_attempts)


def _undoable(state: State, definition: SagaDefinition) -> Iterator[Effect]:
    """The effects from the newest on of which more can come: in force, or undone by what can be proven."""
    effects = reversed(state.effects.values())
    if proves(definition):
        return effects
    newest = next(reversed(state.standing.values()), None)
    return islice(effects, len(state.effects) - 1 - newest.order, None) if newest is not None else iter(())


def proves(definition: SagaDefinition) -> bool:
    """Whether one of its tools can prove an undo, so that more can come of an effect that was undone."""
    return any(tool.checker is not None for tool in definition.catalogue.values())


def _newest_first(effects: Iterator[Effect]) -> Iterator[tuple[Effect, bool]]:
    """Each effect, from the newest on, and whether something that stands depends on it, directly or through others.

    Then it is not yet to be undone. What is needed, or stands, needs what it depends on.
    """
    found: set[str] = set()
    all_earlier = False
    for effect in effects:
        blocked = all_earlier or effect.id in found
        yield effect, blocked
        if blocked or effect.stands:
            found.update(effect.after or ())
            all_earlier = all_earlier or effect.after is None


def _intent(state: State, definition: SagaDefinition, effect: Effect) -> Draft:
    assert effect.undo is not None
    members: dict[str, Any] = {
        "undo": f"u{len(state.undos) + 1}",
        "effect": effect.id,
        "tool": effect.undo.tool,
        "args": effect.undo.args,
        "key": FRESH,
        "attempt": 1,
    }
    amount = undo_amount(definition, effect)
    return Draft("undo.intended", members | ({"amount": amount} if amount is not None else {}))


def undo_amount(definition: SagaDefinition, effect: Effect) -> Any:
    """What an undo gives back: what its own arguments say where its tool has amount_from, else the effect's amount."""
    assert effect.undo is not None
    pointer = definition.catalogue[effect.undo.tool].amount_from
    found = resolve(pointer, effect.undo.args) if pointer is not None else MISSING
    return effect.amount if found is MISSING else found


def _again(undo: Undo) -> Draft:
    members = {
        "undo": undo.id,
        "effect": undo.effect,
        "tool": undo.tool,
        "args": undo.args,
        "key": undo.key,
        "attempt": undo.attempt + 1,
    }
    return Draft("undo.intended", members | ({"amount": undo.amount} if undo.amount is not None else {}))


def stuck(state: State, definition: SagaDefinition, beaten: frozenset[str] = frozenset()) -> Iterator[str]:
    """Ids of effects and undos that only a person can settle. Before a rollback only unknown effects are.

    beaten: effects that were to be undone without one.
    """
    rolls = state.rollback is not None
    walked = _newest_first(reversed(state.effects.values())) if rolls or beaten else ()
    blocked = {effect.id for effect, needed in walked if needed}
    for effect in state.effects.values() if rolls or beaten else state.unsettled():
        if effect.semantics == "preview" or effect.settled == "kept":
            continue
        if effect.undone:
            if state.verified.get(effect.id) is False and not effect.settled:
                yield effect.undos[-1]
        elif effect.state == UNKNOWN:
            yield effect.id
        elif effect.state == APPLIED and effect.id not in blocked and (rolls or effect.id in beaten):
            yield effect.undos[-1] if effect.undos else effect.id


def status(state: State) -> str:
    """How a saga that was rolled back ends."""
    effects = [effect for effect in state.effects.values() if effect.semantics != "preview"]
    if any(effect.settled for effect in effects):
        return "closed_with_exceptions"
    return "compensated_verified" if any(not effect.absent for effect in effects) else "aborted_clean"
