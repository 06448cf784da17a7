"""A request for a search for puzzles: the query, the student, and which puzzles may be found.

A query is a stored puzzle, named by its id, its address on Lichess or the address of its game, or a position
with a solution, given or found by an engine; the position may be that of a game (see
`puzzlegen.games.pasted`). Whose games the results may be from, and what is worth solving,
is decided here for all searches.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from math import inf
from typing import TYPE_CHECKING

import chess
from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.boards import same_pieces
from chess_motif.errors import InputError, UnknownPuzzleError
from chess_motif.notation import check_line, parse_line, parse_position
from db.models import Puzzle
from db.puzzles import PuzzleFilter, get_puzzle, puzzle_id, puzzles_of_game, require_puzzles
from db.store import Store
from engines.options import EngineChoice
from puzzlegen.games.pasted import LICHESS_GAME, PastedGame, is_pgn, pasted_game
from puzzlegen.games.pasted import is_address as is_address
from puzzlegen.reasons.tactics import Tactics

if TYPE_CHECKING:
    from puzzlegen.reasons.explained import ExplainedReason, SolutionReasons
    from puzzlegen.verify.idea import Idea, NoTactic

# Positions that differ on at most this many squares, both with the solver as White, are nearly the same. Two
# moves change up to four squares.
NEARLY_SAME = 4

# The rating difference by which a puzzle is clearly easier or harder than another.
CLEARLY = 100

# The address of a puzzle on Lichess, which may be that of a theme's training.
_TRAINING = re.compile(r"(?:https?://)?(?:www\.)?lichess\.org/training/(?:\w+/)*(?P<id>\w+)/?")

# The ply at the end of a puzzle's address. Python reads at most 4,300 digits.
_PLY = re.compile(r"#(\d{1,4})$")


# A puzzle is obvious if at least this share of people would play its first move.
OBVIOUS = 0.8

# The default number of results.
DEFAULT_COUNT = 10


class By(StrEnum):
    """Which terms count in a search."""

    COMBINED = "combined"
    DYNAMIC = "dynamic"
    STATIC = "static"


@dataclass(frozen=True)
class PuzzleQuery:
    """A position and its solution, solver first. `id` is the id that it has as a puzzle, stored or not.

    `idea` is what the engine found in a position that was given without moves.
    """

    board: chess.Board
    moves: tuple[chess.Move, ...]
    id: str
    puzzle: Puzzle | None = None
    idea: Idea | NoTactic | None = None

    @classmethod
    def of(cls, puzzle: Puzzle) -> PuzzleQuery:
        """Return the query for a stored puzzle."""
        return cls(puzzle.position(), tuple(puzzle.moves()), puzzle.id, puzzle)

    @cached_property
    def level(self) -> float:
        """The difficulty, on the scale of Lichess' puzzle ratings. Raises `HumanModelError`."""
        if self.puzzle is not None and self.puzzle.level is not None:
            return self.puzzle.level
        # Imported only here: few searches need an estimate, and the libraries are large.
        from engines.human.model import model_file
        from puzzlegen.difficulty.rating import Problem
        from puzzlegen.solutions import rating_model

        problem = Problem(self.board, self.moves) if self.puzzle is None else Problem.of(self.puzzle)
        (estimate,) = rating_model(model_file()).estimate([problem])
        return estimate.difficulty

    @property
    def shows_solution(self) -> bool:
        """Whether the moves are a solution, not just the engine's choice in a position without a tactic."""
        return self.idea is None or self.idea.is_tactic

    def compared_by(self, by: By) -> By:
        """Return `by`, or `By.STATIC` if there is no solution to compare."""
        return by if self.shows_solution or by is not By.COMBINED else By.STATIC

    @cached_property
    def tactics(self) -> Tactics:
        """The tactics of the solution."""
        return Tactics(self.board, self.moves, self.puzzle.capture_before() if self.puzzle else None)

    @cached_property
    def shows_tactic(self) -> bool:
        """Whether there is a motif to look for.

        A stored puzzle always has a motif, even without a known name; so does a winning line of the engine.
        """
        if self.idea is not None:
            return self.idea.is_tactic
        return self.puzzle is not None or self.tactics.shows_tactic

    @property
    def tags(self) -> list[str]:
        """The tags of the solution, for a stored puzzle with its themes."""
        return self.puzzle.all_tags() if self.puzzle else self.tactics.tags()

    @cached_property
    def _solution_reasons(self) -> SolutionReasons:
        # Imported only here: most searches need no words.
        from puzzlegen.reasons.explained import SolutionReasons

        return SolutionReasons.of(self.puzzle) if self.puzzle else SolutionReasons(self.tactics)

    @property
    def reasons(self) -> tuple[ExplainedReason, ...]:
        """The reasons why the solution works."""
        return self._solution_reasons.explained()

    def shared_reasons(self, found: Tactics) -> tuple[ExplainedReason, ...]:
        """Return the reasons why another solution works that also hold for this solution."""
        from puzzlegen.reasons.explained import SolutionReasons

        return SolutionReasons(found).explained_like(self._solution_reasons)


