"""Every small saga against a plain model of the world: each behaviour, a stop after every line, then recovery."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count, product
from random import Random
from typing import Any

from runtime_world import DEAF, FAIL, LOST_ABSENT, LOST_LANDED, NEVER, OK, RETRY, World, shop

from agent_saga.runtime import Engine, PersonDecision, PlanDriver, Report, StaticGate
from agent_saga.trace.store import Lease, NewLine

UNDOS = (OK, FAIL, NEVER, LOST_LANDED, LOST_ABSENT, DEAF)
FORWARD = (OK, FAIL, RETRY, LOST_LANDED, LOST_ABSENT, DEAF)
CLASSES = ("preview", "reversible", "compensable", "irreversible")
PERSON = "p-1"


class Stop(BaseException):
    """The process dies here."""


class Lines:
    """A store in memory that keeps lines one by one and lets the process die after any of them.

    left: lines until then, -1 for never. late: it dies only when it is about to write the next one, so after it acted.
    """

    def __init__(self) -> None:
        self.kept: dict[str, list[bytes]] = {}
        self.left, self.late = -1, False
        self._tokens = count(1)

    async def append(
        self, lines: Sequence[NewLine], *, disclosures: Any = (), lease: Any = None, release: bool = False
    ) -> int:
        for new in lines:
            if self.left == 0:
                raise Stop
            self.left -= 1
            own = self.kept.setdefault(new.saga, [])
            assert new.seq == len(own)
            own.append(new.line)
        if self.left == 0 and not self.late:
            raise Stop
        return 0

    async def read(self, saga: str, since: int = 0) -> list[bytes]:
        return self.kept.get(saga, [])[since:]

    async def expired(self, now: float) -> list[str]:
        return list(self.kept)

    async def acquire(self, saga: str, holder: str, ttl: float, now: float) -> Lease:
        return Lease(saga, holder, next(self._tokens), now + ttl)

    async def renew(self, lease: Lease, ttl: float, now: float) -> Lease:
        return lease

    async def release(self, lease: Lease) -> None:
        pass


@dataclass(frozen=True)
class Plan:
    """One small saga. together: its steps do not depend on each other and are called side by side."""

    classes: tuple[str, ...]
    forward: tuple[str, ...]
    undo: tuple[str, ...]
    goal: bool
    together: bool = False
    delays: tuple[int, ...] = (0, 0, 0)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple("abc"[: len(self.classes)])

    def world(self) -> World:
        behaviour = dict(zip(self.names, self.forward, strict=True))
        behaviour |= {f"{name}.undo": undo for name, undo in zip(self.names, self.undo, strict=True)}
        return World(behaviour, delays=dict(zip(self.names, self.delays, strict=False)))


@dataclass
class Run:
    """What one run left: its lines, the lines it had when it was stopped, and what really stands."""

    plan: Plan
    stop: int
    report: Report
    world: World
    lines: list[bytes]
    cut: list[bytes]
    persons: int = 0
    faults: list[str] = field(default_factory=list)


class Clock:
    """Goes on a second with each look."""

    def __init__(self) -> None:
        self._at = datetime(2026, 11, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._at += timedelta(seconds=1)
        return self._at


async def _no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


async def explore(plan: Plan, stop: int, saga: str, late: bool = False) -> Run:
    """Run the saga, let it die after ``stop`` lines (-1: never), recover it, let a truthful person decide.

    late: it dies before it writes the next line, after it has acted on those that it wrote.
    """
    world, store, clock = plan.world(), Lines(), Clock()
    after = dict.fromkeys(plan.names, ()) if plan.together else None
    classes = dict(zip(plan.names, plan.classes, strict=True))
    definition = shop(world, plan.names, goal=plan.goal, after=after, classes=classes)
    driver = PlanDriver(lambda step, view: {"item": step}, together=plan.together)

    def engine() -> Engine:
        gate = StaticGate(persons=frozenset({PERSON}))
        return Engine(store, gate=gate, clock=clock, sleep=_no_sleep)  # type: ignore[arg-type]

    store.left, store.late = stop, late
    cut: list[bytes] = []
    for _ in range(30):
        try:
            report = await engine().run(definition, driver, saga=saga)
            if report.status != "paused":
                break
            for target in report.about:
                await engine().decide(saga, _truth(world, report, target))
        except Stop:
            cut, store.left = list(store.kept.get(saga, [])), -1
    lines = store.kept[saga]
    return Run(plan, stop, report, world, lines, cut, sum(b'"type":"person.decided"' in line for line in lines))


def _truth(world: World, report: Report, target: str) -> PersonDecision:
    """What a person sees who looks at the providers' own ledgers; what cannot be undone is undone by hand."""
    state = report.state
    call: Any = state.undos.get(target) or state.effects[target]
    if call.state == "unknown":
        verdict = "landed" if call.key in world.ledger else "absent"
    else:
        verdict = "undone"
        effect = state.effects[getattr(call, "effect", target)]
        world.counts[effect.plan] = 0
    return PersonDecision(target, verdict, PERSON, "looked", report.pause)  # type: ignore[arg-type]


