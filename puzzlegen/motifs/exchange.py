"""Winning material by captures alone: hanging pieces and exchanges, and the tags for gains of material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import takewhile

import chess

from chess_motif.captures import settled_balance
from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.replay import WORTH, Motif, Replay
from puzzlegen.motifs.worth import best_captures, gain, most_won, total_gain, worth_of


def hanging(replay: Replay) -> Iterator[Motif]:
    """Find an undefended piece that is captured at once. A recapture of as much is not notable."""
    first, lost = replay.plies[0], replay.capture_before
    if first.captured is None or first.captured == chess.PAWN:
        return
    if not first.before.is_defended(first.target):
        exchanges = lost and lost.square == first.target and WORTH[lost.kind] >= WORTH[first.captured]
        yield Motif("hangingPiece", 0, first.kind, (first.captured,), first.target, not exchanges)


def better_exchanges(replay: Replay) -> Iterator[Motif]:
    """Find exchanges that win material. `by` and `to` are the capturing and the captured piece at the start.

    An exchange is not notable if the whole solution wins more.
    """
    first = replay.plies[0]
    if first.captured is None:
        return
    exchange = list(takewhile(lambda ply: ply.captured, replay.plies))
    # The exchange ends with a capture by the solver.
    exchange = exchange[: len(exchange) - 1 + len(exchange) % 2]
    # In an en-passant capture, the target square is empty.
    is_defended = bool(first.before.defended[not replay.solver] >> first.target & 1)
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


def winnings(replay: Replay) -> str | None:
    """Return the tag for the material that a solution wins, None if it wins none.

    Pieces that both sides lose cancel out, and a bishop is as good as a knight. If the solution ends with a
    capture, the best further captures on that square count, too; if this shows no gain, all captures count.
    """
    last = replay.plies[-1]
    afterwards = best_captures(last.after.board, last.target) if last.captured else []
    won = total_gain(replay) - worth_of(afterwards)
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
    # A queen that is exchanged is not won, unless a check comes first.
    first = replay.plies[0]
    wins_queen = most == chess.QUEEN and (first.check or first.captured in (None, chess.QUEEN))
    if given and given[-1] != chess.PAWN and not wins_queen:
        return "winsMaterial"
    return _WINS[most]


# Bishops and knights count as the same kind.
_MINOR = chess.BISHOP

_WINS = {
    chess.PAWN: "winsPawn",
    _MINOR: "winsPiece",
    chess.ROOK: "winsRook",
    chess.QUEEN: "winsQueen",
}
