"""What to search for: a stored puzzle, or a position with a solution, given or found by an engine."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from chess_motif.errors import InputError
from chess_motif.notation import parse_moves, parse_position
from db.models import Puzzle
from db.puzzles import get_puzzle, puzzle_id
from db.store import Store
from motifsearch.puzzles.stored import require_puzzles


@dataclass(frozen=True)
class Query:
    """A position and its solution, solver first. `id` is its id as a puzzle, stored or not."""

    board: chess.Board
    moves: tuple[chess.Move, ...]
    id: str
    puzzle: Puzzle | None = None


def resolve(store: Store, text: str, moves: str | None = None, engine: str | None = None) -> Query:
    """Return the query that `text` stands for.

    Text with a slash is a FEN (move counters may be missing). Its solution is `moves` in UCI notation, or
    else what the engine at the path `engine` (default: Stockfish, wherever it is installed) finds. Any other
    text is the id of a stored puzzle, ours or its source's. Raises `PositionError`, `UnknownPuzzleError`,
    `EngineError`, and `InputError` for a database without puzzles or for moves given with an id.
    """
    with store.reading() as session:
        require_puzzles(session)
        if "/" not in text:
            if moves is not None:
                raise InputError("moves are for a FEN only; a stored puzzle has its own")
            return _stored(get_puzzle(session, text))
    board = parse_position(text)
    line = _solve(board, engine) if moves is None else parse_moves(board, moves)
    return Query(board, tuple(line), puzzle_id(board, line[0]))


def _stored(puzzle: Puzzle) -> Query:
    board = parse_position(puzzle.puzzle_fen)
    return Query(board, tuple(parse_moves(board, puzzle.solution)), puzzle.id, puzzle)


def _solve(board: chess.Board, engine: str | None) -> list[chess.Move]:
    # Imported only here: an engine is rarely needed, and its client is slow to load.
    from puzzlegen.verify.solve import solve

    return solve(board, engine)
