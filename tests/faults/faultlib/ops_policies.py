"""Calls that the policy does not allow, and traces of runs under another policy."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from .lines import Line, changed, replaced, unpadded, without
from .mutants import Change, codes, operator
from .ops_values import edit
from .shapes import Base
from .view import View

OTHER = sha256(b"another policy").hexdigest()


def _args(base: Base, i: int, **more: Any) -> list[Line]:
    """The lines with other arguments in the intent on line i and in the proposal that it repeats."""
    k = View(base.lines).same(i, "step.proposed", step=base.lines[i]["step"])[0]
    lines = base.lines
    for at in (i, k):
        args = {name: value for name, value in (lines[at]["args"] | more).items() if value is not None}
        lines = replaced(lines, at, changed(lines[at], "args", to=args))
    if "amount" in more and "amount" in lines[i]:
        lines = replaced(lines, i, changed(lines[i], "amount", to=more["amount"]))
    return lines


def _sealed(what: str) -> dict[str, str]:
    """The placeholder of a value that nobody discloses."""
    return {"...": unpadded(sha256(what.encode()).digest())}


def _calls(base: Base, tool: str) -> list[int]:
    return View(base.lines).where("effect.intended", tool=tool) if base.policy else []


@operator
def call_what_the_policy_denies(base: Base) -> Iterator[Change]:
    """More is reserved than the policy allows; proposal and call agree."""
    for i in _calls(base, "stock.reserve"):
        yield Change("eleven lamps", _args(base, i, count=11), codes("401"))


@operator
def call_without_the_policys_approval(base: Base) -> Iterator[Change]:
    """A charge so large that somebody must approve it, and nobody did."""
    for i in _calls(base, "payments.charge"):
        money = {"minor": 60_000, "currency": "EUR"}
        lines = _args(base, i, amount=money)
        k = View(base.lines).same(i, "effect.succeeded", effect=base.lines[i]["effect"])[0]
        undo = base.lines[k]["undo"] | {"amount": money, "args": base.lines[k]["undo"]["args"] | {"amount": money}}
        yield Change("EUR 600.00", replaced(lines, k, changed(lines[k], "undo", to=undo)), codes("401"))


@operator
def spend_beyond_the_limit(base: Base) -> Iterator[Change]:
    """Each charge is allowed, both together are more than the budget of the day."""
    calls = _calls(base, "payments.charge")
    for i in calls if len(calls) > 1 else ():
        money = {"minor": 4_900, "currency": "EUR"}
        lines = _args(base, i, amount=money)
        k = View(base.lines).same(i, "effect.succeeded", effect=base.lines[i]["effect"])[0]
        undo = base.lines[k]["undo"] | {"amount": money, "args": base.lines[k]["undo"]["args"] | {"amount": money}}
        yield Change("EUR 49.00", replaced(lines, k, changed(lines[k], "undo", to=undo)), codes("403"))


@operator
def hide_from_the_policy(base: Base) -> Iterator[Change]:
    """What the policy asks about is left out of the call, or concealed so that it cannot be told."""
    for i in _calls(base, "stock.reserve"):
        yield Change("no count", _args(base, i, count=None), codes("408"))
        first, second = (_sealed(f"{name} {i}") for name in ("proposed", "intended"))
        k = View(base.lines).same(i, "step.proposed", step=base.lines[i]["step"])[0]
        lines = replaced(base.lines, i, changed(base.lines[i], "args", "count", to=first))
        lines = replaced(lines, k, changed(lines[k], "args", "count", to=second))
        yield Change("a concealed count", lines, codes("408"), exits=frozenset({3}))


@operator
def run_under_another_policy(base: Base) -> Iterator[Change]:
    """The saga names another policy than the one that it is judged by, or none."""
    for i in View(base.lines).where("saga.started") if base.policy else ():
        yield edit(base, i, "another policy", changed(base.lines[i], "policy", to=OTHER), "402")
        yield edit(base, i, "no policy", without(base.lines[i], "policy"), "402")


@operator
def milder_class_than_the_policy(base: Base) -> Iterator[Change]:
    """Catalogue and call agree on a milder class than the policy has, or on another undo."""
    for i in _calls(base, "payments.charge"):
        start = View(base.lines).same(i, "saga.started")[0]
        mild = changed(base.lines[start], "tools", "payments.charge", "semantics", to="reversible")
        lines = replaced(base.lines, start, mild)
        lines = replaced(lines, i, changed(lines[i], "semantics", to="reversible"))
        yield Change("a reversible charge", lines, codes("405"))
        other = changed(base.lines[start], "tools", "payments.charge", "undo", to="stock.release")
        yield Change("another undo", replaced(base.lines, start, other), codes("208"))


@operator
def tool_that_the_policy_does_not_know(base: Base) -> Iterator[Change]:
    """A tool of the catalogue that the policy does not declare."""
    for i in _calls(base, "shipping.book"):
        k = View(base.lines).same(i, "step.proposed", step=base.lines[i]["step"])[0]
        lines = base.lines
        for at in (i, k):
            lines = replaced(lines, at, changed(lines[at], "tool", to="orders.fulfil"))
        yield Change("orders.fulfil", lines, codes("404"))


@operator
def agent_that_may_not_call(base: Base) -> Iterator[Change]:
    """Another agent than those of the policy proposed the step."""
    for i in View(base.lines).where("step.proposed") if base.policy else ():
        yield edit(base, i, "agent:stranger", changed(base.lines[i], "by", to="agent:stranger"), "401")


def _refunded(base: Base, **more: Any) -> list[Line]:
    """The lines with other arguments in the one refund and in the record that it follows."""
    view, lines = View(base.lines), base.lines
    (i,) = view.where("undo.intended")
    (k,) = view.same(i, "effect.succeeded", effect=lines[i]["effect"])
    made = {name: value for name, value in (lines[i]["args"] | more).items() if value is not None}
    lines = replaced(lines, k, changed(lines[k], "undo", "args", to=made))
    return replaced(lines, i, changed(lines[i], "args", to=made))


def _knows_refunds(base: Base) -> bool:
    return '"inverse"' in base.policy


@operator
def refund_another_amount(base: Base) -> Iterator[Change]:
    """Record and refund agree on another amount than the charge's, and no line names amounts: only the policy does."""
    for minor, currency in ((42_000, "EUR"), (4199, "EUR"), (4200, "JPY"), (0, "EUR")) if _knows_refunds(base) else ():
        lines = _refunded(base, amount={"minor": minor, "currency": currency})
        yield Change(f"{currency} {minor}", lines, codes("209"))
    if _knows_refunds(base):
        yield Change("no amount", _refunded(base, amount=None), codes("209"))


