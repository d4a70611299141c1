"""What may come next in a walk: each move writes a line or a few, by chance, honestly or not.

The shares of the moves decide how much of what is seen; they were chosen so that every rule about effects and undos
that needs no signature and no policy is broken by some walk in a few hundred.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from copy import deepcopy

from oraclelib.acts import TOOLS
from oraclelib.sagas import money
from walking_lines import Belief, Effect, Line, Pen, Undo, inverse_of, pay
from walking_people import VERDICTS

DISHONESTY = (0.0, 0.02, 0.02, 0.05, 0.15)
"""Shares of dishonest choices, one for each walk."""
BRANCHES = ("g.a", "g.b", "g.c", "g.a.h.x", "g.a.h.y")
OPTIONS = {"g": "abc", "g.a.h": "xy"}
AFTER_SILENCE = ("succeeded", "succeeded", "succeeded", "failed", "unknown", "unknown")
AFTER_DOUBT = ("succeeded", "succeeded", "succeeded", "failed", "unknown", "landed", "absent", "unresolved")
OF_AN_UNDO = ("succeeded", "succeeded", "succeeded", "succeeded", "failed", "unknown", "landed", "absent")


class Moves:
    """A walk and its moves. rng: decides everything."""

    def __init__(self, rng: random.Random, saga: str) -> None:
        self.rng, self.pen = rng, Pen(saga)
        self.effects, self.undos = self.pen.effects, self.pen.undos
        self.steps = self.checks = 0
        self.rolled_back = False
        self.dishonesty = rng.choice(DISHONESTY)
        self.asks = rng.random() < 0.4

    def lies(self) -> bool:
        """Whether this choice is a dishonest one."""
        return self.rng.random() < self.dishonesty

    def begin(self) -> None:
        """A new effect, of a step of its own or of an earlier one."""
        tool = self.rng.choice(("look", "hold", "charge", "charge"))
        step, instead_of = self._place()
        branch = self.rng.choice(BRANCHES) if self.rng.random() < 0.25 else None
        args = self._args(tool)
        earlier = next((line for line in self.pen.of("step.proposed") if line["step"] == step), None)
        if earlier:
            tool, args = earlier["tool"], earlier["args"]
        else:
            self.pen.propose(step, tool, args)
        name = f"e{len(self.effects)}"
        self.pen.intend(
            effect=name,
            step=step,
            tool=tool,
            semantics=TOOLS[tool]["semantics"],
            args=args,
            key=self._key(name, self.effects),
            attempt=1,
            amount=args.get("amount"),
            after=self._after(),
            branch=branch,
            fallback_of=instead_of,
        )

    def _place(self) -> tuple[str, str | None]:
        """The step of a new effect, and the effect that it is the fallback of."""
        self.steps += 1
        gone = [name for name, effect in self.effects.items() if effect.state == "absent"]
        if gone and self.rng.random() < 0.5:
            instead_of = self.rng.choice(gone)
            same = self.rng.random() < 0.3
            return (self.effects[instead_of].call["step"] if same else f"s{self.steps}"), instead_of
        if self.effects and self.rng.random() < 0.08:
            return self.rng.choice(list(self.effects.values())).call["step"], None
        lies = self.lies() and self.effects
        return f"s{self.steps}", self.rng.choice(list(self.effects)) if lies else None

    def _args(self, tool: str) -> Line:
        if tool == "charge":
            return {"item": "x", "amount": money(self.rng.choice((100, 100, 250, 0)))}
        return {"item": self.rng.choice("xy")}

    def _key(self, name: str, others: Mapping[str, Belief]) -> str:
        """A key of its own, or another call's."""
        own = f"k-{name}-{self.rng.random()}"
        return self.rng.choice(list(others.values())).call["key"] if self.lies() and others else own

    def _after(self) -> list[str] | None:
        if self.rng.random() >= 0.3:
            return None
        count = self.rng.randint(0, len(self.effects))
        return self.rng.sample(list(self.effects), count)

    def inverse(self, effect: Effect) -> Line | None:
        """What an outcome names as the undo; a liar names too small a refund."""
        return inverse_of(effect, 50 if effect.call["tool"] == "charge" and self.lies() else 0)

    def tell(self) -> None:
        """An outcome of an effect that waits for one, a late one, or a lie about any."""
        waiting = [effect for effect in self.effects.values() if effect.state in ("open", "unknown")]
        late = [effect for effect in self.effects.values() if effect.state == "absent" and effect.asked_away]
        pool = waiting * 4 + late + (list(self.effects.values()) if self.lies() else [])
        if not pool:
            return
        effect = self.rng.choice(pool)
        inverse = self.inverse(effect) if self.rng.random() > 0.03 else None
        if effect.inverse and not self.lies():
            inverse = effect.inverse
        what = self.rng.choice(AFTER_SILENCE if effect.state == "open" else AFTER_DOUBT)
        if effect in late:
            what = self.rng.choice(("succeeded", "landed"))
        self._tell(effect, what, inverse)

    def _tell(self, effect: Effect, what: str, inverse: Line | None) -> None:
        if what == "succeeded":
            self.pen.succeeded(effect, inverse)
        elif what == "landed":
            self.pen.found_landed(effect, inverse)
        elif what == "unknown":
            self.pen.lost(effect, inverse if self.rng.random() < 0.6 else None)
        elif what == "failed":
            self.pen.failed(effect)
        elif what == "absent":
            self.pen.found_absent(effect)
        else:
            self.pen.unresolved(effect)

    def retry(self) -> None:
        """Another attempt, of what is absent, of a preview, or of anything."""
        pool = [effect for effect in self.effects.values() if effect.state == "absent" or effect.call["tool"] == "look"]
        if self.lies():
            pool = list(self.effects.values())
        if self.rolled_back and not self.lies():
            return
        if pool:
            self.pen.again(self.rng.choice(pool))

    def undo(self) -> None:
        """An undo of something in force, whole or in part, or of anything, by anything."""
        pool = [effect for effect in self.effects.values() if effect.in_force and effect.state != "open"]
        if self.lies():
            pool = list(self.effects.values())
        if not pool:
            return
        effect = pool[-1] if self.rng.random() < 0.7 else self.rng.choice(pool)
        inverse = deepcopy(effect.inverse or self.inverse(effect) or {"tool": "free", "args": {}})
        if "amount" in inverse and self.rng.random() < 0.3:
            minor = self.rng.choice((-1, 300) if self.lies() else (50, 100, 0))
            pay(inverse, money(minor, "USD" if self.lies() else "EUR"))
        if self.lies():
            inverse["args"]["ref"] = "e9"
        undo = self.pen.intend_undo(effect, inverse, self._key(f"u{len(self.undos)}", self.undos))
        if self.rng.random() < 0.75:
            self._tell_undo(undo)

    def tell_of_an_undo(self) -> None:
        """An outcome or another attempt of an undo that waits for one, or a lie about any."""
        waiting = [undo for undo in self.undos.values() if undo.state != "ok"]
        if waiting or self.lies():
            self._tell_undo(self.rng.choice(waiting or list(self.undos.values())))

    def _tell_undo(self, undo: Undo) -> None:
        if undo.state == "absent" and self.rng.random() < 0.8:
            self.pen.again(undo)
            return
        what = self.rng.choice(OF_AN_UNDO)
        if what in ("landed", "absent") and undo.state != "unknown" and not self.lies():
            what = "succeeded"
        self.pen.undo_told(undo, what)

    def waiting(self) -> dict[str, Belief]:
        """What a person may be asked about: what nobody knows, and effects that are in force."""
        effects = {name: one for name, one in self.effects.items() if one.in_force and one.state != "open"}
        return effects | {name: one for name, one in self.undos.items() if one.state == "unknown"}

    def ask_a_person(self) -> None:
        """A pause, and a person's decision about most of what waits; a liar's, about anything."""
        calls: dict[str, Belief] = self.effects | self.undos
        pool = list(calls if self.lies() else self.waiting())
        if not pool:
            return
        asked = self.rng.sample(pool, min(len(pool), self.rng.choice((1, 1, 2))))
        self.pen.put("saga.paused", reason={}, waiting=asked)
        for name in asked:
            if self.rng.random() < 0.9:
                target = self.rng.choice(list(calls)) if self.lies() else name
                self.pen.decided(target, self._verdict(calls[target]), self.lies())

    def _verdict(self, call: Belief) -> str:
        if self.lies():
            return self.rng.choice(VERDICTS)
        if isinstance(call, Undo):
            return self.rng.choice(("landed", "absent"))
        return self.rng.choice(("kept", "kept", "undone") if call.state == "ok" else VERDICTS)

    def check(self, passed: bool | None = None) -> None:
        """A check of the goal."""
        self.checks += 1
        passed = self.rng.random() < 0.85 if passed is None else passed
        self.pen.put("check.evaluated", check=f"c{self.checks}", passed=passed, evidence={})

    def roll_back(self) -> None:
        """The beginning of the rollback, half the times."""
        if self.rng.random() < 0.5:
            self.rolled_back = True
            self.pen.put("rollback.started", cause={})

    def choose(self) -> None:
        """The choice of a branch, or another choice by a liar."""
        group = self.rng.choice(("g", "g", "g.a.h"))
        if any(line["branch"] == group for line in self.pen.of("branch.chosen")) and not self.lies():
            return
        self.pen.put("branch.chosen", branch=group, winner=self.rng.choice(OPTIONS[group]))
