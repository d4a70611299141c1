"""Sagas of any plan among any providers, drivers and persons, and what really stands when they have ended.

The plan has dependencies, fallbacks of fallbacks, groups of options and optional steps; any call may fail, or lose its
reply, at any time; the process dies, the switch is thrown, limits are tight. The world is a plain model: what was made
and not taken back, by key.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from runtime_exploring import PERSON, Clock, Lines, Stop, _no_sleep

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    DefinitionError,
    Engine,
    Facts,
    Finish,
    Found,
    GiveUp,
    Landed,
    Limits,
    NotDone,
    PersonDecision,
    Proposal,
    Report,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    Unresolved,
    tool,
)
from agent_saga.runtime.drivers import Decision
from agent_saga.runtime.kernel.actions import View

TOOLS = ("p", "q", "r")
RUNS = 250
"""Times that a saga is taken up until it counts as hanging."""


class Lost(Exception):
    """The reply was lost."""


@dataclass
class World:
    """What was made and taken back, by the key of the forward call. wrong: what no provider may be asked to do."""

    rng: Random
    trouble: float
    made: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    by_hand: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    def act(self, key: str, change: Any, done: bool) -> None:
        """One call: it happens or not, and is heard of or not."""
        what = (
            self.rng.choice(("fails", "fails", "again", "landed", "absent")) if self.rng.random() < self.trouble else ""
        )
        if what in ("fails", "again") and not done:
            raise NotDone("declined", retry=what == "again")
        if what != "absent" and not done:
            change()
        if what in ("landed", "absent"):
            raise Lost("no reply")

    def make(self, call: Call) -> None:
        """A forward call."""
        self.calls[call.key] += 1
        if call.key in self.made:
            self.wrong.append(f"{call.effect} called though it had been made")
        self.act(call.key, lambda: self.made.__setitem__(call.key, call.step.partition(".")[0]), call.key in self.made)

    def take_back(self, key: str, call: Call) -> None:
        """An undo of what was made under a key."""
        if key not in self.made:
            self.wrong.append(f"{call.effect} is undone, which was never made")
        if self.gone.get(key, call.key) != call.key or key in self.by_hand:
            self.wrong.append(f"{call.effect} is undone twice")
        self.act(call.key, lambda: self.gone.__setitem__(key, call.key), key in self.gone)

    def find(self, known: bool) -> bool | None:
        """What the provider says about a key."""
        return None if self.rng.random() < self.trouble / 2 else known

    @property
    def standing(self) -> dict[str, str]:
        """Key and step of what stands."""
        return {key: step for key, step in self.made.items() if key not in self.gone and key not in self.by_hand}


def tools_of(world: World) -> list[Any]:
    """Three tools with one undo each, and a preview."""

    def pair(name: str, attempts: int, semantics: Any, asks: bool) -> Any:
        @tool(name=f"{name}.undo", semantics="compensable")
        async def back(key: str, call: Call) -> None:
            world.take_back(key, call)

        @tool(name=name, semantics=semantics, undo=back, attempts=attempts)
        async def forth(item: str, call: Call) -> Result:
            for _ in range(world.rng.randrange(4)):
                await asyncio.sleep(0)
            world.make(call)
            return Result({"item": item}, undo=back.call(key=call.key))

        if asks:

            @forth.reconcile
            async def _(call: Call) -> Found:
                known = world.find(call.key in world.made)
                if known is None:
                    return Unresolved()
                return Landed({"item": "x"}, undo=back.call(key=call.key)) if known else Absent()

            @back.reconcile
            async def _(call: Call) -> Found:
                known = world.find(world.gone.get(call.args["key"]) == call.key)
                return Unresolved() if known is None else Landed() if known else Absent()

        if world.rng.random() < 0.3:

            @back.check
            def _(call: Call) -> bool:
                return call.args["key"] in world.gone

        return forth

    rng = world.rng
    made = [
        pair(n, rng.choice((1, 2, 3)), rng.choice(("reversible", "compensable")), rng.random() < 0.85) for n in TOOLS
    ]

    @tool(name="look", semantics="preview", attempts=rng.choice((1, 3)))
    async def look(item: str) -> dict[str, str]:
        if rng.random() < world.trouble:
            raise Lost("no answer")
        return {"item": item}

    return [*made, look]


def plan_of(rng: Random) -> list[Step]:
    """Any plan."""
    steps: list[Step] = []
    for number in range(rng.randint(1, 5)):
        name = f"s{number}"
        main = [one.name for one in steps if not one.fallback_for]
        after = None if rng.random() < 0.5 else tuple(rng.sample(main, rng.randint(0, len(main))))
        kind = rng.random()
        if kind < 0.2:
            deep = {option: rng.randint(1, 2) for option in ("a", "b", "c")[: rng.randint(2, 3)]}
            for option, count in deep.items():
                for part in range(count):
                    before = () if part == 0 else (f"{name}{option}{part - 1}",)
                    given = None if rng.random() < 0.3 else (*(after or ()), *before)
                    steps.append(
                        Step(f"{name}{option}{part}", rng.choice((*TOOLS, "look")), given, branch=f"{name}.{option}")
                    )
            continue
        steps.append(Step(name, rng.choice((*TOOLS, *TOOLS, "look")), after, optional=rng.random() < 0.2))
        last = name
        for letter in "fgh"[: rng.choice((0, 0, 0, 1, 2, 3))]:
            steps.append(Step(f"{name}{letter}", rng.choice(TOOLS), after, fallback_for=rng.choice((last, name))))
            last = f"{name}{letter}"
    if rng.random() < 0.2:
        rng.shuffle(steps)
    return steps


class Whimsical:
    """A driver that proposes what it likes, mostly what it may."""

    name = "whimsical"

    def __init__(self, rng: Random) -> None:
        self.rng, self.immediate = rng, rng.random() < 0.5
        self.sanity = rng.choice((1.0, 1.0, 0.97, 0.9))

    async def propose(self, view: View) -> Decision:
        """One step, or several, or nonsense."""
        rng = self.rng
        if rng.random() > self.sanity:
            return rng.choice(
                (
                    GiveUp(),
                    Finish(),
                    Proposal("nonsense"),
                    Proposal("p.undo", {"key": "x"}),
                    [],
                    Proposal("p", {"item": 3}),
                    object(),
                )
            )
        if not view.allowed:
            return Finish()
        some = list(view.allowed) if rng.random() < 0.4 else [rng.choice(view.allowed)]
        if rng.random() > self.sanity:
            some += some
        return [Proposal(one.tool, {"item": one.step}, one.step) for one in some]


@dataclass
class Wander:
    """One saga and everything about it."""

    seed: int
    definition: SagaDefinition
    world: World
    lines: list[bytes]
    report: Report | None
    persons: int
    truthful_goal: bool


async def wander(seed: int) -> Wander | None:
    """One saga, until it ends; None for a plan that is refused."""
    rng = Random(seed)
    world = World(rng, rng.choice((0.0, 0.1, 0.3, 0.6)))
    limits = Limits(
        turns=rng.choice((50, 50, 8)),
        calls=rng.choice((200, 200, 6)),
        backoff=0.0,
        deadline=rng.choice((None, None, None, 40.0)),
        reconciles=rng.choice((1, 3)),
        undo_attempts=rng.choice((1, 3)),
    )
    goal = rng.random() < 0.8

    def reached(facts: Facts) -> Checked:
        return Checked(goal, sorted(facts.results))

    try:
        definition = SagaDefinition("wander", tools_of(world), [reached], plan_of(rng), limits)
    except DefinitionError:
        return None
    store, driver, clock, saga = Lines(), Whimsical(rng), Clock(), f"w-{seed}"
    refuse = {rng.choice(TOOLS): ("no", "closed")} if rng.random() < 0.1 else {}
    thrown = 0

    def stop(saga: str, name: str) -> str:
        nonlocal thrown
        if thrown < 2 and rng.random() < 0.01:
            thrown += 1
            return "kill_switch"
        return ""

    report: Report | None = None
    for _ in range(RUNS):
        gate = StaticGate(refuse=refuse, persons=frozenset({PERSON}))
        engine = Engine(store, gate=gate, clock=clock, sleep=_no_sleep, stop=stop)  # type: ignore[arg-type]
        store.left, store.late = rng.choice((-1, -1, -1, 1, 2, 3, 5, 8, 13)), rng.random() < 0.5
        try:
            report = await engine.run(definition, driver, saga=saga)
            if report.ended:
                break
            for target in report.about:
                await engine.decide(saga, _decision(rng, world, report, target))
        except Stop:
            continue
    lines = store.kept.get(saga, [])
    return Wander(seed, definition, world, lines, report, sum(b'"type":"person.decided"' in one for one in lines), goal)


def _decision(rng: Random, world: World, report: Report, target: str) -> PersonDecision:
    """Any verdict that does not lie; who says undone has done it by hand."""
    state = report.state
    if target == report.saga:
        return PersonDecision(target, rng.choice(("kept", "undone")), PERSON, "whim")  # type: ignore[arg-type]
    call: Any = state.undos.get(target) or state.effects[target]
    effect = state.effects[getattr(call, "effect", target)]
    landed = call.key in world.made if call is effect else world.gone.get(effect.key) == call.key
    if effect.key in world.by_hand:
        return PersonDecision(target, "undone", PERSON, "whim", report.pause)
    verdict = rng.choice(["undone", "kept"] + ["landed" if landed else "absent"] * 2 * (call.state == "unknown"))
    if verdict == "undone" and effect.key not in world.gone:
        world.by_hand.add(effect.key)
    return PersonDecision(target, verdict, PERSON, "whim", report.pause)  # type: ignore[arg-type]


def told_wrong(one: Wander) -> str:
    """What is untrue of the end of a saga; "" when it says what really stands."""
    report, world = one.report, one.world
    if report is None or not report.ended:
        return f"hangs: {report.status if report else 'never ran'} {report.about if report else ''}"
    if world.wrong:
        return "; ".join(world.wrong)
    effects = report.state.effects
    standing = set(world.standing)
    held = {effects[name].key: effects[name] for name in report.held}
    if not standing <= set(held):
        return f"{[world.made[key] for key in standing - set(held)]} stand and are not told"
    doubtful = {key for key, effect in held.items() if effect.state == "unknown" or effect.settled == "kept"}
    if not set(held) - standing <= doubtful:
        return f"{[held[key].id for key in set(held) - standing - doubtful]} are told and do not stand"
    if report.status in ("compensated_verified", "aborted_clean") and (standing or held):
        return f"{report.status}, and something stands"
    return _goal(one) if report.status == "succeeded_verified" else ""


def _goal(one: Wander) -> str:
    """Whether each step that is needed stands once, by itself or a fallback; of a group, one option and no other."""
    assert one.report is not None
    if not one.truthful_goal:
        return "succeeded, and the check never passed"
    definition, effects = one.definition, one.report.state.effects
    looked = {e.plan for e in effects.values() if e.semantics == "preview" and e.state == "applied"}
    stands = Counter(one.world.standing.values())
    stands.update(looked)
    for name, options in definition.groups.items():
        whole = [option for option, steps in options.items() if all(stands[step] == 1 for step in steps)]
        parts = [o for o, steps in options.items() if any(stands[s] and s not in looked for s in steps)]
        if not whole or len(parts) > 1 or not set(parts) <= set(whole):
            return f"group {name}: whole {whole}, something of {parts}"
    for step in definition.steps:
        if step.fallback_for or step.branch:
            continue
        family = [x.name for x in definition.steps if definition.stands_for(x) == step.name]
        total = sum(stands[name] for name in family)
        if total > 1 or (total == 0 and not step.optional):
            return f"step {step.name} stands {total} times"
    return ""
