"""Puzzles in PGN files: games whose set-up position is the puzzle, and whose moves are its solution.

The move before the puzzle is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

import chess.pgn

from chess_motif.errors import TableError
from db.models import Puzzle
from db.rows import PuzzleRow
from puzzlegen.formats.entry import Entry, puzzle_row, read_entries
from puzzlegen.games.archive import Archive
from puzzlegen.games.headers import pgn_headers
from puzzlegen.games.pgn import SkipGame, header_text, read_game
from puzzlegen.games.split import RawGame, split_games

SOURCE = "pgn"


def read(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of a file: the main line of each game is the solution of its set-up position.

    Raises `ArchiveError` where the file is damaged.
    """
    games = ((f"game {raw.number}", raw) for raw in split_games(archive.chunks()))
    return read_entries(games, _puzzle)


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> int:
    """Write a game for each puzzle. Return how many."""
    written = 0
    for puzzle in puzzles:
        print(_game(puzzle), end="\n\n", file=out)
        written += 1
    return written


def _puzzle(raw: RawGame) -> PuzzleRow:
    try:
        game = read_game(raw)
    except SkipGame as skip:
        raise TableError(f"{skip.reason}: {skip.detail}".rstrip(": ")) from skip
    if "FEN" not in game.headers:
        raise TableError("no set-up position; to find puzzles in games, use puzzlegen mine")
    moves = [move.uci() for move in game.moves]
    return puzzle_row(game.start, moves, SOURCE, game.header("PuzzleId"))


def _game(puzzle: Puzzle) -> chess.pgn.Game:
    game = chess.pgn.Game()
    game.setup(puzzle.position())
    game.add_line(puzzle.moves())
    game.headers.update(pgn_headers(puzzle.game))
    # The solution is not how the game continued.
    game.headers["Result"] = "*"
    game.headers["Event"] = f"Puzzle {puzzle.id}"
    if puzzle.game_url:
        game.headers["Site"] = header_text(puzzle.game_url)
    game.headers["PuzzleId"] = puzzle.id
    if puzzle.rating is not None:
        game.headers["PuzzleRating"] = str(puzzle.rating)
    return game
