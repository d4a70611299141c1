"""Whether an undo is the one that the effect's outcome asked for.

Source: docs/rules.md, "An effect, formally": same tool, equal arguments, ignoring the value at the undo tool's
``amount_from`` if the amounts are compared as amounts.
"""

from agent_saga.certify.history.compare import Known, same
from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.history.worth import terms_of


def amount_pointer(saga: Saga, effect: Effect, tool: str) -> str | None:
    """The JSON Pointer to what an undo gives back: by the policy, else by the trace's catalogue."""
    terms = terms_of(saga, effect.tool, effect.line)
    if terms is not None and terms.amounts and tool == terms.undo:
        return terms.pointer
    spec = (saga.tools or {}).get(tool)
    return spec.amount_from if spec else None


def matches(saga: Saga, effect: Effect, tool: str, args: Known) -> bool | None:
    """Tell whether this call is the recorded inverse of the effect; None when sealed values keep it open.

    Where no inverse was recorded there is nothing to compare: AS206 has said so, and the call counts as an undo.
    """
    if effect.undo is None:
        return True
    if tool != effect.undo.tool:
        return False
    by_amount = saga.target(effect) is not None
    return same(effect.undo.args, args, amount_pointer(saga, effect, tool) if by_amount else None)