def resolve(
    store: Store,
    asked: chess.Board | str,
    moves: Sequence[chess.Move] | str | None = None,
    engine: EngineChoice = None,
) -> PuzzleQuery:
    """Return the query for a position, or for a text.

    Text with a slash is a FEN (move counters may be missing); a position may also be that of a game, see
    `game_in`. The solution is `moves`, or their text in SAN or UCI notation, or else what the `engine`
    (default: Stockfish, wherever it is installed) finds. Any other text names a stored puzzle: its id, ours
    or its source's, the address of the puzzle on Lichess, or that of its game, with `#` and the ply if the
    game has several puzzles. Raises `PositionError`, `UnknownPuzzleError`, `EngineError`, `StoreError`, as
    `game_in` does, and `InputError` for a database without puzzles, for moves given with a stored puzzle, or
    for a game with several ones.
    """
    with store.reading() as session:
        require_puzzles(session)
    if isinstance(asked, str) and (game := game_in(store, asked)):
        asked = game.board
    with store.reading() as session:
        if isinstance(asked, str) and not is_fen(asked):
            if moves is not None:
                raise InputError("moves are for a FEN only; a stored puzzle has its own")
            return PuzzleQuery.of(puzzle_named(session, asked))
    board = parse_position(asked if isinstance(asked, str) else asked.fen())
    if moves is not None:
        line = tuple(parse_line(board, moves)) if isinstance(moves, str) else check_line(board, moves)
        return PuzzleQuery(board, line, puzzle_id(board.fen(), line[0]))
    idea = _idea_of(board, engine)
    return PuzzleQuery(board, idea.moves, puzzle_id(board.fen(), idea.moves[0]), idea=idea)


def is_fen(text: str) -> bool:
    """Return whether `text` is meant as a FEN, not as the id or the address of a stored puzzle."""
    return "/" in text and not is_address(text) and not is_pgn(text)


def game_in(store: Store, text: str) -> PastedGame | None:
    """Return the game that a text is (PGN), or whose address on Lichess it is; or a position there.

    None for any other text, and for the address of a game that stored puzzles are from. Raises as
    `puzzlegen.games.pasted.pasted_game` does, and `StoreError`.
    """
    if on_lichess := LICHESS_GAME.fullmatch(text.strip()):
        with store.reading() as session:
            if puzzles_of_game(session, f"https://lichess.org/{on_lichess['id']}"):
                return None
    return pasted_game(text)


def puzzle_named(session: Session, text: str) -> Puzzle:
    """Return the puzzle with this id or address, or from the game with this address.

    Raises `UnknownPuzzleError`, and `InputError` for a game with several puzzles.
    """
    if not is_address(text):
        return get_puzzle(session, text)
    training = _TRAINING.fullmatch(text)
    return get_puzzle(session, training["id"]) if training else _of_game(session, text)


def _of_game(session: Session, address: str) -> Puzzle:
    """Return the puzzle from the game at an address."""
    on_lichess = LICHESS_GAME.fullmatch(address)
    if on_lichess:
        url, ply = f"https://lichess.org/{on_lichess['id']}", on_lichess["ply"]
    else:
        url, _, ply = address.partition("#")
    puzzles = puzzles_of_game(session, url)
    if not puzzles:
        raise UnknownPuzzleError(f"no puzzle from the game {url} in the database")
    if len(puzzles) > 1 and ply:
        puzzles = [puzzle for puzzle in puzzles if str(_ply(puzzle)) == ply] or puzzles
    if len(puzzles) > 1:
        listed = ", ".join(f"{puzzle.id} (ply {_ply(puzzle)})" for puzzle in sorted(puzzles, key=_ply))
        raise InputError(f"{len(puzzles)} puzzles are from the game {url}; give one of their ids: {listed}")
    return puzzles[0]


