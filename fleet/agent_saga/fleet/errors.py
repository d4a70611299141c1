"""What keeps a log from being certified from where the last certificate ended."""

from agent_saga.trace.errors import AgentSagaError


class StateFault(AgentSagaError):
    """The state that the last certification left cannot be used; the message says why, and what to do."""


class FleetFault(AgentSagaError):
    """What keeps many workers from certifying one log; the message says what to do."""
