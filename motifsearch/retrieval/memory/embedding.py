"""Positions as vectors, so that similar ones are near each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import chess
import numpy as np
import numpy.typing as npt

from engines.human.model import HumanModel, load_human_model
from motifsearch.retrieval.memory.encoder import Encoder, is_encoder, load_encoder

Array = npt.NDArray[np.float32]


class Embedding(Protocol):
    """What a position becomes, seen from the side to move. What came before it does not count."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def __call__(self, boards: Sequence[chess.Board]) -> Array:
        """Return the vectors of positions of standard chess, as the rows of an array."""


def load_model(file: Path) -> Encoder | HumanModel:
    """Return what a file holds: an encoder (see `is_encoder`), or else a human-move model.

    Raises `InputError` or `HumanModelError` if it cannot be used, and `LibraryMissingError` as
    `load_human_model` does.
    """
    return load_encoder(file) if is_encoder(file) else load_human_model(file)
