"""What became of a saga, told from its state."""

from dataclasses import dataclass
from typing import Final

from agent_saga.runtime.kernel.actions import Done, Wait
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.tools import UNDOABLE

WAITING: Final = {"approval": "waiting_approval", "parent": "waiting_parent"}
"""How the report calls these waits."""


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """undone: effects, in the order in which they were undone. kept: left by a person's word. unproven: the rest.

    clean: every effect was undone and proven, by an answer of its provider and not by a person's word.
    """

    undone: tuple[str, ...]
    kept: tuple[str, ...]
    unproven: tuple[str, ...]
    clean: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a saga.

    status: succeeded_verified, compensated_verified, aborted_clean or closed_with_exceptions when it has ended;
    waiting_approval, paused or stopped when it waits for a person, waiting_parent when a child is done. about: what it
    waits for. pause: leaf of the saga.paused line that a decision has to name. rollback: None when there was none.
    """

    saga: str
    status: str
    held: tuple[str, ...]
    about: tuple[str, ...]
    pause: str
    rollback: RollbackReport | None
    state: State

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state.ended is not None


def report_of(state: State, last: Done | Wait) -> Report:
    """The report of a saga that stopped at this action."""
    if isinstance(last, Done):
        status, about = last.status, tuple[str, ...]()
    else:
        status, about = WAITING.get(last.reason, last.reason), last.about
    pause = state.pause if status == "paused" else ""
    return Report(state.saga, status, state.held(), about, pause, _rollback(state), state)


def _rollback(state: State) -> RollbackReport | None:
    if state.rollback is None:
        return None
    effects = [effect for effect in state.effects.values() if effect.semantics in (*UNDOABLE, "irreversible")]
    undone = dict.fromkeys(undo.effect for undo in state.undos.values() if state.effects[undo.effect].undone)
    undone |= dict.fromkeys(effect.id for effect in effects if effect.undone)
    kept = tuple(effect.id for effect in effects if effect.settled == "kept")
    unproven = tuple(effect.id for effect in effects if effect.stands)
    proven = all(state.verified.get(name, True) for name in undone)
    return RollbackReport(
        tuple(undone), kept, unproven, proven and not unproven and not any(effect.settled for effect in effects)
    )
