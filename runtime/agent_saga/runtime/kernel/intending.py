"""The lines that announce a call: of an effect's first attempt, and of the next ones."""

from typing import Any

from agent_saga.runtime.gate import Allow
from agent_saga.runtime.kernel.action import written_args
from agent_saga.runtime.kernel.actions import FRESH, Draft
from agent_saga.runtime.kernel.soundness import Case, pointed
from agent_saga.runtime.kernel.state import Effect, State, plan_of
from agent_saga.runtime.tools import Tool


def intent(
    case: Case,
    tool: Tool,
    step: str,
    args: dict[str, Any],
    answer: Allow,
    burned: dict[str, Any] | None = None,
) -> Draft:
    """The first intent of an effect. The engine numbers effects as they are written, so several may come at once.

    answer: of the gate. burned: the members of one that was approved, which stand as they were signed.
    """
    members: dict[str, Any] = {
        "effect": FRESH,
        "step": step,
        "tool": tool.name,
        "semantics": tool.semantics,
        "args": args,
        "key": FRESH,
        "attempt": 1,
    }
    for member, pointer in (("amount", tool.amount_from), ("resource", tool.resource_from)):
        value = pointed(pointer, args)
        if value is not None:
            members[member] = value
    if "amount" in members:
        case.pledged.append(members["amount"])
    for one in answer.takes:
        case.taken_now[one.limit, one.key] = case.taken_now.get((one.limit, one.key), 0) + one.amount
    members |= burned or {}
    members |= _order(case, step)
    return Draft("effect.intended", members, takes=answer.takes, record=answer.record)


def _order(case: Case, step: str) -> dict[str, Any]:
    """The effects that this one depends on, where the plan says so; else all earlier ones, which is not written.

    Reads and failed effects are named too: what depends on them depends on what they depend on. Where there are groups
    it is always written: what an option did that loses must be undone while what does not depend on it stands.
    """
    planned = case.definition.plan.get(plan_of(step))
    members: dict[str, Any] = {}
    if planned and (planned.after is not None or case.definition.groups):
        needs = planned.after if planned.after is not None else case.definition.ordered(planned.name)
        names = [name for need in needs for name in case.definition.family(need)]
        members["after"] = [effect.id for name in names for effect in case.state.of_step(name)]
    if planned and planned.branch is not None:
        members["branch"] = planned.branch
    earlier = case.state.of_step(planned.fallback_for) if planned and planned.fallback_for else []
    return members | ({"fallback_of": earlier[-1].id} if earlier else {})


def retry(state: State, effect: Effect) -> Draft:
    """The intent of another attempt: the same call under the same key."""
    members: dict[str, Any] = {
        "effect": effect.id,
        "step": effect.step,
        "tool": effect.tool,
        "semantics": effect.semantics,
        "args": written_args(state, effect.step) if effect.approvals else effect.args,
        "key": effect.key,
        "attempt": effect.attempt + 1,
    }
    for name in ("action", "amount", "resource", "after", "branch", "fallback_of"):
        if getattr(effect, name) is not None:
            members[name] = getattr(effect, name)
    return Draft("effect.intended", members | ({"approvals": effect.approvals} if effect.approvals else {}))
