"""What callers hand in for a commit, and how each gets his answer."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.engine import Wanted
from agent_saga.trace.store.errors import Refusal


class Job(NamedTuple):
    """draft: makes the changes and returns the answer. answer: where its caller waits, on its event loop."""

    draft: Callable[[Draft], Any]
    wanted: Wanted
    loop: asyncio.AbstractEventLoop
    answer: "asyncio.Future[Any]"


class Raised(NamedTuple):
    """The answer to a job that failed."""

    fault: BaseException


def together(jobs: Sequence[Job]) -> Wanted:
    """What all of them are going to look at."""
    heads, leases, budgets, alone, private = zip(*[job.wanted for job in jobs], strict=True)
    named = (frozenset().union(*heads), frozenset().union(*leases), frozenset().union(*budgets))
    return Wanted(*named, alone=any(alone), private=any(private))


def tried(job: Job, draft: Draft) -> Any:
    """The job's answer; that it was refused is one."""
    try:
        return job.draft(draft)
    except Refusal as fault:
        return Raised(fault)


def settle(answers: Iterable[tuple["asyncio.Future[Any]", Any]]) -> None:
    """Wake who waits, on his event loop."""
    for future, answer in answers:
        if future.done():  # its caller was cancelled
            continue
        if isinstance(answer, Raised):
            future.set_exception(answer.fault)
        else:
            future.set_result(answer)
