"""A network that was trained to turn positions into vectors, run by onnxruntime on one thread.

It is an ONNX model with this input and output for N positions, both of 32-bit floats:

| name | shape | what |
|---|---|---|
| `pieces` | (N, 12, 8, 8) | planes 0–11 of `engines.human.planes`: the mover's pieces, then the opponent's |
| `embedding` | (N, any) | the vectors |

Castling rights and en passant do not count. `training.embedding` trains such a network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.errors import InputError, reason_of
from chess_motif.parallel import chunks_of
from engines.human.model import BATCH, read_onnx
from engines.human.network import RUNTIME_ERRORS, TRIAL, open_session
from engines.human.planes import PIECE_PLANES, encode_pieces

Array = npt.NDArray[np.float32]

OUTPUT = "embedding"


class Encoder:
    """Turns positions into vectors by a network, which `digest` identifies. See `load_encoder`."""

    def __init__(self, model: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` if it is not such a network."""
        self.digest = hashlib.sha256(model).hexdigest()[:16]
        self._session = open_session(model)
        try:
            vectors = self._run(np.zeros((TRIAL, PIECE_PLANES, 8, 8), np.float32))
        except RUNTIME_ERRORS as error:
            raise ValueError("onnxruntime cannot run it") from error
        if vectors.ndim != 2 or len(vectors) != TRIAL:
            raise ValueError(f"its output has the shape {vectors.shape}")
        self.dimensions = vectors.shape[1]

    def __call__(self, boards: Sequence[chess.Board]) -> Array:
        """Return the vectors of positions of standard chess, as the rows of an array."""
        vectors = [self._run(encode_pieces(batch)) for batch in chunks_of(boards, BATCH)]
        return np.concatenate([np.zeros((0, self.dimensions), np.float32), *vectors])

    def _run(self, pieces: Array) -> Array:
        (vectors,) = self._session.run([OUTPUT], {"pieces": pieces})
        return np.asarray(vectors, np.float32)


def is_encoder(path: Path) -> bool:
    """Return whether a file is an ONNX model (`.onnx`) with the output `embedding`."""
    try:
        outputs = open_session(read_onnx(path)).get_outputs() if path.suffix == ".onnx" else []
    except (OSError, ValueError):
        return False
    return OUTPUT in [output.name for output in outputs]


def load_encoder(path: Path) -> Encoder:
    """Open the encoder in the file at `path`, see above. Raises `InputError` if it cannot be used."""
    try:
        return Encoder(read_onnx(path))
    except OSError as error:
        raise InputError(f"{path}: {reason_of(error)}") from error
    except ValueError as error:
        raise InputError(f"{path}: not an encoder of positions: {error}") from error
