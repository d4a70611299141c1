"""What the runtime claims in a given configuration, how each claim is tried, and what is not claimed.

A claim that the configuration does not bear is not made: it moves to ``not_claimed``, with the reason.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Any, Final

from agent_saga.policies.cel.syntax import Literal
from agent_saga.policies.model import Condition, Limit, Place, Policy, ToolRule
from agent_saga.runtime.calls import Absent, Call, Landed, Result
from agent_saga.runtime.definition import SagaDefinition, Step
from agent_saga.runtime.drivers import PlanDriver
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.limits import Limits
from agent_saga.runtime.report import Report
from agent_saga.runtime.tools import Tool, tool
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.errors import DiskFull, StoreError

VERSION: Final = 2
"""Of the manifest: raised when a claim changes its meaning."""
_PROBE_KEY: Final = "agent-saga/probe"
"""Of what a probe remembers in the live store: a name that no agent takes for its own memory."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the claims depend on. durable: lines survive the process. switch, registry, policy: if there is one."""

    durable: bool
    switch: bool
    registry: bool
    policy: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. needs: name of the configuration's member that bears it, or ""; without: what is said if not."""

    id: str
    says: str
    before: bool
    needs: str = ""
    without: str = ""


CLAIMS: Final = (
    Claim("intent-first", "No call is made before its intent stands in the store.", True),
    Claim(
        "irreversible-waits", "What cannot be undone is not called without persons' signatures over that call.", True
    ),
    Claim("one-runner", "No two processes that share the store run one saga at once.", True),
    Claim(
        "kill-switch",
        "While the switch is on or cannot be read, no forward call is begun.",
        True,
        "switch",
        "a kill switch: none is configured",
    ),
    Claim(
        "policy-first",
        "No call is made that the policy denies or whose budget is used up, by whoever shares the store.",
        True,
        "policy",
        "that calls are judged by a policy: none is given",
    ),
    Claim("no-blind-repeat", "A call that may have happened is asked about before it is repeated or undone.", False),
    Claim("undone-or-told", "A saga that fails is undone newest first, or waits for a person.", False),
    Claim(
        "durable",
        "Lines survive the end of the process.",
        False,
        "durable",
        "that lines survive the process: the store is in memory, or does not say that it is durable",
    ),
)
_ANEW: Final = "run no saga with what is installed here: install agent-saga-toolkit anew, and report it if it stays so"
REMEDIES: Final = {
    "intent-first": _ANEW,
    "irreversible-waits": _ANEW,
    "one-runner": "run one process only, until the store keeps leases: a SQLite store on a disk of this machine does",
    "kill-switch": "let stop= be a plain function that answers why to stop, or an empty string",
    "policy-first": _ANEW,
    "no-blind-repeat": _ANEW,
    "undone-or-told": _ANEW,
    "durable": "begin no saga on this store: it gives back something else than was kept; restore a backup elsewhere",
}
"""What to do when the probe of a claim finds that it does not hold."""

NOT_CLAIMED: Final = (
    "that a tool did what it answered, or that an undo worked in the outside world",
    "that a provider heeds the idempotency key: a late call and its retry meet only there",
    "that an async tool gives back its event loop: one that blocks it holds every saga of its process until it ends",
    "that a thread which a tool starts past its event loop is seen: it may act after the tool's time is over",
    "that nobody edited the store: that takes checkpoints kept by somebody else",
)


def manifest(configuration: Configuration) -> dict[str, Any]:
    """The claims of this configuration as JSON."""
    made = [claim for claim in CLAIMS if not claim.needs or getattr(configuration, claim.needs)]
    dropped = [claim.without for claim in CLAIMS if claim not in made]
    if not configuration.registry:
        dropped.append("that a person's decision is signed: no key registry is given, and the log may hold none")
    return {
        "version": VERSION,
        "enforced_before_an_effect": [{"id": one.id, "says": one.says} for one in made if one.before],
        "guaranteed_after_it": [{"id": one.id, "says": one.says} for one in made if not one.before],
        "not_claimed": [*dropped, *NOT_CLAIMED],
    }


async def probe(claim: str, store: Store, stop: Callable[[str, str], str]) -> bool:
    """Try one claim: on the live store where it is about the store, else with a saga of its own in memory."""
    return await PROBES[claim](store, stop)


Probe = Callable[[Store, Callable[[str, str], str]], Awaitable[bool]]


