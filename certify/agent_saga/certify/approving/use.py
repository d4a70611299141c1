"""An intent and the approvals that it names: the records that verifying fills and rules look at."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent_saga.certify.history.people import Approval, Asked
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.standing.authority import Standing
from agent_saga.trace.events import EffectIntended

if TYPE_CHECKING:
    from agent_saga.approvals.proofs import Signed
    from agent_saga.approvals.requests import Request


@dataclass(slots=True)
class Answer:
    """One approval that an intent names. code: of the rule that says what is wrong with it, "" when it counts.

    open: only what is pinned is missing to tell. signed: once the signature was verified.
    """

    approval: Approval
    code: str = ""
    because: str = ""
    open: bool = False
    signed: "Signed[Request] | None" = None


@dataclass(slots=True)
class Use:
    """An intent, and what became of the approvals that it names. action: of the call as the line has it.

    faulty: whether any of the answers does not count.
    """

    saga: Saga
    event: EffectIntended
    line: int
    asked: Asked | None
    standing: Standing
    action: str
    answers: list[Answer] = field(default_factory=list)
    faulty: bool = False
