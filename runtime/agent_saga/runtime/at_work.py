"""Which calls are still at work in threads and tasks of this process that nobody waits for any more.

No thread can be stopped. A blocking tool that was given up on goes on, and so does what an async one gave to a thread
or to a task of its own; what they do may come after the provider was asked and knew nothing: so long, *absent* is no
answer. A function that waits for a thread when its call is given up never begins.

Of an async tool that is seen which goes through its event loop: ``asyncio.to_thread``, ``loop.run_in_executor`` with
threads, and tasks, also shielded ones. A thread that it starts by itself is not seen.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import Any

IN_CALL: ContextVar[str] = ContextVar("agent_saga_in_call", default="")
"""Key of the call whose async tool this is a part of; "" outside of one."""

_lock = Lock()
_keys: Counter[str] = Counter()
os.register_at_fork(after_in_child=_keys.clear)  # threads do not follow into a fork


def at_work(key: str, function: Callable[[], Any]) -> Callable[[], Any]:
    """The function, known to be at work under this key from now on until it ends."""
    _begun(key)

    def work() -> Any:
        try:
            return function()
        finally:
            _ended(key)

    return work


def is_at_work(key: str) -> bool:
    """Whether a call under this key has not ended yet."""
    with _lock:
        return key in _keys


def watch(loop: asyncio.AbstractEventLoop) -> None:
    """Let the loop tell what an async tool gives to threads and tasks. Once is enough."""
    if "run_in_executor" in loop.__dict__:
        return
    make, run = loop.create_task, loop.run_in_executor

    def create_task(*args: Any, **options: Any) -> Any:
        task, key = make(*args, **options), IN_CALL.get()
        if key and not task.done():
            _begun(key)
            task.add_done_callback(lambda _: _ended(key))
        return task

    def run_in_executor(executor: Executor | None, function: Callable[..., Any], *args: Any) -> Any:
        key = IN_CALL.get()
        if not key or not (executor is None or isinstance(executor, ThreadPoolExecutor)):
            return run(executor, function, *args)
        errand = _Errand(key, partial(function, *args))
        future = run(executor, errand)
        future.add_done_callback(lambda _: errand.drop())
        return future

    loop.create_task = create_task  # type: ignore[method-assign]
    loop.run_in_executor = run_in_executor  # type: ignore[assignment,method-assign]


class _Errand:
    """A function that waits for a thread, at work until it ends; dropped before it began, it never begins."""

    def __init__(self, key: str, function: Callable[[], Any]) -> None:
        self._function, self._taken, self._lock = at_work(key, function), False, Lock()
        self._key = key

    def __call__(self) -> Any:
        return self._function() if self._take() else None

    def drop(self) -> None:
        """Nobody waits for it any more."""
        if self._take():
            _ended(self._key)

    def _take(self) -> bool:
        with self._lock:
            taken, self._taken = self._taken, True
        return not taken


def _begun(key: str) -> None:
    with _lock:
        _keys[key] += 1


def _ended(key: str) -> None:
    with _lock:
        _keys[key] -= 1
        if _keys[key] <= 0:
            del _keys[key]
