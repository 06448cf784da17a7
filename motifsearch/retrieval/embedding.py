"""Positions as vectors: similar positions have vectors that are near each other.

A position is seen from the side to move: with Black to move, the colours are reversed. The moves before do
not count. There are two kinds of embeddings. By `HumanEmbedding`, the default, positions are alike if people
would play alike, according to the human-move model. `Encoder` is a network that was trained to turn positions
into vectors (see `training.embedding`), run by onnxruntime on one thread: an ONNX model with this input and
output for N positions, both of 32-bit floats. Castling rights and en passant do not count for an encoder.

| name | shape | what |
|---|---|---|
| `pieces` | (N, 12, 8, 8) | planes 0–11 of `engines.human.planes`: the mover's pieces, then the opponent's |
| `embedding` | (N, any) | the vectors |
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import chess
import numpy as np

from chess_motif.errors import HumanModelError, IndexDamagedError, InputError
from chess_motif.output import rename
from chess_motif.parallel import chunks_of
from engines.human.model import BATCH, HumanModel, load_human_model, read_onnx, reading
from engines.human.network import TRIAL, Session
from engines.human.planes import PIECE_PLANES, POLICY_SIZE, Array, encode, encode_pieces, policy_index

# The Elo with which the human-move model predicts the moves of masters best (of 1500, 1900, 2200, 2500 and
# 2800).
RATING = 2500.0

# The length of each of the two parts of a vector.
DIMENSIONS = 64

# The factor of distances between moves, relative to distances between last layers, before they are squared.
# Chosen in the same way as the constants of `motifsearch.retrieval.chesscone`.
MOVES_WEIGHT = 2.0

# Additional components, and passes over the data: enough for exact leading components (Halko, Martinsson &
# Tropp, "Finding Structure with Randomness", SIAM Review 2011, section 4.4).
SPARE = 16
PASSES = 3

# The encoder of the paper, ChessPos, as trained by `training.embedding`.
CHESSPOS = Path(__file__).with_name("chesspos.onnx")

# The output of an encoder.
OUTPUT = "embedding"


@dataclass(frozen=True)
class HumanEmbedding:
    """Turns positions into vectors by the moves that people would play, and by a layer of the network.

    The first 64 numbers are a projection of the square roots of the probabilities of the legal moves, so that
    distances are Hellinger distances. The other 64 numbers, which count less, are a projection of the last
    layer before the probabilities.
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


class Encoder:
    """Turns positions into vectors by a network, which `digest` identifies. See `load_encoder`."""

    def __init__(self, model: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` if it is not such a network."""
        self.digest = hashlib.sha256(model).hexdigest()[:16]
        self._session = Session(model)
        self.dimensions = self._run(np.zeros((TRIAL, PIECE_PLANES, 8, 8), np.float32)).shape[1]

    def __call__(self, boards: Sequence[chess.Board]) -> Array:
        """Return the vectors of positions of standard chess, as the rows of an array. Raises `InputError`."""
        try:
            vectors = [self._run(encode_pieces(batch)) for batch in chunks_of(boards, BATCH)]
        except ValueError as error:
            raise InputError(f"the encoder of positions fails: {error}") from error
        return np.concatenate([np.zeros((0, self.dimensions), np.float32), *vectors])

    def _run(self, pieces: Array) -> Array:
        (vectors,) = self._session.run([OUTPUT], {"pieces": pieces})
        if vectors.ndim != 2 or len(vectors) != len(pieces):
            raise ValueError(f"its output has the shape {vectors.shape}")
        return vectors


def is_encoder(path: Path) -> bool:
    """Return whether a file is an ONNX model (`.onnx`) with the output `embedding`."""
    try:
        return path.suffix == ".onnx" and OUTPUT in Session(read_onnx(path)).outputs
    except (OSError, ValueError):
        return False


def load_encoder(path: Path) -> Encoder:
    """Open the encoder in the file at `path`. Raises `InputError` if the file cannot be used."""
    with reading(path, "an encoder of positions", InputError):
        return Encoder(read_onnx(path))


# What turns positions of standard chess into vectors, the rows of an array.
Embedding = HumanEmbedding | Encoder


def load_model(file: Path) -> Encoder | HumanModel:
    """Return the encoder (see `is_encoder`) or the human-move model in a file.

    Raises `InputError` or `HumanModelError` if the file cannot be used, and `LibraryMissingError`.
    """
    return load_encoder(file) if is_encoder(file) else load_human_model(file)


@dataclass(frozen=True)
class Projection:
    """A linear map from vectors to shorter vectors; the shape of `components` is (length, shorter length)."""

    mean: Array
    components: Array

    def __call__(self, vectors: Array) -> Array:
        """Return the projections of vectors, the rows of an array."""
        return vectors @ self.components - self.mean @ self.components


def fit_projection(vectors: Array, dimensions: int) -> Projection:
    """Return the projection of vectors (rows) to their leading principal components.

    The mean squared length of the projections is scaled to 1. The result is deterministic.
    """
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    basis = np.random.default_rng(1).standard_normal((vectors.shape[1], dimensions + SPARE), np.float32)
    for _ in range(PASSES):
        basis = np.linalg.qr(centred.T @ np.linalg.qr(centred @ basis)[0])[0]
    _, _, rotation = np.linalg.svd(centred @ basis, full_matrices=False)
    components = basis @ rotation[:dimensions].T
    spread = np.square(centred @ components).sum(axis=1).mean()
    # The spread is 0 if all vectors are the same.
    scale = np.sqrt(max(spread, np.finfo(np.float32).tiny))
    return Projection(mean, np.asarray(components / scale, np.float32))


def save_arrays(file: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays and numbers to a file. Raises `OSError`."""
    new = file.with_name(f"{file.name}.new")
    with new.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    rename(new, file)


def load_arrays(file: Path, *names: str) -> list[Any]:
    """Return the arrays that `save_arrays` wrote under these names.

    Raises `IndexDamagedError` if the file is missing or cannot be read.
    """
    try:
        # numpy leaves the file open if it is damaged.
        with file.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            # `save_arrays` does not compress, and a few compressed bytes could fill the memory.
            if any(member.file_size != member.compress_size for member in archive.infolist()):
                raise ValueError("compressed")
            with np.load(stream) as arrays:
                return [arrays[name] for name in names]
    except Exception as error:  # numpy and zipfile raise nearly anything for a damaged file
        raise IndexDamagedError(f"{file}: missing or damaged") from error
