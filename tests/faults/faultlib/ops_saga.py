"""A saga as a whole: its summary, its first and last lines, its rules of the road, and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from .lines import Line, changed, inserted, removed, replaced, salt
from .mutants import Change, codes, operator
from .ops_undo import fresh
from .ops_values import edit
from .shapes import Base
from .view import View


@operator
def forge_status(base: Base) -> Iterator[Change]:
    """The summary claims another end than the events tell."""
    view = View(base.lines)
    for i in view.where("saga.ended") if base.good else ():
        line = base.lines[i]
        for status, want in _forgeries(view, i):
            twin = changed(line, "status", to=status)
            yield edit(base, i, f"{status} for {line['status']}", twin, *want)


def _forgeries(view: View, i: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    status = view.lines[i]["status"]
    if status == "succeeded_verified":
        for other in ("compensated_verified", "aborted_clean", "closed_with_exceptions"):
            yield other, ("201",)
    elif view.same(i, "rollback.started"):
        yield "succeeded_verified", ("502",)
    elif not view.same(i, "check.evaluated"):
        yield "succeeded_verified", ("501",)


@operator
def forge_held(base: Base) -> Iterator[Change]:
    """The summary names an effect that is not in force, or leaves out one that is."""
    view = View(base.lines)
    for i in view.where("saga.ended") if base.good else ():
        line = base.lines[i]
        twin = changed(line, "held", to=[*line["held"], "e99"])
        yield edit(base, i, "an effect is held that nobody intended", twin, "502")
        for k in view.same(i, "effect.intended", attempt=1):
            effect = base.lines[k]["effect"]
            if effect not in line["held"]:
                more = changed(line, "held", to=[*line["held"], effect])
                yield edit(base, i, f"{effect} is held, which is not in force", more, "502")
        for effect in line["held"]:
            less = changed(line, "held", to=[name for name in line["held"] if name != effect])
            yield edit(base, i, f"{effect} is in force and not held", less, "502")


@operator
def effect_after_rollback(base: Base) -> Iterator[Change]:
    """A new effect is begun once the rollback has started, or after the saga was halted."""
    view = View(base.lines)
    for i in view.where("rollback.started", "saga.halted") if base.good else ():
        first = view.same(i, "effect.intended", attempt=1)[0]
        proposed = view.same(i, "step.proposed", step=base.lines[first]["step"])[0]
        outcome = next(iter(view.same(i, "effect.succeeded")), None)
        if outcome is not None:
            names = {"effect": "e98", "step": "s98"}
            new = (
                fresh(base.lines[proposed], "late", step="s98"),
                fresh(base.lines[first], "late", **names, key="late-key"),
                fresh(base.lines[outcome], "late", effect="e98", attempt=1),
            )
            yield Change(f"an effect after {base.lines[i]['type']}", inserted(base.lines, i + 1, *new), codes("214"))


@operator
def retry_after_unknown(base: Base) -> Iterator[Change]:
    """The call is made again, and succeeds, while nobody knows what became of the first one."""
    view = View(base.lines)
    for i in view.where("effect.succeeded") if base.good else ():
        line = base.lines[i]
        intents = view.same(i, "effect.intended", effect=line["effect"])
        if not view.preview(i) and len(intents) == 1:
            about = {name: line[name] for name in ("v", "saga", "seq", "prev", "at")}
            lost = {
                **about,
                "type": "effect.unknown",
                "by": "runtime",
                "effect": line["effect"],
                "attempt": 1,
            }
            lost |= {"error": {"code": "timeout"}, "salt": salt(line["salt"], "lost")}
            again = fresh(base.lines[intents[0]], "again", attempt=2)
            lines = replaced(base.lines, i, {**line, "attempt": 2})
            yield Change(f"{line['effect']} made again blindly", inserted(lines, i, lost, again), codes("205"))


@operator
def second_key_for_one_step(base: Base) -> Iterator[Change]:
    """One step is carried out twice, as two effects with two keys."""
    view = View(base.lines)
    for i in view.where("effect.succeeded") if base.good else ():
        line, intent = base.lines[i], view.intent(i)
        if not view.preview(i) and not view.undos(i) and view.status(i) == "succeeded_verified":
            again = fresh(intent, "second", effect="e97", key="second-key")
            done = fresh(line, "second", effect="e97", attempt=1)
            end = view.same(i, "saga.ended")[0]
            lines = replaced(base.lines, end, _also_held(base.lines[end], "e97"))
            yield Change(f"{line['effect']} twice", inserted(lines, i + 1, again, done), codes("205"))


def _also_held(end: Line, effect: str) -> Line:
    return changed(end, "held", to=[*end["held"], effect])


@operator
def refuse_the_step_that_ran(base: Base) -> Iterator[Change]:
    """A step was refused, and its effect ran all the same."""
    view = View(base.lines)
    for i in view.effects() if base.good else ():
        line = base.lines[i]
        head = {name: line[name] for name in ("v", "saga", "seq", "prev", "at")}
        told = {
            "type": "step.refused",
            "by": "runtime",
            "step": line["step"],
            "code": "limit",
            "reason": {"limit": 1},
        }
        no = {**head, **told, "salt": salt(line["salt"], "refused")}
        yield Change(f"{line['step']} was refused", inserted(base.lines, i, no), codes("506"))


@operator
def line_after_end(base: Base) -> Iterator[Change]:
    """The saga goes on after its end."""
    view = View(base.lines)
    for i in view.where("saga.ended") if base.good else ():
        head = {name: base.lines[i][name] for name in ("v", "saga", "seq", "prev", "at")}
        told = {"type": "check.evaluated", "by": "runtime", "check": "late", "passed": True, "evidence": {}}
        late = {**head, **told, "salt": salt(base.lines[i]["salt"], "late")}
        yield Change("a check after the end", inserted(base.lines, i + 1, late), codes("107"))


@operator
def remove_start(base: Base) -> Iterator[Change]:
    """The first line of a saga is gone, or it does not stand at 0."""
    view = View(base.lines)
    for i in view.where("saga.started") if base.good else ():
        yield Change("no saga.started", removed(base.lines, i), codes("106"))
        shifted = [{**line, "seq": line["seq"] + 1} if k in view.saga(i) else line for k, line in enumerate(base.lines)]
        yield Change("the saga begins at seq 1", shifted, codes("106"), chained=False)
