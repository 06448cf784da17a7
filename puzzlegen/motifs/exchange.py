"""Winning material by exchanges alone: pieces that hang, and captures after which the solver is ahead."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import chess

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.defences import gain, total_gain
from puzzlegen.motifs.replay import WORTH, Motif, Replay, rule


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
    betterExchange="Both sides capture, move after move, from the first move on, or a piece captures a "
    "defended one of higher value. This wins all that the solution wins, the capture before it included."
)
def better_exchanges(replay: Replay) -> Iterator[Motif]:
    """Find an exchange that wins material. `by` and `to` are the first piece that captures and the captured.

    If other moves win more, it is not notable.
    """
    exchange = list(takewhile(lambda ply: ply.captured, replay.plies))
    # It ends with a capture of the solver.
    exchange = exchange[: len(exchange) - 1 + len(exchange) % 2]
    first = replay.plies[0]
    if first.captured is None or not exchange:
        return
    takes_more = WORTH[first.captured] > WORTH[first.kind] and first.before.is_defended(first.target)
    lost = PIECE_VALUES[replay.capture_before.kind] if replay.capture_before else 0
    won = sum(gain(ply) if ply.number % 2 == 0 else -gain(ply) for ply in exchange)
    if (len(exchange) > 1 or takes_more) and won > lost:
        yield Motif(
            "betterExchange", 0, first.kind, (first.captured,), first.target, won >= total_gain(replay)
        )
