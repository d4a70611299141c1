"""AgentKit: one object, three verbs. Wrap a tool, run a saga, ask how things stand.

kit = AgentKit("orders.db", providers={"psp": psp})
refund = kit.wrap(psp_refund, name="payments.refund", semantics="compensable")
report = await kit.run(definition, driver, goal={"order": "o-1"})
await kit.status()       # ready only if everything that it needs can be read
kit.guarantees()         # what is claimed in this configuration, and what is not
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Unpack

from agent_saga.runtime.beginning import Saga
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.engine import Engine, EngineOptions, never
from agent_saga.runtime.guarantees import Configuration, manifest, probe
from agent_saga.runtime.kernel.deciding import PersonDecision
from agent_saga.runtime.kernel.fold import fold
from agent_saga.runtime.report import Report
from agent_saga.runtime.tools import Tool, ToolOptions, tool
from agent_saga.trace.store import Store, StoreError, open_store
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.opening import MEMORY


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand. ready: new sagas may be run. problems: why not. waiting: open sagas that wait for a person."""

    ready: bool
    problems: tuple[str, ...]
    open: tuple[str, ...]
    waiting: tuple[str, ...]


class AgentKit:
    """Tools, sagas and a store, with the least to learn. What it does not offer, :class:`Engine` does."""

    def __init__(self, store: Store | str | PathLike[str], **options: Unpack[EngineOptions]) -> None:
        """store: a store, or the path of one (":memory:" keeps nothing). options: as :class:`Engine` takes them."""
        self.store: Store = open_store(fspath(store)) if isinstance(store, str | PathLike) else store
        self.engine = Engine(self.store, **options)
        self._stop: Callable[[str, str], str] = options.get("stop", never)
        self._configuration = Configuration(
            _durable(self.store), self._stop is not never, "registry" in options, "policy" in options
        )

    def wrap(self, function: Callable[..., Any], **options: Unpack[ToolOptions]) -> Tool:
        """Make a tool of a function; outside of a saga it runs untouched. options: as :func:`tool` takes them."""
        return tool(**options)(function)

    def run(
        self, definition: SagaDefinition, driver: DecisionDriver, *, goal: Any = None, saga: str | None = None
    ) -> Awaitable[Report]:
        """Run a saga; raises as :meth:`Engine.run`."""
        return self.engine.run(definition, driver, goal=goal, saga=saga)

    def recover(self, sagas: Sequence[Saga]) -> Awaitable[list[Report]]:
        """Take up what a dead process left; raises as :meth:`Engine.recover`."""
        return self.engine.recover(sagas)

    def approve(self, saga: str, proof: Mapping[str, Any]) -> Awaitable[None]:
        """Write a person's signed answer to a request for approval; raises as :meth:`Engine.approve`."""
        return self.engine.approve(saga, proof)

    def decide(self, saga: str, decision: PersonDecision) -> Awaitable[None]:
        """Write a person's decision; raises as :meth:`Engine.decide`."""
        return self.engine.decide(saga, decision)

    async def status(self) -> Status:
        """How things stand. What cannot be read counts against: then it is not ready."""
        problems: list[str] = []
        try:
            reason = self._stop("", "")
            problems += [f"stopped: {reason}"] if reason else []
        except Exception as error:
            problems.append(f"the kill switch cannot be read: {type(error).__name__}")
        opened: list[str] = []
        waiting: list[str] = []
        try:
            opened = [row.id for row in await self.store.sagas(open_only=True) if row.id != "log"]
            waiting = [saga for saga in opened if await self._waits(saga)]
        except StoreError as error:
            problems.append(f"the store cannot be read: {error}")
        return Status(not problems, tuple(problems), tuple(opened), tuple(waiting))

    async def _waits(self, saga: str) -> bool:
        state = fold(await self.store.read(saga))
        return bool(state.waiting or state.requests) or (state.stopped is not None and state.rollback is None)

    def guarantees(self) -> dict[str, Any]:
        """What is claimed in this configuration, each claim with an id that :meth:`probe` tries; and what is not."""
        return manifest(self._configuration)

    async def probe(self, claim: str) -> bool:
        """Try a claim of :meth:`guarantees` by its id. Raises KeyError for another."""
        return await probe(claim, self.store, self._stop)

    async def doctor(self) -> dict[str, bool]:
        """Try every claim."""
        claims = self.guarantees()["enforced_before_an_effect"] + self.guarantees()["guaranteed_after_it"]
        return {claim["id"]: await self.probe(claim["id"]) for claim in claims}

    async def remember(self, key: str, value: bytes) -> None:
        """Keep a value in the same store, over days; durable on return. It is beside the trace and proves nothing."""
        await self.store.remember(key, value)

    async def recall(self, key: str) -> bytes | None:
        """The value last kept under the key."""
        return await self.store.recall(key)

    async def close(self) -> None:
        """Let go of the store."""
        await self.store.close()


def _durable(store: Store) -> bool:
    """Whether the store keeps its lines on a disk. One of another make has to say so (``durable = True``)."""
    if isinstance(store, LocalStore):
        return store._engine.place != MEMORY
    return getattr(store, "durable", False) is True
