"""Values altered on one line: amounts, tools, keys, classes, attempts, outcomes. Each is tried with and
without a new chain."""

from __future__ import annotations

from collections.abc import Iterator

from .lines import Line, changed, replaced
from .mutants import Change, codes, operator
from .shapes import Base
from .shop import TOOLS, euro
from .view import View


def edit(base: Base, i: int, what: str, line: Line, *names: str) -> Change:
    """A change of line i that leaves the others alone."""
    return Change(what, replaced(base.lines, i, line), codes(*names), alone=i)


@operator
def alter_salt(base: Base) -> Iterator[Change]:
    """One character of a line that means nothing to any rule but the chain."""
    view = View(base.lines)
    for i, line in enumerate(base.lines) if base.good else ():
        if view.next(i) is not None:
            other = ("B" if line["salt"][0] == "A" else "A") + line["salt"][1:]
            lines = replaced(base.lines, i, changed(line, "salt", to=other))
            yield Change(f"{line['type']} with another salt", lines, codes("104"), chained=False)


@operator
def alter_amount(base: Base) -> Iterator[Change]:
    """The amount of a charge is not the one in its arguments."""
    for i in View(base.lines).where("effect.intended") if base.good else ():
        line = base.lines[i]
        if "amount" in line:
            more = changed(line, "amount", "minor", to=line["amount"]["minor"] * 10)
            yield edit(base, i, f"{line['effect']} claims ten times its amount", more, "102")


@operator
def alter_amount_and_args(base: Base) -> Iterator[Change]:
    """A charge of ten times what the agent proposed, amount and arguments alike."""
    for i in View(base.lines).effects() if base.good else ():
        line = base.lines[i]
        if "amount" in line:
            ten = line["amount"]["minor"] * 10
            more = changed(changed(line, "amount", "minor", to=ten), "args", "amount", "minor", to=ten)
            yield edit(base, i, f"{line['effect']} charges more than proposed", more, "505")


@operator
def alter_tool(base: Base) -> Iterator[Change]:
    """A step calls another tool than the one proposed, or one that the catalogue does not know."""
    for i in View(base.lines).effects() if base.good else ():
        line = base.lines[i]
        twin = changed(line, "tool", to="orders.fulfil" if line["tool"] != "orders.fulfil" else "shipping.book")
        yield edit(base, i, f"{line['effect']} calls {twin['tool']}", twin, "505")
        stray = changed(line, "tool", to="shell.run")
        yield edit(base, i, f"{line['effect']} calls a tool that nobody declared", stray, "404")


@operator
def alter_proposed_tool(base: Base) -> Iterator[Change]:
    """The proposal names another tool than the one that ran."""
    view = View(base.lines)
    for i in view.where("step.proposed") if base.good else ():
        line = base.lines[i]
        if view.same(i, "effect.intended", step=line["step"]):
            other = "bank.wire" if line["tool"] != "bank.wire" else "shipping.book"
            yield edit(base, i, f"{line['step']} proposed {other}", changed(line, "tool", to=other), "505")
            few = changed(line, "allowed", to=["catalog.quote"] if line["tool"] != "catalog.quote" else [])
            yield edit(base, i, f"{line['step']} was not allowed {line['tool']}", few, "505")


@operator
def alter_key(base: Base) -> Iterator[Change]:
    """A retry, of an effect or of an undo, under a fresh idempotency key."""
    for i in View(base.lines).where("effect.intended", "undo.intended") if base.good else ():
        line = base.lines[i]
        if line["attempt"] > 1:
            yield edit(base, i, "the retry has a key of its own", changed(line, "key", to="fresh-key"), "204")


@operator
def alter_retry_args(base: Base) -> Iterator[Change]:
    """A retry with other arguments than the attempt before."""
    for i in View(base.lines).where("effect.intended", "undo.intended") if base.good else ():
        line = base.lines[i]
        if line["attempt"] > 1:
            more = changed(line, "args", to={**line["args"], "note": "again"})
            yield edit(base, i, "the retry has other arguments", more, "204")


@operator
def alter_semantics(base: Base) -> Iterator[Change]:
    """An effect claims a kinder class than the catalogue gives its tool."""
    for i in View(base.lines).where("effect.intended") if base.good else ():
        line = base.lines[i]
        for other in ("preview", "reversible", "compensable", "irreversible"):
            if other != line["semantics"]:
                twin = changed(line, "semantics", to=other)
                yield edit(base, i, f"{line['effect']} claims to be {other}", twin, "405")


@operator
def alter_catalogue(base: Base) -> Iterator[Change]:
    """The catalogue is changed under the effects that follow."""
    view = View(base.lines)
    for i in view.where("saga.started") if base.good else ():
        used = {base.lines[k]["tool"] for k in view.same(i, "effect.intended")}
        for tool in sorted(used):
            twin = changed(base.lines[i], "tools", tool, "semantics", to="irreversible")
            yield edit(base, i, f"{tool} is declared irreversible", twin, "405")
            tools = {name: spec for name, spec in TOOLS.items() if name != tool}
            yield edit(base, i, f"{tool} is not declared", changed(base.lines[i], "tools", to=tools), "404")


@operator
def alter_resource(base: Base) -> Iterator[Change]:
    """The resource of an effect is not the one in its arguments."""
    for i in View(base.lines).where("effect.intended") if base.good else ():
        if "resource" in base.lines[i]:
            twin = changed(base.lines[i], "resource", to="lamp-8")
            yield edit(base, i, "another resource than in the arguments", twin, "102")


@operator
def alter_after(base: Base) -> Iterator[Change]:
    """An effect comes after one that was not intended before it."""
    for i in View(base.lines).where("effect.intended") if base.good else ():
        line = base.lines[i]
        if line.get("after"):
            twin = changed(line, "after", to=[*line["after"], "e99"])
            yield edit(base, i, "after an effect that nobody intended", twin, "102")


@operator
def alter_currency(base: Base) -> Iterator[Change]:
    """The charge is claimed in another currency than its arguments."""
    for i in View(base.lines).effects() if base.good else ():
        line = base.lines[i]
        if "amount" in line:
            twin = changed(line, "amount", to={**euro(line["amount"]["minor"]), "currency": "JPY"})
            yield edit(base, i, "a charge in another currency", twin, "102")
