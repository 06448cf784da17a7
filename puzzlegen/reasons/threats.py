"""What the solver's moves threaten if the opponent passes, and why the threat cannot be met for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess import Square

from chess_motif.boards import board_after, mates
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import Ply
from puzzlegen.reasons.claim import Claim, Course, Kind, passed
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.words import deed_of, joined, piece_name

# With more pieces and pawns than this, zugzwang is not looked for.
_ZUGZWANG_PIECES = 10


class _Threats(NamedTuple):
    """What a move threatens: mates, promotions, and what each capture that is newly possible would win."""

    mates: list[chess.Move]
    promotions: list[chess.Move]
    captures: dict[Square, int]


def threats(course: Course) -> Iterator[Claim]:
    """Find what moves without check threaten, and whether a mate that is threatened costs material to parry."""
    for ply in course.replay.solver_plies:
        board = passed(ply.after.board)
        if board is None or ply.after.board.is_game_over():
            continue
        found = _threatened(course, ply, board)
        words, squares = _words(course, ply, board, found)
        if not words:
            continue
        kind, text = Kind.THREAT, f"{deed_of(ply)} and threatens {joined(words)}"
        if len(words) > 1:
            text = f"{deed_of(ply)} and threatens {joined(words)} at once"
        elif found.mates and _costs(course, ply):
            kind, text = Kind.COSTLY_DEFENCE, f"{text}, which can be parried only at a loss of material"
        # One of two attacked pieces would not show a double attack.
        drawn = tuple(square for square in squares if course.unmoved(ply.number + 1, square))
        drawing = Drawing(Role.ATTACK, squares=drawn) if len(drawn) == len(squares) > 1 else None
        yield Claim(kind, ply.number, f"{text[0].upper()}{text[1:]}.", drawing)


def _threatened(course: Course, ply: Ply, board: chess.Board) -> _Threats:
    moves = course.in_order(board.legal_moves)
    mating = [move for move in moves if mates(board, move)]
    promotions, captures = [], {}
    for move in moves:
        course.spend()
        if move.promotion == chess.QUEEN and not _was_possible(ply, move):
            if course.wins(board, move) >= course.least:
                promotions.append(move)
        elif board.is_capture(move) and not move.promotion:
            won = course.wins(board, move)
            if won >= course.least and course.wins_on(ply.before.board, move.to_square) < course.least:
                captures[move.to_square] = max(won, captures.get(move.to_square, 0))
    return _Threats(mating, promotions, captures)


def _was_possible(ply: Ply, move: chess.Move) -> bool:
    return ply.before.board.is_legal(move)


def _words(course: Course, ply: Ply, board: chess.Board, found: _Threats) -> tuple[list[str], list[Square]]:
    """Return what is threatened in words, and the squares of the pieces that are."""
    words = []
    if found.mates:
        by_mover = sorted(found.mates, key=lambda move: move.from_square != ply.target)
        words.append(f"mate on {chess.square_name(by_mover[0].to_square)}")
    elif found.promotions:
        words.append(f"to promote on {chess.square_name(found.promotions[0].to_square)}")
    # A threat that the opponent need not fear, since something else is lost, says nothing.
    squares = sorted(
        (square for square in found.captures if board.piece_type_at(square)),
        key=lambda square: (-PIECE_VALUES[ply.after.kind(square)], course.place(square)),
    )[:2]
    if found.promotions and not found.mates:
        squares = []
    words += [piece_name(ply.after.kind(square), square) for square in squares]
    return words, squares


def _costs(course: Course, ply: Ply) -> bool:
    """Return whether the solver mates or wins material after any reply."""
    board = ply.after.board
    return all(_pays(course, board_after(board, [reply])) for reply in board.legal_moves)


def _pays(course: Course, board: chess.Board) -> bool:
    if any(mates(board, move) for move in board.legal_moves):
        return True
    return course.settled(board) >= course.balance + course.least


def trapped(course: Course) -> Iterator[Claim]:
    """Find pieces that the solver attacks and wins next, and that have no safe square."""
    for ply in course.replay.solver_plies:
        board = passed(ply.after.board)
        if board is None or ply.after.board.is_game_over():
            continue
        square = _victim(course, ply)
        if square is None or ply.after.kind(square) == chess.PAWN:
            continue
        if ply.after.board.is_pinned(not course.solver, square):
            continue
        if course.wins_on(board, square) < course.least:
            continue
        moves = [move for move in ply.after.board.legal_moves if move.from_square == square]
        if all(_is_lost(course, ply.after.board, move) for move in moves):
            name = piece_name(ply.after.kind(square), square)
            drawing = (
                Drawing(Role.LURED, squares=(square,)) if course.unmoved(ply.number + 1, square) else None
            )
            text = f"{name[0].upper()}{name[1:]} is attacked and has no safe square."
            yield Claim(Kind.TRAPPED, ply.number, text, drawing)


def _victim(course: Course, ply: Ply) -> Square | None:
    """Return where the piece is that the solver captures next, or threatens to capture at the end."""
    follow_up = course.replay.at(ply.number + 2)
    if follow_up is None:
        goal = course.decisive
        last = goal is not None and goal.threatened and goal.target_kind and ply is course.replay.plies[-1]
        return goal.ply.target if goal and last and goal.target_kind != chess.KING else None
    if follow_up.captured is None or not follow_up.before.board.occupied >> follow_up.target & 1:
        return None
    pieces = course.reasons.pieces
    victim = pieces.on(follow_up.number, follow_up.target)
    return pieces.square(ply.number + 1, victim)


def _is_lost(course: Course, board: chess.Board, move: chess.Move) -> bool:
    """Return whether a piece is lost for too little on the square that it moves to."""
    after = board_after(board, [move])
    captures = after.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square])
    return any(course.settled(board_after(after, [one])) >= course.balance + course.least for one in captures)


def zugzwang(course: Course) -> Iterator[Claim]:
    """Find positions in which nothing is threatened, but whatever the opponent moves loses something."""
    for ply in course.replay.solver_plies:
        after = ply.after.board
        board = passed(after)
        if board is None or after.is_game_over() or chess.popcount(after.occupied) > _ZUGZWANG_PIECES:
            continue
        if course.settled(board) > course.settled(after) or any(mates(board, m) for m in board.legal_moves):
            continue
        standing = course.settled(board)
        if all(_loses(course, after, reply, standing) for reply in after.legal_moves):
            yield Claim(
                Kind.ZUGZWANG, ply.number, "It is zugzwang: every move of the opponent loses something."
            )


def _loses(course: Course, board: chess.Board, reply: chess.Move, standing: int) -> bool:
    after = board_after(board, [reply])
    return any(mates(after, move) for move in after.legal_moves) or course.settled(after) > standing
