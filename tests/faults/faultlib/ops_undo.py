"""Undos that are wrong: too little, too much, of something else, too early, too late, twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .lines import Line, changed, inserted, removed, replaced, salt, without
from .mutants import Change, codes, operator
from .ops_values import edit
from .shapes import Base
from .shop import euro
from .view import OUTCOMES, View


def fresh(like: Line, nonce: str, **members: object) -> Line:
    """A copy of a line with some members changed and a salt of its own."""
    return {**like, **members, "salt": salt(like["salt"], nonce)}


def _blocks(view: View) -> Iterator[tuple[int, int]]:
    """Places of an undo's intent and of its success, where it took one attempt."""
    for i in view.where("undo.intended", attempt=1):
        done = view.same(i, "undo.succeeded", undo=view.lines[i]["undo"], attempt=1)
        if done and len(view.same(i, "undo.intended", undo=view.lines[i]["undo"])) == 1:
            yield i, done[0]


@operator
def shrink_undo(base: Base) -> Iterator[Change]:
    """A refund of one cent less, of one cent more, of nothing, in amount and arguments alike."""
    for i in View(base.lines).where("undo.intended") if base.good else ():
        line = base.lines[i]
        if "amount" not in line or line["attempt"] > 1 or _retried(base, i):
            continue
        for minor in (line["amount"]["minor"] - 1, line["amount"]["minor"] + 1, 0):
            args = {**line["args"], "amount": euro(minor)}
            twin = changed(changed(line, "amount", to=euro(minor)), "args", to=args)
            yield edit(base, i, f"{line['undo']} gives back {minor}", twin, "209")


def _retried(base: Base, i: int) -> bool:
    return len(View(base.lines).same(i, "undo.intended", undo=base.lines[i]["undo"])) > 1


@operator
def undo_in_another_currency(base: Base) -> Iterator[Change]:
    """The right number of another currency."""
    for i in View(base.lines).where("undo.intended") if base.good else ():
        line = base.lines[i]
        if "amount" in line and not _retried(base, i):
            amount = {"minor": line["amount"]["minor"], "currency": "JPY"}
            twin = changed(changed(line, "amount", to=amount), "args", to={**line["args"], "amount": amount})
            yield edit(base, i, f"{line['undo']} in yen", twin, "209")


@operator
def undo_amount_differs_from_args(base: Base) -> Iterator[Change]:
    """The refund claims the whole amount while its arguments ask for less."""
    for i in View(base.lines).where("undo.intended") if base.good else ():
        line = base.lines[i]
        if "amount" in line and line["attempt"] == 1 and not _retried(base, i):
            twin = changed(line, "args", to={**line["args"], "amount": euro(1)})
            yield edit(base, i, f"{line['undo']} asks for one cent", twin, "102")


@operator
def shrink_recorded_undo(base: Base) -> Iterator[Change]:
    """The outcome records an undo of less than the charge, and the refund follows it."""
    view = View(base.lines)
    for i in view.where("effect.succeeded", "effect.unknown", "effect.reconciled") if base.good else ():
        line = base.lines[i]
        if "amount" in line.get("undo", {}):
            amount = euro(line["undo"]["amount"]["minor"] - 100)
            lines = replaced(base.lines, i, _smaller(line, "undo", amount))
            undos = view.undos(i)
            for k in undos if len(undos) == 1 else ():
                smaller = {**base.lines[k], "amount": amount}
                lines = replaced(lines, k, {**smaller, "args": {**smaller["args"], "amount": amount}})
            yield Change(f"{line['effect']} is undone up to a fee", lines, codes("209"))


def _smaller(line: Line, name: str, amount: dict[str, object]) -> Line:
    undo = line[name]
    return changed(line, name, to={**undo, "args": {**undo["args"], "amount": amount}, "amount": amount})


@operator
def undo_with_another_tool(base: Base) -> Iterator[Change]:
    """The undo calls a tool that undoes something else."""
    for i in View(base.lines).where("undo.intended") if base.good else ():
        line = base.lines[i]
        if line["attempt"] == 1 and not _retried(base, i):
            other = "shipping.cancel" if line["tool"] != "shipping.cancel" else "stock.release"
            yield edit(base, i, f"{line['undo']} calls {other}", changed(line, "tool", to=other), "208")


@operator
def undo_with_other_args(base: Base) -> Iterator[Change]:
    """The undo of another charge, of another reservation; an argument too many."""
    for i in View(base.lines).where("undo.intended") if base.good else ():
        line = base.lines[i]
        if line["attempt"] > 1 or _retried(base, i):
            continue
        name = "charge" if "charge" in line["args"] else "ref"
        twin = changed(line, "args", to={**line["args"], name: "somebody-else"})
        yield edit(base, i, f"{line['undo']} of another {name}", twin, "208")
        more = changed(line, "args", to={**line["args"], "dry_run": True})
        yield edit(base, i, f"{line['undo']} as a dry run", more, "208")


@operator
def undo_recorded_for_another_tool(base: Base) -> Iterator[Change]:
    """The outcome names another undo tool than the catalogue, and the undo follows it."""
    view = View(base.lines)
    for i in view.where("effect.succeeded") if base.good else ():
        undos = view.undos(i)
        if "undo" in base.lines[i] and len(undos) == 1 and "amount" not in base.lines[undos[0]]:
            lines = replaced(base.lines, i, changed(base.lines[i], "undo", "tool", to="catalog.quote"))
            twin = changed(base.lines[undos[0]], "tool", to="catalog.quote")
            yield Change(f"{base.lines[i]['effect']} undone by a quote", replaced(lines, undos[0], twin), codes("208"))


