"""What the runtime raises. A tool's own failures are no errors of the runtime: they become lines of the trace."""

from agent_saga.trace.errors import AgentSagaError


class RuntimeFault(AgentSagaError):
    """Base of the runtime's errors."""


class DefinitionError(RuntimeFault):
    """A tool or a saga is defined in a way that could not be undone or judged; nothing ran."""


class OutsideSaga(RuntimeFault):
    """A strict irreversible tool was called outside of a saga, where nothing asks for approval or writes a trace."""


class ReadOnly(RuntimeFault):
    """A preview, a check or a reconciliation asked for a handle that can write."""


class NotDone(RuntimeFault):
    """A tool raises this when the call is *proven* not to have happened (declined, refused, not found).

    message: why; it stands in the trace. retry: whether the same call may succeed later. Every other exception means
    that the call may have happened, and is reconciled.
    """

    def __init__(self, message: str, *, retry: bool = False) -> None:
        super().__init__(message)
        self.retry = retry


class StaleDecision(RuntimeFault):
    """A person decided about something that no longer waits, or looked at an older pause."""


class NotEntitled(RuntimeFault):
    """The gate does not entitle this person to this decision."""


class DriverBusy(RuntimeFault):
    """The model's provider is overloaded or down (HTTP 429 or 5xx); asked again later, never a reason to give up.

    after: seconds to wait at least, when the provider said so.
    """

    def __init__(self, message: str, *, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class BadProposal(RuntimeFault):
    """A driver answered with something that is no proposal; it is refused and told so."""


class SagaBusy(RuntimeFault):
    """Another process holds the lease of this saga."""


class LeaseLost(RuntimeFault):
    """The lease ran out while the saga ran: somebody else may hold it now. Nothing more is called or written."""


class PolicyMismatch(RuntimeFault):
    """The engine's policy is not the one in force, or does not fit the saga: nothing was begun."""


class UnknownSaga(RuntimeFault):
    """The store has no saga of this id, or no definition of its name was given."""
