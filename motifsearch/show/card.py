"""The card of a puzzle: position, line, motif, reasons, difficulty, source, and its likeness to a query.

A stored puzzle, the query of a search or a result goes in. Text, HTML and JSON of a puzzle are all made from
its card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import chess
from markupsafe import Markup

from chess_motif.boards import board_after, rights, side_name, solution_san, to_move
from chess_motif.material import Capture
from chess_motif.pages import link
from chess_motif.pages.boards import Arrow, Look, Role, Size, board_svg, label_of, swatch
from db.models import Puzzle
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.search import PuzzleQuery
from motifsearch.terms.weights import DEFAULT
from puzzlegen.motifs.tags import NO_MOTIF, main_words
from puzzlegen.reasons.explained import ExplainedReason, SolutionReasons
from puzzlegen.reasons.tactics import Tactics

# Puzzles whose reasons are cached: finding reasons takes about 10 ms, and many puzzles are shown again.
REMEMBERED = 10_000

# The most arrows on a board.
MOST_ARROWS = 4

# The levels at the ends of the line on which a difficulty is drawn.
EASIEST, HARDEST = 600, 2400


class Sentence(NamedTuple):
    """A sentence that says why a solution works, and the small arrow before it, if there is one."""

    text: str
    swatch: Markup


class Level(NamedTuple):
    """A difficulty, its probable range, and the places of both on the line (0…100)."""

    text: str
    range: str
    at: float
    low: float
    high: float


class Written(NamedTuple):
    """A move of a line in writing, whether the solver plays it, and the number of plies up to the move."""

    san: str
    mine: bool
    place: int


class Step(NamedTuple):
    """A button that steps through moves: its name, the ply to go to, its drawing, and its key."""

    name: str
    ply: int
    drawing: str
    key: str


@dataclass(frozen=True)
class PuzzleCard:
    """What is shown of a position and its solution, the `moves`, which are empty if the solution is hidden.

    `puzzle` is the stored puzzle, if the position has one, and `hit` the search result. `reasons` are None if
    they were not looked for.
    """

    board: chess.Board
    moves: Sequence[chess.Move]
    puzzle: Puzzle | None = None
    reasons: tuple[ExplainedReason, ...] | None = None
    hit: PuzzleHit | None = None

    @classmethod
    def of(cls, puzzle: Puzzle) -> PuzzleCard:
        """Return the card of a stored puzzle, with its reasons."""
        return cls(puzzle.position(), puzzle.moves(), puzzle, reasons_of(puzzle))

    @classmethod
    def to_solve(cls, puzzle: Puzzle, hit: PuzzleHit | None = None) -> PuzzleCard:
        """Return the card of a puzzle whose solution is hidden; `hit` is its search result, if any."""
        return cls(puzzle.position(), (), puzzle, hit=hit)

    @classmethod
    def of_query(cls, query: PuzzleQuery, *, explained: bool) -> PuzzleCard:
        """Return the card of the query of a search."""
        moves = query.moves if query.shows_solution else ()
        reasons = query.reasons if moves and explained else ()
        return cls(query.board, moves, query.puzzle, reasons)

    @classmethod
    def of_hit(cls, hit: PuzzleHit, *, explained: bool = True) -> PuzzleCard:
        """Return the card of a result of a search."""
        reasons = hit.reasons if explained else None
        return cls(hit.puzzle.position(), hit.puzzle.moves(), hit.puzzle, reasons, hit)

    @property
    def id(self) -> str:
        """The id of the stored puzzle, or empty."""
        return self.puzzle.id if self.puzzle else ""

    @property
    def fen(self) -> str:
        """The position as FEN."""
        return self.board.fen()

    @property
    def side(self) -> str:
        """The solver's side, `White` or `Black`."""
        return side_name(self.board.turn)

    @property
    def line(self) -> str:
        """The solution in SAN with move numbers."""
        return solution_san(self.board, self.moves)

    @property
    def rights(self) -> str:
        """Castling rights and en passant, where they matter to the solution."""
        moves = self.puzzle.moves() if self.puzzle else self.moves
        return rights(self.board, moves)

    @property
    def motif(self) -> str:
        """The main motif of a stored puzzle, capitalised; empty if no motif has a name."""
        words = main_words(self.puzzle.all_tags()) if self.puzzle else NO_MOTIF
        return "" if words == NO_MOTIF else words[:1].upper() + words[1:]

    @property
    def tags(self) -> list[str]:
        """The tags of a stored puzzle."""
        return self.puzzle.all_tags() if self.puzzle else []

    @property
    def level(self) -> str:
        """The difficulty of a stored puzzle in words, empty if it is not known."""
        return self.puzzle.level_text() if self.puzzle else ""

    @property
    def difficulty(self) -> Level | None:
        """The difficulty of a stored puzzle with its place on a line, or None if it is not known."""
        puzzle = self.puzzle
        if puzzle is None or puzzle.level is None:
            return None
        margin = puzzle.difficulty_margin or 0
        low, high = puzzle.level - margin, puzzle.level + margin
        is_shown = margin and puzzle.rating is None
        shown = f"{10 * round(low / 10)}–{10 * round(high / 10)}" if is_shown else ""
        return Level(self.level, shown, *map(_on_line, (puzzle.level, low, high)))

    @property
    def origin(self) -> str:
        """The source of a stored puzzle; for a game without names, only the site, since there is a link."""
        origin = self.puzzle.origin() if self.puzzle else ""
        return f"a game on {urlsplit(origin).netloc}" if link(origin) else origin

    @property
    def link(self) -> str | None:
        """The address of the game that a stored puzzle is from, or None."""
        return link(self.puzzle.game_url) if self.puzzle else None

    @property
    def percent(self) -> int | None:
        """The likeness of a result to the query, in percent; None if this is not a search result."""
        return round(100 * self.hit.likeness) if self.hit else None

    @property
    def likeness(self) -> str:
        """The likeness in words, such as `loosely alike`."""
        return DEFAULT.in_words(self.hit.likeness) if self.hit else ""

    @property
    def sentences(self) -> list[Sentence]:
        """Why the solution works."""
        return [
            Sentence(each.sentence, swatch(Role(each.drawing.role.value)) if each.drawing else Markup(""))
            for each in self.reasons or ()
        ]

    @property
    def why(self) -> str:
        """Why the solution works, or else what a result has in common with the query."""
        words = self.hit.words if self.hit else ""
        return " ".join(each.sentence for each in self.reasons or ()) or words[:1].upper() + words[1:]

    @property
    def blunder(self) -> chess.Move | None:
        """The opponent's move that led to the position, or None if it is not known."""
        opponents = self.puzzle.opponents_move() if self.puzzle else None
        return None if opponents is None else opponents[1]

    @property
    def svg(self) -> Markup:
        """The position, with the solution as arrows unless it is hidden."""
        return self._drawn(Size.MEDIUM, self.arrows)

    @property
    def small(self) -> Markup:
        """The position as a small diagram, without arrows."""
        return self._drawn(Size.SMALL, ())

    def _drawn(self, size: Size, drawn: tuple[Arrow, ...]) -> Markup:
        alike = "" if self.percent is None else f"{self.percent} % alike"
        label = ", ".join(filter(None, [to_move(self.board), alike, label_of(drawn, self.board)]))
        return board_svg(self.board, Look(self.board.turn, label, size, self.blunder, arrows=drawn))

    @cached_property
    def arrows(self) -> tuple[Arrow, ...]:
        """The arrows of the solution: its first move, and those of the reasons."""
        drawn = [Arrow(move.from_square, move.to_square) for move in self.moves[:1]]
        for reason in self.reasons or ():
            if reason.drawing is not None:
                role = Role(reason.drawing.role.value)
                drawn += [Arrow(tail, head, role) for tail, head in reason.drawing.arrows]
                drawn += [Arrow(square, square, role) for square in reason.drawing.squares]
        return tuple(dict.fromkeys(drawn))[:MOST_ARROWS]

    def after(self, ply: int, size: Size, seen_by: chess.Color) -> tuple[chess.Board, Look]:
        """Return the position after `ply` moves of the line, and its look; the first position has arrows."""
        if ply:
            before, move = board_after(self.board, self.moves[: ply - 1]), self.moves[ply - 1]
            label = f"After {solution_san(before, [move])}"
            return board_after(before, [move]), Look(seen_by, label, size, move, coordinates=True)
        label = (
            f"The solution as arrows: {label_of(self.arrows, self.board)}"
            if self.moves
            else to_move(self.board)
        )
        return self.board, Look(seen_by, label, size, self.blunder, arrows=self.arrows, coordinates=True)

    def json(self) -> dict[str, Any]:
        """Return the card as the keys and values of its JSON object.

        A search result has its scores, and with reasons also `words` and the terms that `matched`.
        """
        puzzle, hit = self.puzzle, self.hit
        found: dict[str, Any] = {"id": self.id or None}
        if hit:
            found |= {
                "rank": hit.rank,
                "likeness": round(hit.likeness, 4),
                "score": hit.score,
                "static": hit.static,
                "dynamic": hit.dynamic,
            }
        found |= {
            "puzzle_fen": self.fen,
            "solution": [move.uci() for move in self.moves],
            "san": self.line,
            "source": (puzzle.game_url or puzzle.origin()) if puzzle else None,
        }
        if puzzle:
            found |= {
                "source_id": puzzle.source_id or None,
                "game_url": puzzle.game_url or None,
                "rating": puzzle.rating,
                "difficulty": puzzle.difficulty,
                "tags": puzzle.tags.split(),
                "themes": puzzle.themes.split(),
            }
        if self.reasons is not None:
            found["reasons"] = [reason.sentence for reason in self.reasons]
        if hit and self.reasons is not None:
            found["words"] = hit.words
            found["matched"] = [
                {"term": match.term, "field": match.field, "score": match.score} for match in hit.matched
            ]
        return found


