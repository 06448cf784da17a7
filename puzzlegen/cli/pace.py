"""How far a run is and how long it will take, judged by what it did itself since it went on."""

from __future__ import annotations

from dataclasses import dataclass

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@dataclass(frozen=True)
class Pace:
    """The speed since the time `began` (in seconds), when `start` of `total` (if known) was done."""

    start: int
    total: int | None
    began: float

    def share(self, done: int) -> float | None:
        """Return the share (0…1) that is done, earlier runs included; None without a total."""
        return min(1.0, done / self.total) if self.total else None

    def seconds_left(self, done: int, now: float) -> float | None:
        """Return the seconds that the rest takes at this speed; None when nothing tells."""
        if self.total is None or done <= self.start:
            return None
        return (now - self.began) * max(0, self.total - done) / (done - self.start)


def duration(seconds: float) -> str:
    """Return a time as one would say it, in its two largest units."""
    minutes = round(seconds / MINUTE)
    if minutes < 1:
        return "less than a minute"
    if minutes * MINUTE < HOUR:
        return f"{minutes} min"
    if minutes * MINUTE < DAY:
        return f"{minutes * MINUTE // HOUR} h {minutes % 60} min"
    hours = round(seconds / HOUR)
    return f"{hours // 24} d {hours % 24} h"
