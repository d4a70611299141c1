"""What each step of a plan needs before it: told when it is asked for, since all of it grows with the plan's square."""

from collections.abc import Iterable, Mapping, Sequence

from agent_saga.runtime.steps import Step, rivals

Groups = Mapping[str, Mapping[str, frozenset[str]]]


class Needs(dict[str, frozenset[str]]):
    """The steps that must be done before a step, by its name: of a group that it does not belong to, all or none.

    What is done of an option may be undone until the group is decided. Holds those that were asked for so far.
    """

    def __init__(self, steps: Sequence[Step], groups: Groups) -> None:
        """steps: the plan, no name of it twice. groups: its alternatives."""
        super().__init__()
        self._steps, self._groups = {step.name: step for step in steps}, groups
        self._main = [step for step in steps if step.fallback_for is None]
        self._places = {step.name: place for place, step in enumerate(self._main)}

    def __missing__(self, name: str) -> frozenset[str]:
        step = self._steps[name]
        names = set(self._before(step))
        own = (step.branch or "").partition(".")[0]
        for group, options in self._groups.items() if names else ():
            whole = frozenset[str]().union(*options.values())
            if group != own and not whole.isdisjoint(names):
                names |= whole
        self[name] = found = frozenset(names)
        return found

    def _before(self, step: Step) -> Iterable[str]:
        if step.after is not None:
            return step.after
        place = self._places.get(step.fallback_for or step.name, 0)
        return (one.name for one in self._main[:place] if not rivals(one, step))

    def links(self) -> Mapping[str | int, Iterable[str | int]]:
        """What each step waits for, in as few words as there are: a number stands for all main steps before a place.

        Where there are groups, in full.
        """
        if self._groups:
            return {name: self[name] for name in self._steps}
        found: dict[str | int, Iterable[str | int]] = {0: ()}
        for place, step in enumerate(self._main):
            found[place + 1] = (place, step.name)
        for name, step in self._steps.items():
            all_before = (self._places.get(step.fallback_for or name, 0),)
            found[name] = step.after if step.after is not None else all_before
        return found
