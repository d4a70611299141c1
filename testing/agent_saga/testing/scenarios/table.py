"""The scenarios: what each provider does wrong, and what must have come of it when the saga rests."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from agent_saga.testing.providers import Fault
from agent_saga.testing.scenarios.payout import PAYOUT
from agent_saga.testing.scenarios.policed import policy as policy
from agent_saga.testing.scenarios.scenario import AGENT as AGENT
from agent_saga.testing.scenarios.scenario import APPROVERS as APPROVERS
from agent_saga.testing.scenarios.scenario import GOAL as GOAL
from agent_saga.testing.scenarios.scenario import OWNER as OWNER
from agent_saga.testing.scenarios.scenario import PEOPLE as PEOPLE
from agent_saga.testing.scenarios.scenario import PERSON as PERSON
from agent_saga.testing.scenarios.scenario import Counts as Counts
from agent_saga.testing.scenarios.scenario import Scenario as Scenario


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
            policy,
        )
    }
)
"""Every scenario by its name, in the order in which they are told."""
