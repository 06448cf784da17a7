"""Why a wrong move fails: what the opponent answers, by an engine, and what that does.

A position and a move in it go in, a `Refutation` comes out. It is said in words here, because what a reply
does and how it is said are one thing.
"""

from __future__ import annotations

from dataclasses import dataclass

import chess

from chess_motif.boards import board_after, solution_san
from chess_motif.material import PIECE_VALUES, material_balance
from engines.engine import Engine, Variation, find_engine
from engines.search_cache import Searcher
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.explained import SolutionReasons
from puzzlegen.verify.ending import settled_balance

# Nodes of the search for the answer: a third of a second.
NODES = 200_000

# The solver's win chance (-1…1) after the answer, from which on the words are used.
_STANDS = (
    (0.5, "{solver} is still winning, but by less than with the best move"),
    (0.2, "{solver} is only a little better"),
    (-0.2, "the game is about even"),
    (-0.5, "{opponent} is better"),
    (-1.0, "{opponent} is winning"),
)

# What material is called that was lost, in pawns, unless it is a piece that was simply taken.
_LOST = {1: "a pawn", 2: "two pawns", 3: "a piece", 5: "a rook"}


@dataclass(frozen=True)
class Refutation:
    """The opponent's best `line` against a move, and why the move fails, in a sentence."""

    line: tuple[chess.Move, ...]
    sentence: str


class Refuter:
    """Refutes moves with an engine, which is started when it is first needed. Close it."""

    def __init__(self, engine_path: str | None = None) -> None:
        """Use the engine at this path (default: Stockfish, wherever it is installed)."""
        self._path = engine_path
        self._engine: Engine | None = None

    def refute(self, board: chess.Board, move: chess.Move) -> Refutation:
        """Return why a move fails, as the function `refute` does. Raises `EngineError`."""
        if self._engine is None:
            self._engine = Engine(find_engine(self._path))
        return refute(board, move, self._engine)

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()


def refute(board: chess.Board, move: chess.Move, engine: Searcher, nodes: int = NODES) -> Refutation:
    """Return why a legal `move`, which does not solve the position `board`, fails.

    Raises `EngineFailedError`.
    """
    after = board_after(board, [move])
    if after.is_stalemate():
        return Refutation((), f"{solution_san(board, [move])} is stalemate.")
    if after.is_insufficient_material():
        return Refutation((), f"After {solution_san(board, [move])} nobody can win.")
    (best,) = engine.search(after, nodes)
    return Refutation(best.moves, _sentence(board, after, best))


def _sentence(board: chess.Board, after: chess.Board, best: Variation) -> str:
    reply = solution_san(after, best.moves[:1])
    if best.mate_in == 1:
        return f"{reply} is mate."
    if best.mate_in is not None and best.mate_in > 0:
        return f"{reply} mates in {best.mate_in}: {solution_san(after, best.moves)}."
    if best.mate_in is not None:
        slower = f"that mates, too, but only in {1 - best.mate_in} moves"
        return f"After {reply} {slower}."
    solver = board.turn
    end = board_after(after, best.moves)
    lost = material_balance(board, solver) - settled_balance(end, solver)
    stands = _stand(-best.chance, solver)
    if lost <= 0:
        return f"After {reply} {stands}."
    taken = _taken(after, best.moves[0])
    if taken is not None and PIECE_VALUES[taken] == lost:
        return f"{reply} takes the {chess.piece_name(taken)}."
    won = f"{reply} wins {_LOST.get(lost, 'material')}: {solution_san(after, best.moves)}."
    line = best.moves[: len(best.moves) - 1 + len(best.moves) % 2]
    reasons = SolutionReasons(Replay(after, line)).explained() if len(line) > 1 else ()
    return " ".join([won, *(reason.sentence for reason in reasons[:1])])


def _taken(board: chess.Board, move: chess.Move) -> chess.PieceType | None:
    if board.is_en_passant(move):
        return chess.PAWN
    return board.piece_type_at(move.to_square)


def _stand(chance: float, solver: chess.Color) -> str:
    names = {"solver": "White" if solver else "Black", "opponent": "Black" if solver else "White"}
    words = next(words for least, words in _STANDS if chance >= least)
    return words.format(**names)
