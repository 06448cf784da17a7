"""Search results for a terminal: boards of figurines, the query first."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import chess

from motifsearch.query import Query
from motifsearch.search import Hit
from puzzlegen.boards import side_by_side, solution_san, text_board
from puzzlegen.present import moves_of, origin_of

# Columns: the least and the most that a board with its caption takes, and what lies between two.
NARROWEST, WIDEST, GAP = 24, 40, 4

# Boards in a row where there is room.
PER_ROW = 3

# Terms shown of those that matched.
MOST_TERMS = 12


def similar_text(query: Query, hits: Sequence[Hit], width: int) -> str:
    """Return the query's board and those of the puzzles found, for a terminal of `width` columns."""
    per_row = max(1, min(PER_ROW, (width + GAP) // (NARROWEST + GAP)))
    cell = max(NARROWEST, min(WIDEST, (width - GAP * (per_row - 1)) // per_row))
    rows = [_query_cell(query, max(cell, min(width, 2 * WIDEST)))]
    for start in range(0, len(hits), per_row):
        rows.append(side_by_side([_hit_cell(hit, cell) for hit in hits[start : start + per_row]], GAP))
    rows.append("Scores: all (position + solution)" if hits else "No puzzle that fits shares a term with it.")
    return "\n\n".join(rows)


def _query_cell(query: Query, width: int) -> str:
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    lines = [f"{title}, {_to_move(query.board)}", solution_san(query.board, query.moves)]
    return text_board(query.board) + "\n" + _wrapped(lines, width)


def _hit_cell(hit: Hit, width: int) -> str:
    board = chess.Board(hit.puzzle.puzzle_fen)
    lines = [
        f"{hit.rank}. {hit.puzzle.id}",
        f"{hit.score:.2f} ({hit.static:.2f} + {hit.dynamic:.2f})",
        _to_move(board),
        solution_san(board, moves_of(hit.puzzle)),
        origin_of(hit.puzzle).removeprefix("https://"),
    ]
    if hit.words:
        lines.append(f"Both: {hit.words}")
    lines += [f"{match.score:6.2f} {match.term}" for match in hit.matched[:MOST_TERMS]]
    if len(hit.matched) > MOST_TERMS:
        rest = sum(match.score for match in hit.matched[MOST_TERMS:])
        lines.append(f"{rest:6.2f} {len(hit.matched) - MOST_TERMS} more")
    return text_board(board) + "\n" + _wrapped(lines, width)


def _wrapped(lines: Sequence[str], width: int) -> str:
    wrapped = (textwrap.wrap(_printable(line), width, break_on_hyphens=False) for line in lines)
    return "\n".join(part for parts in wrapped for part in parts)


def _printable(line: str) -> str:
    """Leave out what could command the terminal: names come from files."""
    return "".join(letter for letter in line if letter.isprintable())


def _to_move(board: chess.Board) -> str:
    return f"{'White' if board.turn else 'Black'} to move"
