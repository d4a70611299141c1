"""A trace as a few words a line: ``do e1 payments.charge`` proposes, intends and reports the charge e1.

Verbs: see the methods of :class:`Script`. ``name=value`` sets a member of the line (JSON, else text), ``name=`` leaves
it out; ``arg.name=value`` sets one argument, ``minor=100`` the amount and the argument that says it,
``undo.name=value`` a member of the inverse that the outcome records, ``saga=b`` the saga, ``at=7`` the second.
"""

from __future__ import annotations

import json
from typing import Any

from .lines import Line, chain, leaf, salt
from .shop import ACTION, ALLOWED, ARGS, INVERSE, TOOLS, money


class Script:
    """Lines as they are written down. Every verb is a method."""

    def __init__(self, seed: str) -> None:
        self.seed, self.lines = seed, list[Line]()
        self.calls: dict[tuple[str, str], Line] = {}
        self.inverses: dict[tuple[str, str], dict[str, Any]] = {}
        self.attempts: dict[tuple[str, str], int] = {}
        self.sets: dict[str, Any] = {}
        self.saga = ""

    def run(self, text: str) -> list[Line]:
        """Every line of the text; sagas start by themselves when they are first named."""
        for line in filter(None, map(str.strip, text.splitlines())):
            verb, *words = line.split()
            self.sets = {name: _value(value) for name, _, value in (w.partition("=") for w in words if "=" in w)}
            self.saga = self.sets.pop("saga", "order")
            getattr(self, verb)(*(word for word in words if "=" not in word))
        return self.lines

    def put(self, kind: str, **members: Any) -> None:
        """Write a line."""
        at = self.sets.pop("at", min(len(self.lines), 59))
        by = self.sets.pop("by", "runtime")
        head = {"v": 1, "saga": self.name(self.saga), "seq": 0, "prev": "", "at": f"2026-01-05T09:00:{at:02}.000000Z"}
        members |= {name: value for name, value in self.sets.items() if "." not in name and name != "minor"}
        kept = {name: value for name, value in members.items() if value is not None}
        line = {**head, "type": kind, "by": by, **kept, "salt": salt(self.seed, self.saga, kind, len(self.lines))}
        self.lines.append(line)
        if kind in ("effect.intended", "undo.intended"):
            self.attempts[self.saga, str(line["undo" if kind[0] == "u" else "effect"])] = line["attempt"]

    def name(self, saga: str) -> str:
        """The id of a saga."""
        return f"{saga}-{salt(self.seed, saga)}" if saga != "log" else saga

    def nostart(self) -> None:
        """The trace begins without saga.started."""

    def start(self) -> None:
        """saga.started."""
        if "parent" in self.sets:
            saga, effect = self.sets["parent"].split(".")
            self.sets["parent"] = {"saga": self.name(saga), "effect": effect}
        self.put(
            "saga.started",
            log="shop.example/audit",
            name="order",
            format="1.0",
            tools=TOOLS,
            policy=None,
            keys=None,
            agent="buyer",
            parent=None,
            pivot=None,
        )

    def step(self, step: str, tool: str) -> None:
        """step.proposed."""
        self.put(
            "step.proposed",
            step=step,
            tool=tool,
            args=self.args(tool),
            allowed=ALLOWED,
            driver="replay",
            options=None,
            choice=None,
        )

    def refuse(self, step: str) -> None:
        """step.refused."""
        self.put("step.refused", step=step, code="limit", reason={"limit": "daily"})

    def ask(self, step: str) -> None:
        """approval.requested."""
        rule = {"rule": "wires", "quorum": 1, "roles": ["treasury"], "strength": "B"}
        self.put("approval.requested", step=step, action=ACTION, **rule, not_after="2026-01-05T10:00:00.000000Z")

    def answer(self, step: str, decision: str) -> None:
        """approval.recorded."""
        self.put("approval.recorded", step=step, action=ACTION, decision=decision, person="p-07", proof={})

    def do(self, effect: str, tool: str) -> None:
        """A step, its effect and its success."""
        sets, saga = dict(self.sets), self.saga
        if "step" not in sets:
            self.sets = {name: value for name, value in sets.items() if name.startswith(("arg.", "minor"))}
            self.step(effect.replace("e", "s"), tool)
        self.sets = {name: value for name, value in sets.items() if not name.startswith("undo")}
        self.go(effect, tool)
        self.sets, self.saga = {name: value for name, value in sets.items() if name.startswith("undo")}, saga
        self.ok(effect)

    def go(self, effect: str, tool: str) -> None:
        """effect.intended."""
        members: Line = {"effect": effect, "step": effect.replace("e", "s"), "tool": tool}
        members |= {"semantics": TOOLS.get(tool, {}).get("semantics", "compensable"), "args": self.args(tool)}
        members |= {"key": f"key-of-{effect}", "attempt": 1, "action": None, "approvals": None}
        members |= {"amount": members["args"].get("amount"), "resource": members["args"].get("sku")}
        members |= {"after": None, "branch": None, "fallback_of": None, "reads": None}
        if self.sets.get("approvals") == "last":
            last = [n for n, line in enumerate(self.lines) if line["type"] == "approval.recorded"][-1]
            self.sets |= {"approvals": [leaf(chain(self.lines)[last])], "action": self.sets.get("action", ACTION)}
        if "reads" in self.sets:
            saga, read = self.sets["reads"].split(".")
            self.sets["reads"] = [{"saga": self.name(saga), "effect": read}]
        self.put("effect.intended", **members)
        self.calls.setdefault((self.saga, effect), self.lines[-1])

    def again(self, effect: str) -> None:
        """The next attempt of an effect or an undo."""
        call = self.calls[self.saga, effect]
        tries = self.attempt(effect)
        about = list(call)[7:-1]
        self.put(call["type"], **{name: call[name] for name in about} | {"attempt": tries + 1})

    def attempt(self, name: str) -> int:
        """The latest attempt of a call."""
        return self.attempts.get((self.saga, name), 1)

    def ok(self, effect: str) -> None:
        """effect.succeeded, with the inverse that follows from it."""
        self.outcome("succeeded", effect, result={"ref": f"ref-{effect}"}, undo=self.inverse(effect))

    def fail(self, effect: str) -> None:
        """effect.failed."""
        self.outcome("failed", effect, error={"code": "declined"})

    def lose(self, effect: str) -> None:
        """effect.unknown; with undo=1 the inverse is known."""
        undo = self.inverse(effect) if self.sets.pop("undo", None) else None
        self.outcome("unknown", effect, error={"code": "timeout"}, undo=undo)

    def outcome(self, kind: str, effect: str, **members: Any) -> None:
        """An outcome line of an effect."""
        self.put(f"effect.{kind}", **{"effect": effect, "attempt": self.attempt(effect)} | members)

    def found(self, effect: str, found: str) -> None:
        """effect.reconciled."""
        undo = self.inverse(effect) if found == "landed" else None
        result = {"ref": f"ref-{effect}"} if found == "landed" else None
        self.put("effect.reconciled", effect=effect, found=found, result=result, undo=undo)

    def undo(self, undo: str, effect: str) -> None:
        """An undo that succeeds."""
        saga = self.saga
        self.goundo(undo, effect)
        self.saga, self.sets = saga, {}
        self.okundo(undo)

    def goundo(self, undo: str, effect: str) -> None:
        """undo.intended: the recorded inverse."""
        likely = {"tool": "shipping.cancel", "args": {"ref": f"ref-{effect}"}}
        recorded = self.inverses.get((self.saga, effect)) or self.inverse(effect) or likely
        args, amount = recorded["args"], recorded.get("amount")
        if "minor" in self.sets:
            amount = money(self.sets["minor"])
            args = {**args, "amount": amount}
        args = self.edited(args)
        self.put(
            "undo.intended",
            undo=undo,
            effect=effect,
            tool=recorded["tool"],
            args=args,
            key=f"key-of-{undo}",
            attempt=1,
            amount=amount,
        )
        self.calls.setdefault((self.saga, undo), self.lines[-1])

    def okundo(self, undo: str) -> None:
        """undo.succeeded."""
        self.put("undo.succeeded", undo=undo, attempt=self.attempt(undo), result={"ref": f"ref-{undo}"})

    def failundo(self, undo: str) -> None:
        """undo.failed."""
        self.put("undo.failed", undo=undo, attempt=self.attempt(undo), error={"code": "declined"})

    def loseundo(self, undo: str) -> None:
        """undo.unknown."""
        self.put("undo.unknown", undo=undo, attempt=self.attempt(undo), error={"code": "timeout"})

    def foundundo(self, undo: str, found: str) -> None:
        """undo.reconciled."""
        self.put("undo.reconciled", undo=undo, found=found)

    def check(self, check: str, passed: str = "passed") -> None:
        """check.evaluated."""
        self.put("check.evaluated", check=check, passed=passed == "passed", evidence={"asked": "provider"})

    def rollback(self) -> None:
        """rollback.started."""
        self.put("rollback.started", cause={"code": "declined"})

    def choose(self, branch: str, winner: str) -> None:
        """branch.chosen."""
        self.put("branch.chosen", branch=branch, winner=winner)

    def halt(self) -> None:
        """saga.halted."""
        self.put("saga.halted", reason={"code": "kill_switch"})

    def pause(self, *waiting: str) -> None:
        """saga.paused."""
        self.put("saga.paused", reason={"code": "unproven"}, waiting=list(waiting))

    def decide(self, target: str, verdict: str) -> None:
        """person.decided."""
        self.put("person.decided", target=target, verdict=verdict, reason={"note": "seen"}, person="p-07", proof={})

    def end(self, status: str, *held: str) -> None:
        """saga.ended."""
        self.put("saga.ended", status=status, held=list(held))

    def success(self, *held: str) -> None:
        """A passed check and the end of a success."""
        saga = self.saga
        self.check("goal")
        self.saga = saga
        self.end("succeeded_verified", *held)

    def args(self, tool: str) -> dict[str, Any]:
        """What a tool is called with."""
        args = dict(ARGS.get(tool, {"order": "A-1001"}))
        if "amount_from" in TOOLS.get(tool, {}):
            args["amount"] = money(self.sets.get("minor", 4200))
        return self.edited(args)

    def edited(self, args: dict[str, Any]) -> dict[str, Any]:
        """Arguments with those that the script sets."""
        more = {name[4:]: value for name, value in self.sets.items() if name.startswith("arg.")}
        return {name: value for name, value in (args | more).items() if value is not None}

    def inverse(self, effect: str) -> dict[str, Any] | None:
        """What undoes an effect, as its outcome records it."""
        call = self.calls.get((self.saga, effect))
        tool = INVERSE.get(call["tool"]) if call else None
        if call is None or tool is None:
            return None
        args: dict[str, Any] = {"ref": f"ref-{effect}"} | ({"amount": call["amount"]} if "amount" in call else {})
        undo = {"tool": tool, "args": args} | ({"amount": call["amount"]} if "amount" in call else {})
        if "undo.minor" in self.sets:
            amount = money(self.sets["undo.minor"])
            undo |= {"args": {**args, "amount": amount}, "amount": amount}
        undo |= {
            name[5:]: value for name, value in self.sets.items() if name in ("undo.tool", "undo.amount", "undo.args")
        }
        undo = {name: value for name, value in undo.items() if value is not None}
        self.inverses.setdefault((self.saga, effect), undo)
        return undo


def _value(text: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
