"""What the readers of puzzle files share: lines, entries, and the row of a puzzle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import chess

from chess_motif.errors import ArchiveError, InputError
from chess_motif.material import capture_by
from chess_motif.notation import parse_moves
from db.puzzles import puzzle_id
from db.rows import PuzzleRow
from puzzlegen.games.archive import Archive
from puzzlegen.motifs.tags import solution_tags

# A longer line is not a puzzle. The longest in the Lichess database has some 600 characters.
LONGEST_LINE = 100_000

# A place in a file, such as `line 3`, and the puzzle there or what is wrong with it.
Entry = tuple[str, PuzzleRow | InputError]

T = TypeVar("T")


def read_entries(items: Iterable[tuple[str, T]], read: Callable[[T], PuzzleRow]) -> Iterator[Entry]:
    """Yield the place of each item of a file with what `read` returns, or the error that it raises."""
    for place, item in items:
        try:
            row = read(item)
        except InputError as error:
            yield place, error
        else:
            yield place, row


def lines_of(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file that are not blank, each with its place, such as `line 3`.

    Raises `ArchiveError` where the file is damaged, or if a line is longer than `LONGEST_LINE` bytes.
    """
    rest, number = b"", 0
    for chunk in archive.chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield f"line {number}", _text(line)
        if len(rest) > LONGEST_LINE:
            raise ArchiveError(
                f"{archive.name}: line {number + 1} is too long; this is not a file of puzzles"
            )
    if rest.strip():
        yield f"line {number + 1}", _text(rest)


def puzzle_row(
    position: chess.Board,
    solution: Sequence[str],
    source: str,
    source_id: str,
    *,
    before: chess.Board | None = None,
    blunder: chess.Move | None = None,
) -> PuzzleRow:
    """Return the row of a puzzle that starts at `position`, after the move `blunder` in `before` if known.

    `solution` has UCI moves, solver first; a reply at its end is dropped. Raises `PositionError` if it is
    not legal.
    """
    moves = parse_moves(position, " ".join(solution[: len(solution) - 1 + len(solution) % 2]))
    end = position.copy(stack=False)
    for move in moves:
        end.push(move)
    capture = capture_by(before, blunder) if before and blunder else None
    return {
        "id": puzzle_id(position, moves[0]),
        "fen": (before or position).fen(),
        "blunder": blunder.uci() if blunder else "",
        "puzzle_fen": position.fen(),
        "solution": " ".join(move.uci() for move in moves),
        "outcome": "mate" if end.is_checkmate() else "",
        "tags": " ".join(solution_tags(position, moves, capture)),
        "source": source,
        "source_id": source_id,
    }


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").rstrip("\r").replace("\0", "")
