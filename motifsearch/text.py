"""Search results for a terminal: boards of figurines, the query first."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from motifsearch.captioned import Captioned, laid_out, term_lines, to_move
from motifsearch.query import Query
from motifsearch.search import Hit
from puzzlegen.boards import solution_san
from puzzlegen.present import moves_of, origin_of


def similar_text(query: Query, hits: Sequence[Hit], width: int) -> str:
    """Return the query's board and those of the puzzles found, for a terminal of `width` columns."""
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    asked = Captioned(
        query.board, [f"{title}, {to_move(query.board)}", solution_san(query.board, query.moves)]
    )
    scores = "Scores: all (position + solution)" if hits else "No puzzle that fits shares a term with it."
    return f"{laid_out(asked, [_captioned(hit) for hit in hits], width)}\n\n{scores}"


def _captioned(hit: Hit) -> Captioned:
    board = chess.Board(hit.puzzle.puzzle_fen)
    lines = [
        f"{hit.rank}. {hit.puzzle.id}",
        f"{hit.score:.2f} ({hit.static:.2f} + {hit.dynamic:.2f})",
        to_move(board),
        solution_san(board, moves_of(hit.puzzle)),
        origin_of(hit.puzzle).removeprefix("https://"),
    ]
    if hit.words:
        lines.append(f"Both: {hit.words}")
    return Captioned(board, lines + term_lines(hit.matched))
