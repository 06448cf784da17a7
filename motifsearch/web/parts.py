"""What several screens show of a puzzle: its line, its level, its reasons, and its diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import chess
from markupsafe import Markup

from chess_motif.boards import rights, side_name, solution_san, to_move
from chess_motif.material import Capture
from chess_motif.pages import link
from chess_motif.pages.boards import Arrow, Look, Size, board_svg
from db.models import Puzzle
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms.encoding import DEFAULT
from motifsearch.views.reasons import arrows
from puzzlegen.formats.answers import unseen
from puzzlegen.reasons.explained import ExplainedReason, SolutionReasons
from puzzlegen.reasons.tactics import Tactics

# Puzzles whose reasons are kept: finding them takes some 10 milliseconds, and many are shown again.
REMEMBERED = 10_000

# The levels at the ends of the line on which a difficulty is drawn.
EASIEST, HARDEST = 600, 2400


@dataclass(frozen=True)
class Ply:
    """A move of a solution as it is written, whether the solver makes it, and the place after it."""

    san: str
    mine: bool
    place: int


class Step(NamedTuple):
    """A button that steps through moves: its name, the ply that it leads to, its drawing, and its key."""

    name: str
    ply: int
    drawing: str
    key: str


@dataclass(frozen=True)
class Level:
    """A difficulty, the range that it is probably in, and where these are on the line (0…100)."""

    text: str
    range: str
    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Diagram:
    """A puzzle among others as it is shown; a result of a search with its likeness in percent.

    `result` says what somebody made of it, empty if that is not told; `rights` what the board does not show.
    """

    id: str
    board: Markup
    percent: int | None
    likeness: str
    side: str
    level: str
    why: str
    line: str
    fen: str
    solution: str
    rights: str
    result: str = ""

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        shown = ("id", "percent", "level", "fen", "why", "line")
        return {name: getattr(self, name) for name in shown} | {"solution": self.solution.split()}


def reasons_of(puzzle: Puzzle) -> tuple[ExplainedReason, ...]:
    """Return why the solution of a puzzle works, with what is drawn for it."""
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


def plies(puzzle: Puzzle) -> list[Ply]:
    """Return the moves of a solution as they are written."""
    return written(puzzle.position(), puzzle.moves())


def written(start: chess.Board, moves: Sequence[chess.Move]) -> list[Ply]:
    """Return moves as they are written, with numbers; those of the side that begins are `mine`."""
    board, found = start.copy(stack=False), []
    for place, move in enumerate(moves, 1):
        has_number = board.turn or place == 1
        number = f"{board.fullmove_number}{'. ' if board.turn else '...'}" if has_number else ""
        found.append(Ply(number + board.san(move), place % 2 == 1, place))
        board.push(move)
    return found


def steps(ply: int, last: int) -> list[Step]:
    """Return the buttons that step through `last` moves, from a position after `ply` of them."""
    return [
        Step("To the start", 0, "M4 3v10M12 3L6.5 8L12 13", ""),
        Step("Back", max(ply - 1, 0), "M10 3L5 8L10 13", "ArrowLeft"),
        Step("Forward", min(ply + 1, last), "M6 3L11 8L6 13", "ArrowRight"),
        Step("To the end", last, "M12 3v10M4 3L9.5 8L4 13", ""),
    ]


def small_board(puzzle: Puzzle, label: str, drawn: Sequence[Arrow] = (), size: Size = Size.SMALL) -> Markup:
    """Return the position of a puzzle as a diagram."""
    board, opponents = puzzle.position(), puzzle.opponents_move()
    last = None if opponents is None else opponents[1]
    return board_svg(board, Look(board.turn, label, size, last, arrows=tuple(drawn)))


def origin_of(puzzle: Puzzle) -> str:
    """Return where a puzzle comes from: of a game without names, only the site, for it becomes a link."""
    origin = puzzle.origin()
    return f"a game on {urlsplit(origin).netloc}" if link(origin) else origin


def level_of(puzzle: Puzzle) -> Level | None:
    """Return how hard a puzzle is, None if that is not known."""
    if puzzle.level is None:
        return None
    margin = puzzle.difficulty_margin or 0
    low, high = puzzle.level - margin, puzzle.level + margin
    shown = f"{10 * round(low / 10)}–{10 * round(high / 10)}" if margin and puzzle.rating is None else ""
    return Level(puzzle.level_text(), shown, _on_line(puzzle.level), _on_line(low), _on_line(high))


def _on_line(level: float) -> float:
    return round(100 * min(max((level - EASIEST) / (HARDEST - EASIEST), 0), 1), 1)


def clock(span: timedelta) -> str:
    """Return a time as clocks show it, such as `1:07` or `1:02:30`."""
    minutes, seconds = divmod(round(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def diagram(hit: PuzzleHit) -> Diagram:
    """Return a result of a search as it is shown."""
    said = " ".join(reason.sentence for reason in hit.reasons) or hit.words[:1].upper() + hit.words[1:]
    percent = round(100 * hit.normalised_score)
    likeness = DEFAULT.likeness(hit.normalised_score)
    return _diagram(hit.puzzle, hit.reasons, said, percent, likeness)


def diagram_of(puzzle: Puzzle) -> Diagram:
    """Return a stored puzzle as it is shown."""
    reasons = reasons_of(puzzle)
    said = " ".join(reason.sentence for reason in reasons)
    return _diagram(puzzle, reasons, said, None, "")


def unsolved_diagram(puzzle: Puzzle, result: str) -> Diagram:
    """Return a stored puzzle as it is shown to somebody who is to solve it, or has with this `result`."""
    board = puzzle.position()
    shown = small_board(puzzle, to_move(board), size=Size.MEDIUM)
    return Diagram(
        puzzle.id,
        shown,
        None,
        likeness="",
        side=side_name(board.turn),
        level=puzzle.level_text(),
        why="",
        line="",
        fen=board.fen(),
        solution="",
        rights=unseen(puzzle),
        result=result,
    )


def _diagram(
    puzzle: Puzzle, reasons: Sequence[ExplainedReason], said: str, percent: int | None, likeness: str
) -> Diagram:
    board, line = puzzle.position(), puzzle.moves()
    label = to_move(board) + (f", {percent} % alike" if percent is not None else "")
    return Diagram(
        puzzle.id,
        small_board(puzzle, label, arrows(line[0], reasons), Size.MEDIUM),
        percent,
        likeness,
        side_name(board.turn),
        puzzle.level_text(),
        said,
        solution_san(board, line),
        puzzle.puzzle_fen,
        puzzle.solution,
        rights(board, line),
    )
