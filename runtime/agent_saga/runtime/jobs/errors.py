"""What a job's document is, and the error when it is none."""

from typing import Final

from agent_saga.policies.document import DocumentError, Kind
from agent_saga.runtime.errors import RuntimeFault

MAX_JOB: Final = 65_536
"""Bytes of a job: some twenty pages of instructions; a reviewer reads no more."""

MAX_DEPTH: Final = 8
"""Nesting of a job, its own object being 1: it needs three, and a bound keeps a hostile one from the stack."""

KIND: Final = Kind("a job", MAX_JOB, MAX_DEPTH)


class JobError(DocumentError, RuntimeFault):
    """A job cannot be used. faults: all that is wrong with it, in the order of the file."""