def _on_line(level: float) -> float:
    return round(100 * min(max((level - EASIEST) / (HARDEST - EASIEST), 0), 1), 1)


def reasons_of(puzzle: Puzzle) -> tuple[ExplainedReason, ...]:
    """Return the reasons why the solution of a puzzle works, with their arrows."""
    others = tuple(map(tuple, puzzle.other_defence_lines()))
    return _reasons(puzzle.position().fen(), tuple(puzzle.moves()), puzzle.capture_before(), others)


@lru_cache(maxsize=REMEMBERED)
def _reasons(
    fen: str,
    moves: tuple[chess.Move, ...],
    capture: Capture | None,
    others: tuple[tuple[chess.Move, ...], ...],
) -> tuple[ExplainedReason, ...]:
    return SolutionReasons(Tactics(chess.Board(fen), moves, capture), others).explained()


def written(start: chess.Board, moves: Sequence[chess.Move]) -> list[Written]:
    """Return moves in writing, with numbers; the moves of the side that begins are `mine`."""
    board, found = start.copy(stack=False), []
    for place, move in enumerate(moves, 1):
        has_number = board.turn or place == 1
        number = f"{board.fullmove_number}{'. ' if board.turn else '...'}" if has_number else ""
        found.append(Written(number + board.san(move), place % 2 == 1, place))
        board.push(move)
    return found


def steps(ply: int, last: int) -> list[Step]:
    """Return the buttons that step through `last` moves, for the position after `ply` moves."""
    return [
        Step("To the start", 0, "M4 3v10M12 3L6.5 8L12 13", ""),
        Step("Back", max(ply - 1, 0), "M10 3L5 8L10 13", "ArrowLeft"),
        Step("Forward", min(ply + 1, last), "M6 3L11 8L6 13", "ArrowRight"),
        Step("To the end", last, "M12 3v10M4 3L9.5 8L4 13", ""),
    ]
