"""What can go wrong with Temporal, in words that say what to do."""

from agent_saga.runtime.errors import RuntimeFault


class TemporalFault(RuntimeFault):
    """Base of what is wrong with the connection to Temporal, or with what is asked of it."""


class NoServer(TemporalFault):
    """No Temporal server answers at the address."""


class NoNamespace(TemporalFault):
    """The server has no such namespace, or these credentials may not see it."""


class BadConnection(TemporalFault):
    """The settings of the connection cannot be read, or the server refuses them."""


class BadKeys(TemporalFault):
    """The file with the payload keys is none, or a payload was sealed with a key that it does not have."""


class TooLarge(TemporalFault):
    """Something is too large to pass through the server."""


class WorkflowFault(TemporalFault):
    """The workflow of a saga ended without the saga: it was terminated, or it raised an alarm."""
