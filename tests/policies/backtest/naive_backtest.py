"""The same back-test once more, as plainly as it can be said: the policy's rules written in Python, every window summed
anew, every line parsed. Shares no code with the package.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

Line = dict[str, Any]
POLICY = """
policy: pay
version: 3
owner: risk@example.com
agents: [ann, own-0, own-1]
tools:
  pay.charge: {semantics: compensable, undo: pay.refund, args: MONEY}
  pay.wire: {semantics: irreversible, args: MONEY}
  stock.reserve: {semantics: reversible, undo: stock.release, args: LAMPS}
rules:
  - id: few-lamps
    when: tool == "stock.reserve" && args.count > 10
    then: deny
  - id: large
    when: tool == "pay.charge" && args.amount.minor > 5000
    then: {approve: {quorum: 2, roles: [treasury]}}
  - id: with-mail
    when: tool == "pay.wire" && chain.consequence == "critical" && args.customer == "c2"
    then: {approve: {quorum: 1, roles: [treasury]}}
limits:
  - id: hourly
    sum: args.amount.minor
    of: tool == "pay.charge"
    per: [args.customer, args.amount.currency]
    window: PT1H
    max: 9000
  - id: rate
    of: tool == "pay.wire"
    window: PT10M
    max: 2
    then: {approve: {quorum: 3, roles: [treasury]}}
irreversible: {quorum: 1, roles: [treasury]}
"""
MONEY = """{type: object, properties: {customer: {type: string}, type: {type: string}, amount: {type: object,
    properties: {minor: {type: integer}, currency: {type: string}}, required: [minor, currency]}},
    required: [customer, amount]}"""
LAMPS = "{type: object, properties: {sku: {type: string}, count: {type: integer}}, required: [sku, count]}"
TEXT = POLICY.replace("MONEY", " ".join(MONEY.split())).replace("LAMPS", LAMPS)
CLASSES = {"pay.charge": "compensable", "pay.wire": "irreversible", "stock.reserve": "reversible"}
REFUSED = ("limit", "denied", "undecidable")


def micros(text: str) -> int:
    """Microseconds of an instant."""
    return int(
        (datetime.fromisoformat(text) - datetime.fromisoformat("2026-01-01T00:00:00+00:00")).total_seconds() * 1e6
    )


class Naive:
    """The gate of the policy above, with all that it let through."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Any, int, int]] = []

    def used(self, limit: str, key: Any, at: int, window: int) -> int:
        """A sum over everything, anew."""
        return sum(a for one, k, t, a in self.taken if (one, k) == (limit, key) and t > at - window * 1_000_000)

    def decide(self, tool: str, args: Line, at: int, agent: str, tools: Line) -> tuple[str, int, bool]:
        """Effect, quorum, and whether anything cannot be decided."""
        if tool not in CLASSES or agent not in ("ann", "own-0", "own-1"):
            return "deny", 0, False
        if tool == "stock.reserve":
            return ("deny" if args["count"] > 10 else "allow"), 0, False
        amount = args.get("amount")
        money = isinstance(amount, dict) and "minor" in amount and "currency" in amount
        if tool == "pay.charge":
            return self._charge(args, at, amount["minor"] if money else None)
        quorum = 1
        if self.used("rate", None, at, 600) + 1 > 2:
            quorum = 3
        self.taken.append(("rate", None, at, 1))
        return "approve", quorum, False

    def _charge(self, args: Line, at: int, minor: int | None) -> tuple[str, int, bool]:
        if minor is None:
            return "deny", 0, True
        key = (args["customer"], args["amount"]["currency"])
        if self.used("hourly", key, at, 3_600) + minor > 9_000:
            return "deny", 0, False
        self.taken.append(("hourly", key, at, minor))
        return ("approve", 2, False) if minor > 5_000 else ("allow", 0, False)


def run(lines: list[Line]) -> Line:
    """The numbers."""
    gate, changes, money, without = Naive(), Counter[str](), Counter[tuple[str, str]](), Counter[str]()
    undecidable, flips = 0, []
    started = {line["saga"]: line for line in lines if line["type"] == "saga.started"}
    steps = {(line["saga"], line["step"]): line for line in lines if line["type"] == "step.proposed"}
    for number, line in enumerate(lines, 1):
        call = line["type"] == "effect.intended" and line["attempt"] == 1
        refused = line["type"] == "step.refused" and line["code"] in REFUSED
        if not (call or refused):
            continue
        step = steps[line["saga"], line["step"]]
        agent = step["by"][6:] if step["by"].startswith("agent:") else started[line["saga"]]["agent"]
        tools = started[line["saga"]]["tools"]
        after, quorum, open_ = gate.decide(step["tool"], step["args"], micros(line["at"]), agent, tools)
        persons = len(line.get("approvals", ()))
        before = "deny" if refused else "approve" if persons else "allow"
        if after == before != "approve" or (after == before and persons >= quorum):
            change = "unchanged"
        else:
            change = {"deny": "deny", "approve": "ask", "allow": "allow"}[after]
        undecidable += open_
        changes[change] += 1
        amount = step["args"].get("amount") if call or step["tool"].startswith("pay.") else None
        if isinstance(amount, dict) and "minor" in amount and "currency" in amount:
            money[change, amount["currency"]] += amount["minor"]
        else:
            without[change] += 1
        if change != "unchanged":
            flips.append((number, line["saga"], before, after))
    return {"changes": changes, "money": money, "without": without, "undecidable": undecidable, "flips": flips}
