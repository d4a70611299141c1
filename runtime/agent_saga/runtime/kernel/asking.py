"""What the gate is asked about a call: in its words, with what others will see of it, and what is used by now."""

from typing import Any

from agent_saga.approvals.windows import seconds_between
from agent_saga.policies.model import Approve
from agent_saga.runtime.gate import Request as GateRequest
from agent_saga.runtime.kernel.action import written_args
from agent_saga.runtime.kernel.hiding import seen
from agent_saga.runtime.kernel.soundness import Case, pointed
from agent_saga.runtime.kernel.state import Request
from agent_saga.runtime.tools import Tool


def request_of(
    case: Case,
    tool: Tool,
    step: str,
    args: dict[str, Any],
    asked: Request | None = None,
    action: str = "",
    approvals: tuple[str, ...] = (),
) -> GateRequest:
    """A call that is to be made. asked: the request that persons answered; with its action and their approvals."""
    state = case.state
    proposer = state.steps[step].agent if asked is not None else case.driver
    return GateRequest(
        saga=state.saga,
        name=case.definition.name,
        step=step,
        tool=tool.name,
        version=tool.version,
        semantics=tool.semantics,
        args=args,
        amount=pointed(tool.amount_from, args),
        agent=proposer,
        action=action,
        at=case.moment.at,
        approvals=approvals,
        seen=written_args(state, step) if asked else seen(tool.name, args, state, case.definition.conceals),
        classes=case.definition.classes,
        used=_used(case),
        asked=_approve(asked) if asked is not None else None,
        revoked=case.moment.authority.revoked,
    )


def waiting(case: Case) -> list[GateRequest]:
    """What the gate will be asked when the requests that wait are answered."""
    found = []
    for step, asked in case.state.requests.items():
        proposed = case.state.steps.get(step)
        tool = case.definition.catalogue.get(proposed.tool) if proposed is not None else None
        if proposed is not None and tool is not None:
            found.append(request_of(case, tool, step, proposed.args, asked))
    return found


def _used(case: Case) -> dict[tuple[str, str], int]:
    """What is used: by others, and by the intents before it in the same answer."""
    taken = case.taken_now
    return {**taken, **{key: used + taken.get(key, 0) for key, used in case.moment.used.items()}}


def _approve(asked: Request) -> Approve:
    """What persons were asked for."""
    event = asked.event
    open_for = int(seconds_between(event.at, event.not_after))
    return Approve(event.quorum, tuple(event.roles), event.strength, open_for)
