"""Playing a scenario: run it, recover it, and decide where a person has to, until the saga rests."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from agent_saga.runtime import Engine, NotEntitled, PersonDecision, Report, StaleDecision
from agent_saga.runtime.runnable import Runnable
from agent_saga.testing.providers import Reader
from agent_saga.testing.scenarios.table import PERSON
from agent_saga.trace.store import open_store

POLL: Final = 0.05
MAX_DECISIONS: Final = 5
"""Decisions about one saga at most: an undo that was cut off is tried again and may have to be decided again."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision that a person handed in. refused: why it was not accepted, "" when it was."""

    what: str
    decision: PersonDecision
    refused: str = ""


async def run(runnable: Runnable, store: Path, **settings: Any) -> Report:
    """Begin the runnable's saga and let it go on until it rests."""
    opened = open_store(store)
    try:
        return await runnable.engine(opened, **settings).run(runnable.definition, runnable.driver, goal=runnable.goal)
    finally:
        await opened.close()


async def recover(runnable: Runnable, store: Path, *, patience: float = 10.0, **settings: Any) -> list[Report]:
    """Take up what a dead process left, as soon as its lease is over. patience: seconds to wait for that."""
    opened = open_store(store)
    try:
        engine = runnable.engine(opened, **settings)
        loop = asyncio.get_running_loop()
        end = loop.time() + patience
        while True:
            reports = await engine.recover([(runnable.definition, runnable.driver)])
            if reports or loop.time() > end or not await opened.sagas(open_only=True):
                return reports
            await asyncio.sleep(POLL)
    finally:
        await opened.close()


async def decide(runnable: Runnable, store: Path, report: Report, **settings: Any) -> tuple[Report, list[Decided]]:
    """What the scenarios' person does about a paused saga: one stale and one foreign attempt, then the truth."""
    opened = open_store(store)
    try:
        engine = runnable.engine(opened, **settings)
        handed: list[Decided] = []
        while report.status == "paused" and len(handed) < MAX_DECISIONS * 3:
            for attempt in _attempts(report, truth(runnable, report)):
                handed.append(await _hand_in(engine, report.saga, attempt))
            report = await engine.run(runnable.definition, runnable.driver, saga=report.saga)
        return report, handed
    finally:
        await opened.close()


def truth(runnable: Runnable, report: Report) -> PersonDecision:
    """What a person finds who looks into the provider's own books instead of asking its service."""
    undo = report.state.undos[report.about[0]]
    booked = any(one.key == undo.key for one in _bookings(runnable))
    verdict = "landed" if booked else "absent"
    reason = f"looked into the provider's books: {undo.tool} is {verdict}"
    return PersonDecision(undo.id, verdict, PERSON, reason, report.pause)  # type: ignore[arg-type]


def _bookings(runnable: Runnable) -> list[Any]:
    return [
        one for provider in runnable.providers.values() if isinstance(provider, Reader) for one in provider.bookings()
    ]


def _attempts(report: Report, valid: PersonDecision) -> Sequence[tuple[str, PersonDecision]]:
    return (
        ("about an older pause", replace(valid, pause="0" * 64)),
        ("by somebody who may not", replace(valid, person="nobody-in-particular")),
        ("by a person who may", valid),
    )


async def _hand_in(engine: Engine, saga: str, attempt: tuple[str, PersonDecision]) -> Decided:
    what, decision = attempt
    try:
        await engine.decide(saga, decision)
    except (StaleDecision, NotEntitled) as refused:
        return Decided(what, decision, f"{type(refused).__name__}: {refused}")
    return Decided(what, decision)
