"""What chooses a move, and two choosers to compare others with: random order, and the human-move model."""

from __future__ import annotations

from random import Random
from typing import Protocol

import chess

from engines.human.model import TYPICAL_RATING, HumanModel


class MoveChooser(Protocol):
    """Anything that chooses a move. `name` is what reports call it."""

    @property
    def name(self) -> str:
        """What reports call it, another name for each chooser."""

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the chosen one first. The board's move stack says what came before."""


class RandomChooser:
    """Ranks the moves at random: the same way for the same position (with its move numbers) and seed."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves in random order."""
        moves = list(board.legal_moves)
        Random(f"{self._seed} {board.fen()}").shuffle(moves)
        return moves


class HumanChooser:
    """Ranks the moves by how likely a player with the Elo `rating` is to play them."""

    def __init__(self, model: HumanModel, rating: float = TYPICAL_RATING, name: str = "") -> None:
        self.name = name or f"human {rating:.0f}"
        self._model = model
        self._rating = rating

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the most likely one first."""
        (prediction,) = self._model.predict([board], [self._rating])
        return list(prediction.moves)
