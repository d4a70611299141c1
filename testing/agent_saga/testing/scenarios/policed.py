"""A payout under a policy: an agent that asks for too much is refused by a rule, then by a budget, and persons let one
wire through.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agent_saga.runtime import Checked, Facts, Proposal, SagaDefinition, ScriptedDriver
from agent_saga.runtime.runnable import Runnable
from agent_saga.testing.scenarios.checkout import LIMITS, reserve_inventory
from agent_saga.testing.scenarios.payout import wire_supplier
from agent_saga.testing.scenarios.scenario import AGENT, GOAL, PEOPLE, Scenario

POLICY: Final = """\
policy: payouts
version: 1
owner: risk@example.com
description: What an agent may pay to suppliers. The numbers are examples.
tools:
  reserve_inventory: {semantics: compensable, undo: release_inventory, consequence: low}
  wire_supplier:
    semantics: irreversible
    consequence: high
    args:
      type: object
      required: [account, amount]
      properties:
        account: {type: string}
        amount:
          type: object
          required: [minor, currency]
          properties: {minor: {type: integer}, currency: {type: string}}
rules:
  - id: known-suppliers
    why: Only known suppliers are paid.
    when: tool == "wire_supplier" && !args.account.startsWith("supplier-")
    then: deny
    enforcement: hard
  - id: wire-needs-two
    why: A wire cannot be recalled.
    when: tool == "wire_supplier" && args.amount.minor > 1000
    then: {approve: {quorum: 2, roles: [approver], within: PT15M}}
    enforcement: hard
limits:
  - id: wires-a-day
    why: What suppliers are paid in a day.
    sum: args.amount.minor
    of: tool == "wire_supplier"
    per: [args.amount.currency]
    window: PT24H
    max: 5000
"""


def verify_wired(facts: Facts) -> Checked:
    """A wire stands in the bank's books."""
    wires = [one["wire"] for one in facts.results.values() if isinstance(one, Mapping) and "wire" in one]
    found = [facts.provider("bank").get(wire) is not None for wire in wires]
    return Checked(bool(found) and all(found), {"wires": wires})


POLICED: Final = SagaDefinition(
    "policed-payout",
    tools=[reserve_inventory, wire_supplier],
    checks=[verify_wired],
    limits=LIMITS,
    summary="Set goods aside and pay their supplier, as far as the policy lets you.",
)


def _wire(minor: int, account: object = GOAL["account"]) -> Proposal:
    return Proposal("wire_supplier", {"account": account, "amount": {"minor": minor, "currency": "EUR"}})


SCRIPT: Final = (
    _wire(4_200, "DE02-of-nobody-knows-whom"),
    Proposal("reserve_inventory", {name: GOAL[name] for name in ("item", "quantity")}),
    _wire(4_200),
    _wire(900),
)
"""Denied by a rule; allowed; asked for; beyond the budget."""


@dataclass(frozen=True)
class Policed(Scenario):
    """A scenario whose agent proposes by a script, under a policy."""

    def __call__(self, store: Path) -> Runnable:
        """The runnable that plays it."""
        from agent_saga.policies.loading import load_policy

        read = load_policy("payouts.yaml", text=POLICY.encode())
        return replace(super().__call__(store), driver=ScriptedDriver(SCRIPT, name=AGENT), policy=read)


policy = Policed(
    "policy",
    "Under a policy one wire is denied, one waits until two persons sign it, and one is beyond the day's budget.",
    "succeeded_verified",
    {"reserve": (1, 0), "wire": (1, 0)},
    waiting=frozenset({"AS504"}),
    decides=True,
    definition=POLICED,
    people=PEOPLE,
    policy=POLICY,
)
