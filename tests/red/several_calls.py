"""Random sagas in which one step has several calls, and a small model of what is wrong with them.

The model keeps a word for each call and looks at all of them whenever it is asked: it shares no code with the
certifier, and no idea of how that remembers what stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from random import Random

TOOL = "payments.charge"
BRANCHES = ("g.a", "g.b", "g.a.h.x", "g.a.h.y")
OPTIONS = {"g": ("a", "b"), "g.a.h": ("x", "y")}
STANDS = ("landed", "open", "unknown")
"""States of a call that is, or may be, in the world."""


@dataclass
class Made:
    """One call. place: the step that it is made for, or in whose place it stands as a fallback."""

    name: str
    step: str
    place: str
    branch: str
    state: str = "open"

    @property
    def stands(self) -> bool:
        """Whether it is, or may be, in the world."""
        return self.state in STANDS

    def options(self) -> dict[str, str]:
        """Group to option, of every group that it is part of."""
        parts = self.branch.split(".")
        return {".".join(parts[:depth]): parts[depth] for depth in range(1, len(parts), 2)}


@dataclass
class SeveralCalls:
    """A saga as a script, and what the model finds wrong with it."""

    random: Random
    script: list[str] = field(default_factory=lambda: ["start"])
    made: list[Made] = field(default_factory=list)
    chosen: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def play(self) -> SeveralCalls:
        """Do something, again and again, and call it a success."""
        for _ in range(self.random.randint(6, 22)):
            self.random.choices((self.call, self.told, self.undo, self.choose), (4, 8, 1, 1))[0]()
        self.script.append(" ".join(["success", *(one.name for one in self.made if one.state == "landed")]))
        self.wrong += self.at_the_end()
        return self

    def call(self) -> None:
        """Make a call: for a step of its own, once more for an earlier one, or as a fallback."""
        if len(self.made) == 4:
            return
        number, how = len(self.made) + 1, self.random.choice(("own", "again", "fallback")) if self.made else "own"
        other = self.random.choice(self.made) if self.made else None
        step = other.step if other and how == "again" else f"s{number}"
        place = other.place if other and how != "own" else step
        one = Made(f"e{number}", step, place, self.random.choice(("", "", *BRANCHES)))
        if any(each.stands and each.place == place for each in self.made):
            self.wrong.append(f"{one.name} is made while another call for {place} stands")
        self.script += [f"step {step} {TOOL}"] if how != "again" else []
        words = ["go", one.name, TOOL, f"step={step}", "after=[]", *([f"branch={one.branch}"] if one.branch else [])]
        self.script.append(" ".join([*words, *([f"fallback_of={other.name}"] if other and how == "fallback" else [])]))
        self.made.append(one)

    def told(self) -> None:
        """Somebody tells what became of a call; what was absent may land late."""
        one = self.random.choice(self.made) if self.made else None
        if one is None or one.state in ("landed", "undone", "failed"):
            return
        if one.state == "open":
            verb, one.state = self.random.choice((("ok", "landed"), ("fail", "failed"), *[("lose", "unknown")] * 3))
            self.script.append(f"{verb} {one.name}")
            return
        one.state = self.random.choice(("landed", "absent", "absent"))
        self.script.append(f"found {one.name} {one.state}")

    def undo(self) -> None:
        """Undo a call that landed."""
        landed = [one for one in self.made if one.state == "landed"]
        if landed:
            one = self.random.choice(landed)
            one.state = "undone"
            self.script.append(f"undo u{one.name[1:]} {one.name}")

    def choose(self) -> None:
        """An option wins."""
        group = self.random.choice(sorted(OPTIONS))
        if group not in self.chosen:
            self.chosen[group] = self.random.choice(OPTIONS[group])
            self.script.append(f"choose {group} {self.chosen[group]}")

    def at_the_end(self) -> list[str]:
        """What may not be so in a success."""
        left = [one for one in self.made if one.stands]
        told = [f"nobody knows what became of {one.name}" for one in left if one.state != "landed"]
        for one in left:
            told += [f"{one.name} lost" for group, to in one.options().items() if self.chosen.get(group, to) != to]
        for one, other in combinations(left, 2):
            if one.place == other.place:
                told.append(f"{one.name} and {other.name} both stand for {one.place}")
            mine, others = one.options(), other.options()
            undecided = [group for group in mine if group in others and group not in self.chosen]
            told += [f"{one.name} and {other.name} of {group}" for group in undecided if mine[group] != others[group]]
        return told
