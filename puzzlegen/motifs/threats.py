"""Threats of mate and of captures, carried out or not; and zugzwang, where nothing is threatened."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chess_motif.boards import board_after, checks, has_mate, mating_moves, passed, threatens_mate
from chess_motif.captures import settled_balance, settles_at_least
from chess_motif.material import material_balance
from puzzlegen.motifs.attacks import opened_lines
from puzzlegen.motifs.defences import gain, net_gain
from puzzlegen.motifs.exchange import is_lost, most_won
from puzzlegen.motifs.replay import WORTH, Motif, Ply, Replay, rule

# With more pieces and pawns than this, zugzwang is not looked for.
_ZUGZWANG_PIECES = 14

# What a threat wins at least, in pawns.
_LEAST_WON = 2


@rule(
    mateThreat="A move that gives no check threatens mate in one, and the piece that moved is not captured, "
    "unless by one of higher value that is lost; as the last move of a solution it captures no piece. Or a "
    "check that allows mate wherever the king goes is parried by a piece that is lost; if the king can go "
    "nowhere, that piece blocks the check."
)
def mate_threats(replay: Replay) -> Iterator[Motif]:
    """Find threats of mate.

    Last moves that capture a piece, moves of captured ones, and checks that must be met by a capture are not
    notable.
    """
    for ply in replay.solver_plies:
        if ply.check:
            threatens, notable = _costs_a_piece(replay, ply), not _must_be_taken(replay, ply)
        else:
            threatens = threatens_mate(ply.after.board)
            notable = _is_not_answered_by_taking(replay, ply)
        if threatens:
            yield Motif("mateThreat", ply.number, ply.kind, (chess.KING,), ply.target, notable)


def _is_not_answered_by_taking(replay: Replay, ply: Ply) -> bool:
    """Return whether the piece that threatens is not captured, or only by one of higher value that is lost.

    As the last move, it must not have captured a piece.
    """
    reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
    if reply is None or follow_up is None:
        return ply.captured in (None, chess.PAWN)
    if reply.target != ply.target:
        return True
    return ply.captured is None and WORTH[ply.kind] < WORTH[reply.kind] and follow_up.target == reply.target


def _costs_a_piece(replay: Replay, check: Ply) -> bool:
    """Return whether a piece parries a check and is lost, since each move of the king allows mate in one."""
    reply, follow_up = replay.at(check.number + 1), replay.at(check.number + 2)
    if reply is None or follow_up is None or reply.kind == chess.KING or reply.target != follow_up.target:
        return False
    if net_gain(follow_up, replay) - gain(reply) < 2:
        return False
    board, king = check.after.board, check.after.king(not replay.solver)
    return all(
        has_mate(board_after(board, [move])) for move in check.after.legal_moves if move.from_square == king
    )


def _must_be_taken(replay: Replay, check: Ply) -> bool:
    """Return whether a check, from which the king cannot go away, is met by a capture."""
    king, reply = check.after.king(not replay.solver), replay.at(check.number + 1)
    is_shut_in = all(move.from_square != king for move in check.after.legal_moves)
    return is_shut_in and reply is not None and reply.captured is not None


def may_not_recapture(replay: Replay) -> bool:
    """Return whether the first move captures a defended piece, and each recapture would allow mate.

    Mate in two counts if all moves check.
    """
    first, reply = replay.plies[0], replay.at(1)
    if first.captured in (None, chess.PAWN) or (reply is not None and reply.target == first.target):
        return False
    recaptures = [move for move in first.after.legal_moves if move.to_square == first.target]
    after = [board_after(first.after.board, [move]) for move in recaptures]
    return bool(after) and all(has_mate(board) or forced_mate(board) is not None for board in after)


def forced_mate(board: chess.Board) -> chess.Move | None:
    """Return a check after which every answer allows mate, None if there is none."""
    return next((move for move in checks(board) if mates_in_two(board, move)), None)


def threatens_mate_in_two(ply: Ply) -> bool:
    """Return whether a move without check newly threatens mate in two, with checks alone."""
    before, then = ply.before.board, ply.after.board.copy(stack=False)
    then.push(chess.Move.null())
    return forced_mate(then) is not None and forced_mate(before) is None


def mates_in_two(board: chess.Board, check: chess.Move) -> bool:
    """Return whether every answer to a check allows mate. The board is as before afterwards."""
    board.push(check)
    mates = all(has_mate(board_after(board, [answer])) for answer in board.legal_moves)
    board.pop()
    return mates


def makes_two_threats(replay: Replay) -> bool:
    """Return whether two pieces can be won after a move, which is no check, and could not before it.

    It is the first one, or the second one if the first had to be answered: a check, or a capture that was
    taken back. All captures that may follow count. One of the threats may be to promote, or to mate.
    """
    return any(map(_threatens_two, _first_or_forced(replay)))


def _first_or_forced(replay: Replay) -> list[Ply]:
    """Return the first move, and the second one if the first is a check, or a capture that is taken back."""
    first, reply, second = (replay.at(number) for number in range(3))
    is_forced = first and reply and (first.check or (first.captured and reply.target == first.target))
    return [ply for ply in (first, second if is_forced else None) if ply]


def _threatens_two(ply: Ply) -> bool:
    then, before = passed(ply.after.board), ply.before.board
    if then is None or ply.captured not in (None, chess.PAWN):
        return False
    pieces = then.occupied_co[not then.turn] & ~then.pawns & ~then.kings
    attacked = pieces & ply.after.defended[then.turn]
    mates = {move.to_square for move in mating_moves(then)}
    won = [
        square
        for square in chess.scan_forward(attacked)
        if square not in mates and falls(then, square) and not falls(before, square)
    ]
    return len(won) + bool(mates) + (_promotes(then) and not _promotes(before)) >= 2


def attacks_two(replay: Replay) -> bool:
    """Return whether the first move attacks two pieces or pawns, which then hang, and one of them falls."""
    first = replay.plies[0]
    enemies = first.after.board.occupied_co[not replay.solver] & ~first.after.board.kings
    lost = {
        square
        for square in chess.scan_forward(first.after.attacks[first.target] & enemies)
        if is_lost(first.after, square) and not is_lost(first.before, square)
    }
    return first.captured is None and len(lost) > 1 and any(ply.target in lost for ply in replay.solver_plies)


def attacks_with_defender(replay: Replay) -> bool:
    """Return whether a quiet first move attacks a queen, and a piece that the queen alone defends."""
    first, board = replay.plies[0], replay.plies[0].after.board
    attacked = first.after.attacks[first.target] & board.occupied_co[not replay.solver]
    queens = attacked & board.queens
    others = chess.scan_forward(attacked & ~(board.queens | board.pawns | board.kings))
    return (
        first.quiet
        and bool(queens)
        and any(not board.attackers_mask(not replay.solver, at) & ~queens for at in others)
    )


def drives_defender_off(replay: Replay) -> bool:
    """Return whether the first move attacks a piece that then leaves what it defended, and that is captured.

    What is captured could not be won before, and the piece did not hang.
    """
    first, reply, follow_up = (replay.at(number) for number in range(3))
    if reply is None or follow_up is None or first is None or first.check or follow_up.captured is None:
        return False
    driven, target = reply.origin, follow_up.target
    if target == reply.target or first.before.board.piece_at(driven) is None:
        return False
    is_new = first.after.is_hanging(driven) and not first.before.is_hanging(driven)
    leaves = first.after.attacks[driven] >> target & 1 and not reply.after.attacks[reply.target] >> target & 1
    return (
        is_new
        and bool(leaves)
        and falls(follow_up.before.board, target)
        and not falls(first.before.board, target)
    )


def catches_queen(replay: Replay) -> bool:
    """Return whether one of the first three moves, no check, attacks a queen that is captured soon.

    It could move, but takes nothing except what attacks it, if that is worth less.
    """
    for ply in replay.solver_plies[:3]:
        if ply.captured is not None:
            return False
        attacked = ply.after.attacks[ply.target] & ply.after.board.occupied_co[not replay.solver]
        for square in chess.scan_forward(attacked & ply.after.board.queens):
            can_move = any(move.from_square == square for move in ply.after.legal_moves)
            if (
                can_move
                and not ply.check
                and ply.after.is_hanging(square)
                and _is_caught(replay, ply, square)
            ):
                return True
    return False


def _is_caught(replay: Replay, attack: Ply, square: chess.Square) -> bool:
    """Return whether one of the next two moves captures the queen on a square, for less than a queen."""
    for _, reply, capture in [three for three in replay.pairs() if three[0].number >= attack.number][:2]:
        if reply.origin == square:
            if reply.captured and (reply.target != attack.target or attack.kind == chess.QUEEN):
                return False
            square = reply.target
        if capture.target == square:
            return net_gain(capture, replay) >= _LEAST_WON
    return False


def opens_line(replay: Replay) -> bool:
    """Return whether the first move, no check, opens a line to a piece that could not be won before.

    Or the second move does, if the first one had to be answered.
    """
    for ply in _first_or_forced(replay):
        then, before = passed(ply.after.board), ply.before.board
        # What the move takes is enough, if it is worth as much.
        worth = WORTH[ply.captured] if ply.captured else 0
        opened = {target for _, target in opened_lines(ply, replay.solver)}
        targets = {at for at in opened if WORTH[ply.after.kind(at)] > worth}
        if then is not None and any(falls(then, at) and not falls(before, at) for at in targets):
            return True
    return False


def captures_guard(replay: Replay) -> bool:
    """Return whether the first move, perhaps a check, captures what guards another piece.

    That could not be won before; it is captured next, not by the same piece, and nothing can take back.
    """
    first, reply, follow_up = (replay.at(number) for number in range(3))
    if first is None or reply is None or follow_up is None or first.captured is None:
        return False
    target = follow_up.target
    if follow_up.captured in (None, chess.PAWN) or follow_up.origin == first.target or reply.target == target:
        return False
    guards = first.before.attacks.get(first.target, chess.BB_EMPTY) >> target & 1
    taken_back = any(move.to_square == target for move in follow_up.after.legal_moves)
    return bool(guards) and not taken_back and not falls(first.before.board, target)


def falls(board: chess.Board, square: chess.Square) -> bool:
    """Return whether the side to move wins something on a square, and loses nothing elsewhere for it."""
    captures = board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])
    return most_won(board, square) >= _LEAST_WON and any(_pays(board, capture) for capture in captures)


def _promotes(board: chess.Board) -> bool:
    promotions = board.generate_legal_moves(board.pawns, chess.BB_BACKRANKS)
    return any(_pays(board, move) for move in promotions if move.promotion == chess.QUEEN)


def _pays(board: chess.Board, move: chess.Move) -> bool:
    least = material_balance(board, board.turn) + _LEAST_WON
    return settles_at_least(board_after(board, [move]), board.turn, least)


def is_zugzwang(ply: Ply, replay: Replay) -> bool:
    """Return whether a move of the solver threatens nothing, but every reply loses material, or allows mate.

    The solution wins it later, unless the move is its last one and does not only repeat a position. With many
    pieces on the board, that is not looked for.
    """
    after, solver = ply.after.board, not ply.after.board.turn
    waits = passed(after)
    if waits is None or after.is_game_over() or chess.popcount(after.occupied) > _ZUGZWANG_PIECES:
        return False
    standing = settled_balance(waits, solver)
    if standing > settled_balance(after, solver) or has_mate(waits):
        return False
    end, repeated = replay.end.board, {earlier.after.board.epd() for earlier in replay.plies[: ply.number]}
    is_last = ply.after is replay.end and after.epd() not in repeated
    is_won = is_last or end.is_checkmate() or settles_at_least(end, solver, standing + 1)
    replies = (board_after(after, [reply]) for reply in after.legal_moves)
    return is_won and all(
        has_mate(board) or settles_at_least(board, solver, standing + 1) for board in replies
    )
