"""ChessBERT as a player: a network that reads similar positions (Ajith, Gunnarsson & Xu, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import numpy as np
import numpy.typing as npt

from motifsearch.retrieval.caution import cautious
from motifsearch.retrieval.chessbert.model import ChessBert
from motifsearch.retrieval.chessbert.tokens import CONTEXTS, Context
from motifsearch.retrieval.decision import Decision, by_score
from motifsearch.retrieval.memory.memory import Memory, Recollection
from motifsearch.retrieval.memory.parts import decode_move


class ChessBertPlayer:
    """Chooses the move that the network takes to be the most likely one.

    It reads the nearest positions of a `memory`, or none. If it is `careful`, it follows the rules of
    `motifsearch.retrieval.caution`. Reports call it `name`.
    """

    def __init__(
        self, memory: Memory | None, network: ChessBert, *, careful: bool = True, name: str = "chessbert"
    ) -> None:
        self.name = name
        self._memory, self._network, self._careful = memory, network, careful

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the chosen one first."""
        return list(self.decide(board).moves)

    def decide(self, board: chess.Board) -> Decision:
        """Return the moves in order of preference, and the positions that were read."""
        recollection: Recollection | None
        contexts: list[Context]
        recollection, contexts = None, []
        if self._memory is not None:
            recollection = self._memory.near(board, CONTEXTS)
            contexts = [*contexts_of(self._memory, recollection.rows[:CONTEXTS])]
        moves = by_score(board, self._network.scores(board, contexts))
        if self._careful:
            moves = cautious(board, moves)
        return Decision(moves, {}, recollection)


def contexts_of(memory: Memory, rows: npt.NDArray[np.void]) -> Iterator[Context]:
    """Yield occurrences (see `Recollection.rows`) with the moves that were played. Raises `StoreError`."""
    for row, board in zip(rows, memory.boards(rows), strict=True):
        yield Context(board, decode_move(int(row["move"]), bool(row["white"])))
