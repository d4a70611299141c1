"""Whose fault it is: an approval that does not hold, a registry that cannot be used, or a signer that cannot sign."""

from agent_saga.trace.errors import AgentSagaError


class NotApproved(AgentSagaError):
    """The evidence is at fault: this proof shows no approval by this person of this action.

    reason: one of the stable words in docs/spec/approval-v1.md, "Reasons", for programs and tests.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class RegistryFault(AgentSagaError):
    """A key registry is at fault: malformed, contradictory, or with a quorum that nobody can satisfy."""


class SigningFault(AgentSagaError):
    """A signature cannot be made: no such key, no touch, wrong PIN, a device that is absent."""
