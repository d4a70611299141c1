"""Playing a scenario: run it, recover it, and decide where a person has to, until the saga rests."""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from agent_saga.approvals.errors import NotApproved
from agent_saga.runtime import NotEntitled, PersonDecision, Report, StaleDecision
from agent_saga.runtime.approving import Pending, paused, pending
from agent_saga.runtime.kernel.deciding import of_proof
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.times import instant, utc_now
from agent_saga.testing.providers import Reader
from agent_saga.testing.scenarios.table import APPROVERS, OWNER, PEOPLE, PERSON
from agent_saga.trace.store import open_store

POLL: Final = 0.05
WAITING: Final = ("paused", "waiting_approval")
MAX_DECISIONS: Final = 5
"""Decisions about one saga at most: an undo that was cut off is tried again and may have to be decided again."""


@dataclass(frozen=True, slots=True)
class Decided:
    """An answer or decision that a person handed in. refused: why it was not accepted, "" when it was."""

    what: str
    target: str
    verdict: str
    refused: str = ""


Attempt = tuple[Decided, Awaitable[None]]
"""What a person is about to hand in, and handing it in."""


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
    """What the scenarios' people do about a saga that waits: what must be refused first, then what they mean."""
    opened = open_store(store)
    try:
        engine = runnable.engine(opened, **settings)
        handed: list[Decided] = []
        while report.status in WAITING and len(handed) < MAX_DECISIONS * 3:
            handed += await hand_in(runnable, engine, report, await opened.read(report.saga))
            report = await engine.run(runnable.definition, runnable.driver, saga=report.saga)
        return report, handed
    finally:
        await opened.close()


class Asked(Protocol):
    """Whoever takes what people hand in: an engine, embedded or not."""

    async def approve(self, saga: str, proof: Mapping[str, Any]) -> None:
        """As :meth:`Engine.approve`."""
        ...

    async def decide(self, saga: str, decision: PersonDecision) -> None:
        """As :meth:`Engine.decide`."""
        ...


async def hand_in(runnable: Runnable, engine: Asked, report: Report, lines: list[bytes]) -> list[Decided]:
    """What people do about a saga that waits, once. lines: of the saga, up to where it waits."""
    stuck = report.status == "paused"
    attempts = _decisions(runnable, engine, report, lines) if stuck else _answers(engine, report, lines)
    return [await _hand_in(attempt) for attempt in attempts]


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


def _decisions(runnable: Runnable, engine: Asked, report: Report, lines: list[bytes]) -> Iterator[Attempt]:
    unsigned = truth(runnable, report)
    tries = [
        ("about an older pause", replace(unsigned, pause="0" * 64)),
        ("by somebody who may not", replace(unsigned, person="nobody-in-particular")),
    ]
    if runnable.registry is None:
        tries.append(("by a person who may", unsigned))
    else:
        tries += [("unsigned", unsigned), ("signed by a person who may", _signed(unsigned, lines))]
    for what, one in tries:
        yield Decided(what, one.target, one.verdict), engine.decide(report.saga, one)


def _signed(decision: PersonDecision, lines: list[bytes]) -> PersonDecision:
    (waits,) = paused(lines)
    proof = PEOPLE.decision(
        decision.person, waits, decision.target, decision.verdict, decision.reason, now=instant(utc_now())
    )
    return of_proof(proof)


def _answers(engine: Asked, report: Report, lines: list[bytes]) -> Iterator[Attempt]:
    """The owner of the agent tries first, then somebody for ten times the amount; then who may sign what is asked."""
    for asked in pending(lines):
        now = instant(utc_now())
        tries = [("by the owner of the agent", PEOPLE.answer(OWNER, asked, now=now))]
        tries.append(("for ten times the amount", PEOPLE.answer(PERSON, _tenfold(asked), now=now)))
        left = [one for one in APPROVERS if one not in asked.answered]
        tries += [(f"signed by {one}", PEOPLE.answer(one, asked, now=now)) for one in left]
        for what, proof in tries:
            yield Decided(what, asked.step, "approve"), engine.approve(report.saga, proof)


def _tenfold(asked: Pending) -> Pending:
    amount = asked.content.args["amount"]
    args = asked.content.args | {"amount": amount | {"minor": amount["minor"] * 10}}
    return replace(asked, content=msgspec.structs.replace(asked.content, args=args))


async def _hand_in(attempt: Attempt) -> Decided:
    decided, handing = attempt
    try:
        await handing
    except (StaleDecision, NotEntitled, NotApproved) as refused:
        return replace(decided, refused=f"{type(refused).__name__}: {refused}")
    return decided
