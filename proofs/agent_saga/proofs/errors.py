"""Whose fault it is: the evidence's, the log's storage, or the caller's.

Evidence that does not prove what it claims raises :class:`Refuted` with a stable reason; a log on disk that cannot be
read or written raises :class:`LogFault`; a key that cannot be used raises :class:`KeyFault`.
"""

from agent_saga.trace.errors import AgentSagaError


class Refuted(AgentSagaError):
    """The evidence is at fault: it does not prove what it claims.

    reason: one of the stable words in docs/spec/log-v1.md, "Reasons", for programs and tests.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class LogFault(AgentSagaError):
    """The log's own files are at fault: missing, cut, read-only, held by another writer, or in conflict."""


class KeyFault(AgentSagaError):
    """A key cannot be used: unreadable, wrong passphrase, of another kind or purpose, or too widely readable."""


class Unprovable(AgentSagaError):
    """The caller asked for a proof that does not exist: no such leaf, size or saga."""
