"""An async function in time: in a task of its own, which is ended where it goes on though it was cancelled.

Its first step is made at once. One that cannot wait at all needs neither task nor timer.
"""

import asyncio
import contextlib
import dis
from asyncio.tasks import _enter_task, _leave_task  # documented for who makes tasks: docs.python.org, asyncio-extending
from collections.abc import Callable, Coroutine, Generator
from contextvars import copy_context
from inspect import isawaitable
from types import CoroutineType
from typing import Any, Final

from agent_saga.runtime.at_work import IN_CALL, watch
from agent_saga.runtime.limits import LAST_WORDS

_SEND: Final = dis.opmap["SEND"]
"""What every await, async for and async with is compiled to."""


class Elapsed(TimeoutError):
    """The time of a function is over, and it has not answered: no exception of its own stands for that."""


async def within(function: Callable[[], Any], seconds: float, key: str = "") -> Any:
    """What an async function returns, which has so many seconds from now on. Raises Elapsed, and what it raises.

    key: of the call that it makes; what it gives to tasks and threads is known to be at work under it
    (:mod:`agent_saga.runtime.at_work`). It is cancelled when its time is over, or whoever waits here is. What it then
    says within :data:`LAST_WORDS` seconds is heard; one that says nothing never gets to run again.
    """
    loop, me = asyncio.get_running_loop(), asyncio.current_task()
    assert me is not None
    if key:
        watch(loop)
    end, rest, context = loop.time() + seconds, _Rest(), copy_context()
    task = asyncio.Task(rest, loop=loop, context=context)
    _leave_task(loop, me)
    _enter_task(loop, task)
    try:
        context.run(rest.begin, function, key)
    finally:
        _leave_task(loop, task)
        _enter_task(loop, me)
    if not rest.over:
        await _to_its_end(task, rest, seconds, end)
    if rest.error is not None:
        raise rest.error
    return rest.value


def can_wait(function: Callable[..., Any]) -> bool:
    """Whether an async function may ever wait; one in whose code no await stands cannot."""
    code = getattr(function, "__code__", None)
    return code is None or _SEND in code.co_code[::2]


def at_once(function: Callable[[], Any], key: str) -> Any:
    """What an async function returns that cannot wait. key: as for :func:`within`. Raises what it raises."""
    watch(asyncio.get_running_loop())
    outside = IN_CALL.set(key)
    try:
        function().send(None)
    except StopIteration as returned:
        return returned.value
    finally:
        IN_CALL.reset(outside)
    raise RuntimeError("it waited, though no await stands in its code")


async def _to_its_end(task: "asyncio.Task[None]", rest: "_Rest", seconds: float, end: float) -> None:
    """Wait for the task, cancel it when its time is over, and see to it that it is over in any case."""
    try:
        await _heard(task.get_loop(), rest, end)
        if rest.over:
            return
        task.cancel()
        if not (await asyncio.wait({task}, timeout=LAST_WORDS))[0]:
            raise Elapsed("it went on though it was cancelled, and was ended; whatever it answers is not heard")
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=LAST_WORDS)
        raise
    finally:
        if not rest.over:
            rest.end()
            task.cancel()  # what it waits for may be gone with its end
    if isinstance(rest.error, asyncio.CancelledError):
        raise Elapsed(f"no answer within {seconds:g} seconds") from None


async def _heard(loop: asyncio.AbstractEventLoop, rest: "_Rest", end: float) -> None:
    """Until it is over, or its time is."""
    rest.told = loop.create_future()
    timer = loop.call_at(end, _tell, rest.told)
    try:
        await rest.told
    finally:
        timer.cancel()


def _tell(told: "asyncio.Future[None] | None") -> None:
    if told is not None and not told.done():
        told.set_result(None)


class _Rest(Coroutine[Any, Any, None]):
    """What is left of a coroutine after its first step, as a task runs it: to its end, or until it is ended.

    It raises nothing, since SystemExit in a task ends the loop: what it raised is told to whoever waits.
    """

    __slots__ = ("_begun", "_first", "_held", "error", "over", "told", "value")
    __name__ = "in time"
    """How a task names it."""

    def __init__(self) -> None:
        self._begun: Coroutine[Any, Any, Any] | None = None
        self._held = self.over = False
        """Whether the task has not heard yet what the first step waits for; whether it is over."""
        self.error: BaseException | None = None
        self.value: Any = None
        self.told: asyncio.Future[None] | None = None
        """Told when it is over."""

    def begin(self, function: Callable[[], Any], key: str) -> None:
        """Make the first step, up to where it waits. key: of the call, "" for none."""
        if key:
            IN_CALL.set(key)
        try:
            answer = function()
        except BaseException as error:
            self.over, self.error = True, error
            return
        if type(answer) is not CoroutineType:
            if not isawaitable(answer):
                self.over, self.value = True, answer
                return
            answer = _awaited(answer)
        self._begun = answer
        try:
            self._first = self._step(answer.send, None)
        except StopIteration:
            return
        self._held = True

    def end(self) -> None:
        """Let it never run again, but for what it does at once when it is closed."""
        begun, self._begun, self.over = self._begun, None, True
        if begun is not None:
            with contextlib.suppress(BaseException):
                begun.close()

    def send(self, value: Any) -> Any:
        """A step of the task."""
        if self._held:
            self._held, first = False, self._first
            return first
        return self._on(value)

    def throw(self, error: Any, *_: Any) -> Any:
        """The task was cancelled, or what it waits for failed."""
        if not self._held:
            return self._on(error, thrown=True)
        self._held, first = False, self._first
        if not isinstance(first, asyncio.Future):
            return self._on(error, thrown=True)
        first.cancel()  # as a task cancels what it waits for: it hears of that from there
        return first

    def close(self) -> None:
        """The task goes away."""
        self.end()

    def __await__(self) -> Generator[Any, Any, None]:
        raise TypeError("only a task runs it")

    def _on(self, given: Any, thrown: bool = False) -> Any:
        if self._begun is None:
            raise StopIteration
        return self._step(self._begun.throw if thrown else self._begun.send, given)

    def _step(self, step: Callable[[Any], Any], given: Any) -> Any:
        try:
            return step(given)
        except StopIteration as returned:
            self.value = returned.value
        except BaseException as error:
            self.error = error
        self.over, self._begun = True, None
        _tell(self.told)
        raise StopIteration


async def _awaited(answer: Any) -> Any:
    return await answer
