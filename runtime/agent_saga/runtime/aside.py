"""Functions that block, run aside from the event loop: in threads that are used again.

To make a thread for one call takes longer than all else that a step of a saga costs. A thread whose function hangs is
left behind: it does not keep the process from ending, and nobody waits for it.
"""

import asyncio
import os
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

IDLE: Final = 32
"""Threads that wait for another call at most; what more calls at once need ends with them."""

_idle: "list[_Worker]" = []
os.register_at_fork(after_in_child=_idle.clear)  # threads do not follow into a fork


class _Worker:
    """A thread that runs one function after another."""

    def __init__(self) -> None:
        self.given: SimpleQueue[Callable[[], Callable[[], None]]] = SimpleQueue()
        Thread(target=self._serve, daemon=True, name="agent-saga-tool").start()

    def _serve(self) -> None:
        going_on = True
        while going_on:
            tell = self.given.get()()
            going_on = len(_idle) < IDLE
            if going_on:
                _idle.append(self)  # before it is told, so that whoever goes on then finds it
            tell()
            del tell  # holds what the function answered


async def aside(function: Callable[[], Any]) -> Any:
    """Run the function in a thread and return what it returns, or raise what it raises."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = copy_context()

    def work() -> Callable[[], None]:
        try:
            answer: tuple[Any, BaseException | None] = context.run(function), None
        except BaseException as error:
            answer = None, error
        return lambda: _tell(loop, future, answer)

    worker = _taken() or _Worker()
    worker.given.put(work)
    value, error = await future
    if error is not None:
        raise error
    return value


def _taken() -> _Worker | None:
    try:
        return _idle.pop()
    except IndexError:
        return None


def _tell(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", answer: Any) -> None:
    try:
        loop.call_soon_threadsafe(_answer, future, answer)
    except RuntimeError:  # the loop was closed: nobody waits any more
        return


def _answer(future: "asyncio.Future[Any]", answer: Any) -> None:
    if not future.done():
        future.set_result(answer)
