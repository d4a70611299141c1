"""What is left in force when a saga ends, and which rule says so. Each effect is told by one rule only.

Source: docs/rules.md, "When a saga is settled".
"""

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga


def close(saga: Saga) -> None:
    """Note, at the end of the saga, the rule that reports each effect that is still in force."""
    saga.left = [(rule_of(saga, effect), effect) for effect in saga.effects.values() if effect.in_force]


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
    return "" if saga.succeeded else "AS201"
