"""The bundled demo: a shop's log with one order that went well and one that was taken back, and the same
log lying."""

from __future__ import annotations

from .lines import Line
from .script import Script
from .shop import BOOK, charge


def _log(refunded: bool) -> list[Line]:
    script = Script("demo")
    order = script.saga("order")
    order.effect("e1", "payments.charge", charge(4200))
    order.effect("e2", "shipping.book", BOOK)
    other = script.saga("order")
    other.effect("e1", "payments.charge", charge(12900))
    order.succeeded("e1", "e2")
    other.begin("e2", "shipping.book", BOOK)
    other.fail("e2")
    other.rollback()
    if refunded:
        other.undo("u1", "e1")
    other.compensated()
    return script.finish()


def good() -> list[Line]:
    """Charged, shipped, checked; and charged, not shipped, refunded, checked."""
    return _log(refunded=True)


def bad() -> list[Line]:
    """The same, but the refund never happened, and the summary says that it did."""
    return _log(refunded=False)
