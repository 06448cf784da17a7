"""Files of positions to search for, a FEN on each line. Blank lines and comments (# …) are ignored."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import chess

from chess_motif.errors import InputError
from chess_motif.notation import parse_placement
from motifsearch.evaluation.pairs import Skipped
from puzzlegen.formats.lines import lines_of, read_entries
from puzzlegen.games.archive import open_archive


@dataclass(frozen=True)
class NumberedPosition:
    """A position to search for. `id` is its number in its file, counting unusable positions, too."""

    id: str
    board: chess.Board


@dataclass
class QueryFile:
    """The contents of a file of positions."""

    queries: list[NumberedPosition] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def read_queries(path: Path) -> QueryFile:
    """Return the positions in a file. Raises `InputError` if it cannot be read or has no usable position."""
    contents = QueryFile()
    with open_archive(str(path)) as archive:
        fens = ((place, line) for place, line in lines_of(archive) if not line.startswith("#"))
        for number, (place, board) in enumerate(read_entries(fens, parse_placement), start=1):
            if isinstance(board, InputError):
                contents.skipped.append(Skipped(place, str(board)))
            else:
                contents.queries.append(NumberedPosition(str(number), board))
    if not contents.queries:
        reason = f" ({contents.skipped[0]})" if contents.skipped else ""
        raise InputError(f"{path}: no usable position{reason}")
    return contents
