"""What a walk writes: the lines of one saga, and beside them what the walker believes of its calls.

The belief serves only to choose the next line so that it is plausible; it may be wrong and is never asked for a
verdict. What happened is told from the lines alone (`walking_world`). Nothing of the toolkit is used: the members
are those of docs/spec/trace-v1.md, and the chain is made by `oraclelib.sagas.written`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oraclelib.acts import TOOLS
from oraclelib.sagas import money
from rulelib.signing import REGISTRY_DIGEST
from walking_people import decided

Line = dict[str, Any]
FORWARD = ("look", "hold", "charge")
"""The tools that an agent may choose: a preview, one that is undone by `free`, one that is undone by `refund`."""


@dataclass
class Belief:
    """What the walker believes of a call. call: its intent. state: open, ok, unknown or absent."""

    call: Line
    state: str = "open"
    attempt: int = 1

    def landed(self, landed: bool, otherwise: str) -> None:
        """An outcome was told: whoever believes that a call landed never unlearns it."""
        if landed or self.state != "ok":
            self.state = "ok" if landed else otherwise


@dataclass
class Effect(Belief):
    """An effect.

    inverse: as told. kept: by a person. given: what its undos gave back, in minor units. asked_away: found absent.
    """

    inverse: Line | None = None
    undone: bool = False
    kept: bool = False
    given: int = 0
    asked_away: bool = False

    @property
    def in_force(self) -> bool:
        """Whether something of it may stand."""
        return self.call["tool"] != "look" and self.state != "absent" and not self.undone

    @property
    def price(self) -> int:
        """In minor units; 0 for what costs nothing."""
        return int(self.call.get("amount", {"minor": 0})["minor"])


@dataclass
class Undo(Belief):
    """An undo of an effect."""

    counted: bool = False


class Pen:
    """Writes the lines of one saga. Every method writes one line and lets the walker believe it."""

    def __init__(self, saga: str = "saga") -> None:
        self.saga = saga
        self.lines: list[Line] = []
        self.effects: dict[str, Effect] = {}
        self.undos: dict[str, Undo] = {}

    def put(self, kind: str, **members: Any) -> None:
        """A line; members that are None stay away."""
        self.lines.append({"type": kind} | {name: value for name, value in members.items() if value is not None})

    def of(self, kind: str) -> Iterator[Line]:
        """Lines of this type so far."""
        return (line for line in self.lines if line["type"] == kind)

    def start(self, parent: Line | None = None) -> None:
        """saga.started. parent: saga and effect that it carries out."""
        self.put(
            "saga.started", log="l", name="n", format="1.0", tools=TOOLS, keys=REGISTRY_DIGEST, agent="a", parent=parent
        )

    def propose(self, step: str, tool: str, args: Line) -> None:
        """step.proposed."""
        self.put("step.proposed", step=step, tool=tool, args=args, allowed=list(FORWARD), driver="d", by="agent:buyer")

    def intend(self, **call: Any) -> None:
        """effect.intended of a new effect."""
        self.put("effect.intended", **call)
        self.effects[call["effect"]] = Effect(self.lines[-1])

    def intend_undo(self, effect: Effect, inverse: Line, key: str) -> Undo:
        """undo.intended of a new undo of this effect: the inverse's tool, arguments and amount."""
        name = f"u{len(self.undos)}"
        about = {"undo": name, "effect": effect.call["effect"], "tool": inverse["tool"], "args": inverse["args"]}
        self.put("undo.intended", **about, key=key, attempt=1, amount=inverse.get("amount"))
        self.undos[name] = Undo(self.lines[-1])
        return self.undos[name]

    def again(self, call: Belief) -> None:
        """The next attempt of an effect or undo."""
        call.attempt += 1
        self.lines.append(call.call | {"attempt": call.attempt})
        call.state = "open"

    def succeeded(self, effect: Effect, inverse: Line | None) -> None:
        """effect.succeeded."""
        self._tell("succeeded", effect, result={}, undo=inverse)
        effect.inverse = effect.inverse or inverse
        effect.landed(True, "")

    def failed(self, effect: Effect) -> None:
        """effect.failed."""
        self._tell("failed", effect, error={})
        effect.landed(False, "absent")
        effect.asked_away = False

    def lost(self, effect: Effect, inverse: Line | None) -> None:
        """effect.unknown."""
        self._tell("unknown", effect, error={}, undo=inverse)
        effect.inverse = effect.inverse or inverse
        effect.landed(False, "unknown")

    def found_landed(self, effect: Effect, inverse: Line | None) -> None:
        """effect.reconciled, as landed."""
        self.put("effect.reconciled", effect=effect.call["effect"], found="landed", result={}, undo=inverse)
        effect.inverse = effect.inverse or inverse
        effect.landed(True, "")

    def found_absent(self, effect: Effect) -> None:
        """effect.reconciled, as absent."""
        self.put("effect.reconciled", effect=effect.call["effect"], found="absent")
        effect.landed(False, "absent")
        effect.asked_away = True

    def unresolved(self, effect: Effect) -> None:
        """effect.reconciled, with nothing found."""
        self.put("effect.reconciled", effect=effect.call["effect"], found="unresolved")

    def _tell(self, what: str, effect: Effect, **members: Any) -> None:
        self.put(f"effect.{what}", effect=effect.call["effect"], attempt=effect.attempt, **members)

    def undo_told(self, undo: Undo, what: str) -> None:
        """undo.succeeded, undo.failed, undo.unknown, or undo.reconciled as landed or absent."""
        name = undo.call["undo"]
        if what in ("landed", "absent"):
            self.put("undo.reconciled", undo=name, found=what)
        else:
            told: Line = {"result": {}} if what == "succeeded" else {"error": {}}
            self.put(f"undo.{what}", undo=name, attempt=undo.attempt, **told)
        undo.landed(what in ("succeeded", "landed"), "unknown" if what == "unknown" else "absent")
        if undo.state == "ok":
            self._give_back(undo)

    def decided(self, target: str, verdict: str, forged: bool) -> None:
        """person.decided, signed by the person or forged."""
        self.put("person.decided", **decided(self.saga, self.lines, target, verdict, forged))
        call = self.effects.get(target) or self.undos.get(target)
        if call and verdict in ("landed", "absent"):
            call.landed(verdict == "landed", "absent")
        if isinstance(call, Undo) and verdict == "landed":
            self._give_back(call)
        if isinstance(call, Effect):
            call.undone = call.undone or verdict == "undone"
            call.kept = call.kept or verdict == "kept"

    def _give_back(self, undo: Undo) -> None:
        effect, amount = self.effects[undo.call["effect"]], undo.call.get("amount")
        if amount and not undo.counted:
            effect.given += amount["minor"]
            undo.counted = True
        effect.undone = not amount or effect.given >= effect.price


def inverse_of(effect: Effect, short: int = 0) -> Line | None:
    """The undo that an honest outcome names; None for a preview. short: by how much the refund is too small."""
    name, tool = effect.call["effect"], effect.call["tool"]
    if tool == "hold":
        return {"tool": "free", "args": {"ref": name}}
    if tool == "charge":
        amount = money(max(effect.price - short, 0))
        return {"tool": "refund", "args": {"ref": name, "amount": amount}, "amount": amount}
    return None


def pay(inverse: Line, amount: Line) -> None:
    """Let an inverse give back this amount."""
    inverse["amount"] = inverse["args"]["amount"] = amount
