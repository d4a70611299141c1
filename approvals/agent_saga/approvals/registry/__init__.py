"""The key registry: who may approve, with which keys, in which roles, and who owns which agent.

A registry is a JSON file, versioned by its digest; registry n+1 is approved under the keys of registry n, and the log
tells which one is in force from which line on.

- :mod:`~agent_saga.approvals.registry.reading`: a registry out of a file; :mod:`~.linting`: what cannot work in it
- :mod:`~agent_saga.approvals.registry.changes`: what is signed to change it
- :mod:`~agent_saga.approvals.registry.history`: which one is in force at a line; :mod:`~.diffing`: what changed

Source: docs/spec/approval-v1.md, "The registry" and "Changes".
"""

from agent_saga.approvals.registry.diffing import diff
from agent_saga.approvals.registry.linting import lint
from agent_saga.approvals.registry.model import Agent, Key, Party, Person, Registry, Rule
from agent_saga.approvals.registry.reading import parse_registry, read_registry
from agent_saga.proofs.registry import registry_digest

__all__ = [
    "Agent",
    "Key",
    "Party",
    "Person",
    "Registry",
    "Rule",
    "diff",
    "lint",
    "parse_registry",
    "read_registry",
    "registry_digest",
]
