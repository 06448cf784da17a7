"""Terms of the course of a solution: what is offered, how it is answered, what follows, how it ends.

A step is a move of the solver with the reply and the solver's next move. These terms are not from the papers;
each counts once. The solver is White.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import chess

from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.replay import Ply, Replay
from puzzlegen.motifs.worth import gain
from puzzlegen.reasons.reason import Reasons, cause_of

# A loss of this much, in pawns, is a sacrifice; a smaller loss is an exchange.
_SACRIFICE = 2

# The largest number of moves, balance in pawns, and number of plies that terms distinguish.
_MANY, _LARGE, _LONG = 4, 9, 13


def step_terms(replay: Replay) -> list[str]:
    """Return the steps, such as `accepts:gives>x+S`.

    The example means: an offer is accepted, then the solver captures with check on the same square. A second
    term (`accepts:k:gives>x+S`) also has the piece that replies. After the arrow is the solver's next move:
    capture (`x`), promotion (`=`), check (`+`), mate (`#`); to the square where the reply went (`S`) or came
    from (`o`), with the piece that moved before (`p`), across the square that the reply (`b`) or the move
    before (`d`) left. The first step has additional terms, also for its parts.
    """
    terms: list[str] = []
    for offer in replay.solver_plies:
        reply, follow_up = replay.at(offer.number + 1), replay.at(offer.number + 2)
        step = [f"{_shape(offer)}>"]
        parts = [_shape(offer), chess.piece_symbol(offer.kind)]
        if reply is not None and follow_up is not None:
            answer, piece = cause_of(replay, reply.number), chess.piece_symbol(reply.kind)
            price, then = _price(offer, reply), _follow_up(offer, reply, follow_up)
            step = [f"{answer}:{price}>{then}", f"{answer}:{piece}:{price}>{then}"]
            parts += [f"{answer}:{price}", f">{then}"]
        terms += step
        if offer.number == 0:
            terms += [f"1:{term}" for term in step + parts]
    return list(dict.fromkeys(terms))


def course_terms(replay: Replay, reasons: Reasons) -> list[str]:
    """Return terms of the whole solution: its end, its moves by kind, pawns, pins, and the material.

    Balances are in pawns, seen from the solver.
    """
    terms = [*_ends(replay, reasons), *_counts(replay), *_pawns(replay), *_pins(replay), *_army(replay)]
    return list(dict.fromkeys(terms))


def _shape(ply: Ply) -> str:
    """Return what a move does, such as `x+` (`x`, `=`, `+` and `#`), or `quiet`."""
    if ply.mates:
        return "#"
    shape = f"{'x' if ply.captured else ''}{'=' if ply.move.promotion else ''}{'+' if ply.check else ''}"
    return shape or "quiet"


def _lost(offer: Ply, reply: Ply) -> int:
    """Return what the solver loses, in pawns, by a move and the capture that replies."""
    return (PIECE_VALUES[reply.captured] if reply.captured else 0) - gain(offer)


def _price(offer: Ply, reply: Ply) -> str:
    if reply.captured is None or reply.target != offer.target:
        return ""
    lost = _lost(offer, reply)
    return "gives" if lost >= _SACRIFICE else "exchanges" if lost >= 0 else "wins"


def _follow_up(offer: Ply, reply: Ply, move: Ply) -> str:
    way = chess.between(move.origin, move.target)
    relations = {
        "S": move.target == reply.target,
        "o": move.target == reply.origin,
        "p": move.origin == offer.target,
        "b": way >> reply.origin & 1,
        "d": way >> offer.origin & 1,
    }
    return _shape(move) + next((letter for letter, holds in relations.items() if holds), "")


def _ends(replay: Replay, reasons: Reasons) -> Iterator[str]:
    signed = (gain(ply) if ply.number % 2 == 0 else -gain(ply) for ply in replay.plies)
    balances = list(accumulate(signed, initial=0))
    if replay.end.stuck:
        yield "ends:mate" if replay.mates else "ends:stalemate"
    else:
        yield "ends:ahead" if balances[-1] > 0 else "ends:even" if balances[-1] == 0 else "ends:behind"
    yield f"ends:{_at_most(balances[-1], _LARGE)}"
    lowest = min(range(0, len(balances), 2), key=balances.__getitem__)
    yield f"lowest:{_at_most(balances[lowest], _LARGE)}"
    yield f"lowest@{_at_most(lowest, _LARGE)}"
    for goal in reasons.goals:
        if goal.threatened:
            yield f"threatens:{goal.aim}"
    if reasons.decisive is not None:
        yield f"decides:{reasons.decisive.aim}"
        yield f"decides@{_at_most(reasons.decisive.number, _LARGE)}"


def _counts(replay: Replay) -> Iterator[str]:
    plies = replay.solver_plies
    sacrifices = sum(
        reply.captured is not None and _lost(replay.plies[reply.number - 1], reply) >= _SACRIFICE
        for reply in replay.plies[1::2]
    )
    yield f"plies:{_at_most(len(replay.plies), _LONG)}"
    counts = {
        "sacrifices": sacrifices,
        "checks": sum(ply.check for ply in plies),
        "captures": sum(ply.captured is not None for ply in plies),
        "quiet": sum(ply.quiet for ply in plies),
    }
    yield from (f"{name}:{_at_most(count, _MANY)}" for name, count in counts.items() if count)


def _pawns(replay: Replay) -> Iterator[str]:
    moves = [ply for ply in replay.solver_plies if ply.kind == chess.PAWN]
    if moves:
        yield f"pawn-moves:{_at_most(len(moves), _MANY)}"
    for ply in moves:
        yield f"pawn-to:{chess.square_rank(ply.target) + 1}"
        yield "pawn-takes" if ply.captured else "pawn-push"
    own = replay.start.board.pieces_mask(chess.PAWN, replay.solver)
    yield f"farthest-pawn:{chess.square_rank(chess.msb(own)) + 1 if own else 0}"
    if any(ply.move.promotion for ply in replay.plies[1::2]):
        yield "opponent-promotes"


def _pins(replay: Replay) -> Iterator[str]:
    enemy = not replay.solver
    for side, color in (("own", replay.solver), ("enemy", enemy)):
        if pinned := replay.start.pinners[color]:
            yield f"{side}-pinned:{len(pinned)}"
    for ply in replay.solver_plies:
        before, after = ply.before.pinners[enemy], ply.after.pinners[enemy]
        if ply.target in before:
            yield "takes-pinned"
        if after.keys() - before.keys():
            yield "pins"
        if any(ply.after.attacks[square] >> ply.target & 1 for square in after):
            yield "pinned-cannot-take"


def _army(replay: Replay) -> Iterator[str]:
    board, solver = replay.start.board, replay.solver

    def count(kind: chess.PieceType, color: chess.Color) -> int:
        return chess.popcount(board.pieces_mask(kind, color))

    yield f"pieces:{chess.popcount(board.occupied) // 4}"
    yield f"officers:{sum(count(kind, solver) for kind in range(chess.KNIGHT, chess.KING))}"
    yield f"queens:{min(1, count(chess.QUEEN, solver))}{min(1, count(chess.QUEEN, not solver))}"
    yield f"ahead:{_at_most(material_balance(board, solver), _LARGE) // 2}"
    yield f"king-rank:{chess.square_rank(replay.start.king(not solver)) + 1}"
    if replay.start.check:
        yield "in-check"


def _at_most(number: int, most: int) -> int:
    return max(-most, min(number, most))
