"""ChessBERT, a network that reads similar positions (Ajith, Gunnarsson & Xu, section 3.3).

ChessBERT reads tokens, which stand for a position, similar positions from the memory, and the moves played in
the similar positions, and scores the legal moves. The order of the tokens of a position does not matter. The
board is seen from the side to move: when Black moves, the ranks are flipped (square 0 is a8, and Black's
pawns go north). A token is three numbers:

| number | values | what |
|---|---|---|
| square | 0–63 | where the piece is, or where it goes: the row is `square // 8`, the file `square % 8` |
| piece | 0–35 | which piece, see below |
| segment | 0–9 | which part of the input, see below |

The pieces of the side to move are 0–15, those of the opponent 16–31: pawns 0–7, rooks 8–9, knights 10–11,
bishops 12–13, queen 14, king 15. Pieces of a kind are numbered from the a-file to the h-file, and on a file
from the player's end. If promotions have made more pieces of a kind than there are numbers, the rest share
the last number. In the token of a move, a promoting pawn is 32 (to a knight), 33 (bishop), 34 (rook) or 35
(queen). Castling is a move of the king.

The pieces of the query are in segment 0. Segment 1 is for the mask, whose output is compared with the moves,
and has no token here. The pieces of context c are in segment 2 + 2c, and the move of context c in 3 + 2c.

The network is an ONNX model, run by onnxruntime on one thread, with these inputs and outputs for one
position:

| name | type and shape | what |
|---|---|---|
| `tokens` | int64 (T, 3) | the position and its contexts, see `tokens_of` |
| `moves` | int64 (M, 3) | the legal moves, see `move_tokens` |
| `logits` | float32 (M,) | the logits of the moves |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.errors import ChessBertError, IndexDamagedError
from engines.human.model import HumanModel, probabilities, read_onnx, reading
from engines.human.network import Session
from engines.human.planes import Array
from engines.uci_server import Combo
from motifsearch.retrieval.decision import Decision, by_score
from motifsearch.retrieval.engine import CAREFUL, MemoryEngine, Values
from motifsearch.retrieval.folder import decode_move
from motifsearch.retrieval.memory import Memory

# The name of the option that chooses the network.
FORM = "Form"


class Form(StrEnum):
    """How the network was trained: `published` with the loss of the paper, `improved` with another loss.

    See `training.chessbert`.
    """

    IMPROVED = "improved"
    PUBLISHED = "published"


SHIPPED_NETWORKS = {
    Form.IMPROVED: Path(__file__).with_name("chessbert.onnx"),
    Form.PUBLISHED: Path(__file__).with_name("chessbert-published.onnx"),
}

# The number of moves that a new network is tried with.
TRIAL = 3

# The most contexts. Each makes the network slower, since a context has as many tokens as the query.
CONTEXTS = 4

SQUARES = 64
QUERY, MASK, FIRST_CONTEXT = 0, 1, 2
SEGMENTS = FIRST_CONTEXT + 2 * CONTEXTS

# The numbers of the pieces of the side to move.
KINDS = {
    chess.PAWN: range(8),
    chess.ROOK: range(8, 10),
    chess.KNIGHT: range(10, 12),
    chess.BISHOP: range(12, 14),
    chess.QUEEN: range(14, 15),
    chess.KING: range(15, 16),
}
OPPONENT = 16
PROMOTING = {chess.KNIGHT: 32, chess.BISHOP: 33, chess.ROOK: 34, chess.QUEEN: 35}
PIECES = 36

Tokens = npt.NDArray[np.uint8]


def chessbert_engine(database: str | None = None, memory: Path | None = None) -> MemoryEngine:
    """Return ChessBERT as a UCI engine; for the arguments see `MemoryEngine`."""

    def chessbert(memory: Memory, model: HumanModel, values: Values) -> ChessBertPlayer:
        network = load_chessbert(SHIPPED_NETWORKS[Form(str(values[FORM]))])
        return ChessBertPlayer(memory, network, bool(values[CAREFUL]))

    return MemoryEngine("ChessBERT", chessbert, database, memory, Combo(FORM, Form.IMPROVED, [*Form]))


@dataclass(frozen=True)
class ChessBertPlayer:
    """Chooses the most likely move by the network, given the nearest positions of a `memory`, if any.

    A `careful` player checks its moves for blunders.
    """

    memory: Memory | None
    network: ChessBert
    careful: bool = True

    def decide(self, board: chess.Board) -> Decision:
        """Return the moves in order of preference, and the positions that the network read."""
        neighbours, contexts = None, []
        if self.memory is not None:
            neighbours = self.memory.near(board, CONTEXTS)
            contexts = [*contexts_of(self.memory, neighbours.rows[:CONTEXTS])]
        scores = self.network.scores(board, contexts)
        return Decision(by_score(board, scores, careful=self.careful), {}, neighbours)


class Context(NamedTuple):
    """A position as it occurred in a game, with the legal move that was played."""

    board: chess.Board
    move: chess.Move


def contexts_of(memory: Memory, rows: npt.NDArray[np.void]) -> Iterator[Context]:
    """Yield the position and the move of each occurrence (see `Neighbours.rows`).

    Raises `StoreError`, and `IndexDamagedError` if a move is illegal.
    """
    for row, board in zip(rows, memory.boards(rows), strict=True):
        move = decode_move(int(row["move"]), bool(row["white"]))
        if not board.is_legal(move):
            raise IndexDamagedError(f"the memory is damaged: it has an illegal move in {board.fen()}")
        yield Context(board, move)


class ChessBert:
    """Scores the moves of a position, given similar positions. See `load_chessbert`."""

    def __init__(self, network: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` if it is not such a network."""
        self._session = Session(network)
        self._logits(np.zeros((2, 3), np.uint8), np.zeros((TRIAL, 3), np.uint8))

    def scores(self, board: chess.Board, contexts: Sequence[Context]) -> dict[chess.Move, float]:
        """Return the scores of the legal moves of a position of standard chess, highest first.

        Scores (0…1) add up to 1: they are the probabilities that a strong player chooses the moves, by the
        network. `contexts` are up to `CONTEXTS` similar positions with the moves played, most similar first.
        A finished game has no scores. Raises `ValueError` for too many contexts, and `ChessBertError` if the
        network fails. See Ajith, Gunnarsson & Xu, section 3.3.
        """
        tokens = tokens_of(board, contexts)
        moves = list(board.legal_moves)
        if not moves:
            return {}
        try:
            logits = self._logits(tokens, move_tokens(board, moves))
        except ValueError as error:
            raise ChessBertError(f"the network of ChessBERT fails: {error}") from error
        return probabilities(moves, logits)

    def _logits(self, tokens: Tokens, moves: Tokens) -> Array:
        inputs = {"tokens": tokens.astype(np.int64), "moves": moves.astype(np.int64)}
        (logits,) = self._session.run(["logits"], inputs)
        if logits.shape != (len(moves),):
            raise ValueError(f"its output has the shape {logits.shape}")
        return logits


