"""Winning material by exchanges alone: pieces that hang, and captures after which the solver is ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

import chess
from chess import PieceType, Square

from chess_motif.captures import settled_balance
from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.defences import gain, net_gain, total_gain
from puzzlegen.motifs.replay import WORTH, AttackMap, Motif, Ply, Replay, rule


@rule(
    hangingPiece="The first move captures an undefended piece, not counting pawns. If it recaptures, it "
    "wins more than was lost."
)
def hanging(replay: Replay) -> Iterator[Motif]:
    """Find an undefended piece that is captured at once. It is not notable as a part of an exchange."""
    first, lost = replay.plies[0], replay.capture_before
    if first.captured is None or first.captured == chess.PAWN:
        return
    if not first.before.is_defended(first.target):
        exchanges = lost and lost.square == first.target and WORTH[lost.kind] >= WORTH[first.captured]
        yield Motif("hangingPiece", 0, first.kind, (first.captured,), first.target, not exchanges)


@rule(
    betterExchange="The first move captures a defended piece, not a pawn, and wins material even if it is "
    "taken back; or both sides capture, move after move, from the first move on. This wins all that the "
    "solution wins, and more than the capture before it lost. Only where no other motif says more.",
    hangingPawn="The first move captures an undefended pawn, and the solution wins no more than that. Only "
    "where no other motif says more.",
)
def better_exchanges(replay: Replay) -> Iterator[Motif]:
    """Find exchanges that win material. `by` and `to` are the first piece that captures and the captured one.

    If other moves win more, they are not notable.
    """
    first = replay.plies[0]
    if first.captured is None:
        return
    exchange = list(takewhile(lambda ply: ply.captured, replay.plies))
    # It ends with a capture of the solver.
    exchange = exchange[: len(exchange) - 1 + len(exchange) % 2]
    is_defended = first.before.is_defended(first.target)
    lost = PIECE_VALUES[replay.capture_before.kind] if replay.capture_before else 0
    won = sum(gain(ply) if ply.number % 2 == 0 else -gain(ply) for ply in exchange)
    if len(exchange) == 1 and is_defended:
        won -= most_won(first.after.board, first.target)
    if won <= lost:
        return
    is_pawn = first.captured == chess.PAWN
    name = "hangingPawn" if is_pawn and not is_defended and won == gain(first) else "betterExchange"
    if name == "hangingPawn" or len(exchange) > 1 or (is_defended and not is_pawn):
        yield Motif(name, 0, first.kind, (first.captured,), first.target, won >= total_gain(replay))


def most_won(board: chess.Board, square: Square) -> int:
    """Return what captures on an occupied square win at most, in pawns."""
    return _worth(best_captures(board, square))


def is_lost(attack_map: AttackMap, square: Square) -> bool:
    """Return whether a piece hangs, or is attacked more often than it is defended."""
    return attack_map.is_hanging(square) or most_won(attack_map.board, square) > 0


def _worth(captured: Sequence[PieceType]) -> int:
    """Return what captures in turn win for the side that makes the first one, in pawns."""
    values = [PIECE_VALUES[kind] for kind in captured]
    return sum(values[::2]) - sum(values[1::2])


def settled_gain(ply: Ply, replay: Replay) -> int:
    """Return what a move wins, less what is recaptured on its square, in the end as both sides do best."""
    if ply is replay.plies[-1]:
        return gain(ply) - most_won(ply.after.board, ply.target)
    return net_gain(ply, replay)


def best_captures(board: chess.Board, square: Square) -> list[PieceType]:
    """Return the pieces that are captured on an occupied square, that which stands there first.

    Both sides capture with the piece of least value first, and stop when they like (static exchange).
    """
    side, occupied, on_square = not board.color_at(square), board.occupied, _kind(board, square)
    captured: list[PieceType] = []
    while attackers := board.attackers_mask(side, square, occupied) & occupied:
        at = min(chess.scan_forward(attackers), key=lambda at: WORTH[_kind(board, at)])
        defenders = board.attackers_mask(not side, square, occupied ^ chess.BB_SQUARES[at]) & occupied
        if _kind(board, at) == chess.KING and defenders:
            break
        captured.append(on_square)
        on_square, side, occupied = _kind(board, at), not side, occupied ^ chess.BB_SQUARES[at]
    won, made = 0, len(captured)
    for number in reversed(range(len(captured))):
        won = max(0, PIECE_VALUES[captured[number]] - won)
        if not won:
            made = number
    return captured[:made]


def _kind(board: chess.Board, square: Square) -> PieceType:
    kind = board.piece_type_at(square)
    assert kind is not None
    return kind


def winnings(replay: Replay) -> str | None:
    """Return the tag that says plainly what a solution wins, None if it wins no material.

    Pieces that both sides lose cancel out, and a bishop is as good as a knight. After a capture that ends the
    solution, the captures on its square count that are best for each side; if these win nothing, all captures
    that may follow.
    """
    last = replay.plies[-1]
    afterwards = best_captures(last.after.board, last.target) if last.captured else []
    won = total_gain(replay) - _worth(afterwards)
    taken = [
        _MINOR if kind == chess.KNIGHT else kind
        for kind in (*(ply.captured for ply in replay.plies), *afterwards)
    ]
    captured, lost = (Counter(kind for kind in taken[first::2] if kind) for first in (0, 1))
    kinds = sorted((captured - lost).elements())
    given = sorted((lost - captured).elements())
    if won <= 0 or not kinds:
        start = material_balance(replay.start.board, replay.solver)
        wins = not replay.mates and settled_balance(last.after.board, replay.solver) > start
        return "winsMaterial" if wins else None
    most = kinds[-1]
    if most == chess.ROOK and given == [_MINOR]:
        return "winsExchange"
    # What a queen captures back, unless it has to meet a check, is not won before it does.
    first = replay.plies[0]
    wins_queen = most == chess.QUEEN and (first.check or first.captured in (None, chess.QUEEN))
    if given and given[-1] != chess.PAWN and not wins_queen:
        return "winsMaterial"
    return _WINS[most]


# Bishops and knights are the same to those who count.
_MINOR = chess.BISHOP

_WINS = {
    chess.PAWN: "winsPawn",
    _MINOR: "winsPiece",
    chess.ROOK: "winsRook",
    chess.QUEEN: "winsQueen",
}
