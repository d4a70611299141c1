"""What is left in force when a saga ends, and which rule says so. Each effect is told by one rule only.

Source: docs/rules.md, "When a saga is settled".
"""

from collections.abc import Iterator

from agent_saga.certify.history.saga import Effect, Saga


def left_over(saga: Saga, code: str) -> Iterator[Effect]:
    """The effects that this rule has to report at the end of the saga."""
    if saga.left is None:
        told = ((rule_of(saga, effect), effect) for effect in saga.effects.values())
        saga.left = [(rule, effect) for rule, effect in told if rule]
    return (effect for rule, effect in saga.left if rule == code)


def rule_of(saga: Saga, effect: Effect) -> str:
    """The rule that reports this effect; "" when it may be as it is, or when something was already said of it."""
    if not effect.in_force or effect.sealed or (effect.kept and not saga.succeeded):
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
