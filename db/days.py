"""Days in the user's time zone, which is by default the time zone of this computer.

Times are stored in UTC. Only this module decides to which day a time belongs.
"""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from db.models import in_utc

_ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)

_names = cache(available_timezones)


def use_zone(name: str) -> None:
    """Use a time zone, such as `Europe/Berlin`; if there is none of this name, that of this computer.

    This applies to the calling thread or task only, such as one that answers a request.
    """
    _ZONE.set(ZoneInfo(name) if name in _names() else None)


def day_of(moment: datetime) -> date:
    """Return the day that a time belongs to."""
    return in_utc(moment).astimezone(_ZONE.get()).date()


def days_between(earlier: datetime, later: datetime) -> int:
    """Return the number of midnights between two times."""
    return (day_of(later) - day_of(earlier)).days


def end_of_day(moment: datetime) -> datetime:
    """Return the midnight after a time."""
    return _in_utc(datetime.combine(day_of(moment) + timedelta(days=1), time()))


def days_later(moment: datetime, days: int) -> datetime:
    """Return the same time of day some days later; a day may have 23 or 25 hours."""
    return _in_utc(in_utc(moment).astimezone(_ZONE.get()).replace(tzinfo=None) + timedelta(days=days))


def _in_utc(local: datetime) -> datetime:
    return local.replace(tzinfo=_ZONE.get()).astimezone(UTC)
