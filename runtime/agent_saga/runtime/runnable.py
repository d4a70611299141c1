"""A runnable: a saga's definition with all that one process needs to run it, and how ``MODULE:SAGA`` names one.

``MODULE:NAME`` names an AgentKit likewise.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import getcwd
from pathlib import Path
from typing import Any, Final

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.gate import Gate, StaticGate
from agent_saga.runtime.kit import AgentKit
from agent_saga.runtime.policing.given import Given, GivenWaivers
from agent_saga.trace.errors import AgentSagaError
from agent_saga.trace.store import Store

DEFAULT_STORE: Final = "saga.db"
"""Where the commands keep a store unless they are told a path."""


class NoRunnable(AgentSagaError):
    """MODULE:SAGA names nothing that can be run, or MODULE:NAME no kit."""


@dataclass(frozen=True)
class Runnable:
    """Everything that one process needs to run a saga. goal: for a saga that begins.

    registry, policy, waivers: as Engine takes them; a policy stands in the place of the gate.
    """

    definition: SagaDefinition
    driver: DecisionDriver
    providers: Mapping[str, Any] = field(default_factory=dict)
    gate: Gate = field(default_factory=StaticGate)
    goal: Any = None
    registry: Any = None
    policy: Given | None = None
    waivers: GivenWaivers | None = None

    def engine(self, store: Store, **settings: Any) -> Engine:
        """An engine over a store, with this runnable's gate or policy and providers. settings: see Engine."""
        given = {"registry": self.registry, "policy": self.policy, "waivers": self.waivers} | settings
        gate = self.gate if given["policy"] is None else None
        return Engine(store, gate=gate, providers=self.providers, **given)


def load(spec: str, store: Path) -> Runnable:
    """What ``MODULE:SAGA`` names: a Runnable, or a function of the store's path that returns one. Raises NoRunnable."""
    made = made_of(spec, named(spec, "MODULE:SAGA, such as shop.sagas:checkout"), store)
    if not isinstance(made, Runnable):
        kind = type(made).__name__
        raise NoRunnable(
            f"{spec} is a {kind}; expected an agent_saga.runtime.Runnable, or a function of the store's path"
        )
    return made


def kit_of(spec: str, found: Any, store: Path | str | None) -> AgentKit:
    """The AgentKit that ``MODULE:NAME`` named, or that the function found there makes of the path. Raises NoRunnable.

    store: None for a kit that is made, which has a store of its own; text for an address of PostgreSQL.
    """
    if isinstance(found, AgentKit):
        if store is not None:
            raise NoRunnable(f"{spec} is an AgentKit with a store of its own; leave --store out")
        return found
    made = made_of(spec, found, store or Path(DEFAULT_STORE))
    if not isinstance(made, AgentKit):
        kind = type(made).__name__
        raise NoRunnable(f"{spec} is a {kind}; expected an agent_saga.runtime.AgentKit, or a function that makes one")
    return made


def named(spec: str, expected: str) -> Any:
    """The object of a module's name. MODULE is looked for in the working folder too, as ``python -m`` does.

    expected: what the error says of a spec of another form. Raises NoRunnable.
    """
    module, _, name = spec.partition(":")
    if not module or not name:
        raise NoRunnable(f"{spec}: expected {expected}")
    if getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, getcwd())
    found = _imported(spec, module)
    if not hasattr(found, name):
        raise NoRunnable(f"{spec}: module {module} has no {name}")
    return getattr(found, name)


def _imported(spec: str, module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as fault:
        raise NoRunnable(f"{spec}: no module {module} ({fault}); run from the folder that holds it") from fault
    except (Exception, SystemExit) as fault:  # a module that ends the program would end it with its own exit code
        raise NoRunnable(f"{spec}: module {module} does not load: {type(fault).__name__}: {fault}") from fault


def made_of(spec: str, found: Any, store: Path | str) -> Any:
    """What a function makes of the store's path or address; anything else as it stands. Raises NoRunnable."""
    if not callable(found):
        return found
    try:
        return found(store)
    except AgentSagaError:
        raise
    except (Exception, SystemExit) as fault:
        raise NoRunnable(f"{spec}({str(store)!r}) fails: {type(fault).__name__}: {fault}") from fault
