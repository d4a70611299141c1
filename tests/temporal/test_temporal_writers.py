"""Who may write a saga: activities tried again, given up, and those of another workflow, without a server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from temporal_sagas import World, two_steps
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal.activities import Activities, Crew
from agent_saga.runtime.temporal.messages import Next, Pending, Place, Turn
from agent_saga.runtime.temporal.names import TAKEN
from agent_saga.runtime.temporal.turns import postpone
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.errors import Refusal


class Hand:
    """One worker's activities, called as its server would call them."""

    def __init__(self, runnable: Runnable, store: Store, lease: float = 60.0) -> None:
        crew = Crew(runnable, runnable.engine(store, lease=lease, sleep=postpone), runnable.engine(store, lease=lease))
        self.activities = Activities({"two": crew}, lease=lease)

    async def turn(self, place: Place, pending: Pending, attempt: int = 1, goal: Any = None) -> Next:
        environment = ActivityEnvironment()
        environment.info = replace(environment.info, attempt=attempt, heartbeat_timeout=None)
        work = getattr(self.activities, pending.kind)
        found: Next = await environment.run(work, Turn("s-1", "two", place, pending, goal))
        return found

    async def on(self, after: Next) -> Next:
        """What the workflow would start after an answer."""
        while after.kind == "sleep":
            await asyncio.sleep(after.seconds)
            after = await self.turn(after.place, Pending(lost=False))
        return await self.turn(after.place, Pending(after.kind, after.about, after.seconds, lost=False))


def types(lines: list[bytes]) -> list[str]:
    return [line.split(b'"type":"')[1].split(b'"')[0].decode() for line in lines]


def test_an_activity_that_was_given_up_and_comes_back_writes_nothing(tmp_path: Path, run: Any) -> None:
    async def story() -> Any:
        world, store = World(gate=asyncio.Event()), open_store(tmp_path / "saga.db")
        first, second = (Hand(two_steps(world), store) for _ in range(2))
        begun = await first.turn(Place(), Pending())
        assert (begun.kind, begun.about) == ("execute", ("e1",))
        given_up = asyncio.ensure_future(first.on(begun))
        await world.begun.wait()
        # Its heartbeats are not heard any more: another worker asks the provider, which knows nothing yet.
        asked = await second.turn(begun.place, Pending(lost=True))
        assert (asked.kind, asked.about) == ("reconcile", ("e1",))
        again = await second.on(asked)
        while again.kind == "sleep":
            await asyncio.sleep(again.seconds)
            again = await second.turn(again.place, Pending(lost=False))
        assert (again.kind, again.about) == ("execute", ("e1",))
        before = await store.read("s-1")
        assert world.gate is not None
        world.gate.set()
        with pytest.raises(Refusal, match="another line stands there"):
            await given_up
        after = await store.read("s-1")
        # Its call took effect under the key that the second attempt has too: that one is asked about, and not repeated.
        following = await second.on(again)
        while following.kind != "end":
            following = await second.on(following)
        lines = await store.read("s-1")
        await store.close()
        return before, after, lines, world, following

    before, after, lines, world, following = run(story())
    assert before == after
    assert following.status == "succeeded_verified"
    assert sorted(world.made.values()) == ["first", "second"]
    assert types(lines).count("effect.intended") == 3


def test_an_activity_that_is_tried_again_goes_on_from_what_it_left(tmp_path: Path, run: Any) -> None:
    async def story() -> Any:
        world, store = World(), open_store(tmp_path / "saga.db")
        hand = Hand(two_steps(world), store)
        begun = await hand.turn(Place(), Pending())
        left = await store.read("s-1")
        again = await Hand(two_steps(world), store).turn(begun.place, Pending(lost=False), attempt=2)
        return left, await store.read("s-1"), begun, again, world

    left, lines, begun, again, world = run(story())
    assert left == lines
    assert (again.kind, again.about, again.place.seq) == (begun.kind, begun.about, begun.place.seq)
    assert world.made == {}


def test_an_execution_that_the_kernel_does_not_ask_for_calls_nobody(tmp_path: Path, run: Any) -> None:
    """As when the same task came twice: the second finds the outcome, and answers what is next."""

    async def story() -> Any:
        world, store = World(), open_store(tmp_path / "saga.db")
        hand = Hand(two_steps(world), store)
        begun = await hand.turn(Place(), Pending())
        await hand.on(begun)
        repeated = await Hand(two_steps(world), store).on(begun)
        return repeated, world

    repeated, world = run(story())
    assert list(world.made.values()) == ["first"]
    assert (repeated.kind, repeated.about) == ("execute", ("e2",))


def test_a_workflow_whose_saga_another_took_calls_nobody_and_raises_an_alarm(tmp_path: Path, run: Any) -> None:
    async def story() -> Any:
        world, store = World(), open_store(tmp_path / "saga.db")
        hand = Hand(two_steps(world), store)
        begun = await hand.turn(Place(), Pending())
        assert await store.acquire("s-1", "another", 60.0, 1e12) is not None
        with pytest.raises(ApplicationError) as failed:
            await hand.on(begun)
        return failed.value, await store.read("s-1"), world

    failed, lines, world = run(story())
    assert failed.type == TAKEN
    assert failed.non_retryable
    assert types(lines)[-1] == "effect.intended"
    assert world.made == {}


def test_a_goal_that_cannot_be_written_ends_the_workflow_before_a_line_is_written(tmp_path: Path, run: Any) -> None:
    async def story() -> Any:
        store = open_store(tmp_path / "saga.db")
        with pytest.raises(ApplicationError, match="the goal is refused") as failed:
            await Hand(two_steps(World()), store).turn(Place(), Pending(), goal={"at": 1.5})
        return failed.value, await store.sagas()

    failed, rows = run(story())
    assert failed.non_retryable
    assert rows == []