def _ply(puzzle: Puzzle) -> int:
    """Return the ply of a puzzle, as in its address, or 0 if the ply is not known."""
    if puzzle.ply is not None:
        return puzzle.ply
    ply = _PLY.search(puzzle.game_url)
    return int(ply[1]) if ply else 0


def _idea_of(board: chess.Board, engine: EngineChoice) -> Idea | NoTactic:
    # Imported only here: an engine is rarely needed, and its client is slow to load.
    from puzzlegen.verify.idea import idea_of

    return idea_of(board, engine)


class Than(StrEnum):
    """Whether puzzles must be easier or harder than the query."""

    EASIER = "easier"
    HARDER = "harder"


@dataclass(frozen=True)
class SearchRequest:
    """A search for the `k` puzzles most like the query, not including the query itself.

    A query may be given as a board or as text (see `PuzzleSearcher.query`). `by` says which terms count; the
    other part of the score is then 0. With `why`, results have words for what they share with the query, and
    reasons why they work.

    `filters` are applied by the database. `than_query` asks for puzzles that are easier or harder than the
    query by at least `CLEARLY`. Results for a `student` leave out the analysed games of other people.
    Positions that are nearly the same as that of the query or of a better result are left out, as are puzzles
    with the ids `left_out`. With `to_solve`, puzzles that are not worth solving are left out, too: puzzles
    from the query's own game, unsound and obvious puzzles, and recaptures.

    Raises `InputError` for k < 1.
    """

    query: PuzzleQuery | chess.Board | str
    filters: PuzzleFilter = field(default_factory=PuzzleFilter)
    by: By | str = By.COMBINED
    k: int = DEFAULT_COUNT
    why: bool = False
    student: str | None = None
    than_query: Than | None = None
    to_solve: bool = False
    left_out: Collection[str] = ()

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"the number of results must be at least 1, not {self.k}")
        arguments.one_of(By, by=self.by)

    def stored(self, query: PuzzleQuery) -> PuzzleFilter:
        """Return the filters for the database. Raises `HumanModelError`."""
        stored = visible_to(self.student, self.filters)
        if self.to_solve:
            game = query.puzzle.game_number if query.puzzle else None
            stored = replace(stored, sound=True, other_than=game)
        if self.than_query is not None:
            easiest, hardest = stored.rating
            if self.than_query is Than.EASIER:
                hardest = min(query.level - CLEARLY, inf if hardest is None else hardest)
            else:
                easiest = max(query.level + CLEARLY, -inf if easiest is None else easiest)
            stored = replace(stored, rating=(easiest, hardest))
        return stored

    def accepts(self, puzzle: Puzzle, better: Collection[Puzzle], query: PuzzleQuery) -> bool:
        """Return whether a stored puzzle may be found besides the `better` results.

        Raises `StoreError` if the puzzle is damaged.
        """
        # Only to check that the position can be read.
        puzzle.position()
        if puzzle.id in self.left_out or (self.to_solve and (is_obvious(puzzle) or _is_recapture(puzzle))):
            return False
        others = [query.board.fen(), *(other.puzzle_fen for other in better)]
        return not any(nearly_same(puzzle.puzzle_fen, other) for other in others)


def visible_to(student: str | None, filters: PuzzleFilter) -> PuzzleFilter:
    """Return filters that also leave out puzzles from the games of other people than the student."""
    return filters if student is None else replace(filters, solver=student)


def is_obvious(puzzle: Puzzle) -> bool:
    """Return whether nearly everyone would play the first move, or False if that is not known."""
    return puzzle.first_move_chance is not None and puzzle.first_move_chance >= OBVIOUS


def _is_recapture(puzzle: Puzzle) -> bool:
    """Return whether the first move recaptures a piece that has just captured."""
    before = puzzle.opponents_move()
    if before is None or puzzle.capture_before() is None:
        return False
    return puzzle.moves()[0].to_square == before[1].to_square


def nearly_same(one: str, other: str) -> bool:
    """Return whether two positions (FEN) differ on few squares, both with the solver as White."""
    board, other_board = _solver_as_white(one), _solver_as_white(other)
    occupied = chess.SquareSet(board.occupied | other_board.occupied)
    return len(occupied - same_pieces(board, other_board)) <= NEARLY_SAME


# Cached, since each result is compared with all better ones.
@lru_cache(maxsize=1024)
def _solver_as_white(fen: str) -> chess.Board:
    board = chess.Board(fen)
    return board if board.turn == chess.WHITE else board.mirror()