@operator
def strip_undo(base: Base) -> Iterator[Change]:
    """The outcome does not say how the effect can be undone."""
    view = View(base.lines)
    for i in view.where("effect.succeeded", "effect.reconciled") if base.good else ():
        if "undo" in base.lines[i]:
            yield edit(base, i, "no undo recorded", without(base.lines[i], "undo"), "206")


@operator
def undo_out_of_order(base: Base) -> Iterator[Change]:
    """Two undos change places: what an effect was built on is undone before the effect."""
    view = View(base.lines)
    blocks = list(_blocks(view)) if base.good else []
    for (a, b), (c, d) in pairwise(blocks):
        first, second = base.lines[a], base.lines[c]
        apart = first["saga"] != second["saga"] or first["effect"] == second["effect"] or not a < b < c < d
        if not apart and view.depends(view.forward(first), view.forward(second)):
            lines = list(base.lines)
            lines[a], lines[b], lines[c], lines[d] = (base.lines[k] for k in (c, d, a, b))
            yield Change(f"{second['undo']} before {first['undo']}", lines, codes("210"))


@operator
def undo_twice(base: Base) -> Iterator[Change]:
    """The whole undo is done once more, under a new id and key."""
    view = View(base.lines)
    for i, k in _blocks(view) if base.good else ():
        intent = base.lines[i]
        if len(view.confirmed(intent["effect"], intent["saga"])) == 1:
            again = fresh(intent, "twice", undo="u99", key="key-of-the-second-undo")
            done = fresh(base.lines[k], "twice", undo="u99")
            yield Change(f"{intent['undo']} twice", inserted(base.lines, k + 1, again, done), codes("213"))


@operator
def undo_before_outcome(base: Base) -> Iterator[Change]:
    """The undo is moved to before anything is known of the call."""
    view = View(base.lines)
    for i, k in _blocks(view) if base.good else ():
        intents = view.same(i, "effect.intended", effect=base.lines[i]["effect"])
        if len(intents) == 1 and len(view.undos(intents[0])) == 1:
            block = base.lines[i], base.lines[k]
            early = inserted(removed(base.lines, i, k), intents[0] + 1, *block)
            yield Change(f"{base.lines[i]['undo']} before the outcome", early, codes("212"))


@operator
def undo_of_nothing(base: Base) -> Iterator[Change]:
    """The undo of an effect that was never intended, that provably failed, or that only read."""
    view = View(base.lines)
    for i, k in _blocks(view) if base.good else ():
        lines = inserted(base.lines, k + 1, *_another(base, i, k, "e99"))
        yield Change("an undo of an effect that nobody intended", lines, codes("211"))
    for i in view.where("saga.ended") if base.good else ():
        for n in view.same(i, "effect.intended"):
            call = base.lines[n]
            failed = view.same(n, "effect.failed", effect=call["effect"])
            once = len(view.same(n, "effect.intended", effect=call["effect"])) == 1
            if once and (failed or view.preview(n)):
                lines = inserted(base.lines, i, *_made_up(base.lines[i], call["effect"]))
                yield Change(f"an undo of {call['effect']}, which changed nothing", lines, codes("211"))


def _another(base: Base, i: int, k: int, effect: str) -> tuple[Line, Line]:
    intent = fresh(base.lines[i], "another", undo="u99", effect=effect, key="key-of-another-undo")
    return intent, fresh(base.lines[k], "another", undo="u99")


def _made_up(like: Line, effect: str) -> tuple[Line, Line]:
    head = {name: like[name] for name in ("v", "saga", "seq", "prev", "at")}
    call = {"undo": "u99", "effect": effect, "tool": "shipping.cancel", "args": {"ref": "x"}}
    intent = {**head, "type": "undo.intended", "by": "runtime", **call, "key": "made-up", "attempt": 1}
    told = {"undo": "u99", "attempt": 1, "result": {}}
    done = {**head, "type": "undo.succeeded", "by": "runtime", **told}
    return (
        {**intent, "salt": salt(like["salt"], "made up", 1)},
        {**done, "salt": salt(like["salt"], "made up", 2)},
    )


@operator
def undo_begun_again_unresolved(base: Base) -> Iterator[Change]:
    """A lost reply of an undo, and another undo of the same effect without asking."""
    view = View(base.lines)
    for i, k in _blocks(view) if base.good else ():
        intent, done = base.lines[i], base.lines[k]
        if len(view.confirmed(intent["effect"], intent["saga"])) == 1:
            lost = {
                **without(without(done, "result"), "salt"),
                "type": "undo.unknown",
                "error": {"code": "timeout"},
            }
            again = _another(base, i, k, intent["effect"])
            lines = replaced(base.lines, k, {**lost, "salt": done["salt"]})
            yield Change(f"{intent['undo']} lost and done anew", inserted(lines, k + 1, *again), codes("205"))


@operator
def drop_whole_undo(base: Base) -> Iterator[Change]:
    """An undo is left out, intent and outcome, as if nobody had thought of it."""
    view = View(base.lines)
    for i, k in _blocks(view) if base.good else ():
        intent = base.lines[i]
        if len(view.confirmed(intent["effect"], intent["saga"])) > 1:
            want = codes("209")
        elif "branch" in view.forward(intent):
            want = codes("218")
        else:
            outcome = base.lines[view.same(i, *OUTCOMES, effect=intent["effect"])[-1]]
            want = codes("202") if outcome["type"] == "effect.unknown" else codes("201")
        yield Change(f"without {intent['undo']}", removed(base.lines, i, k), want)
