"""What a search starts from: a stored puzzle, or a position with a line given or found by an engine."""

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
    """A position and its solution, solver first. `id` is what the puzzle is called where it is stored."""

    board: chess.Board
    moves: tuple[chess.Move, ...]
    id: str
    puzzle: Puzzle | None = None


def resolve(store: Store, text: str, moves: str | None = None, engine: str | None = None) -> Query:
    """Return the query that a person means by `text`.

    With a slash in it, `text` is a FEN (move counters may be missing); then `moves` is the solution in
    UCI notation, or without it `engine` (a path; default: Stockfish, wherever it is) finds one. Anything
    else is the id of a stored puzzle, ours or its source's, which has its own solution. Raises
    `PositionError`, `UnknownPuzzleError`, `EngineError`, and `InputError` for a database without puzzles
    or for moves beside an id.
    """
    with store.reading() as session:
        require_puzzles(session)
        if "/" not in text:
            if moves is not None:
                raise InputError("moves go with a FEN; a puzzle from the database has its own")
            return _stored(get_puzzle(session, text))
    board = parse_position(text)
    line = _solve(board, engine) if moves is None else parse_moves(board, moves)
    return Query(board, tuple(line), puzzle_id(board, line[0]))


def _stored(puzzle: Puzzle) -> Query:
    board = parse_position(puzzle.puzzle_fen)
    return Query(board, tuple(parse_moves(board, puzzle.solution)), puzzle.id, puzzle)


def _solve(board: chess.Board, engine: str | None) -> list[chess.Move]:
    # Only here: an engine is seldom needed, and its client takes long to load.
    from puzzlegen.verify.solve import solve

    return solve(board, engine)