def load_chessbert(path: Path = SHIPPED_NETWORKS[Form.IMPROVED]) -> ChessBert:
    """Open the network in the file at `path` (default: the improved network of this package).

    Raises `ChessBertError` if the file cannot be used.
    """
    with reading(path, "a network for ChessBERT", ChessBertError):
        return ChessBert(read_onnx(path))


def tokens_of(board: chess.Board, contexts: Sequence[Context]) -> Tokens:
    """Return the tokens of a position and its contexts as an array (tokens, 3), the query's first.

    Raises `ValueError` for more contexts than `CONTEXTS`.
    """
    if len(contexts) > CONTEXTS:
        raise ValueError(f"{len(contexts)} contexts, and {CONTEXTS} are the most")
    tokens = [(square, piece, QUERY) for square, piece in numbered_pieces(board).items()]
    for number, context in enumerate(contexts):
        segment = FIRST_CONTEXT + 2 * number
        pieces = numbered_pieces(context.board)
        tokens += [(square, piece, segment) for square, piece in pieces.items()]
        _, target, piece = _seen(context.board, context.move, pieces)
        tokens.append((target, piece, segment + 1))
    return np.array(tokens, np.uint8)


def move_tokens(board: chess.Board, moves: Iterable[chess.Move]) -> Tokens:
    """Return legal moves as an array (moves, 3): the square, the piece, and the square that it comes from.

    The segment, which would be that of the mask, is left out.
    """
    pieces = numbered_pieces(board)
    seen = (_seen(board, move, pieces) for move in moves)
    return np.array([(target, piece, origin) for origin, target, piece in seen], np.uint8).reshape(-1, 3)


def numbered_pieces(board: chess.Board) -> dict[chess.Square, int]:
    """Return the number of the piece on each square, seen from the side to move."""
    flip = _flip(board)
    numbers = {}
    for colour, first in ((board.turn, 0), (not board.turn, OPPONENT)):
        for kind, places in KINDS.items():
            squares = [square ^ flip for square in chess.scan_forward(board.pieces_mask(kind, colour))]
            squares.sort(key=lambda square: (chess.square_file(square), chess.square_rank(square)))
            for count, square in enumerate(squares):
                numbers[square] = first + places[min(count, len(places) - 1)]
    return numbers


def _seen(
    board: chess.Board, move: chess.Move, pieces: dict[chess.Square, int]
) -> tuple[chess.Square, chess.Square, int]:
    """Return where a move begins and ends, seen from the side to move, and which piece moves."""
    flip = _flip(board)
    origin, target = move.from_square ^ flip, move.to_square ^ flip
    return origin, target, PROMOTING[move.promotion] if move.promotion else pieces[origin]


def _flip(board: chess.Board) -> int:
    """Return the number by which an exclusive or turns squares to the view of the side to move."""
    return 0 if board.turn == chess.WHITE else 56
