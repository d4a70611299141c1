"""Instants as they stand on a line, whatever the clock hands over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from agent_saga.runtime.times import instant

WHOLE, FIRST, TENTH, LAST = (datetime(2026, 1, 2, 3, 4, 5, micro, UTC) for micro in (0, 1, 100_000, 999_999))


class Frozen(datetime):
    """A clock's own kind of datetime."""


def by_isoformat(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@pytest.mark.parametrize("moment", [WHOLE, FIRST, TENTH, LAST, datetime(999, 1, 2, microsecond=7, tzinfo=UTC)])
def test_an_instant_has_six_decimals_and_z(moment: datetime) -> None:
    assert instant(moment) == by_isoformat(moment)
    assert len(instant(moment)) == len("2026-01-02T03:04:05.000000Z")


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(0)), timezone(timedelta(hours=-7, minutes=-30))])
def test_an_instant_is_in_utc_whatever_the_zone(zone: timezone) -> None:
    assert instant(FIRST.astimezone(zone)) == instant(WHOLE.astimezone(zone) + timedelta(microseconds=1))
    assert instant(FIRST.astimezone(zone)) == "2026-01-02T03:04:05.000001Z"


@pytest.mark.parametrize("micro", [0, 7])
def test_a_class_of_ones_own_is_written_as_well(micro: int) -> None:
    moment = Frozen(2026, 1, 2, 3, 4, 5, micro, UTC)
    assert instant(moment) == by_isoformat(moment)
