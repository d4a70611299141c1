"""A function in time ends as one that is awaited under a timer from the start, and no later whatever it does."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from agent_saga.runtime import Call
from agent_saga.runtime import within as module
from agent_saga.runtime.within import Elapsed, can_wait, within

SECONDS = 0.02
AMPLE = 60.0
"""Seconds for what ends by itself, also on a machine that stands still for a while."""


async def at_once() -> str:
    return "answer"


async def fails() -> None:
    raise LookupError("no")


async def stops() -> None:
    raise StopIteration("no")


async def turns() -> int:
    for _ in range(3):
        await asyncio.sleep(0)
    return 3


async def waits() -> str:
    return await asyncio.sleep(0.001, "waited")


async def hangs() -> None:
    await asyncio.get_running_loop().create_future()


async def hangs_later() -> None:
    await asyncio.sleep(0)
    await hangs()


async def holds_out() -> str:
    try:
        await hangs()
    except asyncio.CancelledError:
        return "though it was to end"
    return ""


async def cleans_up() -> None:
    try:
        await hangs()
    finally:
        await asyncio.sleep(0)


async def hears_of_failure() -> str:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_exception, LookupError("there"))
    try:
        await future
    except LookupError as error:
        return await asyncio.sleep(0, f"heard {error}")
    return ""


async def has_a_timer() -> str:
    try:
        async with asyncio.timeout(0.001):
            await hangs()
    except TimeoutError:
        return "its own"
    return ""


async def cancels_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def together() -> list[int]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(turns()) for _ in range(2)]
    return [task.result() for task in tasks]


def no_coroutine() -> asyncio.Future[str]:
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_result, "future")
    return future


def no_awaitable() -> str:
    return "plain"


KINDS = (
    at_once, fails, stops, turns, waits, hangs, hangs_later, cleans_up, hears_of_failure, has_a_timer, together,
    no_coroutine, no_awaitable,
)  # fmt: skip


async def awaited(function: Callable[[], Any], seconds: float) -> Any:
    async with asyncio.timeout(seconds):
        answer = function()
        return await answer if isinstance(answer, Awaitable) else answer


def outcome(way: Callable[..., Any], function: Callable[[], Any], cancel: bool) -> tuple[Any, ...]:
    async def main() -> tuple[Any, ...]:
        async def call() -> Any:
            return await way(function, SECONDS if function in (hangs, hangs_later, holds_out, cleans_up) else AMPLE)

        task = asyncio.ensure_future(call())
        if cancel:
            for _ in range(2):
                await asyncio.sleep(0)
            task.cancel()
        found = (await asyncio.gather(task, return_exceptions=True))[0]
        told = (type(found), str(found)) if isinstance(found, BaseException) else (found,)
        if isinstance(found, TimeoutError):
            told = (TimeoutError,)
        return (*told, task.cancelled(), task.cancelling())

    return asyncio.run(main())


@pytest.mark.parametrize("cancel", [False, True])
@pytest.mark.parametrize("function", KINDS)
def test_it_ends_as_one_that_is_awaited(function: Callable[[], Any], cancel: bool) -> None:
    assert outcome(within, function, cancel) == outcome(awaited, function, cancel)


@pytest.mark.parametrize("function", [hangs, hangs_later, cleans_up])
def test_what_hangs_is_ended(function: Callable[[], Any]) -> None:
    start = time.monotonic()
    assert outcome(within, function, False)[0] is TimeoutError
    assert time.monotonic() - start < 10


def test_the_last_words_of_one_that_is_out_of_time_are_heard() -> None:
    assert outcome(within, holds_out, False) == ("though it was to end", False, 0)


def test_who_waits_for_one_that_holds_out_is_cancelled_all_the_same() -> None:
    assert outcome(within, holds_out, True) == (asyncio.CancelledError, "", True, 1)


def test_a_function_that_cancels_itself_cancels_nobody_else() -> None:
    assert outcome(within, cancels_itself, False) == (asyncio.CancelledError, "", True, 0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Python's own, of what ignores its end
@pytest.mark.parametrize("cancel", [False, True])
@pytest.mark.parametrize("swallows", [asyncio.CancelledError, BaseException])
def test_what_swallows_every_end_never_runs_again(
    monkeypatch: pytest.MonkeyPatch, swallows: type[BaseException], cancel: bool
) -> None:
    monkeypatch.setattr(module, "LAST_WORDS", 0.05)
    turn = [0]

    async def goes_on() -> None:
        while True:
            turn[0] += 1
            with contextlib.suppress(swallows):
                await asyncio.sleep(0.001)

    async def main() -> None:
        task = asyncio.ensure_future(within(goes_on, 5.0 if cancel else SECONDS))
        await asyncio.sleep(SECONDS)
        if cancel:
            task.cancel()
        with pytest.raises(asyncio.CancelledError if cancel else Elapsed):
            await task
        turns = turn[0]
        await asyncio.sleep(0.05)
        assert turn[0] == turns
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


@pytest.mark.parametrize("waits_for", ["future", "nothing"])
def test_one_that_is_cancelled_right_after_its_first_step_hears_of_it(waits_for: str) -> None:
    heard: list[str] = []

    async def listens() -> None:
        try:
            await (asyncio.sleep(5) if waits_for == "future" else asyncio.sleep(0))
        except asyncio.CancelledError:
            heard.append(waits_for)
            raise

    async def main() -> None:
        task = asyncio.ensure_future(within(listens, 5.0))
        asyncio.get_running_loop().call_soon(task.cancel)  # after its first step, before that of the inner task
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    assert heard == [waits_for]


def test_the_time_runs_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[float] = []

    async def late() -> None:
        time.sleep(0.01)
        await asyncio.sleep(0)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        call_at, begun = loop.call_at, loop.time()
        monkeypatch.setattr(loop, "call_at", lambda when, *rest: (ends.append(when), call_at(when, *rest))[1])
        await within(late, 5.0)
        assert begun + 5.0 <= ends[0] <= loop.time() + 5.0 - 0.01

    asyncio.run(main())
    assert len(ends) == 1


def test_what_never_waits_needs_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "call_at", None)
        assert await within(turnless, 5.0) == "answer"

    async def turnless() -> str:
        return await at_once()

    asyncio.run(main())


async def loops() -> None:
    async for _ in numbers():
        return


async def numbers() -> AsyncIterator[int]:
    yield 1


async def enters() -> None:
    async with asyncio.Lock():
        return


@pytest.mark.parametrize("function", [turns, waits, hangs, cleans_up, has_a_timer, together, loops, enters])
def test_a_function_with_an_await_of_any_kind_can_wait(function: Callable[[], Any]) -> None:
    assert can_wait(function)
    assert can_wait(partial(at_once))  # what cannot be looked into is taken for one that can


@pytest.mark.parametrize("function", [at_once, fails, stops])
def test_what_cannot_wait_ends_as_one_that_can(function: Callable[[], Any]) -> None:
    async def now(function: Callable[[], Any], seconds: float) -> Any:
        return module.at_once(function, "key")

    assert not can_wait(function)
    assert outcome(now, function, False) == outcome(awaited, function, False)


@pytest.mark.parametrize("waits_first", [False, True])
def test_what_would_end_the_process_is_told_to_who_waits(waits_first: bool) -> None:
    async def ends() -> None:
        if waits_first:
            await asyncio.sleep(0)
        raise SystemExit(3)

    async def main() -> None:
        with pytest.raises(SystemExit):
            await within(ends, 5.0)

    asyncio.run(main())


def test_a_call_does_not_tell_its_providers() -> None:
    told = repr(Call("a", {"item": "x"}, "key", providers={"psp": "not to be told"}))
    assert told.startswith("Call(tool='a', args={'item': 'x'}, key='key', attempt=1, ")
    assert "not to be told" not in told
