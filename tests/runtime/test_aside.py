"""Blocking functions run in threads that are used again, each with its caller's context, and hang for nobody else."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextvars import ContextVar

import pytest

from agent_saga.runtime.aside import IDLE, aside

WHO: ContextVar[str] = ContextVar("WHO", default="nobody")


def test_one_thread_serves_one_call_after_another() -> None:
    async def run() -> set[int]:
        return {await aside(threading.get_ident) for _ in range(50)}

    assert len(asyncio.run(run())) == 1
    assert threading.get_ident() not in asyncio.run(run())


def test_calls_at_once_have_a_thread_each_and_few_are_kept() -> None:
    before = threading.active_count()
    barrier = threading.Barrier(IDLE + 20)

    async def run() -> None:
        await asyncio.gather(*(aside(lambda: barrier.wait(30)) for _ in range(IDLE + 20)))

    asyncio.run(run())
    deadline = time.monotonic() + 30
    while threading.active_count() > before + IDLE and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before + IDLE


def test_what_a_function_raises_is_raised_and_its_thread_goes_on() -> None:
    def wrong() -> None:
        raise SystemExit(3)

    async def run() -> None:
        with pytest.raises(SystemExit):
            await aside(wrong)
        assert await aside(lambda: 7) == 7

    asyncio.run(run())


def test_each_call_sees_the_context_of_its_caller_and_leaves_nothing_behind() -> None:
    def look() -> str:
        found = WHO.get()
        WHO.set("the one before")
        return found

    async def run() -> None:
        assert await aside(look) == "nobody"
        WHO.set("me")
        assert [await aside(look), await aside(look)] == ["me", "me"]

    asyncio.run(run())


def test_a_function_that_hangs_holds_up_no_other() -> None:
    release = threading.Event()

    async def run() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await aside(lambda: release.wait(30))
        assert await asyncio.wait_for(aside(lambda: 7), 10) == 7

    asyncio.run(run())
    release.set()


def test_threads_do_not_follow_into_a_fork() -> None:
    async def call() -> int:
        return int(await asyncio.wait_for(aside(lambda: 7), 10))

    assert asyncio.run(call()) == 7
    child = os.fork()
    if child == 0:
        os._exit(asyncio.run(call()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
