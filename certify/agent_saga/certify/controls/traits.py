"""What a policy has that a control may ask for: where there is no limit, that none was exceeded is no evidence."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from agent_saga.policies.cel.syntax import Expression
    from agent_saga.policies.model import Limit, Policy, Rule

BINDING: Final = ("soft", "hard")
"""Enforcements that have an effect on a call."""


def traits_of(policy: "Policy | None") -> tuple[str, ...]:
    """Which of :data:`TRAITS` a policy has; none without a policy."""
    return tuple(name for name, has in TRAITS.items() if policy is not None and has(policy))


def _binding(policy: "Policy") -> "Iterator[Rule | Limit]":
    found: list[Rule | Limit] = [*policy.rules, *policy.limits]
    yield from (one for one in found if one.enforcement in BINDING and one.then != "allow")


def _reads(policy: "Policy", name: str) -> bool:
    """Whether anything that binds reads this variable."""
    from agent_saga.policies.cel import names_in

    return any(name in names_in(tree) for one in _binding(policy) for tree in _trees(one))


def _trees(one: "Rule | Limit") -> "Iterator[Expression]":
    from agent_saga.policies.model import Rule

    if isinstance(one, Rule):
        yield one.when.tree
        return
    yield one.of.tree
    yield from (part.tree for part in one.per)
    if one.measure is not None:
        yield one.measure.tree


def _limits(policy: "Policy") -> bool:
    from agent_saga.policies.model import Limit

    return any(isinstance(one, Limit) for one in _binding(policy))


TRAITS: Final[Mapping[str, Callable[["Policy"], bool]]] = {
    "limits": _limits,
    "argument-rules": lambda policy: _reads(policy, "args"),
    "chain-rules": lambda policy: _reads(policy, "chain"),
}
"""By the names that the control map uses as evidence."""
