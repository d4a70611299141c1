"""One root for every error that this project raises on purpose.

A message names the thing, what was found, what was expected, and what to do next. Only the command line exits.
"""


class AgentSagaError(Exception):
    """Base of all errors raised by agent-saga. Catch this to catch them all."""


class LineError(AgentSagaError):
    """The evidence is at fault: one line is not a line of a trace.

    code: the rule that names the fault (AS101 malformed, AS102 schema, AS103 unknown type or version).
    column: byte offset in the line, zero-based, where the fault shows; None when it concerns the line as a whole.
    """

    def __init__(self, code: str, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.column = column


class SourceError(AgentSagaError):
    """A path cannot be read as a source of traces: absent, unreadable, not what it claims to be."""


class CodecError(AgentSagaError):
    """A value of ours cannot be written as a line: our own caller is at fault, never the evidence."""


class DisclosureError(AgentSagaError):
    """A disclosure (the ``D`` behind a concealed value) is malformed or matches nothing."""
