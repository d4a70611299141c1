"""The world of one saga: which effects exist in it at any moment, told from the lines about calls alone.

The provider is believed, the agent's own summary is not. A call happened once any outcome says that it did. It did
not happen when every attempt was refused, or was asked about afterwards and not found. Between the two nobody knows,
and what nobody knows may stand. An undo counts when it is the one that the provider named, for the whole amount. A
person's word tells what nobody knows, undoes an effect, or keeps it: what is kept stands, and is allowed to.

Independent of the certifier: nothing of the toolkit is imported and no state is folded; each question reads the lines
of the calls concerned again, up to the moment it is asked about. It was written from docs/rules.md ("An effect,
formally"), apart from the judge of tests/oracle as well, which knows no branches and no fallbacks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Line = dict[str, Any]
END = 1 << 60
"""After every line."""


@dataclass
class Call:
    """An effect or an undo. first: its first intent. tries: all of them, told: its outcomes, each with its place."""

    first: Line
    at: int
    tries: list[tuple[int, Line]] = field(default_factory=list)
    told: list[tuple[int, Line]] = field(default_factory=list)

    @property
    def minor(self) -> int | None:
        """Its amount in minor units; None when it has none."""
        amount = self.first.get("amount")
        return None if amount is None else int(amount["minor"])

    def landing(self, before: int = END) -> int | None:
        """Where it was first said to have happened."""
        said = [at for at, line in self.told if at < before and _landed(line)]
        return min(said, default=None)

    def happened(self, before: int = END) -> bool:
        """Whether it was said to have happened."""
        return self.landing(before) is not None

    def absent(self, before: int = END) -> bool:
        """Whether it is proven of every attempt that it did not happen."""
        tries = [(at, line) for at, line in self.tries if at < before]
        return not self.happened(before) and all(self._disproved(at, line["attempt"], before) for at, line in tries)

    def _disproved(self, since: int, attempt: int, before: int) -> bool:
        """Whether an attempt was refused, or not found after the last word about it."""
        gone = False
        for at, line in self.told:
            if not since <= at < before:
                continue
            if line.get("attempt") == attempt:
                gone = line["type"].endswith(".failed")
            elif line.get("found") == "absent":
                gone = True
        return gone


def _landed(line: Line) -> bool:
    return bool(line["type"].endswith(".succeeded") or line.get("found") == "landed")


class World:
    """All calls of one saga, and what they left behind.

    strays: outcomes of calls that nobody announced. denied: decisions against what is known. said: where a person first
    gave an effect such a verdict.
    """

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.effects: dict[str, Call] = {}
        self.undos: dict[str, Call] = {}
        self.strays: list[Line] = []
        self.denied: list[Line] = []
        self.said: dict[tuple[str, str], int] = {}
        for at, line in enumerate(lines):
            kind, _, what = line["type"].partition(".")
            if line["type"] == "person.decided":
                self._decide(at, line)
            elif kind in ("effect", "undo"):
                self._add(self.effects if kind == "effect" else self.undos, line[kind], what, at, line)

    def _add(self, calls: dict[str, Call], name: str, what: str, at: int, line: Line) -> None:
        if what == "intended":
            calls.setdefault(name, Call(line, at)).tries.append((at, line))
        elif name in calls:
            calls[name].told.append((at, line))
        else:
            self.strays.append(line)

    def _decide(self, at: int, line: Line) -> None:
        """A person's word tells what nobody knows; what is known it does not change."""
        target, verdict = line["target"], line["verdict"]
        call = self.effects.get(target) or self.undos.get(target)
        if verdict in ("landed", "absent"):
            if call is None or (call.absent() if verdict == "landed" else call.happened()):
                self.denied.append(line)
            else:
                call.told.append((at, line | {"found": verdict}))
        else:
            self.said.setdefault((target, verdict), at)

    def kept(self, effect: str, before: int = END) -> bool:
        """Whether a person decided to keep an effect."""
        return self.said.get((effect, "kept"), END) < before

    def changes(self, effect: str) -> bool:
        """Whether an effect is one at all: a preview only reads."""
        return bool(self.effects[effect].first["tool"] != "look")

    def undos_of(self, effect: str, before: int = END) -> list[Call]:
        """The undos of an effect that happened."""
        own = [undo for undo in self.undos.values() if undo.first["effect"] == effect]
        return [undo for undo in own if undo.happened(before)]

    def named_undo(self, effect: str, before: int = END) -> Line | None:
        """The undo that the outcomes named, the latest when several did."""
        told = self.effects[effect].told
        return next((line["undo"] for at, line in reversed(told) if at < before and "undo" in line), None)

    def undone(self, effect: str, before: int = END) -> bool:
        """Whether what an effect did was taken back as a whole, by what was named for it and by nothing else."""
        settled = self.said.get((effect, "undone"), END)
        if settled < before and not any(at > settled for at, _ in self.effects[effect].tries):
            return True
        call, undos, named = self.effects[effect], self.undos_of(effect, before), self.named_undo(effect, before)
        if not undos or named is None or not all(_does(undo.first, named) for undo in undos):
            return False
        began = min(undo.at for undo in undos)
        if any(at > began for at, _ in call.tries):
            return False  # an attempt that began after the undo is not undone by it
        if call.minor is None:
            return len(undos) == 1
        given = [_given(undo.first) for undo in undos]
        return None not in given and sum(filter(None, given)) == call.minor

    def stands(self, effect: str, before: int = END) -> bool:
        """Whether something of an effect exists, or may exist, that was not undone."""
        call = self.effects[effect]
        return self.changes(effect) and call.at < before and not call.absent(before) and not self.undone(effect, before)

    def standing(self) -> list[str]:
        """What is left in the end, in the order of the first intents."""
        return [effect for effect in self.effects if self.stands(effect)]


def _does(undo: Line, named: Line) -> bool:
    """Whether an undo is the named one, but for the amount."""
    return bool(undo["tool"] == named["tool"] and _but_amount(undo["args"]) == _but_amount(named["args"]))


def _but_amount(args: Line) -> Line:
    return {name: value for name, value in args.items() if name != "amount"}


def _given(undo: Line) -> int | None:
    """What an undo gives back, in minor units; None when it is of another currency, or says two amounts."""
    amount = undo.get("amount")
    if amount is None or amount["currency"] != "EUR" or undo["args"].get("amount") != amount:
        return None
    return int(amount["minor"])
