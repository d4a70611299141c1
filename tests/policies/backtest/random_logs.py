"""Random traces of charges, reservations and wires by two agents, some refused, some approved, some without an amount.

Only what a back-test looks at is made as the format has it; the chain is not.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

Line = dict[str, Any]
SALT = "AAAAAAAAAAAAAAAAAAAAAA"
TOOLS: dict[str, dict[str, str]] = {
    "pay.charge": {"version": "1", "semantics": "compensable", "undo": "pay.refund", "amount_from": "/amount"},
    "pay.refund": {"version": "1", "semantics": "compensable"},
    "pay.wire": {"version": "1", "semantics": "irreversible", "amount_from": "/amount"},
    "stock.reserve": {"version": "1", "semantics": "reversible", "undo": "stock.release"},
    "stock.release": {"version": "1", "semantics": "reversible"},
    "mail.send": {"version": "1", "semantics": "compensable"},
}
CODES = ("limit", "denied", "undecidable", "not_allowed", "budget")


def at(seconds: int) -> str:
    """An instant of the day of these logs, or of the days after it."""
    day, rest = divmod(seconds, 86_400)
    return f"2026-03-{1 + day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}.000000Z"


class Maker:
    """Makes lines; the clock goes back now and then where ``back`` says so."""

    def __init__(self, seed: int, back: bool = False) -> None:
        self.rng, self.back, self.clock = random.Random(seed), back, 1_000
        self.lines: list[Line] = []
        self._seqs: dict[str, int] = {}

    def put(self, saga: str, kind: str, by: str = "runtime", **members: Any) -> None:
        """Write a line."""
        self.clock += self.rng.randrange(0, 90)
        if self.back and self.rng.random() < 0.1:
            self.clock = max(0, self.clock - self.rng.randrange(0, 4_000))
        seq = self._seqs[saga] = self._seqs.get(saga, -1) + 1
        head = {"v": 1, "saga": saga, "seq": seq, "prev": "0" * 64, "at": at(self.clock), "type": kind, "by": by}
        self.lines.append(head | {k: v for k, v in members.items() if v is not None} | {"salt": SALT})

    def args(self, tool: str) -> Line:
        """Arguments of a call, now and then without what a policy asks about."""
        rng = self.rng
        money: Any = {"minor": rng.choice((1, 100, 4_200, 6_000, 60_000)), "currency": rng.choice(("EUR", "USD"))}
        if rng.random() < 0.1:
            money = rng.choice(({"currency": "EUR"}, {"...": "A" * 43}, None))
        if tool == "stock.reserve":
            return {"sku": "lamp", "count": rng.randrange(1, 15)}
        args = {"customer": rng.choice(("c1", "c2")), "amount": money, "type": "effect.intended"}
        return {name: value for name, value in args.items() if value is not None}

    def step(self, saga: str, number: int) -> None:
        """A proposal and what becomes of it."""
        rng, step = self.rng, f"s{number}"
        tool = rng.choice(("pay.charge", "pay.charge", "pay.wire", "stock.reserve", "mail.send"))
        args, by = self.args(tool), rng.choice(("agent:ann", "agent:bob", "runtime"))
        self.put(saga, "step.proposed", by, step=step, tool=tool, args=args, allowed=list(TOOLS), driver="plan")
        if rng.random() < 0.2:
            self.put(saga, "step.refused", step=step, code=rng.choice(CODES), reason={"a": 1})
            return
        approvals = [f"{one:064x}" for one in range(rng.randrange(0, 3))]
        call = {"effect": f"e{number}", "step": step, "tool": tool, "semantics": TOOLS[tool]["semantics"], "args": args}
        more = {"approvals": approvals or None, "amount": args.get("amount")}
        for attempt in range(1, rng.choice((2, 2, 3))):
            self.put(saga, "effect.intended", **call, key="k", attempt=attempt, **more)
        self.put(saga, "effect.succeeded", effect=f"e{number}", attempt=1, result={"type": "effect.intended"})

    def log(self, sagas: int) -> list[Line]:
        """Sagas side by side."""
        names, steps = [f"saga-{n}" for n in range(sagas)], dict.fromkeys(range(sagas), 0)
        for number, saga in enumerate(names):
            tools = dict(list(TOOLS.items())[: 6 - number % 2])
            self.put(saga, "saga.started", log="l", name="n", format="1.0", tools=tools, agent=f"own-{number % 2}")
        for _ in range(sagas * 4):
            number = self.rng.randrange(sagas)
            steps[number] += 1
            self.step(names[number], steps[number])
        for saga in names:
            self.put(saga, "saga.ended", status="succeeded_verified", held=[])
        return self.lines


def write(path: Path, lines: list[Line]) -> None:
    """Write a trace, as compact as traces are."""
    path.write_bytes(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in lines))
