"""The scenarios: what each provider does wrong, and what must have come of it when the saga rests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from agent_saga.runtime import PlanDriver, SagaDefinition, StaticGate, View
from agent_saga.runtime.runnable import Runnable
from agent_saga.testing.approving import People
from agent_saga.testing.providers import Fault
from agent_saga.testing.scenarios.checkout import CHECKOUT
from agent_saga.testing.scenarios.payout import PAYOUT
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
    registry. quorum: how many of them must approve.
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


def _counts(*, times: int = 1, undone: int = 0) -> Counts:
    return MappingProxyType(dict.fromkeys(("reserve", "charge", "schedule"), (times, undone)))


UNDOS: Final = ("cancel_fulfillment", "refund_payment", "release_inventory")

happy_path = Scenario(
    "happy-path",
    "Everything goes well: three effects, and a check that reads them back from the providers.",
    "succeeded_verified",
    _counts(),
)
business_failure = Scenario(
    "business-failure",
    "The carrier accepts the shipment and rejects it afterwards: everything is undone, newest first.",
    "compensated_verified",
    _counts(undone=1),
    (("delivery", "schedule", Fault.REJECTED_LATER),),
    UNDOS,
)
lost_response = Scenario(
    "lost-response",
    "The card is charged and the answer is lost: the provider is asked, and nobody is charged twice.",
    "succeeded_verified",
    _counts(),
    (("payments", "charge", Fault.LOST_REPLY),),
)
compensation_failure = Scenario(
    "compensation-failure",
    "The order fails and the refund cannot be proven: the saga waits until a person has looked and decides.",
    "compensated_verified",
    _counts(undone=1),
    (("delivery", "schedule", Fault.REJECTED_LATER), ("payments", "refund", Fault.UNPROVABLE)),
    UNDOS,
    waiting=frozenset({"AS504"}),
    decides=True,
    people=PEOPLE,
)
crash = Scenario(
    "crash",
    "The process is killed after the card was charged and before it heard so: another one goes on.",
    "succeeded_verified",
    _counts(),
    (("payments", "charge", Fault.POWER_CUT),),
)
irreversible = Scenario(
    "irreversible",
    "A wire cannot be taken back: it waits for an approval, and is not made.",
    "waiting_approval",
    MappingProxyType({"reserve": (1, 0)}),
    findings=frozenset({"AS504"}),
    definition=PAYOUT,
)
irreversible_approved = Scenario(
    "irreversible-approved",
    "The same wire waits until two persons have signed exactly it; then it is made, once.",
    "succeeded_verified",
    MappingProxyType({"reserve": (1, 0), "wire": (1, 0)}),
    waiting=frozenset({"AS504"}),
    decides=True,
    definition=PAYOUT,
    people=PEOPLE,
    quorum=2,
)

SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType(
    {
        one.name: one
        for one in (
            happy_path,
            business_failure,
            lost_response,
            compensation_failure,
            crash,
            irreversible,
            irreversible_approved,
        )
    }
)
"""Every scenario by its name, in the order in which they are told."""
