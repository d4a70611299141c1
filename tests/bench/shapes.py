"""What the benchmark's sagas do: members of each line in the order of the format; every shape certifies."""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

Line = tuple[str, str, dict[str, Any]]
"""Type, speaker, and the members between ``by`` and ``salt``."""

TOOLS: dict[str, dict[str, str]] = {
    "crm.lookup": {"version": "4.2", "semantics": "preview"},
    "stock.reserve": {"version": "1.9", "semantics": "reversible", "undo": "stock.release", "resource_from": "/sku"},
    "stock.release": {"version": "1.9", "semantics": "reversible"},
    "payments.charge": {
        "version": "2026-05-01",
        "semantics": "compensable",
        "undo": "payments.refund",
        "amount_from": "/amount",
    },
    "payments.refund": {"version": "2026-05-01", "semantics": "compensable", "amount_from": "/amount"},
    "shipping.book": {"version": "3.0", "semantics": "compensable", "undo": "shipping.cancel"},
    "shipping.cancel": {"version": "3.0", "semantics": "compensable"},
}
UNDO_OF = {name: spec["undo"] for name, spec in TOOLS.items() if "undo" in spec}


class Story:
    """Writes the lines of one saga; remembers what was done, so that it can be undone. policy: a digest, or ""."""

    policy = ""

    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng, self.number = rng, number
        self.done: list[tuple[str, dict[str, Any]]] = []
        self._calls = 0

    def start(self) -> Iterator[Line]:
        """The first line, its goal in the clear or concealed."""
        goal: Any = {"order": f"o-{self.number}", "customer": f"cus_{self.rng.randrange(10**8):08d}"}
        if self.number % 4 == 0:
            goal["customer"] = self.conceal(goal["customer"])
        members: dict[str, Any] = {"log": "log.example/shop", "name": "order", "format": "1.0", "tools": TOOLS}
        members |= {"policy": self.policy} if self.policy else {}
        yield "saga.started", "runtime", members | {"goal": goal, "agent": "order-planner"}

    def conceal(self, value: str) -> dict[str, str]:
        """The placeholder of a value whose disclosure is kept elsewhere."""
        disclosure = urlsafe_b64encode(f'["{self.rng.randbytes(16).hex()[:21]}A","{value}"]'.encode()).rstrip(b"=")
        return {"...": urlsafe_b64encode(sha256(disclosure).digest()).rstrip(b"=").decode()}

    def args(self, tool: str) -> dict[str, Any]:
        """Arguments as such a tool takes them."""
        if tool == "payments.charge":
            amount = {"minor": self.rng.randrange(100, 500_000), "currency": "EUR"}
            return {"customer": f"cus_{self.rng.randrange(10**8):08d}", "amount": amount, "capture": True}
        if tool == "stock.reserve":
            return {"sku": f"sku-{self.rng.randrange(5000)}", "quantity": self.rng.randrange(1, 9), "site": "ams-2"}
        if tool == "shipping.book":
            return {"carrier": "post", "service": "parcel", "weight_g": self.rng.randrange(200, 9000)}
        return {"query": {"order": f"o-{self.number}"}, "fields": ["name", "status", "limit"]}

    def propose(self, tool: str, args: dict[str, Any]) -> Iterator[Line]:
        """The agent's choice of the next step."""
        members = {"step": f"s{self._calls + 1}", "tool": tool, "args": args, "allowed": [*list(TOOLS)[:3], tool]}
        yield "step.proposed", "agent:order-planner", members | {"driver": "closed-choice", "confidence": "0.94"}

    def intend(self, tool: str, args: dict[str, Any], key: str, attempt: int, after: list[str] | None) -> Line:
        """The durable intent of one attempt."""
        members: dict[str, Any] = {
            "effect": f"e{self._calls}",
            "step": f"s{self._calls}",
            "tool": tool,
            "semantics": TOOLS[tool]["semantics"],
            "args": args,
            "key": key,
            "attempt": attempt,
        }
        if "amount" in args:
            members["amount"] = args["amount"]
        if "sku" in args:
            members["resource"] = args["sku"]
        return "effect.intended", "runtime", members | ({"after": after} if after is not None else {})

    def outcome(self, tool: str, args: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Result and, where the tool has one, the undo that it names."""
        reference = f"{tool[:2]}_{self.rng.getrandbits(64):016x}"
        result = {"id": reference, "status": "ok", "replayed": False}
        if tool not in UNDO_OF:
            return result, {}
        undo: dict[str, Any] = {"tool": UNDO_OF[tool], "args": {"id": reference}}
        if "amount" in args:
            undo = {
                "tool": UNDO_OF[tool],
                "args": {"id": reference, "amount": args["amount"]},
                "amount": args["amount"],
            }
        return result, {"undo": undo}

    def effect(
        self, tool: str, failures: int = 0, lost: bool = False, after: list[str] | None = None
    ) -> Iterator[Line]:
        """One effect: proposed, tried (again after each failure), and settled; `lost` loses the last reply."""
        args, key = self.args(tool), f"{self.rng.getrandbits(128):032x}"
        yield from self.propose(tool, args)
        self._calls += 1
        name = f"e{self._calls}"
        for attempt in range(1, failures + 1):
            yield self.intend(tool, args, key, attempt, after)
            error = {"code": 503, "message": "upstream unavailable"}
            yield "effect.failed", "runtime", {"effect": name, "attempt": attempt, "error": error}
        yield self.intend(tool, args, key, failures + 1, after)
        result, undo = self.outcome(tool, args)
        if lost:
            yield (
                "effect.unknown",
                "runtime",
                {"effect": name, "attempt": failures + 1, "error": "timed out after 30 s"},
            )
            yield "effect.reconciled", "runtime", {"effect": name, "found": "landed", "result": result, **undo}
        else:
            yield (
                "effect.succeeded",
                f"tool:{tool}",
                {"effect": name, "attempt": failures + 1, "result": result, **undo},
            )
        if undo:
            self.done.append((name, undo["undo"]))

    def roll_back(self, cause: str) -> Iterator[Line]:
        """Undo everything, last first."""
        yield "rollback.started", "runtime", {"cause": cause}
        for number, (effect, undo) in enumerate(reversed(self.done), 1):
            key = f"{self.rng.getrandbits(128):032x}"
            members = {"undo": f"u{number}", "effect": effect, "tool": undo["tool"], "args": undo["args"], "key": key}
            amount = {"amount": undo["amount"]} if "amount" in undo else {}
            yield "undo.intended", "runtime", {**members, "attempt": 1, **amount}
            yield (
                "undo.succeeded",
                f"tool:{undo['tool']}",
                {"undo": f"u{number}", "attempt": 1, "result": {"status": "ok"}},
            )

    def check(self, evidence: Any) -> Iterator[Line]:
        """A passed check."""
        yield "check.evaluated", "runtime", {"check": "goal", "passed": True, "evidence": evidence}

    def end(self, status: str, held: list[str]) -> Iterator[Line]:
        """The last line."""
        yield "saga.ended", "runtime", {"status": status, "held": held}


def succeeded(story: Story) -> Iterator[Line]:
    """Three effects and a check."""
    yield from story.start()
    yield from story.effect("crm.lookup")
    yield from story.effect("stock.reserve")
    yield from story.effect("payments.charge")
    yield from _well(story)


def _well(story: Story) -> Iterator[Line]:
    evidence = {"order": f"o-{story.number}", "paid": True, "shelf": "A-17"}
    yield from story.check(story.conceal("paid") if story.number % 8 == 0 else evidence)
    yield from story.end("succeeded_verified", [effect for effect, _ in story.done])


def compensated(story: Story) -> Iterator[Line]:
    """Two effects land, the third fails for good, the two are undone."""
    yield from story.start()
    yield from story.effect("stock.reserve")
    yield from story.effect("payments.charge")
    yield from story.propose("shipping.book", args := story.args("shipping.book"))
    story._calls += 1
    yield story.intend("shipping.book", args, f"{story.rng.getrandbits(128):032x}", 1, None)
    yield "effect.failed", "runtime", {"effect": f"e{story._calls}", "attempt": 1, "error": "no carrier"}
    yield from story.roll_back("no carrier takes the parcel")
    yield from story.check({"reserved": 0, "balance": 0})
    yield from story.end("compensated_verified", [])


def retried(story: Story) -> Iterator[Line]:
    """Failures before success, under one key."""
    yield from story.start()
    yield from story.effect("payments.charge", failures=2)
    yield from story.effect("shipping.book", failures=1)
    yield from _well(story)


def reconciled(story: Story) -> Iterator[Line]:
    """A lost reply, and the provider says that the call landed."""
    yield from story.start()
    yield from story.effect("payments.charge", lost=True)
    yield from story.effect("shipping.book")
    yield from _well(story)


def parallel(story: Story) -> Iterator[Line]:
    """Two effects that do not depend on each other, and one that needs both."""
    yield from story.start()
    yield from story.effect("stock.reserve", after=[])
    yield from story.effect("payments.charge", after=[])
    yield from story.effect("shipping.book", after=["e1", "e2"])
    yield from _well(story)


def refused(story: Story) -> Iterator[Line]:
    """A step is refused before anything happens, another one succeeds."""
    yield from story.start()
    yield from story.propose("payments.charge", story.args("payments.charge"))
    yield "step.refused", "runtime", {"step": "s1", "code": "limit", "reason": "over the daily limit", "rule": "daily"}
    story._calls += 1
    yield from story.effect("stock.reserve")
    yield from _well(story)


SHAPES: tuple[Callable[[Story], Iterator[Line]], ...] = (
    succeeded,
    compensated,
    retried,
    reconciled,
    parallel,
    refused,
)
