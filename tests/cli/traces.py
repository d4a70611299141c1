"""Small traces for tests of the command, made by the writer: a good one, a bad one, one that never ended."""

from __future__ import annotations

import random
from typing import Any

from agent_saga.trace.writer import SagaWriter

Line = tuple[str, dict[str, Any]]

CALL = {"charge": "ch_1"}
TOOLS = {
    "payments.charge": {"version": "1", "semantics": "compensable", "undo": "payments.refund"},
    "payments.refund": {"version": "1", "semantics": "compensable"},
}
STARTED: Line = ("saga.started", {"log": "log.example/acme", "name": "order", "format": "1.0", "tools": TOOLS})
CHARGE: Line = (
    "effect.intended",
    {
        "effect": "e1",
        "step": "s1",
        "tool": "payments.charge",
        "semantics": "compensable",
        "args": {"card": "tok_1"},
        "key": "5b0c9d0e7a",
        "attempt": 1,
        "approvals": [],
    },
)
PROPOSED: Line = (
    "step.proposed",
    {"step": "s1", "tool": "payments.charge", "args": {"card": "tok_1"}, "allowed": ["payments.charge"], "driver": "d"},
)
CHARGED: Line = (
    "effect.succeeded",
    {"effect": "e1", "attempt": 1, "result": CALL, "undo": {"tool": "payments.refund", "args": CALL}},
)
CHECKED: Line = ("check.evaluated", {"check": "c1", "passed": True, "evidence": {"paid": True}})
DONE: Line = ("saga.ended", {"status": "succeeded_verified", "held": ["e1"]})
ROLLBACK: Line = ("rollback.started", {"cause": "the card was stolen"})
ABORTED: Line = ("saga.ended", {"status": "aborted_clean", "held": []})

GOOD = [STARTED, PROPOSED, CHARGE, CHARGED, CHECKED, DONE]
BAD = [STARTED, PROPOSED, CHARGE, CHARGED, ROLLBACK, ABORTED]
OPEN = [STARTED, PROPOSED, CHARGE, CHARGED, CHECKED]


def trace(lines: list[Line], saga: str = "s-1") -> bytes:
    """The bytes of a trace with these lines, the same each time."""
    writer = SagaWriter(saga, random.Random(saga).randbytes)
    made = [
        writer.line(type, f"2026-11-30T07:00:{second:02}.000000Z", **members)
        for second, (type, members) in enumerate(lines)
    ]
    return b"".join(line + b"\n" for line in made)
