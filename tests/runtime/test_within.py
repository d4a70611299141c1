"""A function begun by hand ends as one that is awaited under a timer from the start, and no later."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest

from agent_saga.runtime import Call
from agent_saga.runtime import within as module
from agent_saga.runtime.within import within

SEEN: ContextVar[str] = ContextVar("SEEN", default="")
SECONDS = 0.02


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
        SEEN.set("cleaned up")


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
    at_once, fails, stops, turns, waits, hangs, hangs_later, holds_out, cleans_up, hears_of_failure, has_a_timer,
    cancels_itself, together, no_coroutine, no_awaitable,
)  # fmt: skip


async def awaited(function: Callable[[], Any], seconds: float) -> Any:
    async with asyncio.timeout(seconds):
        answer = function()
        return await answer if isinstance(answer, Awaitable) else answer


def outcome(way: Callable[..., Any], function: Callable[[], Any], cancel: bool) -> tuple[Any, ...]:
    async def main() -> tuple[Any, ...]:
        async def call() -> Any:
            return await way(function, SECONDS), SEEN.get()

        task = asyncio.ensure_future(call())
        if cancel:
            for _ in range(2):
                await asyncio.sleep(0)
            task.cancel()
        found = (await asyncio.gather(task, return_exceptions=True))[0]
        told = (type(found), str(found)) if isinstance(found, BaseException) else (found,)
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


def test_the_time_runs_from_the_beginning(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    begun: list[float] = []
    ends: list[float] = []

    async def late() -> None:
        begun.append(asyncio.get_running_loop().time())
        time.sleep(0.01)
        await asyncio.sleep(0)

    def noted(when: float) -> asyncio.Timeout:
        ends.append(when)
        return asyncio.Timeout(when)

    monkeypatch.setattr(module.asyncio, "timeout_at", noted)
    run(within(late, 5.0))
    assert ends[0] <= begun[0] + 5.0


def test_what_never_waits_needs_no_timer(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    def none(when: float) -> asyncio.Timeout:
        raise AssertionError("a timer")

    monkeypatch.setattr(module.asyncio, "timeout_at", none)
    assert run(within(at_once, 5.0)) == "answer"


def test_a_call_does_not_tell_its_providers() -> None:
    told = repr(Call("a", {"item": "x"}, "key", providers={"psp": "not to be told"}))
    assert told.startswith("Call(tool='a', args={'item': 'x'}, key='key', attempt=1, ")
    assert "not to be told" not in told
