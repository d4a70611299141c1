"""What waits for a person, rebuilt from the lines of a store: requests for approval, and calls that nobody can prove.

Nothing is believed that can be recomputed: a request whose action is not the digest of what the saga's own lines
propose is listed with what is wrong about it, and cannot be opened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent_saga.approvals.requests import Content
from agent_saga.runtime.approving.standing import digests_of, standings
from agent_saga.runtime.kernel.action import content_asked, is_proposed
from agent_saga.runtime.kernel.consent import Digests
from agent_saga.runtime.kernel.fold import fold
from agent_saga.runtime.kernel.state import Request, State
from agent_saga.runtime.kernel.waiting import words
from agent_saga.trace.codec import decode
from agent_saga.trace.events import ApprovalRequested
from agent_saga.trace.heads import claimed
from agent_saga.trace.limits import LOG_SAGA


@dataclass(frozen=True, slots=True)
class Pending:
    """One request for approval that still waits.

    name: of the saga. requested: the approval.requested line; leaf: its hash, which every answer names. proposer: the
    agent's id. about: one line of text for lists. answered: persons who approved already, in order; denied: who said
    no, "" for nobody. wrong: why it cannot be opened, "" when it can.
    """

    saga: str
    name: str
    step: str
    requested: ApprovalRequested
    leaf: str
    content: Content
    proposer: str
    about: str
    answered: tuple[str, ...] = ()
    denied: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Paused:
    """A saga that waits for a person's decision.

    targets: effects and undos that nobody can prove; the saga's own id where it was halted or escalated. prev: leaf of
    the line that waits, which every decision names. agent: whose saga it is. about: what waits, in words.
    """

    saga: str
    name: str
    log: str
    start: str
    targets: tuple[str, ...]
    prev: str
    agent: str
    about: tuple[str, ...]


def pending(lines: Iterable[bytes]) -> list[Pending]:
    """The requests for approval that wait, oldest saga first. One for a step that nobody proposed is none.

    lines: of a store, in their order; of one saga or of many, together with the log's own lines where there are any.
    Raises LineError when one is none.
    """
    found, own = _states(lines)
    digests = digests_of(standings(own))
    return [one for state in found for one in pending_of(state, digests)]


def pending_of(state: State, digests: Sequence[Digests] = ()) -> list[Pending]:
    """The requests of one saga. digests: of policy and registry that were in force at some time."""
    if state.ended:
        return []
    return [
        _pending(state, step, request, digests) for step, request in state.requests.items() if is_proposed(state, step)
    ]


def paused(lines: Iterable[bytes]) -> list[Paused]:
    """The sagas that wait for a person's decision. lines: as for :func:`pending`. Raises LineError."""
    found, _ = _states(lines)
    return [one for one in map(paused_of, found) if one is not None]


def paused_of(state: State) -> Paused | None:
    """What one saga waits for; None when it waits for no decision."""
    started = state.started
    if started is None or state.ended:
        return None
    if state.waiting:
        targets, prev, about = state.waiting, state.pause, tuple(words(state, name) for name in state.waiting)
    elif state.stopped is not None and state.rollback is None:
        targets, prev, about = (state.saga,), state.stopped_at, (f"the saga was stopped: {state.stopped}"[:200],)
    else:
        return None
    return Paused(state.saga, started.name, started.log, state.start, targets, prev, started.agent or "", about)


def _states(lines: Iterable[bytes]) -> tuple[list[State], list[bytes]]:
    """Every saga as its lines tell it, and the log's own lines."""
    sagas: dict[str, list[bytes]] = {}
    for line in lines:
        head = claimed(line)
        sagas.setdefault(head[0] if head else decode(line)[0].saga, []).append(line)
    own = sagas.pop(LOG_SAGA, [])
    return [fold(one) for one in sagas.values()], own


def _pending(state: State, step: str, request: Request, digests: Sequence[Digests]) -> Pending:
    started, answers = state.started, state.answers.get(step, ())
    assert started is not None
    proposed = state.steps[step]
    content = content_asked(state, step, request, digests)
    wrong = "" if content.action() == request.event.action else "the action asked about is not what the saga proposes"
    return Pending(
        saga=state.saga,
        name=started.name,
        step=step,
        requested=request.event,
        leaf=request.leaf,
        content=content,
        proposer=proposed.agent,
        about=f"{started.name} {step}: {proposed.tool} ({content.semantics})",
        answered=tuple(dict.fromkeys(one.person for one in answers if one.decision != "deny")),
        denied=next((one.person for one in answers if one.decision == "deny"), ""),
        wrong=wrong,
    )
