"""Group commit: one thread writes, and everybody who waits while it syncs is in its next transaction.

A disk syncs a few hundred times a second, whatever one sync holds. So callers hand in jobs; the thread takes all that
have gathered, lets each draft its changes, and commits them together. Each caller gets its own answer. What the tasks
of an event loop hand in during one turn of it goes to the thread at once: handing over costs as much as drafting.

While a group of a loop is under way, what that loop hands in waits for it, and then for the tasks that it wakes: the
thread is busy until then, and a loop that is busy keeps the interpreter from it. So they take turns, with one sync a
turn, where otherwise two halves would wait for each other with a sync each.
"""

import asyncio
import copy
import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.engine import ALONE, Engine, Raced, Wanted
from agent_saga.trace.store.errors import Closed, Refusal

T = TypeVar("T")

GROUP: Final = 1000
"""Jobs from which on a transaction takes no more: far above what gathers during one sync; it bounds memory and log."""


TRIES: Final = 100
"""Times that a group is drafted anew because others came in between; each time somebody else got on."""


class _Job(NamedTuple):
    """draft: makes the changes and returns the answer. answer: where its caller waits, on its event loop."""

    draft: Callable[[Draft], Any]
    wanted: Wanted
    loop: asyncio.AbstractEventLoop
    answer: "asyncio.Future[Any]"


class Committer:
    """Runs jobs against one engine. Any number of tasks and event loops may call it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._gathering: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        self._under_way: set[asyncio.AbstractEventLoop] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()

    def run(self, draft: Callable[[Draft], T], wanted: Wanted = ALONE) -> "asyncio.Future[T]":
        """Let the job draft its changes; its answer comes once they are durable, or what job or commit raise.

        draft: may be called again, when another writer came in between, unless it is wanted alone. Raises Closed.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        with self._lock:
            self._usable()
            mine = self._gathering.get(loop)
            if mine is None:
                mine = self._gathering[loop] = []
                if loop not in self._under_way:
                    loop.call_soon(self._hand_over, loop)
            mine.append(_Job(draft, wanted, loop, answer))
        return answer

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the thread what this turn of the loop has gathered; nothing when :meth:`close` has done so."""
        with self._lock:
            jobs = self._gathering.pop(loop, None)
            if jobs:
                self._under_way.add(loop)
                self._jobs.put(jobs)

    def _usable(self) -> None:
        if self._closed:
            raise Closed(f"{self._engine.place}: the store is closed; open it again")
        if self._process != os.getpid():
            raise Closed(f"{self._engine.place}: opened before this process was forked; open the store after the fork")
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="agent-saga store", daemon=True)
            self._thread.start()

    async def close(self) -> None:
        """Commit what waits, then end the thread. Later jobs are refused."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
            for loop, jobs in self._gathering.items():
                if not loop.is_closed():  # else nobody waits any more, and long since
                    self._jobs.put(jobs)
            self._gathering.clear()
        if thread is not None and self._process == os.getpid():
            self._jobs.put(None)
            await asyncio.to_thread(thread.join)

    def _serve(self) -> None:
        going_on = True
        while going_on:
            group: list[_Job] = []
            going_on = self._gather(group)
            if group:
                self._deliver(group, self._committed(group))

    def _gather(self, group: list[_Job]) -> bool:
        """Wait for a job and take all that wait with it; False when the end is asked for."""
        jobs = self._jobs.get()
        while jobs is not None:
            group += jobs
            if len(group) >= GROUP:
                return True
            try:
                jobs = self._jobs.get_nowait()
            except Empty:
                return True
        return False

    def _committed(self, group: list[_Job]) -> list[Any]:
        """The answer of each job, exceptions as values. A fault of the store is everybody's: nothing was written."""
        wanted = _together([job.wanted for job in group])
        for again in range(TRIES):
            try:
                draft = Draft(self._engine.begin(wanted))
                answers = [_tried(job, draft) for job in group]
                if again == 0 and self._engine.guessed and any(isinstance(answer, _Raised) for answer in answers):
                    self._engine.rollback()  # which forgets: what is refused is refused by what stands there
                    continue
                self._engine.commit(draft)
            except BaseException as fault:
                self._engine.rollback()
                if isinstance(fault, Raced) and not wanted.alone and again < TRIES - 1:
                    continue
                return [_Raised(copy.copy(fault)) for _ in group]
            return [draft.settled(answer) for answer in answers]
        raise AssertionError("the last try returns")

    def _deliver(self, group: list[_Job], answers: list[Any]) -> None:
        """Hand the answers over, one wake-up for each event loop."""
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
        for job, answer in zip(group, answers, strict=True):
            by_loop.setdefault(job.loop, []).append((job.answer, answer))
        for loop, pairs in by_loop.items():
            try:
                loop.call_soon_threadsafe(self._settled, loop, pairs)
            except RuntimeError:  # the loop was closed: nobody waits any more
                with self._lock:
                    self._under_way.discard(loop)
                    self._gathering.pop(loop, None)

    def _settled(self, loop: asyncio.AbstractEventLoop, pairs: list[tuple["asyncio.Future[Any]", Any]]) -> None:
        """Wake the tasks that wait; what they and others hand in then is the next group."""
        _settle(pairs)
        with self._lock:
            self._under_way.discard(loop)
            if loop in self._gathering:
                loop.call_soon(self._hand_over, loop)


def _together(all_wanted: list[Wanted]) -> Wanted:
    heads, leases, budgets, alone = zip(*all_wanted, strict=True)
    return Wanted(frozenset().union(*heads), frozenset().union(*leases), frozenset().union(*budgets), any(alone))


class _Raised(NamedTuple):
    fault: BaseException


def _tried(job: _Job, draft: Draft) -> Any:
    try:
        return job.draft(draft)
    except Refusal as fault:
        return _Raised(fault)


def _settle(pairs: list[tuple["asyncio.Future[Any]", Any]]) -> None:
    for future, answer in pairs:
        if future.done():  # its caller was cancelled
            continue
        if isinstance(answer, _Raised):
            future.set_exception(answer.fault)
        else:
            future.set_result(answer)
