"""Which day a time belongs to: near midnight, far from UTC, and when the clocks change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest

from db.days import day_of, days_between, days_later, end_of_day
from tests.helpers.zones import computer_in, user_in

In = Callable[[str], AbstractContextManager[None]]

WHOSE = pytest.mark.parametrize("whose", [computer_in, user_in])
BERLIN, AUCKLAND, LOS_ANGELES = "Europe/Berlin", "Pacific/Auckland", "America/Los_Angeles"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@WHOSE
@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        (AUCKLAND, "2026-01-05 10:59", "2026-01-05"),
        (AUCKLAND, "2026-01-05 11:00", "2026-01-06"),
        (LOS_ANGELES, "2026-01-05 07:59", "2026-01-04"),
        (LOS_ANGELES, "2026-01-05 08:00", "2026-01-05"),
        ("UTC", "2026-01-05 23:59", "2026-01-05"),
    ],
)
def test_a_day_is_that_of_the_zone(whose: In, zone: str, moment: str, day: str) -> None:
    with whose(zone):
        assert str(day_of(utc(moment))) == day
        # SQLite does not store the time zone.
        assert str(day_of(utc(moment).replace(tzinfo=None))) == day


@WHOSE
@pytest.mark.parametrize(
    ("zone", "noon", "hours"),
    [
        (BERLIN, "2024-03-31 12:00", 23),
        (BERLIN, "2024-10-27 12:00", 25),
        (BERLIN, "2024-10-28 12:00", 24),
        # Here the clocks change at midnight: the day begins at one, or the hour before it comes twice.
        ("America/Santiago", "2024-09-08 12:00", 23),
        ("America/Santiago", "2024-04-06 12:00", 25),
    ],
)
def test_days_have_23_or_25_hours_when_the_clocks_change(whose: In, zone: str, noon: str, hours: int) -> None:
    with whose(zone):
        end = end_of_day(utc(noon))
        begun = end - timedelta(hours=hours)
        assert day_of(begun) == day_of(utc(noon)) == day_of(end - timedelta(seconds=1))
        assert (days_between(begun, end), days_between(begun - timedelta(seconds=1), begun)) == (1, 1)


@WHOSE
@pytest.mark.parametrize(
    ("moment", "later"),
    [
        ("2024-03-30 22:30", "2024-03-31 21:30"),  # 23:30 on both days
        ("2024-10-26 22:10", "2024-10-27 23:10"),  # 00:10 on both days
    ],
)
def test_a_day_later_it_is_as_late(whose: In, moment: str, later: str) -> None:
    with whose(BERLIN):
        assert days_later(utc(moment), 1) == utc(later)


@pytest.mark.parametrize(
    "name", ["", "Nowhere", "Europe", "../../etc/passwd", "/etc/localtime", "a\0b", "\udcff"]
)
def test_a_name_of_no_zone_stands_for_that_of_this_computer(name: str) -> None:
    with computer_in(AUCKLAND), user_in(name):
        assert str(day_of(utc("2026-01-05 11:00"))) == "2026-01-06"
