"""ChessBERT at work: the scores of the legal moves of a position, run by onnxruntime on one thread.

The network is an ONNX model with these inputs and outputs, for one position:

| name | type and shape | what |
|---|---|---|
| `tokens` | int64 (T, 3) | the position and its contexts, see `motifsearch.retrieval.chessbert.tokens` |
| `moves` | int64 (M, 3) | the legal moves, see there |
| `logits` | float32 (M,) | the logits of the moves |
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np

from chess_motif.errors import ChessBertError, reason_of
from engines.human.model import probabilities, read_onnx
from engines.human.network import RUNTIME_ERRORS, open_session
from motifsearch.retrieval.chessbert.tokens import Context, Tokens, move_tokens, tokens_of

SHIPPED_NETWORK = Path(__file__).with_name("network.onnx")

# Moves that a new network is tried out on.
TRIAL = 3


class ChessBert:
    """Chooses moves by a position and similar ones. See `load_chessbert`."""

    def __init__(self, network: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` if it is not such a network."""
        try:
            self._session = open_session(network)
            shape = self._logits(np.zeros((2, 3), np.uint8), np.zeros((TRIAL, 3), np.uint8)).shape
        except RUNTIME_ERRORS as error:
            raise ValueError("onnxruntime cannot run it") from error
        if shape != (TRIAL,):
            raise ValueError(f"its output has the shape {shape}")

    def scores(self, board: chess.Board, contexts: Sequence[Context]) -> dict[chess.Move, float]:
        """Return the scores of the legal moves of a position of standard chess, highest first.

        They are from 0 to 1 and add up to 1: how likely the network takes each move to be the one that a
        strong player chooses. `contexts` are similar positions with the moves played in them, most similar
        first; there may be fewer than `tokens.CONTEXTS`. A finished game has no scores. Raises `ValueError`
        for more contexts than that. Ajith, Gunnarsson & Xu, section 3.3.
        """
        tokens = tokens_of(board, contexts)
        moves = list(board.legal_moves)
        if not moves:
            return {}
        return probabilities(moves, self._logits(tokens, move_tokens(board, moves)))

    def _logits(self, tokens: Tokens, moves: Tokens) -> np.ndarray:
        inputs = {"tokens": tokens.astype(np.int64), "moves": moves.astype(np.int64)}
        (logits,) = self._session.run(["logits"], inputs)
        return np.asarray(logits)


def load_chessbert(path: Path = SHIPPED_NETWORK) -> ChessBert:
    """Open the network in the file at `path`, the one in the package if not given.

    Raises `ChessBertError` if the file cannot be used.
    """
    try:
        return ChessBert(read_onnx(path))
    except OSError as error:
        raise ChessBertError(f"{path}: {reason_of(error)}") from error
    except ValueError as error:
        raise ChessBertError(f"{path}: not a network for ChessBERT: {error}") from error
