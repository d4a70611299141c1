"""What a saga has moved, by currency, and whether one more call is within its limit.

Gross: what was undone still counts, so that a loop of charging and refunding ends. A call counts once, whatever its
attempts; one that may have happened counts, one that is proven not to have happened and is given up does not.
"""

from typing import Any

from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.payload import is_clear
from agent_saga.runtime.kernel.soundness import Case, pointed
from agent_saga.runtime.tools import Tool


def overdrawn(case: Case, tool: Tool, args: dict[str, Any]) -> dict[str, Any] | None:
    """Why a call would move more than the saga may, as the reason of its refusal; None when it would not.

    A currency without a limit is not allowed, once there is a limit for another. Tools without ``amount_from`` move
    nothing that could be counted.
    """
    limits = case.definition.limits.money
    amount = pointed(tool.amount_from, args)
    if not limits or amount is None or tool.semantics == "preview":
        return None
    currency, asked = amount["currency"], amount["minor"]
    allowed, moved = limits.get(currency, 0), moved_in(case, currency)
    if moved is None:
        return {"limit": "money", "currency": currency, "allowed": allowed, "asked": asked, "concealed": True}
    if asked + moved <= allowed:
        return None
    return {"limit": "money", "currency": currency, "allowed": allowed, "moved": moved, "asked": asked}


def moved_in(case: Case, currency: str) -> int | None:
    """Minor units that the saga's calls moved or may move yet, those of this answer before it included.

    None where an amount that counts is concealed: then nobody can say.
    """
    state = case.state
    counted = (one for one in state.unsettled() if one.semantics != "preview")
    loose = [one.amount for one in counted if one.amount and not (one.absent and plan.dead(one, case.definition))]
    if state.moved.get("") or not all(map(is_clear, loose)):
        return None
    moved: int = sum(one["minor"] for one in (*loose, *case.pledged) if one["currency"] == currency)
    return state.moved.get(currency, 0) + moved
