"""What the page refuses, as the person at the page is told it."""

from agent_saga.trace.errors import AgentSagaError


class Refused(AgentSagaError):
    """The page does not do what was asked. status: of HTTP. reason: one word, stable, for programs and tests."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


class CannotServe(AgentSagaError):
    """The page cannot be served here: no port, or a part that is not installed."""
