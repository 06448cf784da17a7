"""Puzzles as text for a terminal: a table of puzzles, and a puzzle with its board."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import chess

from chess_motif.boards import rights, side_by_side, solution_san, text_board, to_move
from chess_motif.tables import Column, fitted_table
from db.models import Kind, Puzzle
from puzzlegen.motifs.tags import NO_MOTIF, motif_tags

if TYPE_CHECKING:
    from puzzlegen.upkeep.simplify import SimplifiedPuzzle

# The columns of a board with its caption, and between two of them.
_BLOCK, _GAP = 34, 4


def list_text(puzzles: Sequence[Puzzle], total: int, width: int) -> str:
    """Return a table of puzzles, out of `total`, for a terminal of `width` columns."""
    text, left_out = puzzle_table(puzzles, width)
    lines = [text, ""]
    if left_out:
        lines.append(f"No room for: {', '.join(left_out)}")
    lines.append(f"{len(puzzles)} of {total}")
    return "\n".join(lines)


def puzzle_table(puzzles: Sequence[Puzzle], width: int) -> tuple[str, list[str]]:
    """Return a table of puzzles and the columns that did not fit. Columns without any value are left out."""
    mixed = any(puzzle.kind == Kind.EXERCISE for puzzle in puzzles)
    columns = [
        Column("id", [puzzle.id for puzzle in puzzles]),
        Column("kind", [puzzle.kind if mixed else "" for puzzle in puzzles], order=3),
        Column("source id", [puzzle.source_id for puzzle in puzzles], order=4),
        Column("solver", ["White" if " w " in puzzle.puzzle_fen else "Black" for puzzle in puzzles]),
        Column("moves", [str((len(puzzle.solution.split()) + 1) // 2) for puzzle in puzzles], right=True),
        Column("ends", [puzzle.outcome for puzzle in puzzles], order=1),
        Column("gap", ["" if p.gap is None else f"{p.gap:.2f}" for p in puzzles], right=True, order=3),
        Column("level", [puzzle.level_text() for puzzle in puzzles], right=True),
        Column("motif", [" ".join(motif_tags(puzzle.all_tags())) or NO_MOTIF for puzzle in puzzles], order=2),
        Column("from", [puzzle.origin() for puzzle in puzzles], order=5),
    ]
    known = [
        replace(column, cells=[cell or "-" for cell in column.cells])
        for column in columns
        if any(column.cells)
    ]
    return fitted_table(known, width)


def puzzle_text(puzzle: Puzzle) -> str:
    """Return a puzzle with its board, its solution and everything that is known about it."""
    # Imported only here: a table of puzzles does not need it.
    from puzzlegen.reasons.explained import reasons_of

    board, opponents = puzzle.position(), puzzle.opponents_move()
    facts = {
        "rights": rights(board, puzzle.moves()),
        "from": puzzle.origin(),
        "link": puzzle.game_url if puzzle.game_url != puzzle.origin() else "",
        "before": "" if opponents is None else opponents[0].variation_san([opponents[1]]),
        "solution": solution_san(board, puzzle.moves()),
        "accepted": ", ".join(map(board.san, puzzle.accepted_moves())),
        "ends in": puzzle.outcome,
        "gap": "" if puzzle.gap is None else f"{puzzle.gap:.2f}",
        "audit": _verdict(puzzle),
        "in the game": {True: "the solver found it", False: "the solver missed it", None: ""}[
            puzzle.solver_found
        ],
        "rating": str(puzzle.rating or ""),
        "difficulty": _difficulty(puzzle),
        "first move": ""
        if puzzle.first_move_chance is None
        else f"{puzzle.first_move_chance:.0%} of people would play it",
        "why": " ".join(reasons_of(puzzle)),
        "tags": " ".join(puzzle.all_tags()),
        "motif": "" if motif_tags(puzzle.all_tags()) else NO_MOTIF,
    }
    return _described(f"{puzzle.kind.capitalize()} {puzzle.id}", board, facts, puzzle.puzzle_fen)


def simplified_text(parent: Puzzle, versions: Sequence[SimplifiedPuzzle], width: int) -> str:
    """Return the versions of a puzzle beside it, in rows of boards that fit `width` columns."""
    blocks = [_captioned(f"Puzzle {parent.id}", parent.position(), parent.moves())]
    blocks += [_captioned(version.name, version.board, version.moves) for version in versions]
    per_row = max(1, (width + _GAP) // (_BLOCK + _GAP))
    rows = [side_by_side(blocks[start : start + per_row], _GAP) for start in range(0, len(blocks), per_row)]
    pieces = [f"{piece.unicode_symbol()}{chess.square_name(square)}" for square, piece in versions[0].removed]
    removed = f"removed     {' '.join(pieces) or 'nothing: the solution needs every piece'}"
    fens = [f"{version.name:<12}{version.board.fen()}" for version in versions]
    return "\n".join(["\n\n".join(rows), "", removed, *fens])


def _captioned(title: str, board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return a board with a title above it and the solution below it."""
    solution = textwrap.wrap(solution_san(board, moves), _BLOCK)
    return "\n".join([f"{title}, {to_move(board)}", "", text_board(board), "", *solution])


def _described(title: str, board: chess.Board, facts: Mapping[str, str], fen: str) -> str:
    """Return a board with the side to move, the facts that are known, and the FEN."""
    listed = [f"{name:<12}{value}" for name, value in facts.items() if value]
    drawn = textwrap.indent(text_board(board), "  ")
    return "\n".join([f"{title}: {to_move(board)}", "", drawn, "", *listed, "", fen])


def _difficulty(puzzle: Puzzle) -> str:
    if puzzle.difficulty is None:
        return ""
    if puzzle.difficulty_margin is None:
        return f"about {puzzle.difficulty:.0f}"
    lowest, highest = (puzzle.difficulty + sign * puzzle.difficulty_margin for sign in (-1, 1))
    return f"about {puzzle.difficulty:.0f}, probably between {lowest:.0f} and {highest:.0f}"


def _verdict(puzzle: Puzzle) -> str:
    if puzzle.audit is None or puzzle.verdict is None:
        return ""
    faults = [
        f"{fault['move']} {fault['fault']} ({fault['seen']})".strip() for fault in puzzle.audit["faults"]
    ]
    verdict = f"{puzzle.verdict}: {'; '.join(faults)}" if faults else puzzle.verdict
    return f"{verdict}, {puzzle.audit['nodes']:,} nodes a search"
