"""Positions as vectors that are near each other where people would play alike, by the human-move model.

A position is seen from the side to move: with Black to move, the colours are reversed. What came before it
does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.errors import HumanModelError
from chess_motif.parallel import chunks_of
from engines.human.model import HumanModel
from engines.human.planes import encode
from engines.human.policy import POLICY_SIZE, policy_index
from motifsearch.retrieval.memory.arrays import load_arrays, save_arrays
from motifsearch.retrieval.memory.projection import Projection, fit_projection

Array = npt.NDArray[np.float32]

# Numbers that each of the two parts of a vector has.
DIMENSIONS = 64

# How much larger distances between moves count than those between last layers, before they are squared.
# Chosen as the constants of `motifsearch.retrieval.vote` were.
MOVES_WEIGHT = 2.0

# The Elo of the players that the human-move model is asked about: it predicts the moves of masters best with
# this one, among 1500, 1900, 2200, 2500 and 2800.
RATING = 2500.0

# Positions that the network gets at once.
BATCH = 128


@dataclass(frozen=True)
class HumanEmbedding:
    """What a position becomes: the moves that people would play, and how the network sees it, side by side.

    The first 64 numbers are the projection of the square roots of the probabilities of the legal moves, so
    that their distances are Hellinger distances; the others that of the last layer before them, which counts
    less.
    """

    model: HumanModel
    moves: Projection
    hidden: Projection

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.moves.components.shape[1] + self.hidden.components.shape[1])

    def __call__(self, boards: Sequence[chess.Board]) -> Array:
        """Return the vectors of positions of standard chess, as the rows of an array."""
        parts = [np.zeros((0, self.dimensions), np.float32)]
        for roots, hidden in _views(self.model, boards):
            parts.append(np.hstack([self.moves(roots), self.hidden(hidden)]))
        return np.concatenate(parts)

    def save(self, file: Path) -> None:
        """Write the projections to a file `.npz`. Raises `OSError`."""
        arrays = {
            "moves_mean": self.moves.mean,
            "moves": self.moves.components,
            "hidden_mean": self.hidden.mean,
            "hidden": self.hidden.components,
        }
        save_arrays(file, arrays)


def fit_embedding(model: HumanModel, boards: Sequence[chess.Board]) -> HumanEmbedding:
    """Return an embedding with projections fitted to these positions.

    Raises `HumanModelError` if the model does not show its last layer.
    """
    views = [*_views(model, boards)]
    moves, hidden = (np.concatenate(parts) for parts in zip(*views, strict=True))
    by_moves = fit_projection(moves, DIMENSIONS)
    weighted = replace(by_moves, components=np.float32(MOVES_WEIGHT) * by_moves.components)
    return HumanEmbedding(model, weighted, fit_projection(hidden, DIMENSIONS))


def load_embedding(model: HumanModel, file: Path) -> HumanEmbedding:
    """Return the embedding whose projections `HumanEmbedding.save` wrote.

    Raises `IndexDamagedError` if the file is missing or damaged.
    """
    moves_mean, moves, hidden_mean, hidden = load_arrays(file, "moves_mean", "moves", "hidden_mean", "hidden")
    return HumanEmbedding(model, Projection(moves_mean, moves), Projection(hidden_mean, hidden))


def _views(model: HumanModel, boards: Sequence[chess.Board]) -> Iterator[tuple[Array, Array]]:
    """Yield the square roots of the probabilities of all moves, and the last layer, in batches."""
    for batch in chunks_of(boards, BATCH):
        bare = [board.copy(stack=False) for board in batch]
        ratings = np.full(len(bare), RATING, np.float32)
        try:
            policies, hidden = model.network.run_hidden(encode(bare), ratings)
        except ValueError as error:
            raise HumanModelError(f"the human-move model cannot embed positions: {error}") from error
        roots = np.zeros((len(bare), POLICY_SIZE), np.float32)
        for row, (board, policy) in enumerate(zip(bare, policies, strict=True)):
            entries = [policy_index(board, move) for move in board.legal_moves]
            logits = policy[entries]
            roots[row, entries] = np.exp((logits - logits.max(initial=-np.inf)) / 2)
        norms = np.linalg.norm(roots, axis=1, keepdims=True)
        yield roots / np.maximum(norms, np.finfo(np.float32).tiny), hidden
