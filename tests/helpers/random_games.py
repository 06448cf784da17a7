"""Games of random moves."""

from __future__ import annotations

import chess
from hypothesis import strategies as st

# Among them what random moves rarely reach: promotions, castling, en passant, repetitions.
FIRST_POSITIONS = (
    chess.STARTING_FEN,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "n1n1k3/1P3P2/8/8/8/8/1p3p2/4K1N1 w - - 0 1",
    "n1n1k3/1P3P2/8/8/8/8/1p3p2/4K1N1 b - - 0 1",
    "4k3/pppppppp/8/1P2P3/3p2p1/8/PPPPPPPP/4K3 w - - 0 1",
    "4k3/8/8/3qN3/8/2B5/8/4K3 w - - 0 1",
)


@st.composite
def games(draw: st.DrawFn, plies: int = 30) -> list[chess.Board]:
    """Return the positions of a game of random moves, each with the moves that led to it."""
    board = chess.Board(draw(st.sampled_from(FIRST_POSITIONS)))
    boards = [board.copy()]
    for number in draw(st.lists(st.integers(0, 200), max_size=plies)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[number % len(moves)])
        boards.append(board.copy())
    return boards
