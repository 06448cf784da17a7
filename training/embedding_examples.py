"""The positions of games that an encoder learns from, in pairs that belong together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.parallel import chunks_of, in_processes
from engines.human.planes import encode_pieces
from puzzlegen.games.pgn import usable_games
from puzzlegen.games.split import RawGame
from training.parts import games_of

# Games that a process reads at a time.
CHUNK = 200

# What can be on a square: nothing, the mover's pawn to king, the opponent's.
CONTENTS = 13

# Plies between two positions that belong together. After one, the other side is to move and sees the board
# from its own end.
APART = 2


class Positions(NamedTuple):
    """The positions of some games, in order.

    `squares` has a row of 64 numbers for each, from the mover's a1 to h8: 0 for an empty square, 1–6 for the
    mover's pawn, knight, bishop, rook, queen, king, 7–12 for the opponent's. `games` has the numbers of their
    games, which count from 0.
    """

    squares: npt.NDArray[np.uint8]
    games: npt.NDArray[np.int32]


def read_positions(archives: Iterable[str]) -> Positions:
    """Return the positions of the games in archives, the last one of each game included.

    Games that cannot be used are left out. Raises `ArchiveError`.
    """
    squares, lengths = [np.zeros((0, 64), np.uint8)], [np.zeros(0, np.int64)]
    for rows, plies in in_processes(_squares_of, chunks_of(games_of(archives), CHUNK)):
        squares.append(rows)
        lengths.append(plies)
    counts = np.concatenate(lengths)
    return Positions(np.concatenate(squares), np.repeat(np.arange(len(counts), dtype=np.int32), counts))


def _squares_of(games: list[RawGame]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the squares of the positions of some games, and the number of positions of each."""
    boards: list[chess.Board] = []
    lengths = []
    for game in usable_games(games):
        boards.extend(game.positions())
        lengths.append(len(game.moves) + 1)
    contents = np.arange(1, CONTENTS, dtype=np.uint8)
    planes = encode_pieces(boards).reshape(len(boards), len(contents), 64).astype(np.uint8)
    return np.einsum("nps,p->ns", planes, contents), np.array(lengths, np.int64)


def pairs(games: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the rows of the positions that one of the same game follows `APART` plies later."""
    return np.flatnonzero(games[APART:] == games[:-APART])
