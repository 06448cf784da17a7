"""Similar puzzles as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
from markupsafe import Markup

from chess_motif.boards import solution_san, svg_board
from chess_motif.pages.html import link, render
from db.models import Puzzle
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms import STATIC_FIELDS, Mode


def similar_page(query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode) -> str:
    """Return the page of a search: the query, then the puzzles found."""
    return render(
        "motifsearch/views/templates/similar.html",
        query=puzzle_card(query.board, query.moves, query.puzzle),
        hits=[(hit, puzzle_card(hit.puzzle.position(), hit.puzzle.moves(), hit.puzzle)) for hit in hits],
        by=by,
        mode=mode,
        static_fields=STATIC_FIELDS,
    )


def puzzle_card(
    board: chess.Board, moves: Sequence[chess.Move], puzzle: Puzzle | None = None
) -> dict[str, Any]:
    """Return what a page shows of a position, its solution, and the stored puzzle, if it is one."""
    opponents = puzzle.opponents_move() if puzzle else None
    return {
        "svg": Markup(svg_board(board, moves[:1], opponents and opponents[1])),
        "turn": "White" if board.turn else "Black",
        "fen": board.fen(),
        "san": solution_san(board, moves),
        "id": puzzle.id if puzzle else None,
        "level": puzzle.level_text() if puzzle else "",
        "origin": puzzle.origin() if puzzle else "",
        "link": link(puzzle.game_url) if puzzle else None,
        "tags": puzzle.all_tags() if puzzle else [],
    }
