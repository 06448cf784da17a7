"""The positions of games that an encoder learns from, in pairs of consecutive positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.held_out import game_is_for_test
from chess_motif.parallel import chunks_of, in_processes
from engines.human.planes import encode_pieces
from puzzlegen.games.archive import games_of
from puzzlegen.games.split import RawGame
from training.parts import published_games

# Games that a process reads at a time.
CHUNK = 200

# The number of contents of a square: empty, or a piece (pawn to king) of the mover or the opponent.
CONTENTS = 13

# The number of an opponent's piece is that of the mover's piece plus this.
OPPONENT = 6


class Positions(NamedTuple):
    """The positions of some games, in order.

    `squares` has a row of 64 numbers for each position, from the mover's a1 to h8: 0 for an empty square, 1–6
    for the mover's pawn, knight, bishop, rook, queen, king, 7–12 for the opponent's. `games` has the numbers
    of the games, from 0, and `test` whether the games are for the test, see `game_is_for_test`.
    """

    squares: npt.NDArray[np.uint8]
    games: npt.NDArray[np.int32]
    test: npt.NDArray[np.bool_]


def read_positions(archives: Iterable[str]) -> Positions:
    """Return all positions of the games in archives, including the last position of each game.

    Games that cannot be used, or that the paper leaves out (see `published_games`), are left out. Raises
    `ArchiveError`.
    """
    squares, lengths, test = [np.zeros((0, 64), np.uint8)], [np.zeros(0, np.int64)], [np.zeros(0, bool)]
    for rows, plies, for_test in in_processes(_squares_of, chunks_of(games_of(archives), CHUNK)):
        squares.append(rows)
        lengths.append(plies)
        test.append(for_test)
    counts = np.concatenate(lengths)
    games = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return Positions(np.concatenate(squares), games, np.repeat(np.concatenate(test), counts))


def _squares_of(
    games: list[RawGame],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the squares of the positions of some games, and for each game the positions and the part."""
    boards: list[chess.Board] = []
    lengths, test = [], []
    for game in published_games(games):
        boards.extend(game.positions())
        lengths.append(len(game.moves) + 1)
        test.append(game_is_for_test(game.key))
    contents = np.arange(1, CONTENTS, dtype=np.uint8)
    planes = encode_pieces(boards).reshape(len(boards), len(contents), 64).astype(np.uint8)
    return np.einsum("nps,p->ns", planes, contents), np.array(lengths, np.int64), np.array(test, bool)


def pairs(games: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the rows of the positions that are not the last of their game."""
    return np.flatnonzero(games[1:] == games[:-1])


def from_the_other_side(squares: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return positions (N, 64) as seen from the side that is not to move."""
    swapped = np.where(squares > OPPONENT, squares - OPPONENT, squares + OPPONENT * (squares > 0))
    return swapped.reshape(-1, 8, 8)[:, ::-1].reshape(-1, 64).astype(np.uint8)
