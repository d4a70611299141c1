"""Waivers applied: a signed exception from one rule or limit, for a while.

A hard rule is never lifted. A waiver counts from the day it was made to its last day, both included, in UTC, and only
until the key that signed it is revoked; else it lifts nothing, and the answer says which waiver would have. One whose
scope cannot be decided lifts nothing.

Source: docs/spec/policy-v1.md, "Waivers".
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent_saga.policies.answers import Fired
from agent_saga.policies.cel import Undecided, names_in
from agent_saga.policies.deciding.conditions import Test, tested
from agent_saga.policies.model import Policy, Waiver, Waivers


@dataclass(frozen=True, slots=True)
class _Lift:
    """A waiver with its scope compiled; always: it has none."""

    waiver: Waiver
    scope: Test | bool


class Lifting:
    """The waivers of one policy, by rule. problems: a sentence for each that can lift nothing."""

    def __init__(self, policy: Policy, waivers: Waivers | None) -> None:
        self.waivers = waivers.waivers if waivers is not None else ()
        self.problems: tuple[str, ...] = waivers.problems if waivers is not None else ()
        hard = {rule.id: rule.enforcement == "hard" for rule in policy.rules}
        hard |= {limit.id: limit.enforcement == "hard" for limit in policy.limits}
        self._by_rule: dict[str, list[_Lift]] = {}
        for one in self.waivers:
            if hard.get(one.rule, True):
                self.problems += (_wrong(one, hard, policy),)
            else:
                scope = tested(one.scope.tree, {}) if one.scope is not None else True
                self._by_rule.setdefault(one.rule, []).append(_Lift(one, scope))

    def lifted(self, fired: Fired, values: Mapping[str, Any], day: str, revoked: Collection[str] = ()) -> Fired:
        """The same with the waiver that lifts it, or those that would on another day. day: UTC, YYYY-MM-DD.

        revoked: ids of keys that no longer count.
        """
        lapsed: list[str] = []
        liftable = fired.binds and fired.kind in ("rule", "limit")  # a tool may bear the name of a rule
        for one in self._by_rule.get(fired.id, ()) if liftable else ():
            if not _covers(one.scope, values):
                continue
            if one.waiver.created <= day <= one.waiver.expires and one.waiver.key not in revoked:
                return replace(fired, waived=one.waiver.id)
            lapsed.append(one.waiver.id)
        return replace(fired, lapsed=tuple(lapsed)) if lapsed else fired

    @property
    def timed(self) -> bool:
        """Whether a scope asks for the time of the call."""
        return any(one.scope is not None and "at" in names_in(one.scope.tree) for one in self.waivers)

    def unused(self, used: Collection[str]) -> tuple[Waiver, ...]:
        """The waivers that lifted nothing. used: ids that stood in answers as ``waived``."""
        return tuple(one for one in self.waivers if one.id not in used)


def _covers(scope: Test | bool, values: Mapping[str, Any]) -> bool:
    if isinstance(scope, bool):
        return scope
    try:
        return scope(values) is True  # what is no bool lifts nothing
    except Undecided:
        return False


def _wrong(one: Waiver, hard: Mapping[str, bool], policy: Policy) -> str:
    if one.rule in hard:
        return f"waiver {one.id}: {one.rule} is hard, and no waiver lifts it"
    return f"waiver {one.id}: policy {policy.policy} has no rule or limit {one.rule}"
