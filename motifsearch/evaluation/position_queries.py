"""Files of positions to search for: one FEN a line; blank lines and lines that begin with # are ignored."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import chess

from chess_motif.errors import InputError, PositionError
from chess_motif.notation import parse_placement
from motifsearch.evaluation.pairs import Skipped


@dataclass(frozen=True)
class NumberedPosition:
    """A position to search for. `id` is its number among those of its file, unusable ones included."""

    id: str
    board: chess.Board


@dataclass
class QueryFile:
    """The contents of a file of positions."""

    queries: list[NumberedPosition] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def read_queries(path: Path) -> QueryFile:
    """Return the positions in a file. Raises `InputError` when it cannot be read, or has none."""
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    found = QueryFile()
    for number, line in enumerate(text.splitlines(), start=1):
        fen = line.strip()
        if not fen or fen.startswith("#"):
            continue
        try:
            board = parse_placement(fen)
        except PositionError as error:
            found.skipped.append(Skipped(f"line {number}", str(error)))
        else:
            name = str(len(found.queries) + len(found.skipped) + 1)
            found.queries.append(NumberedPosition(name, board))
    if not found.queries:
        reason = f" ({found.skipped[0].place}: {found.skipped[0].reason})" if found.skipped else ""
        raise InputError(f"{path}: no usable position in it{reason}")
    return found
