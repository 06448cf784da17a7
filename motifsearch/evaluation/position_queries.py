"""Files of positions to search for, a FEN on each line. Blank lines and comments (# …) are ignored."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import chess

from chess_motif.errors import InputError, PositionError
from chess_motif.notation import parse_placement
from motifsearch.evaluation.pairs import Skipped
from motifsearch.evaluation.text_file import read_text


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
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        fen = line.strip()
        if not fen or fen.startswith("#"):
            continue
        try:
            board = parse_placement(fen)
        except PositionError as error:
            contents.skipped.append(Skipped(f"line {number}", str(error)))
        else:
            name = str(len(contents.queries) + len(contents.skipped) + 1)
            contents.queries.append(NumberedPosition(name, board))
    if not contents.queries:
        reason = f" ({contents.skipped[0].place}: {contents.skipped[0].reason})" if contents.skipped else ""
        raise InputError(f"{path}: no usable position{reason}")
    return contents
