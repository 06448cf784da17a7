"""What stands beside every puzzle of a round, solved or not: why it is asked for, how far the round is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from urllib.parse import urlencode

import chess
from markupsafe import Markup
from sqlalchemy import select
from sqlalchemy.orm import Session

from chess_motif.pages.boards import Arrow, Look, Size, board_svg
from chess_motif.text import clock, counted
from db.attempts import Attempt
from db.days import days_between
from db.models import Puzzle, utc_now
from db.sets import SetEntry
from motifsearch.show.card import PuzzleCard
from motifsearch.trainer.round_state import Badge, Result
from motifsearch.trainer.rounds import OpenRound
from motifsearch.trainer.solving import Solving
from motifsearch.web.practice import best_score

# Units of time: their days, and the least days that are told in them.
UNITS = (("year", 365, 700), ("month", 30, 60), ("week", 7, 14), ("day", 1, 0))

_BADGES = {
    Badge.REVIEW: "Review",
    Badge.NEW: "New",
    Badge.MISSED: "Missed in your game",
    Badge.ALLOWED: "Allowed in your game",
    Badge.AGAIN: "Once more",
    Badge.ALIKE: "Like the one before",
}

_RESULTS = {
    Result.RIGHT: "right",
    Result.HELPED: "with help",
    Result.WRONG: "wrong",
    Result.SKIPPED: "skipped",
}


class Shown:
    """A puzzle of a round as the templates show it; each of the two states says what is on the board.

    One steps from the half-move `first` to `last`; after `ply` of them is the position on the board.
    """

    first = last = ply = 0

    def __init__(self, session: Session, opened: OpenRound, *, flip: bool) -> None:
        """`flip` turns the board around."""
        assert opened.entry is not None
        assert opened.solving is not None
        assert opened.item is not None
        self.round, self.flip, self.item = opened, flip, opened.item
        self.entry: SetEntry = opened.entry
        self.solving: Solving = opened.solving
        self.puzzle: Puzzle = opened.entry.puzzle
        self.start = self.puzzle.position()
        self.card = PuzzleCard.to_solve(self.puzzle)
        tried = (Attempt.solver == opened.solver) & (Attempt.puzzle_id == self.puzzle.id)
        newest = select(Attempt.at, Attempt.right).where(tried).order_by(Attempt.number.desc())
        # Not the attempt that was just made.
        before = newest.offset(self.item.result is not None)
        self._tried = session.execute(before.limit(1)).one_or_none()
        on_clock = opened.state.ends is not None
        self._best = on_clock and best_score(session, opened.solver, opened.title, opened.number)

    def seen(self) -> tuple[chess.Board, Look]:
        """Return the position on the board, and how it is seen."""
        raise NotImplementedError

    @property
    def board(self) -> Markup:
        """The board."""
        return board_svg(*self.seen())

    @property
    def fen(self) -> str:
        """What stands on the board."""
        return self.seen()[0].board_fen()

    @property
    def seen_by(self) -> chess.Color:
        """Who is below: the solver, unless the board is flipped."""
        return self.start.turn is not self.flip

    @property
    def badge(self) -> str:
        """Why the puzzle is asked for."""
        return _BADGES[self.item.badge]

    @property
    def history(self) -> str:
        """What became of it the last time, and when that was."""
        if self._tried is None:
            return ""
        at, right = self._tried
        return f"{'solved' if right else 'missed'} {_ago(days_between(at, utc_now()))}"

    @property
    def motif(self) -> str:
        """The main motif."""
        return self.card.motif or "No motif with a name"

    @property
    def said_of_round(self) -> str:
        """How far the round is, for those who do not see the bar."""
        items = self.round.state.items
        done = [item.result for item in items if item.result is not None]
        words = [f"{done.count(result)} {word}" for result, word in _RESULTS.items() if result in done]
        return f"{len(done)} done{': ' if words else ''}{', '.join(words)}; {len(items) - len(done)} to go"

    def address(self, ply: int | None = None, *, flip: bool | None = None) -> str:
        """Return the address of a position (default: where one begins), and of a board that is flipped."""
        asked = {} if ply is None else {"ply": ply}
        return f"?{urlencode(asked | ({'flip': 1} if (self.flip if flip is None else flip) else {}))}"

    @property
    def back(self) -> str:
        """The address of the position before; empty if there is none."""
        return self.address(self.ply - 1) if self.ply > self.first else ""

    @property
    def forward(self) -> str:
        """The address of the next position; empty if there is none."""
        return self.address(self.ply + 1) if self.ply < self.last else ""

    @property
    def turned(self) -> str:
        """The address of the same position, seen from the other side."""
        return self.address(self.ply, flip=not self.flip)

    @property
    def is_endless(self) -> bool:
        """Whether nobody knows how many puzzles the round has."""
        return self.round.state.practice is not None and self.round.state.most is None

    @cached_property
    def clock(self) -> dict[str, object] | None:
        """What is left of the time of a round against the clock, the score, and how to say it."""
        state = self.round.state
        if state.ends is None:
            return None
        left = max(timedelta(), state.ends - utc_now())
        right = f"{state.solved} right"
        return {
            "seconds": round(left.total_seconds()),
            "left": clock(left),
            "score": f"{right}, best {self._best[0]}" if self._best else right,
            "mistakes": "✕" * state.mistakes,
            "said": f"{right}, {state.mistakes} wrong",
        }

    @property
    def rated(self) -> str:
        """How the rating of the student has changed, if it is known."""
        before, after = self.item.rating_before, self.item.rating_after
        return "" if before is None or after is None else f"{before:.0f} → {after:.0f}"

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "round": self.round.number,
            "version": self.round.version,
            "place": self.round.state.place + 1,
            "puzzles": len(self.round.state.items),
            "fen": self.solving.board.fen(),
            "badge": self.item.badge,
            "done": self.round.is_done,
        }

    def look(
        self,
        label: str,
        last: chess.Move | None,
        drawn: Sequence[Arrow] = (),
        marked: frozenset[int] = frozenset(),
        *,
        crossed: chess.Square | None = None,
        arriving: bool = False,
    ) -> Look:
        """Return how the board is seen."""
        return Look(
            self.seen_by, label, Size.LARGE, last, arriving, marked, crossed, tuple(drawn), coordinates=True
        )


def _ago(days: int) -> str:
    return f"{in_days(days)} ago" if days > 0 else "today"


def in_days(days: int) -> str:
    """Return a number of days in days, weeks, months or years, such as `3 weeks`."""
    unit, length = next((unit, length) for unit, length, least in UNITS if days >= least)
    return counted(round(days / length), unit)
