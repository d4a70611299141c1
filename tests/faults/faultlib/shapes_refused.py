"""Traces that are refused as they are, and that an operator makes worse: each mutant must give another code
as well."""

from __future__ import annotations

from .script import Script
from .shapes import Base, make
from .shop import ACTION, BOOK, RESERVE, charge, euro

WIRE = {"to": "DE02120300000000202051", "amount": euro(990000)}


def approved_wire(script: Script) -> None:
    """An irreversible wire with an approval that nobody can verify yet; the wire is the pivot."""
    saga = script.saga(pivot="s2")
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.propose("s2", "bank.wire", WIRE)
    saga.request("s2", ACTION)
    used = saga.record("s2", ACTION)
    saga.effect("e2", "bank.wire", WIRE, step="s2", action=ACTION, approvals=[used])
    saga.effect("e3", "shipping.book", BOOK)
    saga.succeeded("e1", "e2", "e3")


def kept_by_a_person(script: Script) -> None:
    """A charge that could not be given back; a person keeps it, and no signature proves that yet."""
    saga = script.saga()
    saga.effect("e1", "payments.charge", charge())
    saga.rollback()
    saga.begin_undo("u1", "e1")
    saga.end_undo("u1", "failed")
    saga.put("saga.paused", reason={"code": "refund declined"}, waiting=["e1"])
    words = {"target": "e1", "verdict": "kept", "reason": {"note": "customer agreed"}}
    saga.put("person.decided", "person:p-07", **words, person="p-07", proof={})
    saga.end("closed_with_exceptions", "e1")


def refused_bases() -> list[Base]:
    """Every trace that is refused as it is, with the code that it gives."""
    return [
        make("approved_wire", approved_wire, frozenset({"AS312"})),
        make("kept_by_a_person", kept_by_a_person, frozenset({"AS507"})),
    ]