class _Trial:
    """A saga of one tool over a store in memory; the tool counts what it did and may lose its reply."""

    def __init__(self, *, lost: bool = False, semantics: Any = "compensable") -> None:
        self.done: list[str] = []
        self.calls = 0
        self._lost = lost
        self.tool = self._irreversible() if semantics == "irreversible" else self._pair()

    def _irreversible(self) -> Tool:
        @tool(name="probe", semantics="irreversible")
        async def act(call: Call) -> None:
            self.calls += 1

        return act

    def _pair(self) -> Tool:
        @tool(name="probe.undo", semantics="compensable")
        async def back(key: str) -> None:
            self.done.remove(key)

        @tool(name="probe", semantics="compensable", undo=back)
        async def act(call: Call) -> Result:
            self.calls += 1
            self.done.append(call.key)
            if self._lost:
                raise OSError("the reply was lost")
            return Result(None, undo=back.call(key=call.key))

        act.reconcile(lambda call: Landed(None, back.call(key=call.key)) if call.key in self.done else Absent())
        return act

    async def run(self, store: Any, *, goal: bool = True, **options: Any) -> Report:
        def reached(facts: Any) -> bool:
            return goal

        definition = SagaDefinition("probe", [self.tool], [reached], [Step("probe", "probe")], Limits(backoff=0.0))
        return await Engine(store, **options).run(definition, PlanDriver(lambda step, view: {}))


class _Full:
    """A store that is full."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, lines: Any, **options: Any) -> int:
        raise DiskFull("no space left")


async def _intent_first(store: Store, stop: Any) -> bool:
    trial = _Trial()
    try:
        await trial.run(_Full(open_store(":memory:")))
    except StoreError:
        return trial.calls == 0
    return False


async def _irreversible_waits(store: Store, stop: Any) -> bool:
    trial = _Trial(semantics="irreversible")
    report = await trial.run(open_store(":memory:"))
    return report.status == "waiting_approval" and trial.calls == 0


async def _one_runner(store: Store, stop: Any) -> bool:
    name = f"probe-{token_urlsafe(16)}"
    lease = await store.acquire(name, "probe-1", 5.0, time.time())
    if lease is None:
        return False
    second = await store.acquire(name, "probe-2", 5.0, time.time())
    await store.release(lease)
    return second is None


async def _kill_switch(store: Store, stop: Callable[[str, str], str]) -> bool:
    if not isinstance(stop("", ""), str):  # such as a coroutine, which nobody awaits
        return False
    trial = _Trial()
    report = await trial.run(open_store(":memory:"), stop=lambda saga, name: "probe")
    return report.status == "stopped" and trial.calls == 0


async def _policy_first(store: Store, stop: Any) -> bool:
    """One call a day: the second, in another saga of another engine, is refused."""
    always = Condition("true", Literal(True), Place(1, 1))
    limits = (Limit("probe", always, (), None, window=86_400, max=1),)
    policy = Policy("probe", 1, "", "0" * 64, {"probe": ToolRule("probe", "compensable", "probe.undo")}, limits=limits)
    trial, place = _Trial(), open_store(":memory:")
    reports = [await trial.run(place, policy=policy) for _ in range(2)]
    return trial.calls == 1 and reports[0].status == "succeeded_verified"


async def _no_blind_repeat(store: Store, stop: Any) -> bool:
    trial = _Trial(lost=True)
    report = await trial.run(open_store(":memory:"))
    return report.status == "succeeded_verified" and trial.calls == 1


async def _undone(store: Store, stop: Any) -> bool:
    trial = _Trial()
    report = await trial.run(open_store(":memory:"), goal=False)
    return report.status == "compensated_verified" and not trial.done


async def _durable(store: Store, stop: Any) -> bool:
    value = token_urlsafe(16).encode()
    await store.remember(_PROBE_KEY, value)
    return await store.recall(_PROBE_KEY) == value


PROBES: Final[dict[str, Probe]] = {
    "intent-first": _intent_first,
    "irreversible-waits": _irreversible_waits,
    "one-runner": _one_runner,
    "kill-switch": _kill_switch,
    "policy-first": _policy_first,
    "no-blind-repeat": _no_blind_repeat,
    "undone-or-told": _undone,
    "durable": _durable,
}
"""Each claim's id and how it is tried."""
