"""Looking things up in the lines of a base: what stands before and after a line in its own saga."""

from __future__ import annotations

from collections.abc import Iterator

from .lines import Line

OUTCOMES = ("effect.succeeded", "effect.failed", "effect.unknown", "effect.reconciled")


class View:
    """The lines of a trace, and questions about them. Lines are named by their place in the file."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines

    def where(self, *types: str, **members: object) -> list[int]:
        """Places of lines of one of these types with these members."""
        return [
            i
            for i, line in enumerate(self.lines)
            if line["type"] in types and all(line.get(name) == value for name, value in members.items())
        ]

    def same(self, i: int, *types: str, **members: object) -> list[int]:
        """The same, within the saga of line i."""
        return self.where(*types, **members, saga=self.lines[i]["saga"])

    def saga(self, i: int) -> list[int]:
        """Every place of the saga of line i."""
        return [k for k, line in enumerate(self.lines) if line["saga"] == self.lines[i]["saga"]]

    def sagas(self) -> list[str]:
        """Ids of the sagas, in order of appearance, the reserved one left out."""
        return [name for name in dict.fromkeys(line["saga"] for line in self.lines) if name != "log"]

    def next(self, i: int) -> int | None:
        """The next place of the same saga."""
        return next((k for k in self.saga(i) if k > i), None)

    def before(self, i: int) -> int | None:
        """The place before, of the same saga."""
        return next((k for k in reversed(self.saga(i)) if k < i), None)

    def status(self, i: int) -> str:
        """The status that the saga of line i claims; "" for none."""
        return next((self.lines[k]["status"] for k in self.same(i, "saga.ended")), "")

    def intent(self, i: int) -> Line:
        """The first effect.intended of the effect that line i is about."""
        return self.lines[self.same(i, "effect.intended", effect=self.lines[i]["effect"])[0]]

    def preview(self, i: int) -> bool:
        """Whether the effect of line i is a preview."""
        return bool(self.intent(i)["semantics"] == "preview")

    def undos(self, i: int) -> list[int]:
        """Places of undo.intended of the effect that line i is about."""
        return self.same(i, "undo.intended", effect=self.lines[i]["effect"])

    def owner(self, i: int) -> Line:
        """The undo.intended that an undo's outcome on line i belongs to."""
        return self.lines[self.same(i, "undo.intended", undo=self.lines[i]["undo"])[0]]

    def forward(self, undo: Line) -> Line:
        """The first effect.intended of the effect that this undo.intended is about."""
        return self.lines[self.where("effect.intended", saga=undo["saga"], effect=undo["effect"])[0]]

    def confirmed(self, effect: str, saga: str) -> list[int]:
        """Places that confirm an undo of this effect."""
        mine = {self.lines[i]["undo"] for i in self.where("undo.intended", effect=effect, saga=saga)}
        done = self.where("undo.succeeded", saga=saga) + self.where("undo.reconciled", found="landed", saga=saga)
        return sorted(i for i in done if self.lines[i]["undo"] in mine)

    def effects(self) -> Iterator[int]:
        """Places of the first intent of every effect that is no preview."""
        for i in self.where("effect.intended"):
            if not self.preview(i) and self.same(i, "effect.intended", effect=self.lines[i]["effect"])[0] == i:
                yield i

    def last_outcome(self, i: int) -> int:
        """The last outcome of an effect, not a preview, in the saga of line i; -1 for none."""
        return max((k for k in self.same(i, *OUTCOMES) if not self.preview(k)), default=-1)

    def depends(self, later: Line, earlier: Line) -> bool:
        """Whether one effect's intent depends on another's, by the closure of `after`."""
        named = later.get("after")
        places = self.where("effect.intended", saga=later["saga"])
        names = [self.lines[k]["effect"] for k in places if self.lines[k]["seq"] < later["seq"]]
        direct = names if named is None else named
        if earlier["effect"] in direct:
            return True
        return any(self.depends(self.lines[k], earlier) for k in places if self.lines[k]["effect"] in direct)
