"""Lines dropped and doubled, with the chain left as it breaks and with the chain counted anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .lines import inserted, removed, salt
from .mutants import Change, codes, operator
from .shapes import Base
from .view import OUTCOMES, View

Judge = Callable[[View, int], frozenset[str]]
NONE: frozenset[str] = frozenset()
"""What a table answers where the edit leaves a trace that may well be good: no mutant is made."""


def says(view: View, i: int) -> str:
    line = view.lines[i]
    name = next((line[key] for key in ("effect", "undo", "step", "check") if key in line), "")
    return f"{line['type']} {name}".strip()


@operator
def drop_unchained(base: Base) -> Iterator[Change]:
    """A line is taken out and nothing else is touched."""
    view = View(base.lines)
    for i in range(len(base.lines)) if base.good else ():
        if view.next(i) is None:
            want = NONE if base.lines[i]["saga"] == "log" else codes("503", "504")
        else:
            want = codes("106") if base.lines[i]["seq"] == 0 else codes("105")
        if want:
            yield Change(f"without {says(view, i)}", removed(base.lines, i), want, chained=False)


@operator
def drop(base: Base) -> Iterator[Change]:
    """A line is taken out and the chain is counted anew."""
    view = View(base.lines)
    for i, line in enumerate(base.lines) if base.good else ():
        want = DROPPED.get(line["type"], lambda *_: NONE)(view, i)
        if want:
            yield Change(f"without {says(view, i)}", removed(base.lines, i), want)


def _drop_proposal(view: View, i: int) -> frozenset[str]:
    return codes("505") if view.same(i, "effect.intended", step=view.lines[i]["step"]) else NONE


def _drop_intent(view: View, i: int) -> frozenset[str]:
    effect, attempt = view.lines[i]["effect"], view.lines[i]["attempt"]
    told = [k for k in view.same(i, *OUTCOMES, effect=effect) if view.lines[k].get("attempt") == attempt]
    return codes("203") if told else NONE


def _drop_success(view: View, i: int) -> frozenset[str]:
    others = [k for k in view.same(i, *OUTCOMES, effect=view.lines[i]["effect"]) if k != i]
    if view.preview(i) or (view.undos(i) and others):
        return NONE
    return codes("212") if view.undos(i) else codes("202")


def _drop_failure(view: View, i: int) -> frozenset[str]:
    if view.preview(i):
        return NONE
    again = [k for k in view.same(i, "effect.intended", effect=view.lines[i]["effect"]) if k > i]
    return codes("205") if again else codes("202")


def _drop_unknown(view: View, i: int) -> frozenset[str]:
    others = [k for k in view.same(i, *OUTCOMES, effect=view.lines[i]["effect"]) if k != i]
    return codes("212") if view.undos(i) and not others else NONE


def _drop_reconciled(view: View, i: int) -> frozenset[str]:
    found, effect = view.lines[i]["found"], view.lines[i]["effect"]
    if found == "unresolved" or view.undos(i):
        return NONE
    again = [k for k in view.same(i, "effect.intended", effect=effect) if k > i]
    return codes("205") if again else codes("202")


def _drop_undone(view: View, i: int) -> frozenset[str]:
    if view.lines[i].get("found", "landed") != "landed":
        return codes("205")
    intent = view.owner(i)
    done = view.confirmed(intent["effect"], intent["saga"])
    if len(done) == 1:
        return codes("207", "218") if "branch" in view.forward(intent) else codes("207")
    return codes("209")


def _drop_failed_undo(view: View, i: int) -> frozenset[str]:
    again = [k for k in view.same(i, "undo.intended", undo=view.lines[i]["undo"]) if k > i]
    return codes("205") if again else NONE


def _drop_check(view: View, i: int) -> frozenset[str]:
    rest = [k for k in view.same(i, "check.evaluated") if k != i and k > view.last_outcome(i)]
    return codes("501") if view.status(i) == "succeeded_verified" and not rest else NONE


DROPPED: dict[str, Judge] = {
    "log.opened": lambda view, i: codes("106"),
    "saga.started": lambda view, i: codes("106"),
    "step.proposed": _drop_proposal,
    "effect.intended": _drop_intent,
    "effect.succeeded": _drop_success,
    "effect.failed": _drop_failure,
    "effect.unknown": _drop_unknown,
    "effect.reconciled": _drop_reconciled,
    "undo.intended": lambda view, i: codes("203"),
    "undo.succeeded": _drop_undone,
    "undo.failed": _drop_failed_undo,
    "undo.reconciled": _drop_undone,
    "check.evaluated": _drop_check,
    "saga.ended": lambda view, i: codes("503", "504"),
}
"""What a missing line is, by its type; a type that is not here may be missing from a good trace."""


@operator
def duplicate_unchained(base: Base) -> Iterator[Change]:
    """A line stands twice, byte for byte."""
    view = View(base.lines)
    for i, line in enumerate(base.lines) if base.good else ():
        want = codes("105", "107") if line["type"] == "saga.ended" else codes("105")
        yield Change(f"{says(view, i)} twice", inserted(base.lines, i, line), want, chained=False)


DOUBLED = {
    "saga.started": codes("102", "106"),
    "log.opened": codes("102", "106"),
    "step.proposed": codes("102"),
    "effect.intended": codes("102"),
    "effect.succeeded": codes("205"),
    "undo.intended": codes("102"),
    "undo.succeeded": codes("205"),
    "check.evaluated": codes("102"),
    "saga.ended": codes("107"),
}
"""What a line is that says again what was said: an id used twice, a second success of one attempt."""


@operator
def duplicate(base: Base) -> Iterator[Change]:
    """A line stands twice and the chain is counted anew."""
    view = View(base.lines)
    for i, line in enumerate(base.lines) if base.good else ():
        if line["type"] in DOUBLED:
            again = {**line, "salt": salt(line["salt"], "again")}
            yield Change(f"{says(view, i)} said twice", inserted(base.lines, i + 1, again), DOUBLED[line["type"]])