@operator
def refund_somebody_else(base: Base) -> Iterator[Change]:
    """Record and refund agree on another order than the charge's, which the policy does not let be."""
    if _knows_refunds(base):
        yield Change("another order", _refunded(base, order="B-7"), codes("208"))
        yield Change("no order", _refunded(base, order=None), codes("208"))


@operator
def refund_by_a_decoy(base: Base) -> Iterator[Change]:
    """The catalogue says that the amount stands where a harmless one does."""
    if _knows_refunds(base):
        euros, much = {"minor": 4200, "currency": "EUR"}, {"minor": 42_000, "currency": "EUR"}
        lines = _refunded(base, amount=much, decoy=euros)
        view = View(lines)
        (start,), (k,), (i,) = view.where("saga.started"), view.where("effect.succeeded"), view.where("undo.intended")
        refund = lines[start]["tools"]["payments.refund"] | {"amount_from": "/decoy"}
        lines = replaced(lines, start, changed(lines[start], "tools", "payments.refund", to=refund))
        lines = replaced(lines, k, changed(lines[k], "undo", to=lines[k]["undo"] | {"amount": euros}))
        line = {name: value for name, value in lines[i].items() if name != "salt"}
        yield Change("a decoy", replaced(lines, i, line | {"amount": euros, "salt": lines[i]["salt"]}), codes("209"))


@operator
def conceal_the_refund(base: Base) -> Iterator[Change]:
    """What the policy compares is concealed in record and refund, and nobody opens it: nothing is certified."""
    for name in ("amount", "order") if _knows_refunds(base) else ():
        lines = _refunded(base, **{name: _sealed(f"recorded {name}")})
        (i,) = View(lines).where("undo.intended")
        lines = replaced(lines, i, changed(lines[i], "args", name, to=_sealed(f"made {name}")))
        yield Change(f"a concealed {name}", lines, codes("602"), exits=frozenset({3}))
