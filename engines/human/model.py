"""The human-move model: what a person is likely to play in a position."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.errors import HumanModelError, LibraryMissingError, reason_of
from engines.human.planes import encode
from engines.human.policy import policy_index

if TYPE_CHECKING:
    from engines.human.network import Network

MODEL_VARIABLE = "CHESS_MOTIF_HUMAN_MODEL"
SHIPPED_MODEL = Path(__file__).with_name("network.onnx")

# The Elo of players whose rating is not known.
TYPICAL_RATING = 1500.0

# Positions that the network gets at once. More of them take more memory, and no less time.
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
    """Predicts the moves of people by a network, which `digest` identifies. See `load_human_model`."""

    def __init__(self, network: Network, digest: str = "") -> None:
        self.network = network
        self.digest = digest

    def predict(
        self, boards: Sequence[chess.Board], ratings: Sequence[float] | None = None
    ) -> list[Prediction]:
        """Return a prediction for each position of standard chess. Its move stack says what came before.

        `ratings` has the Elo of the players to move (1500 if not given); a network for one level of play
        ignores it. The same call always returns the same; the last digits may depend on the other positions.
        Raises `ValueError` unless there is one rating for each position.
        """
        if ratings is None:
            ratings = len(boards) * [TYPICAL_RATING]
        if len(ratings) != len(boards):
            raise ValueError(f"{len(ratings)} ratings for {len(boards)} positions")
        predictions = []
        for start in range(0, len(boards), BATCH):
            batch = boards[start : start + BATCH]
            elos = np.array(ratings[start : start + BATCH], np.float32)
            policies, values = self.network.run(encode(batch), elos)
            predictions += [
                Prediction(_probabilities(board, policy), float(value))
                for board, policy, value in zip(batch, policies, values, strict=True)
            ]
        return predictions


def load_human_model(path: Path | None = None) -> HumanModel:
    """Open the network in the file at `path`.

    Without a path, it is the file that CHESS_MOTIF_HUMAN_MODEL names, or else the network in the package. A
    file `.onnx` is a network as described in `engines.human.network`; any other file is one of Leela Chess
    Zero (`.pb.gz`), such as Maia's. Raises `HumanModelError` if the file cannot be used, and
    `LibraryMissingError` for a network of Leela Chess Zero without the package onnx.
    """
    # Imported only here: onnxruntime takes a tenth of a second.
    from engines.human.network import Network

    path = path or Path(os.environ.get(MODEL_VARIABLE) or SHIPPED_MODEL)
    try:
        content = path.read_bytes()
        network = Network(content if path.suffix == ".onnx" else _convert(path))
        return HumanModel(network, hashlib.sha256(content).hexdigest()[:16])
    except OSError as error:
        raise HumanModelError(f"{path}: {reason_of(error)}") from error
    except ValueError as error:
        raise HumanModelError(f"{path}: not a human-move model: {error}") from error


def _convert(path: Path) -> bytes:
    """Return a network of Leela Chess Zero as the content of an ONNX file."""
    try:
        # Imported only here: it needs an extra.
        from engines.human.leela_onnx import onnx_model
    except ImportError as error:
        raise LibraryMissingError(
            "networks of Leela Chess Zero need onnx; pip install 'chess-motif[maia]'"
        ) from error
    from engines.human.leela import read_leela_network

    return onnx_model(read_leela_network(path))


def _probabilities(board: chess.Board, policy: npt.NDArray[np.float32]) -> dict[chess.Move, float]:
    """Return the probabilities of the legal moves, most likely first."""
    moves = list(board.legal_moves)
    logits = policy[[policy_index(board, move) for move in moves]].astype(np.float64)
    weights = np.exp(logits - logits.max(initial=-np.inf))
    likely_first = np.argsort(-weights, kind="stable")
    probabilities = weights / weights.sum()
    return {moves[number]: float(probabilities[number]) for number in likely_first}
