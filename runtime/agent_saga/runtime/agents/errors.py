"""What the drivers over agent frameworks raise, besides DriverBusy and BadProposal."""

from collections.abc import Iterator
from contextlib import contextmanager

from agent_saga.runtime.errors import RuntimeFault


class MissingExtra(RuntimeFault):
    """A part of the program needs packages that are not installed."""


class ModelRefused(RuntimeFault):
    """The model's provider refuses what it is asked (unknown key, unknown model, not paid); asking again is in vain.

    The saga stays open: it goes on when it is run again with a driver that works. Never repeats what the provider
    answered, since providers quote keys and prompts.
    """


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Turns an import that fails into MissingExtra. name: of the extra; what: needs it."""
    try:
        yield
    except ImportError as fault:
        how = f"pip install 'agent-saga-toolkit[{name}]'"
        raise MissingExtra(f"{what} needs the extra {name}: {how} ({fault.name or fault} is missing)") from fault
