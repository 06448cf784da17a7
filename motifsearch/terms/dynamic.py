"""Terms of a solution: what happens along the line (Bizjak & Guid, ACG 2021).

The solver is the side to move in the puzzle position. General terms, each at most once:

    ?px  the solver captures            ?=    the solver promotes
    ?0x  the opponent captures          ?S    the solver sacrifices
    ?p+  the solver gives check         ?#    the line ends in mate
                                        ?1/2  the line ends in stalemate or insufficient material

Solution terms, with repetitions; upper-case letters are White's pieces:

    !-R    a rook moves (either side); !-Rk two consecutive moves (castling is a king's move)
    !xp    a pawn is captured; !xRp two captures with none between them
    !k>R   a king attacks a rook, and that king did not attack that rook before the move

Terms of pieces with a role, each at most once, without the side:

    !Sr    a rook is sacrificed
    !#q    a queen takes part in the mate; !#bq each pair that does, in alphabetical order

Figure 2 of the paper has terms of roles among the general terms, each once; section 3.2 describes them as
solution terms. That pieces of the mated side take part, too, is inferred: the figure has `!#r`, although one
of White's rooks is captured and the other is on a1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import chess
from chess import Bitboard, Square

from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.motifs.worth import gives_up


def general_terms(replay: Replay) -> list[str]:
    """Return the general terms of a solution, each at most once."""
    holds = {
        "?px": any(ply.captured for ply in replay.plies[::2]),
        "?0x": any(ply.captured for ply in replay.plies[1::2]),
        "?p+": any(ply.check for ply in replay.plies[::2]),
        "?=": any(ply.move.promotion for ply in replay.plies[::2]),
        "?S": any(True for _ in _sacrificed(replay)),
        "?#": replay.mates,
        "?1/2": replay.end.stalemate or replay.end.board.is_insufficient_material(),
    }
    return [term for term, present in holds.items() if present]


def solution_terms(replay: Replay) -> list[str]:
    """Return the terms of moves, captures and new attacks, with repetitions."""
    moved = [_letter(ply.kind, ply.number, replay) for ply in replay.plies]
    captured = [
        _letter(ply.captured, ply.number + 1, replay) for ply in replay.plies if ply.captured is not None
    ]
    return [
        *(f"!-{piece}" for piece in moved),
        *(f"!-{first}{second}" for first, second in pairwise(moved)),
        *(f"!x{piece}" for piece in captured),
        *(f"!x{first}{second}" for first, second in pairwise(captured)),
        *(f"!{attacker}>{victim}" for ply in replay.plies for attacker, victim in _new_attacks(ply)),
    ]


def role_terms(replay: Replay) -> list[str]:
    """Return the terms of pieces that are sacrificed or take part in the mate, each kind of piece once."""
    mating = _mating(replay)
    return [
        *(f"!S{chess.piece_symbol(kind)}" for kind in dict.fromkeys(_sacrificed(replay))),
        *(f"!#{kind}" for kind in mating),
        *(f"!#{first}{second}" for first, second in combinations(mating, 2)),
    ]


def _letter(kind: chess.PieceType, number: int, replay: Replay) -> str:
    """Return the letter of a piece of the side that plays ply `number` (the solver plays ply 0)."""
    white = (number % 2 == 0) == (replay.solver == chess.WHITE)
    return chess.piece_symbol(kind).upper() if white else chess.piece_symbol(kind)


def _sacrificed(replay: Replay) -> Iterator[chess.PieceType]:
    """Yield the kind of each captured piece of the solver that is worth more than the move before gained.

    A move gains the value of the captured piece, and what a promotion adds to a pawn.
    """
    for move, reply in zip(replay.plies[::2], replay.plies[1::2], strict=False):
        if reply.captured is not None and gives_up(move, reply):
            yield reply.captured


def _new_attacks(ply: Ply) -> Iterator[tuple[str, str]]:
    """Yield attacker and victim of each attack by either side that a move creates.

    A piece keeps its identity when it moves: if it still attacks the same victim, the attack is not new. A
    promoted pawn is a new piece.
    """
    before, after = ply.before.attacks, ply.after.attacks
    board = ply.after.board
    origin, target = chess.BB_SQUARES[ply.origin], chess.BB_SQUARES[ply.target]
    came_from = _came_from(ply)
    for square, attacked in after.items():
        white = bool(board.occupied_co[chess.WHITE] >> square & 1)
        victims = attacked & board.occupied_co[not white]
        if not victims:
            continue
        old = before.get(came_from.get(square, square), chess.BB_EMPTY)
        if square in came_from:
            new = victims if ply.move.promotion else victims & ~old
        else:
            # The moved piece is not a new victim of a piece that attacked it before.
            still = target if old & origin and not ply.move.promotion else chess.BB_EMPTY
            new = victims & ~(old & ~target | still)
        for victim in chess.scan_forward(new):
            yield _symbol(ply.after, square), _symbol(ply.after, victim)


def _came_from(ply: Ply) -> dict[Square, Square]:
    """Return the origin of each piece that moved, by the square that it is on now."""
    if not ply.before.board.is_castling(ply.move):
        return {ply.target: ply.origin}
    rank = chess.square_rank(ply.origin)
    short = ply.before.board.is_kingside_castling(ply.move)
    rook_from, rook_to = (7, 5) if short else (0, 3)
    king_to = chess.square(6 if short else 2, rank)
    return {king_to: ply.origin, chess.square(rook_to, rank): chess.square(rook_from, rank)}


def _symbol(attack_map: AttackMap, square: Square) -> str:
    letter = chess.piece_symbol(attack_map.kind(square))
    return letter.upper() if attack_map.board.occupied_co[chess.WHITE] >> square & 1 else letter


def _mating(replay: Replay) -> list[str]:
    """Return the letters of the pieces of both sides that take part in the mate, in alphabetical order."""
    if not replay.mates:
        return []
    attack_map = replay.end
    king = attack_map.king(attack_map.board.turn)
    zone: Bitboard = chess.BB_SQUARES[king] | chess.BB_KING_ATTACKS[king]
    return sorted(
        {
            chess.piece_symbol(attack_map.kind(square))
            for square, attacked in attack_map.attacks.items()
            if attacked & zone and square != king
        }
    )
