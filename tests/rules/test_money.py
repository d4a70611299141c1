"""Amounts are written as people write them, by the minor unit of their currency."""

from __future__ import annotations

import pytest

from agent_saga.certify.history.compare import Known, Money, money, same
from agent_saga.trace.conceal import Disclosures, conceal

WRITTEN = {
    Money(4200, "EUR"): "EUR 42.00",
    Money(5, "EUR"): "EUR 0.05",
    Money(0, "EUR"): "EUR 0.00",
    Money(-105, "USD"): "USD -1.05",
    Money(4200, "JPY"): "JPY 4200",
    Money(1, "KWD"): "KWD 0.001",
    Money(12345, "CLF"): "CLF 1.2345",
    Money(9007199254740991, "EUR"): "EUR 90071992547409.91",
}


@pytest.mark.parametrize(("amount", "text"), WRITTEN.items(), ids=WRITTEN.values())
def test_an_amount_reads_as_its_currency_is_written(amount: Money, text: str) -> None:
    assert str(amount) == text


SALT = "A" * 22


@pytest.mark.parametrize("value", ["forty-two", 42, None, {"minor": "42", "currency": "EUR"}, {"minor": 42}, []])
def test_a_concealed_amount_that_is_no_money_is_never_taken_for_some(value: object) -> None:
    shown, disclosure = conceal(value, SALT)
    assert money(shown, Disclosures([("f:1", disclosure)])) is False


def test_a_concealed_amount_is_opened_whole_or_in_its_parts() -> None:
    whole, first = conceal({"minor": 42, "currency": "EUR"}, SALT)
    part, second = conceal(42, "B" * 21 + "A")
    opened = Disclosures([("f:1", first), ("f:2", second)])
    assert money(whole, opened) == money({"minor": part, "currency": "EUR"}, opened) == Money(42, "EUR")
    assert money(whole, Disclosures()) is False


SEALED = b'{"...":"' + b"A" * 43 + b'"}'
COMPARED = [
    (b'{"a":1,"b":2}', b'{"b":2,"a":1}', None, True),
    (b'{"a":1}', b'{"a":true}', None, False),
    (b'{"a":' + SEALED + b"}", b'{"a":1}', None, None),
    (b'{"a":' + SEALED + b',"b":1}', b'{"a":1,"b":2}', None, False),
    (b'{"a":' + SEALED + b"}", b'{"a":' + SEALED + b"}", None, None),
    (b'{"a":' + SEALED + b',"b":1}', b'{"a":7,"b":1}', "/a", True),
    (b'{"a":[1,2]}', b'{"a":[1,3]}', "/a/1", True),
    (b'{"a":[1,2]}', b'{"a":[1,3]}', "/a/0", False),
    (b'{"minor":1}', b'{"minor":2}', "", True),
    (b'{"x":' + SEALED + b"}", b'{"x":{"a":1}}', "/x/a", None),
    (b'{"a/b":1}', b'{"a/b":2}', "/a~1b", True),
]


@pytest.mark.parametrize(("a", "b", "ignoring", "want"), COMPARED)
def test_two_payloads_are_equal_different_or_not_decidable(
    a: bytes, b: bytes, ignoring: str | None, want: bool | None
) -> None:
    left, right = Known(a, b"..." in a), Known(b, b"..." in b)
    assert same(left, right, ignoring) is want
    assert same(right, left, ignoring) is want
