"""A student's progress, `/progress`: rating over time, success by motif, reviews due, the last attempts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from chess_motif.intervals import share_interval
from chess_motif.text import clock, counted
from db.attempts import Attempt
from db.days import day_of, days_between
from db.models import utc_now
from motifsearch.trainer.progress import LEAST_TRIES, MotifProgress, Progress, progress_of
from motifsearch.web.site import page, site_of
from puzzlegen.motifs.tags import tag_words

router = APIRouter()

# Attempts that are listed; the others are pips.
LISTED = 7

# The chart of the rating, in its own units.
HEIGHT = 40.0


@dataclass(frozen=True)
class MotifRow:
    """How a student does in a motif, as pages show it: shares in percent."""

    name: str
    words: str
    at: int
    low: int
    high: int
    tries: int
    right: int
    rating: int | None
    is_known: bool

    @classmethod
    def of(cls, one: MotifProgress) -> MotifRow:
        """Return it as it is shown."""
        at, low, high = (round(100 * value) for value in one.share)
        rating = None if one.rating is None else round(one.rating.value)
        words = motif_words(one.motif)
        is_known = one.tries >= LEAST_TRIES
        return cls(one.motif, words, at, low, high, one.tries, one.right, rating, is_known)


@dataclass(frozen=True)
class AttemptRow:
    """An attempt as it is shown."""

    puzzle_id: str
    motif: str
    result: str
    time: str
    level: str
    when: str

    @classmethod
    def of(cls, attempt: Attempt) -> AttemptRow:
        """Return it as it is shown."""
        days = days_between(attempt.at, utc_now())
        day = day_of(attempt.at)
        when = {0: "today", 1: "yesterday"}.get(days, f"{day.day} {day:%b}")
        level = "" if attempt.level is None else f"{attempt.level:.0f}"
        motif = motif_words(attempt.motif)
        time = clock(timedelta(seconds=attempt.seconds))
        return cls(attempt.puzzle_id, motif, result_of(attempt), time, level, when)


def motif_words(motif: str) -> str:
    """Return a main motif in words, with a capital."""
    words = tag_words(motif) if motif else "no motif with a name"
    return f"{words[:1].upper()}{words[1:]}"


def result_of(attempt: Attempt) -> str:
    """Return what became of an attempt: `right`, `helped` or `wrong`."""
    if not attempt.right:
        return "wrong"
    return "helped" if attempt.hinted else "right"


@dataclass(frozen=True)
class DueDay:
    """A day, how many reviews are due on it, and that as a share of the day with most, in percent."""

    name: str
    count: int
    part: int


class ProgressView:
    """The screen as it is shown."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.rows = [MotifRow.of(one) for one in progress.motifs]
        self.known = [row for row in self.rows if row.is_known]
        self.attempts = [AttemptRow.of(one) for one in progress.last]

    @property
    def heading(self) -> str:
        """What the rating means."""
        if not self.progress.points:
            return "Your first puzzles will show how strong you are."
        return f"You solve every second puzzle that is rated {self.progress.points[-1].rating:.0f}."

    @property
    def sentence(self) -> str:
        """How certain the rating is, and what has changed."""
        points = self.progress.points
        if not points:
            return ""
        first, last = points[0], points[-1]
        low, high = last.rating - 2 * last.deviation, last.rating + 2 * last.deviation
        said = [f"Between {low:.0f} and {high:.0f}, with 95 % certainty."]
        if len(points) > 1 and days_between(first.at, last.at) > 0:
            day = day_of(first.at)
            word = "rise" if self.progress.change > 0 else "fall"
            chance = f"the {word} is larger than chance" if self.progress.is_certain else "this may be chance"
            said.append(f"It was {first.rating:.0f} on {day.day} {day:%B}, and {chance}.")
        share = round(100 * self.progress.right / self.progress.tries)
        said.append(f"{counted(self.progress.tries, 'puzzle')}, {share} % right at once.")
        return " ".join(said)

    @property
    def scale(self) -> list[int]:
        """The ratings beside the chart, highest first."""
        low, high, step = self._bounds()
        return list(range(high, low - 1, -step))

    def _bounds(self) -> tuple[int, int, int]:
        points = self.progress.points
        values = [point.rating for point in points]
        # The intervals of the first puzzles would leave no room for the rest.
        spread = points[-1].deviation
        low, high = min(values) - spread, max(values) + spread
        step = next(step for step in (50, 100, 200, 500, 1000, 5000) if (high - low) / step <= len("five!"))
        return int(low // step * step), int(-(-high // step) * step), step

    def _placed(self, offset: int) -> list[str]:
        """Return the places of the points on the chart, `offset` deviations above the rating."""
        low, high, _ = self._bounds()
        points = self.progress.points
        begun, whole = points[0].at, (points[-1].at - points[0].at).total_seconds() or 1.0
        placed = []
        for point in points:
            x = 100 * (point.at - begun).total_seconds() / whole
            y = HEIGHT * (high - point.rating - offset * point.deviation) / (high - low)
            placed.append(f"{x:.1f} {min(max(y, 0.0), HEIGHT):.2f}")
        return placed

    @property
    def course(self) -> str:
        """The rating over time, as the path of a drawing."""
        return f"M{'L'.join(self._placed(0))}"

    @property
    def area(self) -> str:
        """Its 95 % interval, in the same way."""
        return f"M{'L'.join([*self._placed(2), *reversed(self._placed(-2))])}Z"

    @property
    def grid(self) -> list[str]:
        """The lines behind it."""
        lines = len(self.scale) - 1
        return [f"M0 {HEIGHT * line / lines:.1f}H100" for line in range(lines + 1)]

    @property
    def dates(self) -> list[str]:
        """The days below it."""
        day = day_of(self.progress.points[0].at)
        return [f"{day.day} {day:%B}", "now"]

    @property
    def days(self) -> list[DueDay]:
        """The reviews of the next seven days."""
        today, most = day_of(utc_now()), max([1, *(self.progress.due[day] for day in range(7))])
        return [
            DueDay(f"{today + timedelta(days=day):%a}", count, round(100 * count / most))
            for day, count in ((day, self.progress.due[day]) for day in range(7))
        ]

    @property
    def last_in_words(self) -> str:
        """How the last attempts went."""
        right = sum(one.result == "right" for one in self.attempts)
        _, low, high = share_interval(right / len(self.attempts), len(self.attempts))
        return f"{right} right at once, {100 * low:.0f} to {100 * high:.0f} %"

    @property
    def pips_in_words(self) -> str:
        """The same for who does not see the pips."""
        results = [one.result for one in self.attempts]
        words = (("right", "right at once"), ("helped", "with a hint"), ("wrong", "wrong"))
        return ", ".join(f"{results.count(name)} {word}" for name, word in words if name in results)

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        last = self.progress.points[-1] if self.progress.points else None
        return {
            "rating": last and round(last.rating),
            "deviation": last and round(last.deviation),
            "points": self.progress.points,
            "motifs": self.rows,
            "due": {day.name: day.count for day in self.days},
            "attempts": self.attempts,
        }


@router.get("/progress")
def show_progress(request: Request) -> Response:
    """Show what a student has solved."""
    site = site_of(request)
    with site.store.reading() as session:
        view = ProgressView(progress_of(session, site.student(request)))
    return page(request, "progress.html", title="Progress", view=view, data=view.data)
