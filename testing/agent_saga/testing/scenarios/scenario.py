"""What a scenario is: the story, who acts in it, and the runnable that plays it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agent_saga.runtime import PlanDriver, SagaDefinition, StaticGate, View
from agent_saga.runtime.runnable import Runnable
from agent_saga.testing.approving import People
from agent_saga.testing.providers import Fault
from agent_saga.testing.scenarios.checkout import CHECKOUT
from agent_saga.testing.scenarios.shop import Shop

Counts = Mapping[str, tuple[int, int]]
PERSON: Final = "mira"
"""The one person whose decisions the scenarios' gate accepts."""
AGENT: Final = "demo-agent"
APPROVERS: Final = (PERSON, "noor")
OWNER: Final = "omar"
"""Who answers for the agent, and cannot approve for it."""
PEOPLE: Final = People({PERSON: ["decider", "approver"], "noor": ["approver"]}, agents={AGENT: OWNER})
"""Who signs in a scenario, with keys that everybody knows."""

GOAL: Final = {
    "item": "lamp-7",
    "quantity": 1,
    "card": "tok_visa_4242",
    "amount": {"minor": 4200, "currency": "EUR"},
    "order": "o-1001",
    "address": "1 Harbour Street",
    "account": "supplier-12",
}


@dataclass(frozen=True)
class Scenario:
    """One story. Called with a store's path it gives the runnable that plays it, so ``MODULE:SAGA`` can name it.

    faults: provider, action, fault. ledger: by action, how often it happened and how often it was taken back. status:
    how the saga rests. undone: undo tools in their order. findings: codes of certify. decides: persons end it, and
    what certify finds until then stands in waiting. people: who they are: they sign, and certify is given their
    registry. quorum: how many of them must approve. policy: the text of the policy that it is played under, which
    certify is given as well; "" for none.
    """

    name: str
    says: str
    status: str
    ledger: Counts
    faults: tuple[tuple[str, str, Fault], ...] = ()
    undone: tuple[str, ...] = ()
    findings: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    decides: bool = False
    people: People | None = field(default=None, repr=False)
    quorum: int = 1
    definition: SagaDefinition = field(default=CHECKOUT, repr=False)
    policy: str = field(default="", repr=False)

    @property
    def spec(self) -> str:
        """How a command names it: MODULE:SAGA."""
        return f"agent_saga.testing.scenarios:{self.name.replace('-', '_')}"

    def __call__(self, store: Path) -> Runnable:
        """The runnable that plays the scenario over the shop beside this store, which is prepared if it is new."""
        shop = Shop.forgetful(store) if Shop.folder(store).exists() else self.prepare(store)
        return Runnable(
            self.definition,
            PlanDriver(_arguments, name=AGENT),
            shop.providers,
            StaticGate(persons=frozenset({PERSON}), quorum=self.quorum),
            GOAL,
            self.people.registry if self.people else None,
        )

    def prepare(self, store: Path) -> Shop:
        """The shop beside this store, told how to misbehave from now on."""
        shop = Shop.forgetful(store)
        for provider, action, fault in self.faults:
            shop.providers[provider].misbehave(action, fault)
        return shop


def _arguments(step: str, view: View) -> dict[str, Any]:
    """What the agent proposes: the part of the goal that the step is about."""
    tool = next(one for one in view.allowed if one.step == step)
    return {name: view.goal[name] for name in tool.schema["properties"]}
