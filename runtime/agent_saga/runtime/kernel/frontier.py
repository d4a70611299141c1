"""Which steps may have become ready, without looking at every step of the plan at every turn.

Each step that was not begun waits behind one step that it needs and that is not done. When that one is done, it may be
ready, or waits behind another. So a turn costs what came of the last one, not the length of the plan. What may be
ready is always looked at whole by who asks: a step that is undone again makes nothing ready too early.
"""

from collections.abc import Iterator, Set
from itertools import filterfalse, islice

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.kernel.state import Effect, State
from agent_saga.runtime.steps import Step


class Frontier:
    """Of one saga, over the steps that do not simply follow all before them."""

    def __init__(self, definition: SagaDefinition) -> None:
        """definition: of the saga whose state this is asked with."""
        self.definition = definition
        self._free = dict.fromkeys(definition.apart)
        """Steps that wait behind none, as far as is known."""
        self._behind: dict[str, list[str]] = {}
        self._under_way: set[str] = set()
        """Begun steps that others may wait behind."""
        self._seen = 0

    def near(self, begun: dict[str, list[Effect]], done: Set[str]) -> list[Step]:
        """The steps not begun whose needs are all done. begun: effects by step, in the order of their beginnings."""
        self._under_way.update(islice(reversed(begun), len(begun) - self._seen))
        self._seen = len(begun)
        for name in self._under_way & done:
            self._under_way.remove(name)
            self._free.update(dict.fromkeys(self._behind.pop(name, ())))
        return list(self._ready(begun, done))

    def _ready(self, begun: dict[str, list[Effect]], done: Set[str]) -> Iterator[Step]:
        for name in list(self._free):
            missing = next(filterfalse(done.__contains__, self.definition.needs[name]), None)
            if name not in begun and missing is None:
                yield self.definition.plan[name]
                continue
            del self._free[name]
            if name not in begun and missing is not None:
                self._behind.setdefault(missing, []).append(name)
                if missing in begun:
                    self._under_way.add(missing)


def near(state: State, definition: SagaDefinition) -> list[Step]:
    """The steps apart, not begun, whose needs are all simply done; what is known of them is kept with the state."""
    found = state.frontier
    if not isinstance(found, Frontier) or found.definition is not definition:
        found = state.frontier = Frontier(definition)
    return found.near(state.by_plan, state.done)
