"""A condition compiled for one tool: what is known of the tool is folded in, and what cannot hold for it is gone.

Source: docs/spec/policy-cel-v1.md, "Specialising".
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_saga.policies.answers import Call, Chain
from agent_saga.policies.cel import Timestamp, compile_, specialise
from agent_saga.policies.cel.syntax import Expression, Literal
from agent_saga.trace.instants import micros

Test = Callable[[Mapping[str, Any]], Any]
"""Evaluates a condition over the values of a call's variables. Raises Undecided."""

NAMES: Final = ("tool", "args", "semantics", "agent", "saga", "step", "at", "chain")
"""The variables of every condition."""

_EPOCH: Final = micros("1970-01-01T00:00:00.000000Z")


def tested(tree: Expression, known: Mapping[str, Any]) -> Test | bool:
    """What evaluates a condition; the answer itself where what is known already decides it."""
    folded = specialise(tree, known)
    if isinstance(folded, Literal) and isinstance(folded.value, bool):
        return folded.value
    return compile_(folded, NAMES)


def valued(tree: Expression, known: Mapping[str, Any]) -> Test:
    """What evaluates an expression of any type."""
    return compile_(specialise(tree, known), NAMES)


def values_of(call: Call, chain: Mapping[str, str], timed: bool) -> dict[str, Any]:
    """The variables of a call. chain: as a condition sees it. timed: whether the time is asked for at all."""
    values: dict[str, Any] = {
        "tool": call.tool,
        "args": call.args,
        "semantics": call.semantics,
        "agent": call.agent,
        "saga": call.saga,
        "step": call.step,
        "chain": chain,
    }
    if timed:
        values["at"] = Timestamp((micros(call.at) - _EPOCH) * 1000)
    return values


def seen(chain: Chain) -> dict[str, str]:
    """A chain as a condition sees it."""
    return {"semantics": chain.semantics, "consequence": chain.consequence}
