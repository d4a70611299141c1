"""An async function in time: with a timer only where it waits at all."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Generator
from types import CoroutineType, coroutine
from typing import Any


async def within(function: Callable[[], Any], seconds: float) -> Any:
    """What an async function returns, which has so many seconds from now on. Raises TimeoutError, and what it raises.

    It runs up to where it first waits before there is a timer: until then none could have stopped it either.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    answer = function()
    if type(answer) is not CoroutineType:
        async with asyncio.timeout_at(end):
            return await answer if inspect.isawaitable(answer) else answer
    try:
        waits = answer.send(None)
    except StopIteration as returned:
        return returned.value
    async with asyncio.timeout_at(end):
        return await _rest(answer, waits)


@coroutine
def _rest(begun: Coroutine[Any, Any, Any], waits: Any) -> Generator[Any, Any, Any]:
    """Await the rest of a coroutine that was begun by hand. waits: what it waits for."""
    while True:
        found, thrown = None, None
        try:
            found = yield waits
        except BaseException as error:
            thrown = error
        try:
            waits = begun.send(found) if thrown is None else begun.throw(thrown)
        except StopIteration as returned:
            return returned.value
