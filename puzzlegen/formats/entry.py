"""What all puzzle files have in common: lines, positions, moves, and the row a puzzle becomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import chess

from chess_motif.errors import ArchiveError, TableError
from db.puzzles import puzzle_id
from puzzlegen.games.archive import Archive
from puzzlegen.motifs.replay import capture_square
from puzzlegen.motifs.tags import solution_tags

# A longer line is not a puzzle; the longest in the Lichess database has some 600 characters.
LONGEST_LINE = 100_000


class BadEntryError(TableError):
    """A puzzle in a file that cannot be used. Says what is wrong with it, not where it stands."""


# Where in the file it stands, and the columns of `db.models.Puzzle`, or what is wrong with it.
Entry = tuple[str, dict[str, Any] | BadEntryError]


def numbered_lines(archive: Archive) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, blank ones left out.

    Raises `ArchiveError` where the file is damaged, or has a line that is too long to be one.
    """
    rest, number = b"", 0
    for chunk in archive.chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield number, _text(line)
        if len(rest) > LONGEST_LINE:
            raise ArchiveError(f"{archive.name}: line {number + 1} has no end; this is no file of puzzles")
    if rest.strip():
        yield number + 1, _text(rest)


def parse_board(fen: str) -> chess.Board:
    """Return the position of a FEN. Raises `BadEntryError` when it is illegal."""
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise BadEntryError(f"illegal FEN: {error}") from error
    if not board.is_valid():
        raise BadEntryError(f"illegal position: {fen}")
    return board


def parse_move(board: chess.Board, uci: str) -> chess.Move:
    """Return a legal move of a position. Raises `BadEntryError`."""
    try:
        move = board.parse_uci(uci)
    except ValueError as error:
        raise BadEntryError(f"illegal move {uci}") from error
    if not move:
        raise BadEntryError(f"illegal move {uci}")
    return move


def puzzle_row(
    position: chess.Board,
    solution: Sequence[str],
    source: str,
    source_id: str,
    *,
    before: chess.Board | None = None,
    blunder: chess.Move | None = None,
) -> dict[str, Any]:
    """Return the columns of a puzzle that starts at `position`, after `blunder` in `before` if known.

    `solution` are UCI moves, solver first; a reply at its end is left out. Raises `BadEntryError`.
    """
    board = position.copy(stack=False)
    moves = []
    for uci in solution[: len(solution) - 1 + len(solution) % 2]:
        moves.append(parse_move(board, uci))
        board.push(moves[-1])
    if not moves:
        raise BadEntryError("no solution")
    taken = capture_square(before, blunder) if before and blunder else None
    return {
        "id": puzzle_id(position, moves[0]),
        "fen": (before or position).fen(),
        "blunder": blunder.uci() if blunder else "",
        "puzzle_fen": position.fen(),
        "solution": " ".join(move.uci() for move in moves),
        "ends": "mate" if board.is_checkmate() else "",
        "tags": " ".join(solution_tags(position, moves, taken)),
        "source": source,
        "source_id": source_id,
    }


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").rstrip("\r").replace("\0", "")
