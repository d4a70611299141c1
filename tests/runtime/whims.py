"""Sagas among people with whims: the switch is thrown at any time, persons decide as they like, by hand if need be."""

from __future__ import annotations

from random import Random
from typing import Any

from runtime_exploring import PERSON, Clock, Lines, Plan, Run, Stop, _no_sleep
from runtime_world import shop

from agent_saga.runtime import Engine, PersonDecision, PlanDriver, Report, StaticGate


async def wander(plan: Plan, seed: int, saga: str) -> Run:
    """Run a saga to its end; the process dies, the switch is thrown and persons decide by chance."""
    random, world, store, clock = Random(seed), plan.world(), Lines(), Clock()
    classes = dict(zip(plan.names, plan.classes, strict=True))
    after = dict.fromkeys(plan.names, ()) if plan.together else None
    definition = shop(world, plan.names, goal=plan.goal, after=after, classes=classes)
    driver = PlanDriver(lambda step, view: {"item": step}, together=plan.together)
    thrown = 0

    def stop(saga: str, name: str) -> str:
        nonlocal thrown
        if thrown < 2 and random.random() < 0.04:
            thrown += 1
            return "kill_switch"
        return ""

    for _ in range(60):
        gate = StaticGate(persons=frozenset({PERSON}))
        engine = Engine(store, gate=gate, clock=clock, sleep=_no_sleep, stop=stop)  # type: ignore[arg-type]
        store.left, store.late = random.choice((-1, -1, 1, 2, 3, 5, 8)), random.random() < 0.5
        try:
            report = await engine.run(definition, driver, saga=saga)
            if report.ended:
                break
            for target in report.about:
                await engine.decide(saga, _whim(random, world, report, target))
        except Stop:
            continue
    lines = store.kept[saga]
    return Run(plan, seed, report, world, lines, [], sum(b'"type":"person.decided"' in line for line in lines))


def _whim(random: Random, world: Any, report: Report, target: str) -> PersonDecision:
    """Any verdict that does not lie: landed and absent as the provider's books say, undone after doing it by hand."""
    state = report.state
    if target == report.saga:
        return PersonDecision(target, random.choice(("kept", "undone")), PERSON, "whim")  # type: ignore[arg-type]
    call: Any = state.undos.get(target) or state.effects[target]
    truth = "landed" if call.key in world.ledger else "absent"
    choices = ["undone", "kept"] + [truth] * 2 * (call.state == "unknown")
    verdict = random.choice(choices)
    if verdict == "undone":
        world.counts[state.effects[getattr(call, "effect", target)].plan] = 0
    return PersonDecision(target, verdict, PERSON, "whim", report.pause)  # type: ignore[arg-type]


def told_right(run: Run) -> str:
    """What is wrong with the end of a saga; "" when it says what really stands."""
    state = run.report.state
    if not run.report.ended:
        return f"not ended: {run.report.status} {run.report.about}"
    held = {state.effects[name].plan: state.effects[name] for name in run.report.held}
    standing = {name for name, number in run.world.standing.items() if number}
    if any(number not in (0, 1) for number in run.world.counts.values()):
        return f"an effect stands {dict(run.world.counts)} times"
    if run.world.repeats:
        return f"made again: {run.world.repeats}"
    if not standing <= set(held):
        return f"{standing} stand, {set(held)} are told"
    doubtful = {name for name, effect in held.items() if effect.state == "unknown" or effect.settled == "kept"}
    return "" if set(held) - standing <= doubtful else f"{set(held)} are told, {standing} stand"
