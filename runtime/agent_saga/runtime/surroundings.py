"""What every session of an engine shares."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.runtime.gate import Gate
from agent_saga.runtime.kernel.consent import NOBODY, Authority
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.events import EffectRef

UNREADABLE: Final = "kill_switch_unreadable"
"""Why a saga is stopped whose kill switch gives no answer."""


async def alone(parent: EffectRef) -> str:
    """Where a parent stands that nobody asks about: the child ends when it is done."""
    return ""


async def nobody(state: State) -> Authority:
    """Who may approve where there is no registry."""
    return NOBODY


@dataclass(frozen=True)
class Surroundings:
    """What every session of an engine shares. stop: why a saga (id, name) is to stop, or "".

    parent: where the effect of another saga stands that this one carries out, as in :class:`Moment`. authority: who may
    approve what a saga asks.
    """

    gate: Gate
    providers: Mapping[str, Any]
    stop: Callable[[str, str], str]
    sleep: Callable[[float], Awaitable[None]]
    parent: Callable[[EffectRef], Awaitable[str]] = alone
    authority: Callable[[State], Awaitable[Authority]] = nobody

    def why_to_stop(self, saga: str, name: str) -> str:
        """What the kill switch says; what cannot be read may be on, and so may what answers with no text."""
        try:
            said: object = self.stop(saga, name)
        except (Exception, SystemExit):
            return UNREADABLE
        return said if isinstance(said, str) else UNREADABLE if said is not None else ""
