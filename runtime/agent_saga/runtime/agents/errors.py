"""What the drivers over agent frameworks raise, besides DriverBusy and BadProposal."""

from agent_saga.runtime.errors import RuntimeFault
from agent_saga.runtime.extras import MissingExtra, extra


class ModelRefused(RuntimeFault):
    """The model's provider refuses what it is asked (unknown key, unknown model, not paid); asking again is in vain.

    The saga stays open: it goes on when it is run again with a driver that works. Never repeats what the provider
    answered, since providers quote keys and prompts.
    """


__all__ = ["MissingExtra", "ModelRefused", "extra"]
