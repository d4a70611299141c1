"""The key registry: who may approve, with which keys, in which roles, and who owns which agent.

A registry is a JSON file, versioned by its digest; registry n+1 is approved under the keys of registry n, and the log
tells which one is in force from which line on.

Source: docs/spec/approval-v1.md, "The registry".
"""

from agent_saga.approvals.registry.linting import lint
from agent_saga.approvals.registry.model import Agent, Key, Person, Registry, parse_registry, registry_digest

__all__ = ["Agent", "Key", "Person", "Registry", "lint", "parse_registry", "registry_digest"]
