"""What is left in force when a saga ends, and which rule says so. Each effect is told by one rule only.

Source: docs/rules.md, "When a saga is settled".
"""

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga


def close(saga: Saga) -> None:
    """Note, at the end of the saga, the rule that reports each effect that is still in force."""
    left = [effect for effect in saga.effects.values() if effect.in_force]
    if saga.succeeded and len(left) > 1:
        saga.beside = _beside(saga, left)
    saga.left = [(rule_of(saga, effect), effect) for effect in left]


def _beside(saga: Saga, left: list[Effect]) -> dict[str, Effect] | None:
    """Of a success: effects that may not be in force beside another one, and that one.

    Two calls for one step, the first of which landed after it had been found absent, and neither of which a person
    keeps; and alternatives of a group that no line decided.
    """
    found: dict[str, Effect] = {}
    first: dict[str, Effect] = {}
    options: dict[str, Effect] = {}
    for effect in left:
        twin = effect if effect.kept else first.setdefault(effect.place, effect)
        if twin is not effect and _twice(twin, effect):
            found[effect.id] = twin
        elif effect.branch:
            rival = _rival(saga, effect, options)
            if rival:
                found[effect.id] = rival
    return found or None


def _twice(one: Effect, other: Effect) -> bool:
    """Whether both took effect, and nobody was told so when the other was intended."""
    return bool(one.landed and other.landed) and not other.again


def _rival(saga: Saga, effect: Effect, options: dict[str, Effect]) -> Effect | None:
    """An effect of another option of a group that no line decided. options: the first effect of each group."""
    parts = effect.branch.split(".")
    for depth in range(1, len(parts)):
        group = ".".join(parts[:depth])
        rival = options.setdefault(group, effect)
        if group not in saga.winners and rival.branch.split(".")[depth] != parts[depth]:
            return rival
    return None


def rule_of(saga: Saga, effect: Effect) -> str:
    """The rule that reports this effect in force; "" when it may be so, or when something was already said of it."""
    if effect.sealed or (effect.kept and not saga.succeeded):
        return ""
    if effect.confirmed and effect.faulted != "AS209":
        return "AS209"
    if effect.faulted:
        return ""
    if effect.undos:
        return "AS207"
    if effect.unknown:
        return "AS202"
    if saga.winners and saga.lost(effect):
        return "AS218"
    if saga.beside and effect.id in saga.beside:
        return "AS205" if saga.beside[effect.id].place == effect.place else "AS218"
    return "" if saga.succeeded else "AS201"
