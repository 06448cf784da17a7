"""The human-move model: what a person is likely to play in a position."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import numpy as np

from chess_motif.errors import (
    ChessMotifError,
    HumanModelError,
    InputError,
    LibraryMissingError,
    reason_of,
)
from engines.human.planes import Array, encode, policy_index

if TYPE_CHECKING:
    from engines.human.network import Network

MODEL_VARIABLE = "CHESS_MOTIF_HUMAN_MODEL"
SHIPPED_MODEL = Path(__file__).with_name("network.onnx")

# The most bytes of a file `.onnx`. Our model has 800,000.
MOST_BYTES = 2**26

# The Elo that stands for an unknown rating.
TYPICAL_RATING = 1500.0

# Positions that the network gets at once. A larger batch takes more memory, and is no faster.
BATCH = 128


@dataclass(frozen=True)
class Prediction:
    """What a person is expected to do in a position.

    `moves` has the probabilities of the legal moves, most likely first. `value` is the expected outcome for
    the side to move, from -1 (a loss) to 1 (a win).
    """

    moves: Mapping[chess.Move, float]
    value: float


class HumanModel:
    """Predicts the moves of people by a network with this `digest`. See `load_human_model`."""

    def __init__(self, network: Network, digest: str = "") -> None:
        self.network = network
        self.digest = digest

    def predict(
        self, boards: Sequence[chess.Board], ratings: Sequence[float] | None = None
    ) -> list[Prediction]:
        """Return a prediction for each position of standard chess; the moves on its move stack matter.

        `ratings` has the Elo of the players to move (1500 if not given); a network for one level of play
        ignores ratings. Predictions are reproducible, though their last digits may depend on the other
        positions of the call. Raises `InputError` unless there is one rating for each position, and
        `HumanModelError` if the network fails.
        """
        if ratings is None:
            ratings = len(boards) * [TYPICAL_RATING]
        if len(ratings) != len(boards):
            raise InputError(f"{len(ratings)} ratings for {len(boards)} positions")
        predictions = []
        for start in range(0, len(boards), BATCH):
            batch = boards[start : start + BATCH]
            elos = np.array(ratings[start : start + BATCH], np.float32)
            # Often the same board occurs several times, with different ratings.
            distinct = {id(board): board for board in batch}
            places = {name: place for place, name in enumerate(distinct)}
            rows = [places[id(board)] for board in batch]
            legal = [_legal_moves(board) for board in distinct.values()]
            try:
                policies, values = self.network.run(encode(list(distinct.values()))[rows], elos)
            except ValueError as error:
                raise HumanModelError(f"the human-move model fails: {error}") from error
            predictions += [
                Prediction(probabilities(legal[row][0], policy[legal[row][1]]), float(value))
                for row, policy, value in zip(rows, policies, values, strict=True)
            ]
        return predictions


def model_file(path: Path | None = None) -> Path:
    """Return `path`, or else the file named by CHESS_MOTIF_HUMAN_MODEL, or else the file in the package."""
    return path or Path(os.environ.get(MODEL_VARIABLE) or SHIPPED_MODEL)


def model_digest(path: Path | None = None) -> str:
    """Return the digest of the network in the file at `path` (default: see `model_file`).

    Raises `HumanModelError` if the file cannot be read.
    """
    path = model_file(path)
    with reading(path, "a human-move model", HumanModelError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def load_human_model(path: Path | None = None) -> HumanModel:
    """Open the network in the file at `path` (default: see `model_file`).

    A file `.onnx` is a network as described in `engines.human.network`; any other file is a network of Leela
    Chess Zero (`.pb.gz`), such as Maia's. Raises `HumanModelError` if the file cannot be used, and
    `LibraryMissingError` for a network of Leela Chess Zero without the package onnx.
    """
    # Imported only here: onnxruntime takes a tenth of a second.
    from engines.human.network import Network

    path = model_file(path)
    with reading(path, "a human-move model", HumanModelError):
        network = Network(read_onnx(path) if path.suffix == ".onnx" else _convert(path))
        return HumanModel(network, model_digest(path))


@contextmanager
def reading(path: Path, what: str, failure: type[ChessMotifError]) -> Iterator[None]:
    """Turn an `OSError` or `ValueError` in the block into `failure`: `path` is unreadable, or not `what`."""
    try:
        yield
    except OSError as error:
        raise failure(f"{path}: {reason_of(error)}") from error
    except ValueError as error:
        raise failure(f"{path}: not {what}: {error}") from error


def read_onnx(path: Path) -> bytes:
    """Return the content of a file `.onnx`. Raises `OSError`, and `ValueError` for a file too large."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError("it is too large")
    return content


def _convert(path: Path) -> bytes:
    """Return a network of Leela Chess Zero as the content of an ONNX file."""
    try:
        # Imported only here: this module needs an extra.
        from engines.human.leela import onnx_model, read_leela_network
    except ImportError as error:
        raise LibraryMissingError(
            "networks of Leela Chess Zero need onnx; pip install 'chess-motif[maia]'"
        ) from error
    return onnx_model(read_leela_network(path))


def _legal_moves(board: chess.Board) -> tuple[list[chess.Move], list[int]]:
    """Return the legal moves, and their entries in the policy."""
    moves = list(board.legal_moves)
    return moves, [policy_index(board, move) for move in moves]


def probabilities(moves: Sequence[chess.Move], logits: Array) -> dict[chess.Move, float]:
    """Return the probabilities of moves with these logits, most likely first."""
    logits = logits.astype(np.float64)
    weights = np.exp(logits - logits.max(initial=-np.inf))
    likely_first = np.argsort(-weights, kind="stable")
    shares = weights / weights.sum()
    return {moves[number]: float(shares[number]) for number in likely_first}
