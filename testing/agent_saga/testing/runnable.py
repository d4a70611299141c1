"""A runnable: a saga's definition with all that one process needs to run it, and how ``MODULE:SAGA`` names one."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import getcwd
from pathlib import Path
from typing import Any

from agent_saga.runtime import DecisionDriver, Engine, Gate, SagaDefinition, StaticGate
from agent_saga.trace.errors import AgentSagaError
from agent_saga.trace.store import Store


class NoRunnable(AgentSagaError):
    """MODULE:SAGA names nothing that can be run."""


@dataclass(frozen=True)
class Runnable:
    """Everything that one process needs to run a saga. goal: for a saga that begins."""

    definition: SagaDefinition
    driver: DecisionDriver
    providers: Mapping[str, Any] = field(default_factory=dict)
    gate: Gate = field(default_factory=StaticGate)
    goal: Any = None

    def engine(self, store: Store, **settings: Any) -> Engine:
        """An engine over a store, with this runnable's gate and providers. settings: see Engine."""
        return Engine(store, gate=self.gate, providers=self.providers, **settings)


def load(spec: str, store: Path) -> Runnable:
    """What ``MODULE:SAGA`` names: a Runnable, or a function of the store's path that returns one. Raises NoRunnable.

    MODULE is looked for in the working folder too, as ``python -m`` does.
    """
    module, _, name = spec.partition(":")
    if not module or not name:
        raise NoRunnable(f"{spec}: expected MODULE:SAGA, such as shop.sagas:checkout")
    if getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, getcwd())
    found = _imported(spec, module)
    if not hasattr(found, name):
        raise NoRunnable(f"{spec}: module {module} has no {name}")
    return _runnable(spec, getattr(found, name), store)


def _imported(spec: str, module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as fault:
        raise NoRunnable(f"{spec}: no module {module} ({fault}); run from the folder that holds it") from fault
    except Exception as fault:
        raise NoRunnable(f"{spec}: module {module} does not load: {type(fault).__name__}: {fault}") from fault


def _runnable(spec: str, named: Any, store: Path) -> Runnable:
    try:
        made = named(store) if callable(named) else named
    except AgentSagaError:
        raise
    except Exception as fault:
        raise NoRunnable(f"{spec}({str(store)!r}) fails: {type(fault).__name__}: {fault}") from fault
    if not isinstance(made, Runnable):
        kind = type(made).__name__
        raise NoRunnable(
            f"{spec} is a {kind}; expected an agent_saga.testing.Runnable, or a function of the store's path"
        )
    return made
