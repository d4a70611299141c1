"""What a tool is handed with a call, and a check with the goal: both are told from the saga's own trace."""

from collections.abc import Mapping
from typing import Any

from agent_saga.runtime.calls import Call, Facts, Readers
from agent_saga.runtime.kernel.payload import copied
from agent_saga.runtime.kernel.state import APPLIED, State, plan_of
from agent_saga.runtime.kernel.state import Call as Known
from agent_saga.runtime.tools import Tool


def handed(state: State, tool: Tool, providers: Mapping[str, Any], call: Known, read_only: bool = False) -> Call:
    """What a tool is handed for a call: a preview, and whoever only asks, gets readers. It may change its arguments."""
    effect = state.effects[getattr(call, "effect", call.id)]
    read_only = read_only or tool.semantics == "preview"
    return Call(
        tool=call.tool,
        args=copied(call.args),
        key=call.key,
        attempt=call.attempt,
        saga=state.saga,
        effect=effect.id,
        step=effect.step,
        read_only=read_only,
        providers=Readers(providers) if read_only else providers,
    )


def facts_of(state: State, providers: Mapping[str, Any]) -> Facts:
    """What a check of the goal is handed. It may change what it was told."""
    applied = [one for one in state.effects.values() if one.state == APPLIED and not one.undone]
    results = {plan_of(effect.step): copied(effect.result) for effect in applied}
    return Facts(state.saga, results, copied(state.started.goal) if state.started else None, Readers(providers))
