"""Writing good traces: a script of sagas over a small shop, with a fixed clock and fixed randomness."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from .lines import Line, chain, dumps, leaf, salt
from .shop import ALLOWED, TOOLS, euro, inverse

START = datetime(2026, 1, 5, 9, 0, 0)


@dataclass
class Call:
    """What is remembered of an effect or undo: the members that its later lines repeat or lead to."""

    tool: str
    members: dict[str, Any]
    attempt: int = 1
    undo: dict[str, Any] | None = None


@dataclass
class Script:
    """The lines of one file, in order. seed: what its ids, keys and salts are derived from."""

    seed: str
    lines: list[Line] = field(default_factory=list)
    disclosures: list[str] = field(default_factory=list)

    def saga(self, name: str = "order", **members: Any) -> Saga:
        """Start a saga: its first line is written."""
        saga = Saga(self, self.id("saga", name, len(self.lines)))
        fixed = {"log": "shop.example/audit", "name": name, "format": "1.0", "tools": TOOLS}
        saga.put("saga.started", **fixed, agent="buyer", **members)
        return saga

    def id(self, *parts: object) -> str:
        """22 characters, derived from the seed."""
        return salt(self.seed, *parts)

    def put(self, saga: str, type_: str, by: str, members: dict[str, Any]) -> None:
        """Append a line; its seq and prev come with finish()."""
        at = (START + timedelta(seconds=len(self.lines))).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        head = {"v": 1, "saga": saga, "seq": 0, "prev": "", "at": at, "type": type_, "by": by}
        kept = {name: value for name, value in members.items() if value is not None}
        self.lines.append({**head, **kept, "salt": self.id("salt", len(self.lines))})

    def finish(self) -> list[Line]:
        """All lines, chained."""
        return chain(self.lines)


class Saga:
    """One saga of a script. Every method writes the lines that a careful runtime would write."""

    def __init__(self, script: Script, saga: str) -> None:
        self.script, self.saga = script, saga
        self.calls: dict[str, Call] = {}

    def put(self, type_: str, by: str = "runtime", **members: Any) -> None:
        """One line as given."""
        self.script.put(self.saga, type_, by, members)

    def propose(self, step: str, tool: str, args: dict[str, Any], allowed: list[str] | None = None) -> None:
        """step.proposed."""
        allowed = allowed or ALLOWED
        self.put("step.proposed", "agent:buyer", step=step, tool=tool, args=args, allowed=allowed, driver="replay")

    def begin(self, effect: str, tool: str, args: dict[str, Any], step: str = "", **extra: Any) -> None:
        """step.proposed (unless the step was named) and effect.intended."""
        if not step:
            step = "s" + effect.removeprefix("e")
            self.propose(step, tool, args)
        key = sha256(self.script.id("key", self.saga, effect).encode()).hexdigest()[:32]
        spec = TOOLS[tool]
        members: dict[str, Any] = {
            "effect": effect,
            "step": step,
            "tool": tool,
            "semantics": spec["semantics"],
        }
        members |= {"args": args, "key": key, "attempt": 1, "action": None, "approvals": None}
        members |= {"amount": args["amount"] if "amount_from" in spec else None}
        members |= {"resource": args["sku"] if "resource_from" in spec else None}
        members |= {"after": None, "branch": None, "fallback_of": None, "reads": None} | extra
        self.calls[effect] = Call(tool, members, 1, inverse(tool, effect, args))
        self.put("effect.intended", **members)

    def again(self, effect: str) -> None:
        """The next attempt of an effect."""
        call = self.calls[effect]
        call.attempt += 1
        self.put("effect.intended", **{**call.members, "attempt": call.attempt})

    def succeed(self, effect: str) -> None:
        """effect.succeeded of the latest attempt, with the undo it leads to."""
        call = self.calls[effect]
        result = {"ref": f"ref_{effect}"}
        by = f"tool:{call.tool}"
        self.put("effect.succeeded", by, effect=effect, attempt=call.attempt, result=result, undo=call.undo)

    def fail(self, effect: str) -> None:
        """effect.failed of the latest attempt."""
        call = self.calls[effect]
        error = {"code": "declined"}
        self.put("effect.failed", f"tool:{call.tool}", effect=effect, attempt=call.attempt, error=error)

    def lose(self, effect: str, undo: bool = False) -> None:
        """effect.unknown of the latest attempt. undo: record how it could be undone."""
        call = self.calls[effect]
        error = {"code": "timeout"}
        known = call.undo if undo else None
        self.put("effect.unknown", effect=effect, attempt=call.attempt, error=error, undo=known)

    def reconcile(self, effect: str, found: str) -> None:
        """effect.reconciled."""
        call = self.calls[effect]
        landed = found == "landed"
        result = {"ref": f"ref_{effect}"} if landed else None
        undo = call.undo if landed else None
        self.put("effect.reconciled", effect=effect, found=found, result=result, undo=undo)

    def effect(self, effect: str, tool: str, args: dict[str, Any], step: str = "", **extra: Any) -> None:
        """An effect that succeeds at once."""
        self.begin(effect, tool, args, step, **extra)
        self.succeed(effect)

    def begin_undo(self, undo: str, effect: str, minor: int | None = None) -> None:
        """undo.intended, of a part of the amount when minor is given."""
        recorded = self.calls[effect].undo
        assert recorded is not None
        args, amount = recorded["args"], recorded.get("amount")
        if minor is not None:
            amount = euro(minor)
            args = {**args, "amount": amount}
        key = sha256(self.script.id("key", self.saga, undo).encode()).hexdigest()[:32]
        members = {"undo": undo, "effect": effect, "tool": recorded["tool"], "args": args, "key": key}
        members |= {"attempt": 1, "amount": amount}
        self.calls[undo] = Call(recorded["tool"], members)
        self.put("undo.intended", **members)

    def undo_again(self, undo: str) -> None:
        """The next attempt of an undo."""
        call = self.calls[undo]
        call.attempt += 1
        self.put("undo.intended", **{**call.members, "attempt": call.attempt})

    def end_undo(self, undo: str, outcome: str = "succeeded", found: str | None = None) -> None:
        """undo.succeeded, .failed, .unknown or .reconciled."""
        call = self.calls[undo]
        by = f"tool:{call.tool}"
        if outcome == "reconciled":
            self.put("undo.reconciled", undo=undo, found=found)
        elif outcome == "succeeded":
            self.put("undo.succeeded", by, undo=undo, attempt=call.attempt, result={"ref": f"ref_{undo}"})
        else:
            self.put(f"undo.{outcome}", by, undo=undo, attempt=call.attempt, error={"code": outcome})

    def undo(self, undo: str, effect: str, minor: int | None = None) -> None:
        """An undo that succeeds at once."""
        self.begin_undo(undo, effect, minor)
        self.end_undo(undo)

    def check(self, check: str, passed: bool = True) -> None:
        """check.evaluated."""
        self.put("check.evaluated", check=check, passed=passed, evidence={"asked": "provider"})

    def rollback(self) -> None:
        """rollback.started."""
        self.put("rollback.started", cause={"code": "declined"})

    def request(self, step: str, action: str) -> None:
        """approval.requested."""
        roles = {"rule": "wires", "quorum": 1, "roles": ["treasury"], "strength": "B"}
        self.put("approval.requested", step=step, action=action, **roles, not_after="2026-01-05T10:00:00.000000Z")

    def record(self, step: str, action: str, decision: str = "approve") -> str:
        """approval.recorded; returns its leaf."""
        members: dict[str, Any] = {
            "step": step,
            "action": action,
            "decision": decision,
            "person": "p-07",
            "proof": {},
        }
        self.put("approval.recorded", "person:p-07", **members)
        return leaf(dumps(chain(self.script.lines)[-1]))

    def end(self, status: str, *held: str) -> None:
        """saga.ended."""
        self.put("saga.ended", status=status, held=list(held))

    def succeeded(self, *held: str) -> None:
        """A passed check and the end of a success."""
        self.check("goal")
        self.end("succeeded_verified", *held)

    def compensated(self) -> None:
        """A passed check and the end of a compensation."""
        self.check("restored")
        self.end("compensated_verified")
