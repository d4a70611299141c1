"""The order of undoing: an effect may be undone only when everything in force that depends on it is gone.

An effect depends on those that its ``after`` names, and without ``after`` on all earlier ones; the closure is
transitive. An effect is *clear* when neither it nor anything that depends on it by name stands. Then the question
"does anything stand that depends on X?" has two short answers: a named dependent of X is not clear, or some later
effect without ``after`` is not clear. Both are kept up to date as effects come and go, so that no undo looks at all
effects.

Source: docs/rules.md, "The order of undoing".
"""

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

from agent_saga.certify.history.effects import Effect


class Order:
    """Keeps, for one saga, what stands in the way of undoing each effect."""

    def __init__(self, effects: Mapping[str, Effect]) -> None:
        """effects: of the saga, by id; each later one is told by :meth:`add`."""
        self._effects = effects
        self._blockers: dict[str, int] = {}
        """Number of named dependents that are not clear."""
        self._dependents: dict[str, list[Effect]] = {}
        self._clear: dict[str, bool] = {}
        self._wide: list[tuple[int, str]] = []
        """Heap of effects without ``after`` that were not clear when they were pushed, the latest first."""
        self._changed: dict[str, Effect] = {}
        for effect in effects.values():
            self.add(effect)

    def add(self, effect: Effect) -> None:
        """Take in an effect that has just been intended."""
        self._blockers[effect.id] = 0
        self._clear[effect.id] = True
        for name in effect.after or ():
            if self._known(name, effect):
                self._dependents.setdefault(name, []).append(effect)
        self._update(effect)

    def touch(self, effect: Effect) -> None:
        """Note that an effect may have come into force or left it."""
        self._changed[effect.id] = effect

    def blocking(self, effect: Effect) -> Effect | None:
        """An effect in force that depends on this one; None when there is none."""
        for changed in self._changed.values():
            self._update(changed)
        self._changed.clear()
        if self._blockers[effect.id]:
            return self._standing(effect)
        while self._wide and self._clear[self._wide[0][1]]:
            heappop(self._wide)
        if not self._wide or -self._wide[0][0] <= effect.order:
            return None
        latest = self._effects[self._wide[0][1]]
        return latest if latest.stands else self._standing(latest)

    def _known(self, name: str, effect: Effect) -> bool:
        earlier = self._effects.get(name)
        return earlier is not None and earlier.order < effect.order

    def _update(self, effect: Effect) -> None:
        """Set whether an effect is clear, and tell those that it depends on."""
        pending = [effect]
        while pending:
            now = pending.pop()
            clear = not now.stands and not self._blockers[now.id]
            if clear == self._clear[now.id]:
                continue
            self._clear[now.id] = clear
            if now.after is None:
                if not clear:
                    heappush(self._wide, (-now.order, now.id))
                continue
            pending += self._told(now, -1 if clear else 1)

    def _told(self, effect: Effect, change: int) -> Iterator[Effect]:
        for name in effect.after or ():
            if self._known(name, effect):
                self._blockers[name] += change
                yield self._effects[name]

    def _standing(self, effect: Effect) -> Effect:
        """An effect that stands among those that depend on this one by name."""
        while True:
            effect = next(one for one in self._dependents[effect.id] if not self._clear[one.id])
            if effect.stands:
                return effect
