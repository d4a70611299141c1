"""Decision records: one JSON line for each answer, for those who look into decisions as they are made.

    {"agent":"planner","approve":{"quorum":2,...},"args":{...},"at":"...","effect":"approve","fired":[...],...,"v":1}

A record proves nothing: the trace does. It never holds a credential in clear: a text in the form of one is replaced by
the kind of it. Concealed values stand as their digests, as on the lines.

Source: docs/spec/policy-v1.md, "Decision records".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from agent_saga.policies.answers import Call, Decision, Fired, Spend
from agent_saga.trace.secrets import kind_of_secret

VERSION: Final = 1


def record(call: Call, decision: Decision, spends: Sequence[Spend] = ()) -> bytes:
    """The line of one decision, without its LF. spends: what the call takes from limits where it is let through."""
    hides = any(map(kind_of_secret, _texts(call.args)))
    members: dict[str, Any] = {
        "v": VERSION,
        "at": call.at,
        "policy": decision.digest,
        "saga": call.saga,
        "step": call.step,
        "agent": call.agent,
        "tool": call.tool,
        "semantics": call.semantics,
        "args": call.args,
        "effect": decision.effect,
        "fired": [_fired(one, hides) for one in decision.fired],
        "limits": [asdict(one) for one in spends],
    }
    if decision.rule:
        members |= {"code": decision.code, "rule": decision.rule, "reason": decision.reason}
    if decision.approve is not None:
        members["approve"] = asdict(decision.approve)
    return json.dumps(masked(members), ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def masked(value: Any) -> Any:
    """The value without credentials: each text, and each name, in the form of one is replaced by what it is."""
    if isinstance(value, str):
        kind = kind_of_secret(value)
        return f"(masked: {kind})" if kind else value
    if isinstance(value, Mapping):
        return {masked(name): masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    return value


def _fired(one: Fired, hides: bool) -> dict[str, Any]:
    """hides: the call holds a credential; then no text of it is told, since a part of one has not its form any more."""
    members = {name: item for name, item in asdict(one).items() if item not in ("", None, (), False)}
    values = {text: "(masked)" if hides and '"' in value else value for text, value in one.values}
    return members | ({"values": values} if values else {})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
