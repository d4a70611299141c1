"""One saga that shows every line type, and the log's own lines: what tests, vectors and the fuzzer start from."""

from __future__ import annotations

import random
from typing import Any

from agent_saga.trace.writer import SagaWriter

A, B = "a" * 64, "b" * 64
PROOF = {"payload": "eyJ2IjoxfQ", "signatures": [{"keyid": "k1", "sig": "c2ln"}]}
MONEY = {"minor": 4200, "currency": "EUR"}
SEALED = {"...": "Tm90IGEgcmVhbCBkaWdlc3QsIGJ1dCA0MyBjaGFycyE"}
CALL = {"tool": "payments.refund", "args": {"charge": "ch_1", "amount": MONEY}, "amount": MONEY}
CHARGE = {"card": "tok_1", "amount": MONEY}
TOOLS = {
    "payments.charge": {
        "version": "2.1",
        "semantics": "compensable",
        "undo": "payments.refund",
        "amount_from": "/amount",
        "resource_from": "/card",
        "schema": A,
    },
    "payments.refund": {"version": "2.1", "semantics": "compensable"},
    "mail.send": {"version": "7", "semantics": "irreversible"},
}

# (type, members): each type with all of its members, or, under the same name again, with the required ones alone.
SAGA: list[tuple[str, dict[str, Any]]] = [
    (
        "saga.started",
        {
            "log": "log.example/acme",
            "name": "order",
            "format": "1.0",
            "tools": TOOLS,
            "policy": A,
            "keys": B,
            "spec": A,
            "goal": {"order": "o-17", "note": SEALED},
            "agent": "planner",
            "parent": {"saga": "parent:1", "effect": "e9"},
            "pivot": "s2",
        },
    ),
    (
        "step.proposed",
        {
            "step": "s1",
            "tool": "payments.charge",
            "args": CHARGE,
            "allowed": ["payments.charge", "mail.send"],
            "driver": "closed-choice",
            "options": [{"id": "o1", "tool": "payments.charge", "args": CHARGE, "p": "0.93"}],
            "choice": "o1",
            "confidence": "0.93",
            "why": "the cart is full",
        },
    ),
    ("step.refused", {"step": "s0", "code": "denied", "reason": {"limit": MONEY}, "rule": "no-wires-at-night"}),
    (
        "approval.requested",
        {
            "step": "s1",
            "action": A,
            "rule": "two-eyes",
            "quorum": 2,
            "roles": ["finance", "risk"],
            "strength": "B",
            "not_after": "2028-02-29T23:59:59.999999Z",
        },
    ),
    ("approval.recorded", {"step": "s1", "action": A, "decision": "approve", "person": "p-1", "proof": PROOF}),
    (
        "effect.intended",
        {
            "effect": "e1",
            "step": "s1",
            "tool": "payments.charge",
            "semantics": "compensable",
            "args": CHARGE,
            "key": "5b0c9d0e7a",
            "attempt": 1,
            "action": A,
            "approvals": [A, B],
            "amount": MONEY,
            "resource": "tok_1",
            "after": [],
            "branch": "pay.card",
            "fallback_of": "e0",
            "reads": [{"saga": "other:1", "effect": "e2"}],
        },
    ),
    ("effect.succeeded", {"effect": "e1", "attempt": 1, "result": {"charge": "ch_1"}, "undo": CALL}),
    ("effect.failed", {"effect": "e1", "attempt": 2, "error": "card refused"}),
    ("effect.unknown", {"effect": "e1", "attempt": 3, "error": "time-out", "undo": CALL}),
    ("effect.reconciled", {"effect": "e1", "found": "landed", "result": ["ch_1", None, True], "undo": CALL}),
    (
        "undo.intended",
        {
            "undo": "u1",
            "effect": "e1",
            "tool": "payments.refund",
            "args": CALL["args"],
            "key": "77aa",
            "attempt": 1,
            "amount": {"minor": SEALED, "currency": "EUR"},
        },
    ),
    ("undo.succeeded", {"undo": "u1", "attempt": 1, "result": None}),
    ("undo.failed", {"undo": "u1", "attempt": 2, "error": {"status": 503}}),
    ("undo.unknown", {"undo": "u1", "attempt": 3, "error": "connection reset"}),
    ("undo.reconciled", {"undo": "u1", "found": "unresolved", "result": {"seen": False}}),
    ("check.evaluated", {"check": "c1", "passed": True, "evidence": {"balance": 0}}),
    ("rollback.started", {"cause": 'é \u2028 / \u007f \U0001f9fe " \\ \b\f\n\r\t \u0001 \u001f'}),
    ("branch.chosen", {"branch": "pay", "winner": "card"}),
    ("saga.halted", {"reason": "kill_switch"}),
    ("saga.escalated", {"reason": {"refusals": 3}}),
    ("saga.paused", {"reason": "waits for finance", "waiting": ["e1", "u1"]}),
    ("person.decided", {"target": "e1", "verdict": "kept", "reason": "contract", "person": "p-1", "proof": PROOF}),
    ("saga.ended", {"status": "closed_with_exceptions", "held": ["e1"]}),
]
MINIMAL: list[tuple[str, dict[str, Any]]] = [
    ("saga.started", {"log": "", "name": "order", "format": "1.0", "tools": {}}),
    ("step.proposed", {"step": "s1", "tool": "t", "args": {}, "allowed": [], "driver": ""}),
    ("step.refused", {"step": "s0", "code": "denied", "reason": None}),
    (
        "effect.intended",
        {"effect": "e1", "step": "s1", "tool": "t", "semantics": "preview", "args": SEALED, "key": "k", "attempt": 1},
    ),
    ("effect.succeeded", {"effect": "e1", "attempt": 1, "result": None}),
    ("effect.reconciled", {"effect": "e1", "found": "absent"}),
    ("undo.reconciled", {"undo": "u1", "found": "landed"}),
    ("effect.failed", {"effect": "e1", "attempt": 9_007_199_254_740_991, "error": [-9_007_199_254_740_991, 0, -1]}),
]
LOG: list[tuple[str, dict[str, Any]]] = [
    (
        "log.opened",
        {"origin": "log.example/acme", "vkey": "log.example/acme+0a1b2c3d+AQ", "keys": {"version": 0}, "policy": A},
    ),
    (
        "log.indexed",
        {"size": 12, "root": A, "keys": {"digest": B, "index": 0}, "policy": {"digest": A, "index": 0}},
    ),
    ("keys.enrolled", {"registry": {"version": 1}, "proof": PROOF}),
    ("keys.revoked", {"key_id": "k1", "proof": PROOF, "compromised_since": "2026-10-01T00:00:00.000000Z"}),
    ("policy.adopted", {"policy": B, "proof": PROOF}),
]


def instant(second: int) -> str:
    """A time of the sample traces: that many seconds after seven o'clock, for less than an hour."""
    return f"2026-11-30T07:{second // 60:02}:{second % 60:02}.000000Z"


def write(saga: str, members: list[tuple[str, dict[str, Any]]], seed: int = 1) -> list[bytes]:
    """Chained lines of one saga with these members; the same seed gives the same bytes."""
    writer = SagaWriter(saga, random.Random(seed).randbytes)
    return [
        writer.line(type, instant(second), "tool:payments.charge" if ".succ" in type else "runtime", **rest)
        for second, (type, rest) in enumerate(members)
    ]


def good_lines() -> list[bytes]:
    """A line of every type, with all members and with the fewest."""
    return [*write("k3JxQ0m7y2aTt5v9WcZ1eA", SAGA), *write("import:7", MINIMAL, 2), *write("log", LOG, 3)]
