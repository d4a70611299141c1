"""Neighbouring lines of a saga that change places, with the chain left as it breaks and with the chain
counted anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .lines import Line
from .mutants import Change, codes, operator
from .ops_lines import NONE, says
from .shapes import Base
from .view import OUTCOMES, View


@operator
def swap_unchained(base: Base) -> Iterator[Change]:
    """Two neighbouring lines of one saga change places."""
    view = View(base.lines)
    for i in range(len(base.lines)) if base.good else ():
        k = view.next(i)
        if k is not None:
            want = codes("104", "105", "106") if base.lines[i]["seq"] == 0 else codes("104", "105", "107")
            yield Change(f"{says(view, k)} before {says(view, i)}", _swapped(base, i, k), want, chained=False)


def _swapped(base: Base, i: int, k: int) -> list[Line]:
    lines = list(base.lines)
    lines[i], lines[k] = lines[k], lines[i]
    return lines


@operator
def swap(base: Base) -> Iterator[Change]:
    """Two neighbouring lines of one saga change places and the chain is counted anew."""
    view = View(base.lines)
    for i in range(len(base.lines)) if base.good else ():
        k = view.next(i)
        want = _exchanged(view, i, k) if k is not None else NONE
        if want and k is not None:
            yield Change(f"{says(view, k)} before {says(view, i)}", _swapped(base, i, k), want)


def _exchanged(view: View, i: int, k: int) -> frozenset[str]:
    """What it is that line k stands before line i."""
    first, second = view.lines[i], view.lines[k]
    if first["seq"] == 0:
        return codes("106")
    if second["type"] == "saga.ended":
        return codes("107")
    return SWAPPED.get((first["type"].split(".")[0], second["type"].split(".")[0]), lambda *_: NONE)(view, i, k)


def _effect_then_effect(view: View, i: int, k: int) -> frozenset[str]:
    first, second = view.lines[i], view.lines[k]
    if first["effect"] != second["effect"] or view.preview(i):
        return NONE
    pair = first["type"], second["type"]
    if pair[0] == "effect.intended":
        return codes("203")
    if pair[1] == "effect.intended":
        return codes("205")
    if pair == ("effect.unknown", "effect.reconciled") and second["found"] == "absent":
        again = [n for n in view.same(k, "effect.intended", effect=second["effect"]) if n > k]
        return codes("205") if again else codes("202")
    return NONE


def _effect_then_undo(view: View, i: int, k: int) -> frozenset[str]:
    first, second = view.lines[i], view.lines[k]
    outcomes = view.same(i, *OUTCOMES, effect=first["effect"])
    alone = outcomes == [i] and second["type"] == "undo.intended" and second["effect"] == first["effect"]
    return codes("212") if alone else NONE


def _undo_then_undo(view: View, i: int, k: int) -> frozenset[str]:
    first, second = view.lines[i], view.lines[k]
    if first["undo"] == second["undo"]:
        if first["type"] == "undo.intended":
            return codes("203")
        return codes("205") if second["type"] == "undo.intended" else NONE
    if second["type"] != "undo.intended" or i not in view.confirmed(view.owner(i)["effect"], first["saga"]):
        return NONE
    if view.owner(i)["effect"] == second["effect"]:
        return NONE  # parts of one amount may be given back at once
    later, earlier = view.intent(view.same(i, "undo.intended", undo=first["undo"])[0]), view.intent(k)
    return codes("210") if view.depends(later, earlier) else NONE


def _step_then_effect(view: View, i: int, k: int) -> frozenset[str]:
    same = view.lines[i].get("step") == view.lines[k].get("step")
    return codes("505") if same and view.lines[i]["type"] == "step.proposed" else NONE


def _effect_then_check(view: View, i: int, k: int) -> frozenset[str]:
    success = view.status(i) == "succeeded_verified" and view.lines[i]["type"] in OUTCOMES
    rest = [n for n in view.same(k, "check.evaluated") if n > k]
    return codes("501") if success and i == view.last_outcome(i) and not rest else NONE


SWAPPED: dict[tuple[str, str], Callable[[View, int, int], frozenset[str]]] = {
    ("effect", "effect"): _effect_then_effect,
    ("effect", "undo"): _effect_then_undo,
    ("undo", "undo"): _undo_then_undo,
    ("step", "effect"): _step_then_effect,
    ("effect", "check"): _effect_then_check,
}
"""What two lines in the wrong order are, by the families of their types; elsewhere the order may be
either."""
