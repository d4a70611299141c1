"""When a limit is reached between the gate's answer and the store: the intent is taken back, and the gate asked anew.

Nothing of it was durable, and no call was made. What was written before it stays as it was. The step is judged again
with what is used by now: refused, put before persons, or let through where there is room elsewhere.
"""

from collections.abc import Awaitable, Callable

from agent_saga.runtime.gate import Request
from agent_saga.runtime.journal import Journal
from agent_saga.runtime.kernel.actions import Draft
from agent_saga.runtime.kernel.asking import request_of
from agent_saga.runtime.kernel.intents import gated
from agent_saga.runtime.kernel.soundness import Case

Judge = Callable[[Callable[[Case], list[Request]]], Awaitable[Case]]
"""What these calls are judged by now, with what is used of their limits."""
Put = Callable[[tuple[Draft, ...], str], Awaitable[None]]
"""Writes lines, at this instant."""


async def take_back(journal: Journal, judge: Judge, put: Put, number: int) -> None:
    """Write anew what follows from the intent on whose spend did not fit. number: of the spend, as the store said it.

    An intent that persons approved is left to the kernel, which finds their answers again. Raises StoreError.
    """
    for draft in await journal.rewind(number):
        if not _announces(draft):
            journal.write((draft,))
        elif "approvals" not in draft.members:
            await _judged(journal, judge, put, draft.members["step"])


def _announces(draft: Draft) -> bool:
    """Whether it is the intent of a new effect."""
    return draft.type == "effect.intended" and draft.members["attempt"] == 1


async def _judged(journal: Journal, judge: Judge, put: Put, step: str) -> None:
    proposed = journal.state.steps[step]

    def asked(case: Case) -> list[Request]:
        return [request_of(case, case.definition.catalogue[proposed.tool], step, proposed.args)]

    case = await judge(asked)
    drafts = (gated(case, case.definition.catalogue[proposed.tool], step, proposed.args),)
    await put(drafts, case.moment.at)
