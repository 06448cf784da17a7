"""What stands beside every puzzle of a round, solved or not: why it is asked for, how far the round is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import chess
from humanize import naturaldelta
from markupsafe import Markup

from chess_motif.pages.boards import Arrow, Look, Size, board_svg
from chess_motif.text import clock
from db.days import days_between
from db.models import Puzzle, utc_now
from db.sets import SetEntry
from db.store import Store
from motifsearch.show.card import PuzzleCard
from motifsearch.trainer.rounds import Badge, OpenRound, Result, seen
from motifsearch.trainer.solving import Solving

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
    """A puzzle of a round as the templates show it; each of the two states says what is on the board."""

    def __init__(self, store: Store, opened: OpenRound, *, flip: bool) -> None:
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
        with store.reading() as session:
            self._tried = seen(session, opened.solver, self.puzzle)

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
        """How often the solver has seen it before."""
        count, last = self._tried
        if not count or last is None:
            return ""
        times = {1: "once", 2: "twice"}.get(count, f"{count} times")
        return f"seen {times}, last {_ago(days_between(last, utc_now()))}"

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

    @property
    def thought(self) -> timedelta:
        """How long the solver has thought about this puzzle; in a cycle, about all of it."""
        state = self.round.state
        before = sum(item.seconds for item in state.items) if state.is_cycle else 0.0
        return timedelta(seconds=before + state.seconds(utc_now()))

    @property
    def time(self) -> str:
        """How long the solver has thought, as clocks show it."""
        return clock(self.thought)

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
        arriving: bool = False,
    ) -> Look:
        """Return how the board is seen."""
        return Look(self.seen_by, label, Size.LARGE, last, arriving, marked, tuple(drawn), coordinates=True)


def _ago(days: int) -> str:
    return f"{in_days(days)} ago" if days > 0 else "today"


def in_days(days: int) -> str:
    """Return a number of days in days, months or years, such as `16 days`."""
    return naturaldelta(timedelta(days=days)).replace("a day", "1 day")
