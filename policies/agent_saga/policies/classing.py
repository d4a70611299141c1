"""From what a tool declares of itself to the class that it is judged by, and the oversight that this asks for.

Two axes, and the worse of them counts: how a call can be taken back, and how bad a wrong one is. A declaration is
believed only while it is bound to the tool as it was when it was declared: one that was changed since, was never looked
at, or was looked at too long ago is no declaration, and what is not declared cannot be taken back.

    read_only                preview         the agent may
    recoverable_local        reversible      a person may watch
    externally_recoverable   compensable     a person approves
    non_recoverable, none    irreversible    a named person owns the call

A chain of steps is gated from its first step by the worst that any of them may do.

Source: OWASP AISVS 1.0, C9.2.3, C9.2.4 and C9.2.10; docs/guide/packs.md, "Classes".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from hashlib import sha256
from typing import Any, Final

import rfc8785

from agent_saga.policies.answers import Chain
from agent_saga.policies.model import Semantics

__all__ = [
    "Binding",
    "Observation",
    "Oversight",
    "binding_of",
    "chain_of_steps",
    "class_of",
    "observe",
    "oversight_of",
    "tool_digest",
]

EFFECTS: Final[Mapping[str, Semantics]] = {
    "read_only": "preview",
    "recoverable_local": "reversible",
    "externally_recoverable": "compensable",
    "non_recoverable": "irreversible",
}
"""Declared effects and their classes, from the mildest on."""
UNCLASSIFIED: Final[Semantics] = "irreversible"
"""The class of what is not declared, or not any more."""
CONSEQUENCES: Final = ("low", "medium", "high", "critical")
_ORDER: Final[tuple[Semantics, ...]] = tuple(EFFECTS.values())


class Binding(StrEnum):
    """Whether a declaration still speaks of the tool that is there."""

    BOUND = "BOUND"
    STALE = "STALE"
    """The tool was changed after it was declared."""
    UNOBSERVED = "UNOBSERVED"
    """Nobody looked, or too long ago: silence is not agreement."""


class Oversight(IntEnum):
    """What a person has to do with a call; a greater one is stricter."""

    UNATTENDED = 0
    SUPERVISED = 1
    APPROVAL_REQUIRED = 2
    HUMAN_OWNS = 3

    @property
    def evidence(self) -> str:
        """How strong the evidence is that this oversight asks for: basic, standard, enhanced or highest."""
        return ("basic", "standard", "enhanced", "highest")[self]


@dataclass(frozen=True, slots=True)
class Observation:
    """What a look at the tool said. age_days: since that look; None where nobody knows."""

    binding: Binding
    age_days: int | None = None


def tool_digest(name: str, schema: Mapping[str, Any], description: str = "") -> str:
    """What a declaration is bound to: the tool's name, arguments' schema and description; 64 hex digits.

    The description counts, since a model acts by it. Source: docs/guide/packs.md, "Classes".
    """
    whole: Any = {"name": name, "schema": dict(schema), "description": description}
    return sha256(b"agent-saga/tool/v1\0" + rfc8785.dumps(whole)).hexdigest()


def observe(declared: str, seen: str | None, age_days: int | None = None) -> Observation:
    """Hold a declaration's digest against the tool's as it was seen; None where it was not seen."""
    if seen is None:
        return Observation(Binding.UNOBSERVED, age_days)
    return Observation(Binding.BOUND if seen == declared else Binding.STALE, age_days)


def binding_of(observation: Observation, max_age_days: int | None = None) -> Binding:
    """The binding as it counts today: a look of unknown age, or older than the policy allows, is none.

    max_age_days: inclusive; None where the policy sets no age.
    """
    if observation.binding is not Binding.BOUND or max_age_days is None:
        return observation.binding
    age = observation.age_days
    return Binding.BOUND if age is not None and 0 <= age <= max_age_days else Binding.UNOBSERVED


def class_of(
    declared: str | None, observation: Observation | None = None, max_age_days: int | None = None
) -> Semantics:
    """The class that a tool is judged by.

    declared: one of :data:`EFFECTS`; None, and anything else, is not declared. observation: None where there is no
    layer that observes tools, so that the declaration stands alone.
    """
    if observation is not None and binding_of(observation, max_age_days) is not Binding.BOUND:
        return UNCLASSIFIED
    return EFFECTS.get(declared or "", UNCLASSIFIED)


def chain_of_steps(steps: Iterable[tuple[Semantics, str]]) -> Chain:
    """What steps may do in all, by class and consequence: the worst of each. No step: the worst there is."""
    found = list(steps) or [(UNCLASSIFIED, CONSEQUENCES[-1])]
    worst = max(_rank(consequence) for _, consequence in found)
    return Chain(max((semantics for semantics, _ in found), key=_ORDER.index), CONSEQUENCES[worst])


def oversight_of(semantics: Semantics, consequence: str) -> Oversight:
    """What a call, or a chain, of this class and consequence asks for: the worse of both."""
    return Oversight(max(_ORDER.index(semantics), _rank(consequence)))


def _rank(consequence: str) -> int:
    """An unknown consequence is the worst."""
    return CONSEQUENCES.index(consequence) if consequence in CONSEQUENCES else len(CONSEQUENCES) - 1
