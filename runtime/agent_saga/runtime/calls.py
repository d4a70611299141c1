"""What a tool is handed and what it hands back.

A tool gets a :class:`Call` (its idempotency key and its handles on providers) and returns a JSON value, or a
:class:`Result` that adds the inverse call. When a reply is lost, its ``reconcile`` hook asks the provider about the key
and answers :class:`Landed`, :class:`Absent` or :class:`Unresolved`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from agent_saga.runtime.errors import ReadOnly


class Invocation(Struct, frozen=True):
    """A call to be made: a tool by its name, and arguments as JSON. Made by ``tool.call(...)``."""

    tool: str
    args: dict[str, Any]


class Result(Struct, frozen=True):
    """What a tool answers: a JSON value, and the call that undoes what it did."""

    value: Any
    undo: Invocation | None = None


class Landed(Struct, frozen=True):
    """The provider knows the key: the call took effect. value and undo: as in :class:`Result`."""

    value: Any = None
    undo: Invocation | None = None


@dataclass(frozen=True, slots=True)
class Absent:
    """The provider does not know the key: the call never took effect."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The provider cannot say, or cannot be reached. why: for the log of whoever waits."""

    why: str = ""


Found = Landed | Absent | Unresolved


class Call(Struct, frozen=True):
    """One call of a tool, or one question about it.

    key: the idempotency key, the same for all attempts; hand it to the provider. args: the arguments as JSON. saga,
    effect and step: where it belongs; "" outside of a saga. read_only: whether the handles below only read.
    """

    tool: str
    args: dict[str, Any]
    key: str
    attempt: int = 1
    saga: str = ""
    effect: str = ""
    step: str = ""
    read_only: bool = False
    providers: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        """Without the providers, which may hold what is not to be told."""
        told = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name != "providers")
        return f"Call({', '.join(told)})"

    def provider(self, name: str) -> Any:
        """The handle on a provider; for previews, checks and reconciliation only what its ``read_only()`` gives.

        Raises ReadOnly when a reader is due and the provider has none, KeyError when there is no such provider.
        """
        return handle(self.providers, name, self.read_only)


def handle(providers: Mapping[str, Any], name: str, read_only: bool) -> Any:
    """A provider, or its reader. Raises as :meth:`Call.provider` says."""
    provider = providers[name]
    if not read_only or isinstance(providers, Readers):
        return provider
    reader = getattr(provider, "read_only", None)
    if reader is None:
        raise ReadOnly(f"provider {name} has no read_only(): a preview, check or reconciliation cannot use it")
    return reader()


class Readers(Mapping[str, Any]):
    """The readers of providers, by name: all that is handed to who may only read."""

    def __init__(self, providers: Mapping[str, Any]) -> None:
        self._providers = providers

    def __getitem__(self, name: str) -> Any:
        return handle(self._providers, name, True)

    def __iter__(self) -> Iterator[str]:
        return iter(self._providers)

    def __len__(self) -> int:
        return len(self._providers)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: whether it passed, and what was looked at (JSON)."""

    passed: bool
    evidence: Any = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a check may look at: results by step, undo results by the step undone, and readers of providers."""

    saga: str
    results: Mapping[str, Any]
    goal: Any = None
    providers: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def provider(self, name: str) -> Any:
        """A read-only handle on a provider; raises as :meth:`Call.provider` says."""
        return handle(self.providers, name, True)
