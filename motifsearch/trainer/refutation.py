"""Why a wrong move fails: the opponent's answer, by an engine, and what the answer does.

A position and a move go in, a `Refutation` comes out, with its sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import chess

from chess_motif.boards import board_after, solution_san
from chess_motif.captures import settled_balance
from chess_motif.material import PIECE_VALUES, Capture, capture_by, material_balance
from engines.engine import Engine, Variation
from engines.options import EngineChoice
from engines.search_cache import Searcher
from puzzlegen.reasons.explained import SolutionReasons
from puzzlegen.reasons.tactics import Tactics

# Nodes of the search for the answer: a third of a second.
NODES = 200_000

# The solver's win chance (-1…1) after the answer from which a move counts as winning.
WINNING = 0.5

# The least win chance of the solver after the answer for each description.
_STANDS = (
    (WINNING, "{solver} is still winning, but by less than with the best move"),
    (0.2, "{solver} is only a little better"),
    (-0.2, "the game is about even"),
    (-0.5, "{opponent} is better"),
    (-1.0, "{opponent} is winning"),
)

# The words for lost material, in pawns. A piece that was simply taken is named instead: then at most `_NEAR`
# pawns may be lost or won back afterwards.
_LOST = {1: "a pawn", 2: "two pawns", 3: "a piece", 5: "a rook"}
_NEAR = 1

# The loss in pawns from which a reason is given.
_MUCH = 3


@dataclass(frozen=True)
class Refutation:
    """The opponent's best `line` against a move, in UCI, and why the move fails, in a `sentence`.

    `also_wins` says whether the move wins as well, only not as much. Without an engine, nothing is known.
    """

    line: tuple[str, ...] = ()
    sentence: str = ""
    also_wins: bool = False


class Refuter:
    """Refutes moves with an engine, which is started when it is first needed and ended by `close`."""

    def __init__(self, engine: EngineChoice = None) -> None:
        """Use this engine (default: Stockfish, wherever it is installed)."""
        self._chosen = engine
        self._engine: Engine | None = None

    def refute(self, board: chess.Board, move: chess.Move) -> Refutation:
        """Return why a move fails, as the function `refute` does. Raises `EngineError`."""
        return refute(board, move, self._started())

    def answer(self, board: chess.Board) -> Variation:
        """Return the best move in a position that has a legal one. Raises `EngineError`."""
        return self._started().search(board, NODES)[0]

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()

    def _started(self) -> Engine:
        if self._engine is None:
            self._engine = Engine(self._chosen)
        return self._engine


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
    line = tuple(each.uci() for each in best.moves)
    return Refutation(line, _sentence(board, move, best), also_wins=-best.chance >= WINNING)


def _lost(board: chess.Board, move: chess.Move, best: Variation) -> int:
    """Return what the line against a move costs the solver, in pawns."""
    after = board_after(board, [move, *best.moves])
    return material_balance(board, board.turn) - settled_balance(after, board.turn)


def _loss(board: chess.Board, move: chess.Move, best: Variation, lost: int) -> str:
    """Return the material lost in words; after a capture, just `material`, since more is lost at first."""
    captures = board_after(board, [move]).is_capture(best.moves[0])
    return "material" if captures else _LOST.get(lost, "material")


def _simply_taken(board: chess.Board, move: chess.Move, best: Variation, lost: int) -> Capture | None:
    """Return the capture by the reply to a move, if it accounts for about all that is `lost` in the end."""
    taken, given = capture_by(board_after(board, [move]), best.moves[0]), capture_by(board, move)
    if taken is None or abs(lost - _value(taken) + _value(given)) > _NEAR:
        return None
    return taken


def _sentence(board: chess.Board, move: chess.Move, best: Variation) -> str:
    solver = board.turn
    after = board_after(board, [move])
    reply = solution_san(after, best.moves[:1])
    # The line ends with a move of the opponent.
    line = best.moves[: len(best.moves) - 1 + len(best.moves) % 2]
    further = f": {solution_san(board_after(after, line[:1]), line[1:])}" if len(line) > 1 else ""
    if best.mate_in == 1:
        return f"{reply} is mate."
    if best.mate_in is not None and best.mate_in > 0:
        return f"{reply} mates in {best.mate_in}{further}."
    if best.mate_in is not None:
        return f"That mates, too, but after {reply} only in {1 - best.mate_in} moves."
    lost = _lost(board, move, best)
    if lost <= 0:
        return f"After {reply} {_stand(-best.chance, solver)}."
    if taken := _simply_taken(board, move, best, lost):
        given = capture_by(board, move)
        price = f" for the {chess.piece_name(given.kind)}" if given else ""
        return f"{reply} takes the {chess.piece_name(taken.kind)}{price}."
    won = f"{reply} wins {_loss(board, move, best, lost)}{further}."
    reasons = SolutionReasons(Tactics(after, line)).explained() if lost >= _MUCH and further else ()
    return " ".join([won, *(reason.sentence for reason in reasons[:1])])


def _value(capture: Capture | None) -> int:
    return PIECE_VALUES[capture.kind] if capture else 0


def _stand(chance: float, solver: chess.Color) -> str:
    names = {"solver": "White" if solver else "Black", "opponent": "Black" if solver else "White"}
    words = next(words for least, words in _STANDS if chance >= least)
    return words.format(**names)
