"""Files and sagas among each other: cut, forked, exchanged, built on what was undone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .lines import Line, inserted, render, replaced, salt
from .mutants import Change, codes, operator
from .ops_undo import fresh
from .shapes import Base
from .view import OUTCOMES, View

WAITING = {"saga.paused", "saga.halted", "saga.escalated", "approval.requested"}
"""Types after which a saga waits for a person."""


@operator
def move_to_another_saga(base: Base) -> Iterator[Change]:
    """A line is claimed for another saga of the file, its own chain left as it is."""
    view = View(base.lines)
    names = view.sagas() if base.good else []
    for i, line in enumerate(base.lines):
        others = [name for name in names if name != line["saga"]]
        if others and line["saga"] in names and view.next(i) is not None and line["seq"] > 0:
            twin = {**line, "saga": others[0]}
            want = codes("105")
            yield Change(f"{line['type']} in another saga", replaced(base.lines, i, twin), want, chained=False)


@operator
def swap_across_sagas(base: Base) -> Iterator[Change]:
    """Two sagas exchange their ends: each claims what the other one did."""
    view = View(base.lines)
    ends = view.where("saga.ended") if base.good else []
    for i, k in pairwise(ends):
        first, second = base.lines[i], base.lines[k]
        if (first["status"] == "succeeded_verified") != (second["status"] == "succeeded_verified"):
            lines = replaced(base.lines, i, {**second, "saga": first["saga"]})
            lines = replaced(lines, k, {**first, "saga": second["saga"]})
            yield Change("two sagas exchange their ends", lines, codes("201"))
    for i, k in _unrelated(view) if base.good else ():
        lines = list(base.lines)
        lines[i], lines[k] = {**lines[i], "saga": lines[k]["saga"]}, {**lines[k], "saga": lines[i]["saga"]}
        yield Change("an outcome goes to the other saga", lines, codes("203"))


def _unrelated(view: View) -> Iterator[tuple[int, int]]:
    """An effect's outcome and a check of another saga: neither can stand for the other."""
    for i in view.where("effect.succeeded"):
        for k in view.where("check.evaluated", "rollback.started"):
            mine = view.same(k, *OUTCOMES, effect=view.lines[i]["effect"])
            if view.lines[k]["saga"] != view.lines[i]["saga"] and not mine:
                yield i, k


@operator
def undo_what_another_saga_read(base: Base) -> Iterator[Change]:
    """An effect that another saga was built on is undone in the end: a dirty read (a warning)."""
    view = View(base.lines)
    for i in view.where("effect.intended") if base.good else ():
        for read in base.lines[i].get("reads", ()):
            end = view.where("saga.ended", saga=read["saga"])[0]
            done = view.where("effect.succeeded", saga=read["saga"], effect=read["effect"])[0]
            lines = _undone(base.lines, done, end)
            yield Change("what was read is undone", lines, codes("216"), fail_on="warning")


def _undone(lines: list[Line], done: int, end: int) -> list[Line]:
    """The saga whose effect succeeded on line `done` is compensated instead of verified."""
    line, last = lines[done], lines[end]
    head = {name: last[name] for name in ("v", "saga", "seq", "prev", "at")}
    call = {
        "undo": "u1",
        "effect": line["effect"],
        "tool": line["undo"]["tool"],
        "args": line["undo"]["args"],
    }
    rest = {name: line["undo"][name] for name in ("amount",) if name in line["undo"]}
    intent = {**head, "type": "undo.intended", "by": "runtime", **call, "key": "k-undo", "attempt": 1, **rest}
    told = {**head, "type": "undo.succeeded", "by": "runtime", "undo": "u1", "attempt": 1, "result": {}}
    new = [{**made, "salt": salt(last["salt"], n)} for n, made in enumerate((intent, told))]
    ended = {**last, "status": "compensated_verified", "held": []}
    return inserted(replaced(lines, end, ended), end, *new)


@operator
def strand_a_child(base: Base) -> Iterator[Change]:
    """The effect that a child saga carried out is undone, and the child's own effects stay in force."""
    view = View(base.lines)
    for i in view.where("saga.started") if base.good else ():
        parent = base.lines[i].get("parent")
        if parent and view.status(i) == "succeeded_verified":
            lines = list(base.lines)
            end = view.where("saga.ended", saga=parent["saga"])[0]
            for n, k in enumerate(reversed(view.where("effect.succeeded", saga=parent["saga"]))):
                lines = _undone_also(lines, k, end + 2 * n, n)
            yield Change("the parent is undone, the child is not", lines, codes("217"))


def _undone_also(lines: list[Line], done: int, end: int, n: int) -> list[Line]:
    made = _undone(lines, done, end)
    for k in (end, end + 1):
        made[k] = {**made[k], "undo": f"u{n + 1}", "salt": salt(made[k]["salt"], n)}
    return made


@operator
def fork(base: Base) -> Iterator[Change]:
    """Two different lines stand at one place of a saga."""
    for i, line in enumerate(base.lines) if base.good else ():
        if line["seq"] > 0 and line["type"] != "saga.ended":
            twin = fresh(line, "fork")
            yield Change(
                f"two lines at seq {line['seq']}",
                inserted(base.lines, i + 1, twin),
                codes("113"),
                chained=False,
            )


@operator
def cut_tail(base: Base) -> Iterator[Change]:
    """The last lines of the file are gone, at a line's end."""
    for keep in range(1, len(base.lines)) if base.good else ():
        lines = base.lines[:keep]
        view = View(lines)
        open_ = [view.saga(view.where("saga.started", saga=name)[0]) for name in view.sagas()]
        left = [[lines[i]["type"] for i in places] for places in open_ if lines[places[-1]]["type"] != "saga.ended"]
        if left:
            yield Change(f"only the first {keep} lines", lines, _left_open(left), chained=False)


def _left_open(sagas: list[list[str]]) -> frozenset[str]:
    """What it is that these sagas, given as the types of their lines, have no end."""
    if any(not WAITING & set(types) for types in sagas):
        return codes("503")
    return codes("504") if any(types[-1] in WAITING for types in sagas) else codes("503", "504")


@operator
def cut_line(base: Base) -> Iterator[Change]:
    """The file ends in the middle of a line, or without its last LF."""
    data = render(base.lines)
    last = len(data) - data[:-1].rfind(b"\n") - 1
    for cut in (1, last // 2, last - 1) if base.good else ():
        yield Change(f"{cut} bytes less", data[:-cut], codes("109"))


@operator
def empty_file(base: Base) -> Iterator[Change]:
    """Nothing is left of the file."""
    if base.name == "plain_success":
        yield Change("no bytes at all", b"", frozenset(), exits=frozenset({4}))
        yield Change("one empty line", b"\n", codes("101"))
