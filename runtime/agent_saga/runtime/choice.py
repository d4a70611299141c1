"""A closed choice: the model picks one of complete candidates, and its numbers are checked before they count.

The candidates are made by code, with all their arguments. The model answers with a choice, a confidence and a
probability for each. The choice is accepted only if the ids are exactly those offered, the probabilities sum to 1, the
choice is the most probable, and the confidence reaches the floor. Options and numbers stand in the trace, also of a
refused choice.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from agent_saga.runtime.drivers import Decision
from agent_saga.runtime.errors import BadProposal
from agent_saga.runtime.kernel.actions import View
from agent_saga.runtime.kernel.proposals import Candidate, Finish, Proposal

TOLERANCE: Final = Decimal("0.000001")
"""How far the probabilities may sum from 1: models write six digits at most."""
_DECIMAL = re.compile(r"0(?:\.[0-9]{1,18})?|1(?:\.0{1,18})?").fullmatch
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
Number = str | int | float | Decimal


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate: id, tool, complete arguments, and the step of the plan ("" for the first ready one of the tool)."""

    id: str
    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    step: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the model answers: the id taken, how sure it is, and a probability for each id offered."""

    choice: str
    confidence: Number
    probabilities: Mapping[str, Number]
    why: Any = None


class ClosedChoiceDriver:
    """Offers candidates to a model and checks its choice.

    offers: the candidates of a view; none means that the work is done. model: picks one; raises DriverBusy when its
    provider is overloaded or down. floor: least confidence, a decimal as text.
    """

    immediate = False

    def __init__(
        self,
        offers: Callable[[View], Sequence[Offer]],
        model: Callable[[View, Sequence[Offer]], Awaitable[Choice]],
        *,
        floor: str = "0.5",
        name: str = "closed-choice",
    ) -> None:
        self._offers, self._model, self._floor, self.name = offers, model, Decimal(floor), name

    async def propose(self, view: View) -> Decision:
        """Offer, ask, check."""
        offers = tuple(self._offers(view))
        if not offers:
            return Finish()
        ids = [offer.id for offer in offers]
        if len(set(ids)) != len(ids) or not all(map(_ID, ids)):
            raise BadProposal("the candidates' ids are not distinct, or not of A-Z a-z 0-9 . _ -")
        return checked(offers, await self._model(view, offers), self._floor)


def checked(offers: Sequence[Offer], answer: Choice, floor: Decimal) -> Proposal:
    """The proposal that a choice makes; with a fault when the choice does not count. Raises BadProposal."""
    by_id = {offer.id: offer for offer in offers}
    if set(answer.probabilities) != set(by_id):
        raise BadProposal("the probabilities are not for exactly the candidates offered")
    numbers = {name: _decimal(answer.probabilities[name]) for name in by_id}
    confidence = _decimal(answer.confidence)
    options = tuple(Candidate(one.id, one.tool, one.args, _text(numbers[one.id])) for one in offers)
    taken = by_id.get(answer.choice)
    if taken is None:
        raise BadProposal("the choice is none of the candidates offered")
    return Proposal(
        taken.tool,
        taken.args,
        taken.step,
        answer.why,
        options,
        taken.id,
        _text(confidence),
        _fault(numbers, taken.id, confidence, floor),
    )


def _fault(numbers: Mapping[str, Decimal], taken: str, confidence: Decimal, floor: Decimal) -> tuple[str, str] | None:
    total = sum(numbers.values(), Decimal(0))
    if abs(total - 1) > TOLERANCE:
        return "bad_probabilities", f"the probabilities sum to {total}; expected 1"
    if numbers[taken] < max(numbers.values()):
        return "not_the_maximum", "the choice is not the most probable candidate"
    if confidence < floor:
        return "low_confidence", f"the confidence is {confidence}; expected at least {floor}"
    return None


def _decimal(number: Number) -> Decimal:
    """A number from 0 to 1 that a line can hold."""
    try:
        value = Decimal(str(number))
    except InvalidOperation as error:
        raise BadProposal("a probability or the confidence is no decimal") from error
    if isinstance(number, bool) or not value.is_finite() or not _DECIMAL(_text(value)):
        raise BadProposal("a probability or the confidence is not a decimal from 0 to 1 of at most 18 places")
    return value


def _text(value: Decimal) -> str:
    return format(abs(value) if value == 0 else value, "f")
