"""One policy over the calls of traces, in the order of the log: what its gate would have said to each.

A call that it denies takes nothing from any limit; one that it lets through, with an approval or without, does. So the
budget of a day is what this policy would have left, not what was spent under another one.

Source: docs/spec/policy-v1.md, "Deciding" and "Limits"; docs/guide/backtest.md.
"""

from collections.abc import Collection, Iterator
from typing import Final

from agent_saga.policies.answers import Call, Chain, Decision
from agent_saga.policies.backtesting.reading import Event
from agent_saga.policies.cel import names_in
from agent_saga.policies.compiled import Compiled, chain_of
from agent_saga.policies.model import Condition, Policy
from agent_saga.trace.instants import SECOND, micros
from agent_saga.trace.sums import Series

_KEPT: Final = 256
"""Chains of catalogues that are kept: bounds memory."""


class Gate:
    """A policy with its own budget. asks_agent, asks_chain: whether an answer may depend on the caller, or the saga."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.policy = compiled, compiled.policy
        self._taken: dict[tuple[str, str], Series] = {}
        self._chains: dict[int, tuple[object, Chain]] = {}
        names = frozenset().union(*(names_in(one.tree) for one in conditions(self.policy, compiled)))
        self.asks_agent = bool(self.policy.agents) or "agent" in names
        self.asks_chain = "chain" in names

    def decide(self, event: Event, revoked: Collection[str] = ()) -> Decision:
        """The answer to a call, which takes from limits unless it is denied. revoked: keys whose waivers lift none."""
        call = Call(
            tool=event.tool,
            args=event.args,
            semantics=event.semantics,
            at=event.at,
            agent=event.agent,
            saga=event.saga,
            step=event.step,
            chain=self._chain(event) if self.asks_chain else None,
        )
        spends = self.compiled.spends(call)
        if not spends:
            return self.compiled.decide(call, {}, event.at[:10], told=False, revoked=revoked)
        at = micros(event.at)
        series = [self._series(one.limit, one.key) for one in spends]
        held = [own.since(at - one.window * SECOND) for own, one in zip(series, spends, strict=True)]
        used = {(one.limit, one.key): total for one, total in zip(spends, held, strict=True)}
        decision = self.compiled.decide(call, used, event.at[:10], told=False, revoked=revoked)
        if decision.effect != "deny":
            for own, one in zip(series, spends, strict=True):
                own.add(at, one.amount)
        return decision

    def _series(self, limit: str, key: str) -> Series:
        """What a limit holds under a key: the same sums as in the gate's windows, of which nothing is given back."""
        found = self._taken.get((limit, key))
        if found is None:
            found = self._taken[limit, key] = Series()
        return found

    def _chain(self, event: Event) -> Chain | None:
        if event.tools is None:
            return None
        known = self._chains.get(id(event.tools))
        if known is None:
            if len(self._chains) >= _KEPT:
                self._chains.clear()
            known = self._chains[id(event.tools)] = event.tools, chain_of(self.policy, event.tools)
        return known[1]


def conditions(policy: Policy, compiled: Compiled) -> Iterator[Condition]:
    """Every condition of a policy and its waivers."""
    for rule in policy.rules:
        yield rule.when
    for limit in policy.limits:
        yield from (limit.of, *limit.per, *([limit.measure] if limit.measure else []))
    for waiver in compiled.lifting.waivers:
        yield from [waiver.scope] if waiver.scope else []
