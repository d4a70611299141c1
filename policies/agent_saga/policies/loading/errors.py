"""What a policy's documents are, and the error when one is none."""

from typing import Final

from agent_saga.policies.document import DocumentError, Kind

MAX_POLICY: Final = 262_144
"""Bytes of a policy: some hundred rules with their tests; nobody reviews more as one thing."""

MAX_DEPTH: Final = 32
"""Nesting of a policy, its own object being 1: a schema of arguments needs a dozen; a bound keeps the stack safe."""

POLICY: Final = Kind("a policy", MAX_POLICY, MAX_DEPTH, fractions=True)
WAIVERS: Final = Kind("a file of waivers", MAX_POLICY, MAX_DEPTH)
SCHEMA: Final = Kind("a JSON Schema", MAX_POLICY, MAX_DEPTH, fractions=True)


class PolicyError(DocumentError):
    """A policy cannot be used. faults: all that is wrong with it, in the order of the file."""
