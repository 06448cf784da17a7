"""Solutions for tests: written down, random, and mirrored."""

from __future__ import annotations

import chess
from hypothesis import strategies as st

# A position, and a line from it.
Solution = tuple[chess.Board, list[chess.Move]]


def parsed(fen: str, line: str) -> Solution:
    """Read a solution, which must be a valid position with legal moves, the solver's first and last."""
    board = chess.Board(fen)
    assert board.is_valid(), board.status()
    moves = [chess.Move.from_uci(move) for move in line.split()]
    assert len(moves) % 2 == 1
    after = board.copy()
    for move in moves:
        assert after.is_legal(move), after.fen() + " " + move.uci()
        after.push(move)
    return board, moves


@st.composite
def random_lines(draw: st.DrawFn) -> Solution:
    """A position reached by legal moves, and a line from there."""
    choices = draw(st.lists(st.integers(0, 1000), max_size=60))
    length = draw(st.integers(1, 6))
    board, played = chess.Board(), []
    for choice in choices + draw(st.lists(st.integers(0, 1000), min_size=length, max_size=length)):
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        played.append(legal[choice % len(legal)])
        board.push(played[-1])
    line = played[-length:]
    for _ in line:
        board.pop()
    return board.copy(stack=False), line


def colours_swapped(solution: Solution) -> Solution:
    """Turn the board round: ranks mirrored, colours swapped."""
    board, moves = solution
    flipped = [
        chess.Move(chess.square_mirror(m.from_square), chess.square_mirror(m.to_square), m.promotion)
        for m in moves
    ]
    return board.mirror(), flipped


def left_and_right_swapped(solution: Solution) -> Solution | None:
    """Mirror the files, without the right to castle; None where the line castles."""
    board, moves = solution
    if any(played.is_castling(move) for played, move in zip(_boards(solution), moves, strict=True)):
        return None
    without = board.copy(stack=False)
    without.castling_rights = chess.BB_EMPTY
    flipped = [chess.Move(m.from_square ^ 7, m.to_square ^ 7, m.promotion) for m in moves]
    return without.transform(chess.flip_horizontal), flipped


def _boards(solution: Solution) -> list[chess.Board]:
    board, moves = solution[0].copy(), solution[1]
    boards = []
    for move in moves:
        boards.append(board.copy(stack=False))
        board.push(move)
    return boards
