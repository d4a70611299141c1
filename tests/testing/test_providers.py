"""A simulated provider books what it is asked for once a key, and misbehaves exactly as told."""

from __future__ import annotations

import os
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_saga.testing.providers import Bank, Booking, Declined, Delivery, Effect, Fault, Payments, Reader, Stock

PRICE = {"minor": 4200, "currency": "EUR"}


@pytest.fixture
def payments(tmp_path: Path) -> Payments:
    return Payments(tmp_path / "payments.db")


def _counts(provider: Reader) -> list[tuple[str, int, int]]:
    return [(one.key, one.times, one.undone) for one in provider.ledger()]


def test_a_key_is_booked_once_and_answers_the_same_again(payments: Payments) -> None:
    first = payments.charge("card", PRICE, "k1")
    assert payments.charge("card", PRICE, "k1") == first
    assert payments.ledger() == [Effect("payments", "charge", "k1", 1, 0, 4200, "EUR")]
    assert payments.calls("charge") == 2


def test_a_key_that_comes_with_other_arguments_is_declined(payments: Payments) -> None:
    payments.charge("card", PRICE, "k1")
    with pytest.raises(Declined, match="was used for another charge"):
        payments.charge("card", PRICE | {"minor": 1}, "k1")


def test_a_provider_that_knows_no_keys_books_every_call(tmp_path: Path) -> None:
    payments = Payments(tmp_path / "payments.db", idempotent=False)
    for _ in range(2):
        payments.charge("card", PRICE, "k1")
    assert _counts(payments) == [("k1", 2, 0)]
    assert not payments.ledger()[0].sound


def test_a_refund_takes_back_at_most_what_was_charged(payments: Payments) -> None:
    charge = payments.charge("card", PRICE, "k1").reference
    payments.refund(charge, PRICE | {"minor": 200}, "r1")
    with pytest.raises(Declined, match="more than is left"):
        payments.refund(charge, PRICE, "r2")
    assert payments.get(charge).status == "active"  # type: ignore[union-attr]
    payments.refund(charge, PRICE | {"minor": 4000}, "r3")
    assert payments.get(charge).status == "reversed"  # type: ignore[union-attr]
    with pytest.raises(Declined, match="nothing left"):
        payments.refund(charge, PRICE | {"minor": 1}, "r4")


@pytest.mark.parametrize("kind", [Stock, Delivery])
def test_what_was_taken_back_is_not_taken_back_twice(kind: type[Stock | Delivery], tmp_path: Path) -> None:
    provider = kind(tmp_path / "provider.db")
    if isinstance(provider, Stock):
        made, undo = provider.reserve("lamp", 1, "k1"), provider.release
    else:
        made, undo = provider.schedule("o-1", "here", "k1"), provider.cancel
    undo(made.reference, "u1")
    undo(made.reference, "u1")
    with pytest.raises(Declined):
        undo(made.reference, "u2")
    assert _counts(provider) == [("k1", 1, 1)]
    assert not provider.ledger()[0].stands


@pytest.mark.parametrize(
    "fault, booked, says",
    [
        (Fault.LOST_REPLY, 1, "landed"),
        (Fault.LOST_REQUEST, 0, "absent"),
        (Fault.UNPROVABLE, 1, "silent"),
        (Fault.DECLINED, 0, "absent"),
        (Fault.REJECTED_LATER, 1, "landed"),
    ],
)
def test_a_provider_misbehaves_as_told(payments: Payments, fault: Fault, booked: int, says: str) -> None:
    payments.misbehave("charge", fault)
    answer = _answer(payments)
    assert (answer == "answered") == (fault is Fault.REJECTED_LATER)
    assert len(payments.ledger()) == booked
    assert _said(payments) == says
    payments.charge("card", PRICE, "k2")  # the second call goes well


def _answer(payments: Payments) -> str:
    try:
        booking = payments.charge("card", PRICE, "k1")
    except (TimeoutError, Declined) as fault:
        return type(fault).__name__
    assert booking.status == "rejected"
    return "answered"


def _said(payments: Payments) -> str:
    try:
        found: Booking | None = payments.read_only().find("charge", "k1")
    except TimeoutError:
        return "silent"
    return "landed" if found else "absent"


def test_a_fault_can_be_told_for_later_calls(payments: Payments) -> None:
    payments.misbehave("charge", Fault.DECLINED, calls=2, after=1)
    payments.charge("card", PRICE, "k1")
    for key in ("k2", "k3"):
        with pytest.raises(Declined):
            payments.charge("card", PRICE, key)
    payments.charge("card", PRICE, "k4")


def test_a_power_cut_leaves_the_booking_and_kills_the_caller(tmp_path: Path) -> None:
    from agent_saga.testing.chaos import KILLED, process
    from agent_saga.testing.scenarios import Shop, crash

    assert process("run", crash.spec, tmp_path / "saga.db").returncode == KILLED == -signal.SIGKILL
    assert _counts(Shop.beside(tmp_path / "saga.db").payments)[0][1:] == (1, 0)


def test_a_reader_cannot_book_and_its_file_is_opened_read_only(payments: Payments) -> None:
    reader = payments.read_only()
    assert not hasattr(reader, "charge")
    from agent_saga.testing.providers.book import connected

    with (
        pytest.raises(sqlite3.OperationalError, match="readonly"),
        connected(payments.path, writable=False) as book,
    ):
        book.execute("DELETE FROM bookings")


def test_what_many_callers_ask_at_once_is_booked_once_a_key(tmp_path: Path) -> None:
    bank = Bank(tmp_path / "bank.db")
    with ThreadPoolExecutor(4) as pool:
        references = list(pool.map(lambda n: bank.wire("acc", PRICE, f"k{n % 4}").reference, range(16)))
    assert len(set(references)) == 4
    assert all(one.sound for one in bank.ledger())
    assert os.path.getsize(bank.path) > 0
