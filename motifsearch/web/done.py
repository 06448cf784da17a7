"""The screen of a round that is done: how each puzzle went, what was wrong, and what comes back when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

from chess_motif.boards import solution_san
from chess_motif.text import clock, counted
from db.attempts import due_dates
from db.days import day_of, days_between
from db.models import Puzzle, utc_now
from db.puzzles import get_puzzles
from motifsearch.show.card import PuzzleCard
from motifsearch.trainer.cycles import cycles_of
from motifsearch.trainer.rating import rating_of
from motifsearch.trainer.round_state import Item, Result, RoundKind
from motifsearch.trainer.rounds import OpenRound
from motifsearch.web.practice import best_of
from motifsearch.web.sets import CycleRow, cycle_rows
from motifsearch.web.shown import in_days
from motifsearch.web.site import Site, page

# Puzzles that were wrong and are shown with a board.
MOST_SHOWN = 6

_WORDS = {
    Result.RIGHT: "right",
    Result.HELPED: "with a hint",
    Result.WRONG: "wrong",
    Result.SKIPPED: "skipped",
}


@dataclass(frozen=True)
class DoneRow:
    """A puzzle of a round that is done, at a `place` from 1."""

    place: int
    item: Item
    puzzle: Puzzle | None
    due: datetime | None

    @property
    def result(self) -> str:
        """What became of it, as a class."""
        return (self.item.result or Result.SKIPPED).value

    @property
    def result_words(self) -> str:
        """The same in words."""
        return _WORDS[self.item.result or Result.SKIPPED]

    @property
    def time(self) -> str:
        """How long it took."""
        return clock(timedelta(seconds=self.item.seconds))

    @property
    def card(self) -> PuzzleCard | None:
        """What is shown of it, None if it was deleted."""
        return None if self.puzzle is None else PuzzleCard.of(self.puzzle)

    @property
    def board(self) -> Markup:
        """Its position, with arrows."""
        return Markup("") if self.card is None else self.card.svg

    @property
    def motif(self) -> str:
        """Its main motif."""
        return (self.card and self.card.motif) or "No motif with a name"

    @property
    def level(self) -> str:
        """How hard it is."""
        return "" if self.puzzle is None else self.puzzle.level_text()

    @property
    def said(self) -> list[tuple[str, str]]:
        """What was played and why that fails, and what was right: moves, each with what is said of it."""
        if self.card is None or self.puzzle is None:
            return []
        best = solution_san(self.card.board, self.card.moves[:1])
        why = self.card.reasons[0].sentence if self.card.reasons else ""
        played = [(self.item.wrong, self.item.why or "is wrong.")] if self.item.wrong else []
        return [*played, (best, why or "is right.")]

    @property
    def comes_back(self) -> str:
        """When it comes back."""
        if self.due is None:
            return ""
        days, day = days_between(utc_now(), self.due), day_of(self.due)
        if days <= 0:
            return "today"
        return f"{'tomorrow' if days == 1 else in_days(days)}, {day.day} {day:%b}"


class DoneView:
    """The screen as it is shown."""

    def __init__(self, site: Site, opened: OpenRound) -> None:
        self.round = opened
        done = [item for item in opened.state.items if item.result is not None]
        with site.store.reading() as session:
            puzzles = get_puzzles(session, [item.puzzle_id for item in done])
            dates = due_dates(session, opened.solver)
            self.rating = rating_of(session, opened.solver)
            cycles = cycles_of(session, opened.solver).get(opened.set_name, [])
            minutes = opened.title.partition(" ")[0]
            on_clock = opened.kind is RoundKind.CLOCK and minutes.isdigit()
            self.best = best_of(session, opened.solver, int(minutes)) if on_clock else ""
        self.rows = [
            DoneRow(place, item, puzzles.get(item.puzzle_id), dates.get(item.puzzle_id))
            for place, item in enumerate(done, 1)
        ]
        self._cycles = cycle_rows(cycles) if opened.kind is RoundKind.CYCLE else []

    @property
    def heading(self) -> str:
        """What is done."""
        if self.cycle is not None:
            return f"Cycle {self.cycle.number} is done"
        return "Done for today" if self.round.kind is RoundKind.TODAY else "Done"

    @property
    def date(self) -> str:
        """The day."""
        day = day_of(utc_now())
        return f"{day:%A}, {day.day} {day:%B}"

    @property
    def cycle(self) -> CycleRow | None:
        """The cycle of a set that this round is."""
        return next((row for row in self._cycles if row.cycle.round == self.round.number), None)

    def count(self, result: Result) -> int:
        """Return how many puzzles went like this."""
        return sum(row.item.result is result for row in self.rows)

    @property
    def wrong(self) -> Sequence[DoneRow]:
        """What was wrong, or solved with a hint."""
        return [row for row in self.rows if row.item.result in (Result.WRONG, Result.HELPED) and row.card][
            :MOST_SHOWN
        ]

    @property
    def figures(self) -> list[tuple[str, str, str]]:
        """Four figures: what each is, the figure, and what else is to be said of it."""
        others = [(Result.HELPED, "with a hint"), (Result.WRONG, "wrong"), (Result.SKIPPED, "skipped")]
        said = [f"{count} {words}" for each, words in others if (count := self.count(each))]
        seconds = sum(row.item.seconds for row in self.rows)
        mean = counted(round(seconds / max(1, len(self.rows))), "second")
        found = [
            ("Right at once", f"{self.count(Result.RIGHT)} of {len(self.rows)}", ", ".join(said)),
            ("Time", clock(timedelta(seconds=seconds)), f"{mean} a puzzle"),
        ]
        rated = [row.item for row in self.rows if row.item.rating_after is not None]
        if rated and self.rating is not None:
            low, high = self.rating.interval
            change = f"{rated[0].rating_before:.0f} → {rated[-1].rating_after:.0f}"
            found.append(("Rating", change, f"between {low} and {high}"))
        if self.best:
            found.append(("Score", str(self.count(Result.RIGHT)), self.best))
        days = [days_between(utc_now(), row.due) for row in self.rows if row.due is not None]
        if days and not self.best:
            week = f"{sum(1 < day <= len('sundays') for day in days)} more within a week"
            found.append(("Coming back", f"{sum(day <= 1 for day in days)} tomorrow", week))
        return found

    def data(self) -> object:
        """Return what is answered as JSON."""
        return self.round.state


def show_done(request: Request, site: Site, opened: OpenRound) -> Response:
    """Show that a round is done."""
    view = DoneView(site, opened)
    return page(request, "done.html", title="Done", view=view, data=view.data)
