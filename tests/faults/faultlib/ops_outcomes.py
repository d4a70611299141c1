"""What was told of a call altered: attempts, outcomes, answers of the provider, checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .lines import Line, changed, retyped
from .mutants import Change, operator
from .ops_values import edit
from .shapes import Base
from .view import View


@operator
def alter_attempt(base: Base) -> Iterator[Change]:
    """Attempts that do not count 1, 2, 3; outcomes of attempts that were never begun."""
    for i in View(base.lines).where("effect.intended", "undo.intended") if base.good else ():
        line = base.lines[i]
        twin = changed(line, "attempt", to=line["attempt"] + 1)
        yield edit(base, i, "an attempt is skipped", twin, "102")
    told = (
        "effect.succeeded",
        "effect.failed",
        "effect.unknown",
        "undo.succeeded",
        "undo.failed",
        "undo.unknown",
    )
    for i in View(base.lines).where(*told) if base.good else ():
        twin = changed(base.lines[i], "attempt", to=base.lines[i]["attempt"] + 7)
        yield edit(base, i, "an outcome of an attempt that was never begun", twin, "203")


@operator
def alter_outcome(base: Base) -> Iterator[Change]:
    """A success told as a failure, and a failure as a success."""
    view = View(base.lines)
    for i in view.where("effect.succeeded", "effect.failed") if base.good else ():
        line = base.lines[i]
        if not view.preview(i):
            what = f"{line['effect']} is told the other way round"
            yield edit(base, i, what, _opposite(line), *_told_wrong(view, i))


def _opposite(line: Line) -> Line:
    about: dict[str, Any] = {"effect": line["effect"], "attempt": line["attempt"]}
    if line["type"] == "effect.succeeded":
        return retyped(line, "effect.failed", **about, error={"code": "declined"})
    return retyped(line, "effect.succeeded", **about, result={"ref": "forged"})


def _told_wrong(view: View, i: int) -> tuple[str, ...]:
    """A success hidden is an undo of nothing or a false `held`; one invented has no undo."""
    if view.lines[i]["type"] == "effect.failed":
        return ("206",)
    return ("211",) if view.undos(i) else ("502",)


@operator
def alter_outcome_to_unknown(base: Base) -> Iterator[Change]:
    """A success told as a lost reply that nobody looked into."""
    view = View(base.lines)
    for i in view.where("effect.succeeded") if base.good else ():
        line = base.lines[i]
        if not view.preview(i) and not view.undos(i):
            about = {"effect": line["effect"], "attempt": line["attempt"]}
            twin = retyped(line, "effect.unknown", **about, error={"code": "timeout"})
            yield edit(base, i, f"{line['effect']} is unknown", twin, "202")


@operator
def alter_found(base: Base) -> Iterator[Change]:
    """What the provider answered is altered."""
    view = View(base.lines)
    for i in view.where("effect.reconciled") if base.good else ():
        line = base.lines[i]
        for other in {"landed": ("absent", "unresolved"), "absent": ("landed", "unresolved")}.get(line["found"], ()):
            about = {"effect": line["effect"], "found": other}
            if other == "unresolved" and view.undos(i):
                continue
            want = _found_wrong(view, i, other)
            yield edit(base, i, f"{other} for {line['found']}", retyped(line, "effect.reconciled", **about), *want)


def _found_wrong(view: View, i: int, other: str) -> tuple[str, ...]:
    line = view.lines[i]
    if line["found"] == "landed":
        return ("202",) if other == "unresolved" else (("211",) if view.undos(i) else ("502",))
    again = [k for k in view.same(i, "effect.intended", effect=line["effect"]) if k > i]
    return ("205",) if again else (("206",) if other == "landed" else ("202",))


@operator
def alter_undo_outcome(base: Base) -> Iterator[Change]:
    """An undo that was confirmed told as failed or lost."""
    view = View(base.lines)
    for i in view.where("undo.succeeded") if base.good else ():
        line, intent = base.lines[i], view.owner(i)
        done = view.confirmed(intent["effect"], intent["saga"])
        if len(done) > 1 and i != done[-1]:
            continue
        for other in ("undo.failed", "undo.unknown"):
            about = {"undo": line["undo"], "attempt": line["attempt"], "error": {"code": "declined"}}
            branch = ("218",) if "branch" in view.forward(intent) else ()
            want = ("209",) if len(done) > 1 else ("207", *branch)
            yield edit(base, i, f"{line['undo']} is told as {other}", retyped(line, other, **about), *want)


@operator
def alter_passed(base: Base) -> Iterator[Change]:
    """The check that proved the success did not pass."""
    view = View(base.lines)
    for i in view.where("check.evaluated", passed=True) if base.good else ():
        if view.status(i) == "succeeded_verified":
            yield edit(base, i, "the check did not pass", changed(base.lines[i], "passed", to=False), "501")
