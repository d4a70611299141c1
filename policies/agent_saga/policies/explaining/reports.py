"""An explanation as text and as JSON."""

import json
from collections.abc import Iterator
from typing import Any, Final

from agent_saga.policies.answers import Decision
from agent_saga.policies.diffing.reports.jsonic import decision as decision_json
from agent_saga.policies.diffing.reports.words import answer, approval
from agent_saga.policies.explaining.explained import Explanation, Part
from agent_saga.policies.model import Approve, Limit, Then
from agent_saga.policies.rendering.prose import duration
from agent_saga.trace.escaping import shown

_WIDE: Final = 12


def text(found: Explanation) -> str:
    """For a terminal: the answer first, then limits and rules in the order in which they are asked."""
    policy, call = found.policy, found.call
    lines = [
        _row("answer", answer(found.decision)),
        *([_row("because", found.decision.reason)] if found.decision.reason else []),
        _row("call", f"{call.tool} as {call.semantics} at {call.at}{f' by {call.agent}' if call.agent else ''}"),
        _row("policy", f"{policy.policy} version {policy.version}, digest {policy.digest}"),
    ]
    lines += [line for part in found.parts if part.state != "elsewhere" for line in ("", *_part(part))]
    lines += [line for fired in found.decision.fired if fired.kind == "default" for line in ("", *_default(found))]
    quiet = [part.part.id for part in found.parts if part.state == "elsewhere"]
    refused = any(fired.kind == "tool" for fired in found.decision.fired)
    why = "the call is refused before any rule" if refused else "about other calls"
    lines += ["", _row("not asked", f"{', '.join(quiet)} ({why})")] if quiet else []
    lines += [_row("waivers", problem) for problem in found.problems]
    return "".join(f"{shown(line)}\n" for line in lines)


def _row(name: str, words: str) -> str:
    return f"{name:<{_WIDE}}{words}"


def _default(found: Explanation) -> Iterator[str]:
    yield _row("fired", f"irreversible: {_says(found.policy.irreversible)}")
    yield _row("", "what cannot be undone needs an approval where nothing else asks for one")


def _part(part: Part) -> Iterator[str]:
    rule = part.part
    yield _row(part.state, f"{part.kind} {rule.id} ({rule.enforcement}): {_says(rule.then)}")
    if part.spend is not None and isinstance(rule, Limit):
        yield _row("", _sums(part, rule))
    yield from (_row("", f"{name} = {value}") for name, value in part.values)
    if part.fired is not None:
        yield from _why(part)


def _why(part: Part) -> Iterator[str]:
    fired = part.fired
    assert fired is not None
    if fired.outcome == "undecidable":
        yield _row("", f"cannot be decided, and so denies: {fired.why}")
    elif fired.why:
        yield _row("", fired.why)
    if fired.waived:
        yield _row("", f"lifted by waiver {fired.waived}")
    if fired.lapsed:
        yield _row("", f"not in force on this day: waiver {', '.join(fired.lapsed)}")
    if fired.enforcement in ("advisory", "evaluate"):
        yield _row("", f"{fired.enforcement}: told, without effect on the answer")


def _sums(part: Part, limit: Limit) -> str:
    assert part.spend is not None
    spend = part.spend
    total = part.used + spend.amount
    word = "more than" if spend.amount > 0 and total > limit.max else "within"
    key = f" for {spend.key}" if limit.per else ""
    sums = f"{part.used:,} used + {spend.amount:,} asked = {total:,}, {word} {limit.max:,}"
    return f"{sums} in {duration(limit.window)}{key}"


def _says(then: Then) -> str:
    return f"approval by {approval(then)}" if isinstance(then, Approve) else then


def as_json(found: Explanation) -> str:
    """For programs. Members never change their meaning; new ones may come."""
    call = found.call
    record: dict[str, Any] = {
        "policy": found.policy.policy,
        "version": found.policy.version,
        "digest": found.policy.digest,
        "call": {
            "tool": call.tool,
            "semantics": call.semantics,
            "at": call.at,
            "agent": call.agent,
            "args": dict(call.args),
        },
        "decision": _decision(found.decision),
        "parts": [_json(part) for part in found.parts],
        "problems": list(found.problems),
    }
    return json.dumps(record, indent=2, ensure_ascii=True) + "\n"


def _decision(decision: Decision) -> dict[str, Any]:
    return decision_json(decision) | {"reason": decision.reason}


def _json(part: Part) -> dict[str, Any]:
    fired, spend = part.fired, part.spend
    sums = {"key": spend.key, "used": part.used, "asked": spend.amount, "max": spend.max} if spend else None
    return {
        "kind": part.kind,
        "id": part.part.id,
        "enforcement": part.part.enforcement,
        "state": part.state,
        "values": dict(part.values),
        "limit": sums,
        "waived": fired.waived if fired else "",
        "lapsed": list(fired.lapsed) if fired else [],
        "why": fired.why if fired else "",
    }
