"""Parts of the runtime that need more packages than the rest."""

from collections.abc import Iterator
from contextlib import contextmanager

from agent_saga.runtime.errors import RuntimeFault


class MissingExtra(RuntimeFault):
    """A part of the program needs packages that are not installed."""


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Turns an import that fails into MissingExtra. name: of the extra; what: needs it."""
    try:
        yield
    except ImportError as fault:
        how = f"pip install 'agent-saga-toolkit[{name}]'"
        raise MissingExtra(f"{what} needs the extra {name}: {how} ({fault.name or fault} is missing)") from fault
