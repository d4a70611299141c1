"""Drivers: whoever decides what the agent proposes next. A driver sees a view and never acts itself."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Protocol

from agent_saga.runtime.kernel.actions import View
from agent_saga.runtime.kernel.proposals import Finish, GiveUp, Proposal

Decision = Proposal | Sequence[Proposal] | Finish | GiveUp


class DecisionDriver(Protocol):
    """Answers a view with a proposal, several that do not depend on each other, Finish or GiveUp.

    name: stands in the trace. immediate: it answers at once, so that what came before need not be durable first.
    Raises DriverBusy when its model is overloaded or down. It keeps nothing that the view does not tell: after a crash
    another process asks again.
    """

    @property
    def name(self) -> str:
        """What stands in the trace."""
        ...

    @property
    def immediate(self) -> bool:
        """Whether it answers at once."""
        ...

    async def propose(self, view: View) -> Decision:
        """The next proposal."""
        ...


Scripted = Decision | Callable[[View], Decision]


class ScriptedDriver:
    """Proposes what a list says; the place in the list is the number of proposals in the trace.

    script: proposals (or lists of them, for side by side), or functions of the view. After the last one it says Finish.
    """

    immediate = True

    def __init__(self, script: Sequence[Scripted], name: str = "scripted") -> None:
        self._script, self.name = tuple(script), name
        self._turns = tuple(accumulate(map(_size, self._script), initial=0))[:-1]  # proposals before each entry

    async def propose(self, view: View) -> Decision:
        """The entry whose turn it is."""
        place = bisect_left(self._turns, view.turn)
        if place == len(self._script):
            return Finish()
        entry = self._script[place]
        return entry(view) if callable(entry) else entry


def _size(decision: Any) -> int:
    return len(decision) if isinstance(decision, list | tuple) else 1


class PlanDriver:
    """Proposes every step of the plan as soon as it is ready, with arguments from a function of step and view.

    For sagas in which nothing is to be chosen. together: propose all ready steps at once, to be called side by side.
    """

    immediate = True

    def __init__(
        self, arguments: Callable[[str, View], dict[str, Any]], *, together: bool = False, name: str = "plan"
    ) -> None:
        self._arguments, self._together, self.name = arguments, together, name

    async def propose(self, view: View) -> Decision:
        """The ready steps, or Finish when there is none."""
        ready = view.allowed if self._together else view.allowed[:1]
        found = [Proposal(one.tool, self._arguments(one.step, view), one.step) for one in ready]
        return found or Finish()
