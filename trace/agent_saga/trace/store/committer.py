"""Group commit: one thread writes, and everybody who waits while it syncs is in its next transaction.

A disk syncs a few hundred times a second, whatever one sync holds. So callers hand in jobs; the thread takes all that
have gathered, lets each draft its changes, and commits them together. Each caller gets its own answer. What the tasks
of an event loop hand in during one turn of it goes to the thread at once: handing over costs as much as drafting.

While a group of a loop is under way, what that loop hands in waits for it, and then for the tasks that it wakes: the
thread is busy until then, and a loop that is busy keeps the interpreter from it. So they take turns, with one sync a
turn, where otherwise two halves would wait for each other with a sync each.

A caller who is alone pays the hand-over with nobody to share it, and on a quick disk that is most of what he waits. So
his job is committed by the loop itself, where the thread has nothing to do, nobody else has the store locked, and the
commits before were short: :mod:`~agent_saga.trace.store.pace` says how long a loop may be kept by that at most.
"""

import asyncio
import copy
import os
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from agent_saga.trace.store.draft import Committed, Draft
from agent_saga.trace.store.engine import ALONE, Engine, Prompt, Raced, Wanted
from agent_saga.trace.store.errors import Closed
from agent_saga.trace.store.jobs import Job, Raised, settle, together, tried
from agent_saga.trace.store.pace import Pace

T = TypeVar("T")

GROUP: Final = 1000
"""Jobs from which on a transaction takes no more: far above what gathers during one sync; it bounds memory and log."""


TRIES: Final = 100
"""Times that a group is drafted anew because others came in between; each time somebody else got on."""


class Committer:
    """Runs jobs against one engine. Any number of tasks and event loops may call it."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: seconds, by which commits are timed."""
        self._engine, self._clock = engine, clock
        self._jobs: SimpleQueue[list[Job] | None] = SimpleQueue()
        self._gathering: dict[asyncio.AbstractEventLoop, list[Job]] = {}
        self._under_way: set[asyncio.AbstractEventLoop] = set()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        """Held by whoever is at the engine, the thread or a loop."""
        self._waiting = 0
        """Jobs that the thread was given and has not committed."""
        self._prompt = engine if isinstance(engine, Prompt) else None
        self._pace = Pace()
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
            mine.append(Job(draft, wanted, loop, answer))
        return answer

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """Commit what this turn of the loop has gathered, or give it to the thread.

        Nothing when :meth:`close` has done so.
        """
        with self._lock:
            jobs = self._gathering.pop(loop, None)
            if not jobs:
                return
            if not self._may_wait(jobs):
                return self._send(jobs)
        self._commit_here(jobs)

    def _may_wait(self, jobs: list[Job]) -> bool:
        """Whether the loop is to commit them itself, before anybody else: then it has the engine. Under the lock."""
        if len(jobs) > 1 or self._waiting or self._prompt is None or not self._pace.quick(self._clock()):
            return False
        wanted = jobs[0].wanted
        return not (wanted.alone or wanted.private) and self._writing.acquire(blocking=False)

    def _commit_here(self, jobs: list[Job]) -> None:
        assert self._prompt is not None
        try:
            answers = self._committed(jobs, self._prompt.at_once, on_loop=True)
            if answers is None:
                with self._lock:
                    self._send(jobs)
        finally:
            self._writing.release()
        if answers is not None:
            settle([(job.answer, answer) for job, answer in zip(jobs, answers, strict=True)])

    def _send(self, jobs: list[Job]) -> None:
        """Give jobs to the thread, under the lock."""
        self._under_way.add(jobs[0].loop)
        self._waiting += len(jobs)
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
                    self._send(jobs)
            self._gathering.clear()
        if thread is not None and self._process == os.getpid():
            await asyncio.to_thread(self._end, thread)

    def _end(self, thread: threading.Thread) -> None:
        with self._writing:  # a loop of another thread that is at the engine may give its job to the thread yet
            self._jobs.put(None)
        thread.join()

    def _serve(self) -> None:
        going_on = True
        while going_on:
            group: list[Job] = []
            going_on = self._gather(group)
            if group:
                self._deliver(group, self._served(group))

    def _served(self, group: list[Job]) -> list[Any]:
        wanted = together(group)
        with self._writing:
            answers = self._committed(group, lambda: self._engine.begin(wanted), alone=wanted.alone)
        assert answers is not None
        with self._lock:
            self._waiting -= len(group)
        return answers

    def _gather(self, group: list[Job]) -> bool:
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

    def _committed(
        self, group: list[Job], begin: Callable[[], Committed | None], *, alone: bool = False, on_loop: bool = False
    ) -> list[Any] | None:
        """The answer of each job, exceptions as values; None where nothing could be begun.

        A fault of the store is everybody's: nothing was written.
        """
        for again in range(TRIES):
            start = self._clock()
            try:
                committed = begin()
                if committed is None:
                    return None
                draft = Draft(committed)
                answers = [tried(job, draft) for job in group]
                if again == 0 and self._engine.guessed and any(isinstance(answer, Raised) for answer in answers):
                    self._engine.rollback()  # which forgets: what is refused is refused by what stands there
                    continue
                self._engine.commit(draft)
            except BaseException as fault:
                self._engine.rollback()
                if isinstance(fault, Raced) and not alone and again < TRIES - 1:
                    continue
                self._pace.took(start, self._clock(), on_loop=on_loop, failed=True)
                return [Raised(copy.copy(fault)) for _ in group]
            self._pace.took(start, self._clock(), on_loop=on_loop)
            return [draft.settled(answer) for answer in answers]
        raise AssertionError("the last try returns")

    def _deliver(self, group: list[Job], answers: list[Any]) -> None:
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
        settle(pairs)
        with self._lock:
            self._under_way.discard(loop)
            if loop in self._gathering:
                loop.call_soon(self._hand_over, loop)
