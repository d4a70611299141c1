"""Sliding windows against a list that is summed anew each time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.policies.answers import Spend
from agent_saga.policies.windows import Windows
from agent_saga.trace.instants import micros

HOUR = 3_600


def at(micro: int) -> str:
    """An instant so many microseconds after seven."""
    return f"2026-11-30T07:{micro // 60_000_000:02}:{micro // 1_000_000 % 60:02}.{micro % 1_000_000:06}Z"


def spend(amount: int, limit: str = "l", key: str = "[]", most: int = 10, window: int = 60) -> Spend:
    return Spend(limit, key, amount, window, most)


def test_a_call_counts_until_the_window_has_passed_to_the_microsecond() -> None:
    windows = Windows()
    assert windows.take([spend(10)], at(0), "a") == ()
    assert windows.take([spend(1)], at(59_999_999), "b") == (spend(1),)
    assert windows.take([spend(10)], at(60_000_000), "c") == ()


def test_all_or_nothing_and_keys_are_apart() -> None:
    windows = Windows()
    both = [spend(6, "l"), spend(6, "m", most=5)]
    assert windows.take(both, at(0), "a") == (both[1],)
    assert windows.used(spend(0), at(0)) == 0
    assert windows.take([spend(6, key="[1]"), spend(6, key="[2]")], at(0), "b") == ()


def test_the_same_call_takes_once_and_gives_back_once() -> None:
    windows = Windows()
    for _ in range(2):
        assert windows.take([spend(6)], at(0), ("s", "e1")) == ()
    windows.add([spend(4)], at(1), ("s", "e2"))
    windows.give_back(("s", "e1"))
    windows.give_back(("s", "e1"))
    assert windows.used(spend(0), at(2)) == 4


def test_what_persons_approved_is_counted_beyond_the_bound() -> None:
    windows = Windows()
    windows.add([spend(25)], at(0), "a")
    assert windows.used_by([spend(0)], at(5)) == {("l", "[]"): 25}
    assert windows.take([spend(0)], at(5), "b") == ()


def test_a_clock_that_goes_back_earns_nothing() -> None:
    windows = Windows()
    windows.add([spend(10)], at(120_000_000), "late")
    assert windows.take([spend(1)], at(0), "early") == (spend(1),)


@pytest.mark.parametrize("text", ["", "2026-11-30", "2026-11-30T07:00:00Z", "2026-13-30T07:00:00.000000Z", "x" * 27])
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"instant|month|invalid|isoformat"):
        micros(text)


steps = st.tuples(
    st.sampled_from(["take", "add", "give"]),
    st.integers(0, 2 * HOUR * 1000),
    st.integers(0, 6),
    st.sampled_from(["l", "m"]),
    st.sampled_from(["[1]", "[2]"]),
    st.integers(0, 12),
)


@given(st.lists(steps, max_size=60))
def test_windows_hold_what_a_list_says(script: list[tuple[str, int, int, str, str, int]]) -> None:
    windows, taken = Windows(), dict[int, list[tuple[str, str, int, int]]]()

    def used(limit: str, key: str, instant: int) -> int:
        held = [one for several in taken.values() for one in several if one[:2] == (limit, key)]
        return sum(amount for _, _, when, amount in held if when > instant - 60_000_000)

    for what, milli, amount, limit, key, ident in script:
        instant = milli * 1000 % 3_600_000_000
        one = spend(amount, limit, key)
        two = spend(1, limit, key + "x", most=20)
        before = used(limit, key, instant)
        assert windows.used(one, at(instant)) == before
        if what == "give":
            windows.give_back(ident)
            taken.pop(ident, None)
            continue
        fits = not amount or before + amount <= 10
        room = used(limit, key + "x", instant) < 20
        if what == "take":
            over = windows.take([one, two], at(instant), ident)
            known = ident in taken
            assert over == (() if known else tuple(x for x, ok in ((one, fits), (two, room)) if not ok))
        else:
            windows.add([one, two], at(instant), ident)
        if (what == "add" or (fits and room)) and ident not in taken:
            taken[ident] = [(limit, key, instant, amount), (limit, key + "x", instant, 1)]
