"""Puzzles in files that chess programs write: EPD, and PGN with set-up positions.

Both start at the puzzle position; what was played before is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import chess

from chess_motif.errors import TableError
from chess_motif.notation import parse_position
from puzzlegen.formats.entry import Entry, lines_of, puzzle_row, read_entries
from puzzlegen.games.archive import Archive
from puzzlegen.games.pgn import SkipGame, read_game
from puzzlegen.games.split import RawGame, split_games


def read_epd(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of an EPD file: the solution is the operation `pv`, or else the one `bm`.

    Raises `ArchiveError` where the file is damaged.
    """
    return read_entries(lines_of(archive), _from_epd)


def read_pgn(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of a PGN file: each game's main line solves its set-up position.

    Raises `ArchiveError` where the file is damaged.
    """
    games = ((f"game {raw.number}", raw) for raw in split_games(archive.chunks()))
    return read_entries(games, _from_game)


def _from_epd(line: str) -> dict[str, Any]:
    fields = line.split()[:4]
    # The operations are read in the position, which therefore must be legal first.
    parse_position(" ".join([*fields, "0 1"]))
    try:
        board, operations = chess.Board.from_epd(line)
    except (ValueError, AssertionError) as error:
        raise TableError(f"not EPD: {error}") from error
    moves = operations.get("pv") or operations.get("bm")
    if not isinstance(moves, list) or not moves:
        raise TableError("no solution (pv or bm)")
    if "pv" not in operations and len(moves) > 1:
        raise TableError("several best moves")
    return puzzle_row(board, [move.uci() for move in moves], "epd", str(operations.get("id", "")))


def _from_game(raw: RawGame) -> dict[str, Any]:
    try:
        game = read_game(raw)
    except SkipGame as skip:
        raise TableError(f"{skip.reason}: {skip.detail}".rstrip(": ")) from skip
    if "FEN" not in game.headers:
        raise TableError("no set-up position; to find puzzles in games: puzzlegen mine")
    moves = [move.uci() for move in game.moves]
    return puzzle_row(game.start, moves, "pgn", game.header("PuzzleId"))
