"""What calls move and undos give back: by the policy that judges the call, where it says where that stands.

The catalogue and the amounts of a trace are the word of the judged party, whose refund of ten times the charge would
else be as good as one in full. Where the policy names no amounts, the line's own count.

Source: docs/rules.md, "When an effect is undone"; docs/adr/0011-what-an-undo-may-give-back.md.
"""

from typing import TYPE_CHECKING, Any

from agent_saga.certify.history.compare import Money, money
from agent_saga.certify.history.saga import Saga

if TYPE_CHECKING:
    from agent_saga.certify.history.effects import Effect
    from agent_saga.policies.undoing import Terms, Worth


def terms_of(saga: Saga, tool: str, line: int) -> "Terms | None":
    """What the policy says of the undos of a call of this tool, whose first intent stands at a line."""
    terms: Terms | None = saga.common.police.terms(tool, line)
    return terms


def taken(saga: Saga, event: Any, line: int, amount: Money | None | bool) -> Money | None | bool:
    """What a call moves, from its intent. None: nothing that could be told. False: sealed. amount: as the line says."""
    terms = terms_of(saga, event.tool, line)
    if terms is None or not terms.amounts:
        return amount
    return _told(lambda: terms.takes(saga.disclosures.open(event.args)[0]))


def given(saga: Saga, effect: "Effect", call: Any) -> Money | None | bool:
    """What an undo of an effect gives back, from its intent or from the inverse that an outcome recorded."""
    terms = terms_of(saga, effect.tool, effect.line)
    if terms is None or not terms.amounts or call.tool != terms.undo:
        return money(call.amount, saga.disclosures)
    return _told(lambda: terms.gives(saga.disclosures.open(call.args)[0]))


def _told(ask: Any) -> Money | None | bool:
    from agent_saga.policies.cel import Undecided

    try:
        found: Worth = ask()
    except Undecided as fault:
        return False if fault.concealed else None
    return Money(found.minor, found.currency)