def expected(run: Run) -> list[str]:
    """The codes that the trace deserves, from what really stands and who decided; plus what is wrong in the world."""
    plan, world = run.plan, run.world
    effects = [name for name, kind in zip(plan.names, plan.classes, strict=True) if kind != "preview"]
    standing = {name: number for name, number in world.standing.items() if name in effects}
    if any(number not in (0, 1) for number in world.counts.values()):
        run.faults.append(f"an effect stands {world.counts} times")
    if world.repeats:
        run.faults.append(f"made again: {world.repeats}")
    if run.report.status == "waiting_approval":
        return ["AS504"] + ["AS507"] * bool(run.persons)
    wanted = dict.fromkeys(effects, 1) if run.report.status == "succeeded_verified" else {}
    if standing != wanted:
        run.faults.append(f"{run.report.status}, and {standing} stand")
    if not run.report.ended:
        run.faults.append(f"not ended: {run.report.status}")
    return ["AS507"] * bool(run.persons)


def sequential(size: int, *, undos: Sequence[str] = UNDOS) -> Iterator[Plan]:
    """Every saga of so many steps, one after another; undos vary where something has to be undone."""
    for classes in product(CLASSES, repeat=size):
        for forward in product(FORWARD, repeat=size):
            for goal in (True, False):
                fails = not goal or FAIL in forward
                for undo in product(undos if fails else (OK,), repeat=size):
                    plan = Plan(classes, forward, undo, goal)
                    if _distinct(plan):
                        yield plan


def parallel(*, undos: Sequence[str] = UNDOS, forwards: Sequence[str] = FORWARD) -> Iterator[Plan]:
    """Two steps side by side, the first or the second answering first."""
    for forward in product(forwards, repeat=2):
        for goal, delays in product((True, False), ((0, 3, 0), (3, 0, 0))):
            fails = not goal or FAIL in forward
            for undo in product(undos if fails else (OK,), repeat=2):
                yield Plan(("compensable", "reversible"), forward, undo, goal, together=True, delays=delays)


def _distinct(plan: Plan) -> bool:
    """Leave out what differs only in what is never reached: undos of reads, and all behind a step that ends it."""
    for place, (kind, forward, undo) in enumerate(zip(plan.classes, plan.forward, plan.undo, strict=True)):
        if kind in ("preview", "irreversible") and undo != OK:
            return False
        if kind == "irreversible" and forward != OK:
            return False
        ends = kind == "irreversible" or forward == FAIL
        if forward == FAIL and undo != OK:
            return False
        rest = range(place + 1, len(plan.classes))
        if ends and any((plan.classes[i], plan.forward[i], plan.undo[i]) != ("preview", OK, OK) for i in rest):
            return False
    return True


def sampled(size: int, number: int, seed: int) -> Iterator[Plan]:
    """So many sagas of so many steps, drawn at random."""
    random = Random(seed)
    while number:
        classes = tuple(random.choice(CLASSES[:3]) for _ in range(size))
        forward = tuple(random.choice((OK, OK, *FORWARD)) for _ in range(size))
        undo = tuple(OK if kind == "preview" else random.choice(UNDOS) for kind in classes)
        plan = Plan(classes, forward, undo, random.random() < 0.3)
        if _distinct(plan):
            number -= 1
            yield plan


async def every_stop(plans: Iterator[Plan], prefix: str) -> list[Run]:
    """Each plan without a stop, then with a stop after each of its lines, and after each call that a line announced."""
    runs: list[Run] = []
    for plan in plans:
        whole = await explore(plan, -1, f"{prefix}-{len(runs)}")
        runs.append(whole)
        for stop in range(1, len(whole.lines)):
            runs.append(await explore(plan, stop, f"{prefix}-{len(runs)}"))
            if b'.intended","by"' in whole.lines[stop - 1]:
                runs.append(await explore(plan, stop, f"{prefix}-{len(runs)}", late=True))
    return runs
