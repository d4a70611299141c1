"""Policies made by hand, and calls, for tests of the engine."""

from __future__ import annotations

from typing import Any

from agent_saga.policies.answers import Call, Chain
from agent_saga.policies.cel import parse
from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.model import (
    Approve,
    Condition,
    Enforcement,
    Limit,
    Place,
    Policy,
    Rule,
    Then,
    ToolRule,
    Waiver,
    Waivers,
)

AT = "2026-11-30T07:00:00.000000Z"
DAY = AT[:10]
TOOLS = {
    "pay.charge": ToolRule("pay.charge", "compensable", undo="pay.refund", consequence="medium"),
    "pay.wire": ToolRule("pay.wire", "irreversible", consequence="high"),
    "pay.look": ToolRule("pay.look", "preview", consequence="low"),
}


def condition(text: str) -> Condition:
    """A condition as the loader makes it."""
    return Condition(text, parse(text), Place(1, 1))


def rule(id: str, when: str, then: Then = "deny", enforcement: Enforcement = "soft", why: str = "") -> Rule:
    """A rule."""
    return Rule(id, condition(when), then, why, enforcement)


def limit(
    id: str = "daily",
    *,
    of: str = 'tool == "pay.charge"',
    measure: str | None = "args.minor",
    per: tuple[str, ...] = ("args.customer",),
    window: int = 86_400,
    max: int = 100,
    then: Then = "deny",
    enforcement: Enforcement = "soft",
) -> Limit:
    """A limit."""
    counted = condition(measure) if measure is not None else None
    return Limit(id, condition(of), tuple(map(condition, per)), counted, window, max, then, "", enforcement)


def compiled(*parts: Rule | Limit, waivers: tuple[Waiver, ...] = (), **more: Any) -> Compiled:
    """A policy of these rules and limits over three tools."""
    rules = tuple(one for one in parts if isinstance(one, Rule))
    limits = tuple(one for one in parts if isinstance(one, Limit))
    policy = Policy("pay", 1, "risk", "d" * 64, **{"tools": TOOLS, "rules": rules, "limits": limits} | more)
    return compile_policy(policy, Waivers(waivers) if waivers else None)


def waiver(id: str = "W-1", rule: str = "daily", scope: str = "", created: str = "2026-11-01") -> Waiver:
    """A waiver until the end of November."""
    until = "2026-11-30"
    return Waiver(id, rule, "migration", "p17", "p4", created, until, condition(scope) if scope else None)


def call(tool: str = "pay.charge", at: str = AT, chain: Chain | None = None, **args: Any) -> Call:
    """A call of one of the tools."""
    semantics = TOOLS[tool].semantics if tool in TOOLS else "compensable"
    return Call(tool, args, semantics, at, "planner", "s-1", "turn-1", chain)


TWO = Approve(2, ("treasury", "risk"), "C", 600)
ONE = Approve(1, ("risk", "ops"), "A", 900)
