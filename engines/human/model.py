"""The human-move model: a network that predicts the moves of people, run by onnxruntime.

A network is an ONNX file with these inputs and outputs for N positions, all of type float32:

| name | shape | what |
|---|---|---|
| `planes` | (N, 112, 8, 8) | the positions, see `engines.human.planes`; the graph picks the planes that it uses |
| `rating` | (N,) | input: the Elo of the player to move; a network for one level of play has no such input |
| `policy` | (N, 73 * 64) | the logits of the moves, see `engines.human.policy` |
| `value` | (N,) | the expected outcome for the side to move: 1 a win, 0 a draw, -1 a loss |
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import numpy as np

from chess_motif.errors import HumanModelError, LibraryMissingError
from engines.human.leela import read_leela_network
from engines.human.planes import PLANES, encode
from engines.human.policy import POLICY_SIZE, policy_index

MODEL_VARIABLE = "CHESS_MOTIF_HUMAN_MODEL"
SHIPPED_MODEL = Path(__file__).with_name("network.onnx")

# The Elo of a player whose rating is not known.
TYPICAL_RATING = 1500.0


@dataclass(frozen=True)
class Prediction:
    """What a person is expected to do in a position.

    `moves` has the probability of each legal move, most likely first; they sum to 1. `value` is the expected
    outcome for the side to move, from -1 (a loss) to 1 (a win).
    """

    moves: Mapping[chess.Move, float]
    value: float


class HumanModel:
    """Predicts the moves of people. `load_human_model` opens one."""

    def __init__(self, network: bytes) -> None:
        """Run a network, given as the content of an ONNX file. Raises `ValueError` if it cannot be used."""
        self._session = _session(network)
        self._rated = "rating" in {given.name for given in self._session.get_inputs()}

    def predict(
        self, boards: Sequence[chess.Board], ratings: Sequence[float] | None = None
    ) -> list[Prediction]:
        """Return a prediction for each position of standard chess; its move stack says what came before.

        `ratings` has the Elo of the player to move for each position (default: 1500); a network for one level
        of play ignores it. The same call always returns the same; among other positions, the prediction for a
        position may differ in the last digits. Raises `ValueError` if there are more or fewer ratings than positions.
        """
        if ratings is None:
            ratings = len(boards) * [TYPICAL_RATING]
        if len(ratings) != len(boards):
            raise ValueError(f"{len(boards)} positions with {len(ratings)} ratings")
        predictions = []
        for start in range(0, len(boards), BATCH):
            batch = slice(start, start + BATCH)
            predictions += self._predict(boards[batch], ratings[batch])
        return predictions

    def _predict(self, boards: Sequence[chess.Board], ratings: Sequence[float]) -> list[Prediction]:
        inputs = {"planes": encode(boards)}
        if self._rated:
            inputs["rating"] = np.array(ratings, np.float32)
        policies, values = self._session.run(list(OUTPUTS), inputs)
        return [
            Prediction(_probabilities(board, policy), float(value))
            for board, policy, value in zip(boards, policies, values, strict=True)
        ]


def load_human_model(path: Path | None = None) -> HumanModel:
    """Open the network at `path`; without one, that of CHESS_MOTIF_HUMAN_MODEL or the one in the package.

    A file `.onnx` is a model as described above, any other a network of Leela Chess Zero (`.pb.gz`, for example
    of Maia), for which the package onnx is needed. Raises `HumanModelError` if the file cannot be used,
    `LibraryMissingError` without onnx.
    """
    path = path or Path(os.environ.get(MODEL_VARIABLE) or SHIPPED_MODEL)
    try:
        return HumanModel(path.read_bytes() if path.suffix == ".onnx" else _converted(path))
    except OSError as error:
        raise HumanModelError(f"{path}: {reason_of(error)}") from error
    except ValueError as error:
        raise HumanModelError(f"{path}: not a human-move model: {error}") from error


def _converted(path: Path) -> bytes:
    """Return a network of Leela Chess Zero as an ONNX model."""
    try:
        # Imported only here: it is an extra.
        from engines.human.leela_onnx import onnx_model
    except ImportError as error:
        raise LibraryMissingError(
            "networks of Leela Chess Zero need onnx; pip install 'chess-motif[maia]'"
        ) from error
    return onnx_model(read_leela_network(path))


def _session(network: bytes) -> InferenceSession:
    """Return a session on one thread, so that results do not depend on the number of cores."""
    # Imported only here: it takes a tenth of a second.
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as states

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(network, options, ["CPUExecutionProvider"])
    except (
        states.Fail,
        states.InvalidArgument,
        states.InvalidGraph,
        states.InvalidProtobuf,
        states.NotImplemented,
    ) as error:
        raise ValueError("onnxruntime cannot read it") from error
    _check(INPUTS, session.get_inputs())
    _check(OUTPUTS, session.get_outputs())
    return session


def _probabilities(board: chess.Board, policy: npt.NDArray[np.float32]) -> dict[chess.Move, float]:
    """Return the probabilities of the legal moves, most likely first."""
    moves = list(board.legal_moves)
    logits = policy[[policy_index(board, move) for move in moves]].astype(np.float64)
    weights = np.exp(logits - logits.max(initial=-np.inf))
    order = np.argsort(-weights, kind="stable")
    return dict(zip([moves[i] for i in order], (weights / weights.sum())[order].tolist(), strict=True))
