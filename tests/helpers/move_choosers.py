"""Move choosers whose moves are written down in the test, and questions to ask them."""

from __future__ import annotations

from collections.abc import Callable

import chess

from benchmarks.move_quality import MoveScores
from benchmarks.questions import Question
from chess_motif.boards import mates

# The mate and 19 other moves.
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


class ScriptedChooser:
    """Ranks the moves `best` first where they are legal, and the others in the order of their names."""

    def __init__(self, *best: str, name: str = "scripted") -> None:
        self.name = name
        self._best = best

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        best = [chess.Move.from_uci(uci) for uci in self._best]
        first = [move for move in best if move in legal]
        return first + [move for move in legal if move not in first]


class BrokenChooser:
    """Returns what `change` makes of the legal moves."""

    name = "broken"

    def __init__(self, change: Callable[[list[chess.Move]], list[chess.Move]]) -> None:
        self._change = change

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        return self._change(list(board.legal_moves))


class MatingChooser:
    """Mates in one move where it can. Otherwise it plays the first move by name."""

    name = "mating"

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        moves = ScriptedChooser().ranked(board)
        return sorted(moves, key=lambda move: not mates(board, move))


def question(fen: str = chess.STARTING_FEN, move: str = "e2e4", elo: int | None = None) -> Question:
    board = chess.Board(fen)
    return Question(f"game {fen}", board, board.parse_uci(move), elo, None)


def move_scores(**scores: int) -> MoveScores:
    """Return scores given as moves in UCI, best first."""
    return MoveScores({chess.Move.from_uci(uci): score for uci, score in scores.items()})
