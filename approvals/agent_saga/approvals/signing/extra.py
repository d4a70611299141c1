"""The extra ``hardware``: loaded only when somebody signs with hardware, and named when it is missing."""

from importlib import import_module
from typing import Any

from agent_saga.approvals.errors import SigningFault


def load(module: str) -> Any:
    """Import a module of the extra. Raises SigningFault, which says what to install."""
    try:
        return import_module(module)
    except ImportError as fault:
        raise SigningFault(
            f"{module.split('.')[0]} is not installed: run pip install 'agent-saga-toolkit[hardware]'"
        ) from fault
