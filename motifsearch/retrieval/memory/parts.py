"""The parts of a memory: the positions of some hundred games each, in a file that is complete or missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import numpy.typing as npt

from db.games import GameRecord
from motifsearch.retrieval.memory.arrays import load_arrays, save_arrays
from motifsearch.retrieval.memory.embedding import Embedding

# A game's points for a side, and what stands for points and ratings that are not known.
WIN = 2
POINTS = {"1-0": WIN, "1/2-1/2": 1, "0-1": 0}
UNKNOWN = -1

# An occurrence of a position: the number of the archived game, the plies before it, whether White is to move,
# the move that was played (see `encode_move`), and points and Elo of the player who played it.
OCCURRENCE = np.dtype(
    [
        ("game", np.int32),
        ("ply", np.int16),
        ("white", np.bool_),
        ("move", np.uint16),
        ("points", np.int8),
        ("elo", np.int16),
    ]
)


@dataclass(frozen=True)
class Part:
    """Positions in which a move was played, in order of game and ply.

    Of each position: a key that identical ones share (see `key_of`), its vector, and its occurrence. `last`
    is the last game read, which may have no position.
    """

    keys: npt.NDArray[np.uint64]
    vectors: npt.NDArray[np.float16]
    occurrences: npt.NDArray[np.void]
    last: int

    def save(self, folder: Path) -> None:
        """Write the part to its file in the folder. Raises `OSError`."""
        save_arrays(folder / f"{self.last:010}.npz", vars(self))


def encode_move(move: chess.Move, turn: chess.Color) -> int:
    """Return a move as a number of 16 bits. With Black to move, the ranks are flipped."""
    flip = 0 if turn else 56
    return (move.from_square ^ flip) | (move.to_square ^ flip) << 6 | (move.promotion or 0) << 12


def decode_move(number: int, turn: chess.Color) -> chess.Move:
    """Return the move that `encode_move` turned into a number."""
    flip = 0 if turn else 56
    return chess.Move((number & 63) ^ flip, (number >> 6 & 63) ^ flip, number >> 12 or None)


def key_of(board: chess.Board) -> int:
    """Return a number of 64 bits that two positions share if the side to move sees the same.

    Colours are reversed with Black to move. Castling rights count, and en passant if it is possible.
    """
    return chess.polyglot.zobrist_hash(board if board.turn else board.mirror())


def embed_games(embedding: Embedding, games: Sequence[GameRecord]) -> Part:
    """Return the part of one or more games."""
    boards, keys, occurrences = [], [], []
    for game in games:
        board = chess.Board(game.start or chess.STARTING_FEN)
        white_points = POINTS.get(game.result, UNKNOWN)
        for ply, word in enumerate(game.moves.split()):
            move = chess.Move.from_uci(word)
            elo = (game.white_elo if board.turn else game.black_elo) or UNKNOWN
            points = white_points if board.turn or white_points == UNKNOWN else WIN - white_points
            occurrences.append((game.number, ply, board.turn, encode_move(move, board.turn), points, elo))
            keys.append(key_of(board))
            boards.append(board.copy(stack=False))
            board.push(move)
    return Part(
        np.array(keys, np.uint64),
        embedding(boards).astype(np.float16),
        np.array(occurrences, OCCURRENCE),
        games[-1].number,
    )


def part_files(folder: Path) -> list[Path]:
    """Return the files of the parts in a folder, in the order of their games."""
    return sorted(folder.glob("*.npz"))


def load_parts(folder: Path) -> Iterator[Part]:
    """Yield the parts in a folder. Raises `IndexDamagedError` if one cannot be read."""
    for file in part_files(folder):
        keys, vectors, occurrences, last = load_arrays(file, *(field.name for field in fields(Part)))
        yield Part(keys, vectors, occurrences, int(last))
