"""Pointers into payloads, and the bounds a payload keeps."""

from __future__ import annotations

import pytest

from agent_saga.trace import LineError
from agent_saga.trace.values import MISSING, check_amount, resolve, scan

DOC = {"a": [10, {"b/c": 1, "d~e": 2}], "": 3, "~1": 4, "sealed": {"...": "A" * 43}}


@pytest.mark.parametrize(
    "pointer, value",
    [
        ("", DOC),
        ("/a/0", 10),
        ("/a/1/b~1c", 1),
        ("/a/1/d~0e", 2),
        ("/", 3),
        ("/~01", 4),
        ("/a/01", MISSING),
        ("/a/-", MISSING),
        ("/a/2", MISSING),
        ("/a/\u0660", MISSING),
        ("/a/1000000000000000000000", MISSING),
        ("/nope", MISSING),
        ("/a/0/b", MISSING),
        ("/sealed/deeper", {"...": "A" * 43}),
    ],
)
def test_a_pointer_leads_to_its_part(pointer: str, value: object) -> None:
    assert resolve(pointer, DOC) == value


def test_missing_says_so() -> None:
    assert repr(MISSING) == "MISSING"


@pytest.mark.parametrize(
    "value",
    [
        {"minor": 0, "currency": "EUR"},
        {"currency": "EUR", "minor": -5},
        {"...": "A" * 43},
        {"minor": {"...": "A" * 43}, "currency": {"...": "A" * 43}},
    ],
)
def test_money_is_minor_units_and_a_currency_or_concealed(value: dict[str, object]) -> None:
    check_amount(value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"minor": 1},
        {"currency": "EUR"},
        {"minor": True, "currency": "EUR"},
        {"minor": "1", "currency": "EUR"},
        {"minor": 1, "currency": "EURO"},
        {"minor": 1, "currency": "EUR", "x": 1},
        {"minor": 1, "currency": None},
        {"minor": 1.0, "currency": "EUR"},
    ],
)
def test_anything_else_is_no_money(value: dict[str, object]) -> None:
    with pytest.raises(LineError):
        check_amount(value)


@pytest.mark.parametrize("value", [10**5000, -(10**5000), 2**53, [2**53], {"a": {"b": -(2**53)}}], ids=range(5))
def test_an_integer_beyond_the_bound_is_told_in_few_words(value: object) -> None:
    with pytest.raises(LineError, match="integer") as refused:
        scan(value)
    assert len(refused.value.message) < 120
