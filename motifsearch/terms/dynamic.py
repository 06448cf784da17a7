"""Terms of a solution: what happens along the line (Bizjak & Guid, ACG 2021).

The solver is the side to move in the puzzle position. General terms, each at most once:

    ?px  the solver captures            ?=    the solver promotes
    ?0x  the opponent captures          ?S    the solver sacrifices
    ?p+  the solver gives check         ?#    the line ends in mate
                                        ?1/2  the line ends in stalemate or insufficient material

Solution terms, with repetitions; letters carry the side except after `S` and `#`:

    !-R    a rook moves (either side); !-Rk two consecutive moves (castling is a king's move)
    !xp    a pawn is captured; !xRp two captures that follow one another among the captures
    !k>R   a king attacks a rook, and that king did not attack that rook before the move
    !Sr    a rook is sacrificed
    !#q    a queen takes part in the mate; !#bq each pair that does, in alphabetical order
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import chess

from puzzlegen.material import VALUES


def general_terms(board: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Return what the line does at all, each term once."""
    plies, final = _play(board, moves)
    solver, opponent = plies[::2], plies[1::2]
    true_of_line = {
        "?px": any(ply.captured for ply in solver),
        "?0x": any(ply.captured for ply in opponent),
        "?p+": any(ply.check for ply in solver),
        "?=": any(ply.promotion for ply in solver),
        "?S": any(True for _ in _sacrificed(plies)),
        "?#": final.is_checkmate(),
        "?1/2": final.is_stalemate() or final.is_insufficient_material(),
    }
    return [term for term, holds in true_of_line.items() if holds]


def solution_terms(
    board: chess.Board, moves: Sequence[chess.Move], both_sides_mate: bool = False
) -> list[str]:
    """Return what moves, what is captured, what attacks arise, what is given up and what mates.

    With `both_sides_mate` the mated side's own pieces around its king take part in the mate too.
    """
    plies, final = _play(board, moves)
    moved = [ply.piece.symbol() for ply in plies]
    captured = [ply.captured.symbol() for ply in plies if ply.captured]
    return [
        *(f"!-{piece}" for piece in moved),
        *(f"!-{first}{second}" for first, second in pairwise(moved)),
        *(f"!x{piece}" for piece in captured),
        *(f"!x{first}{second}" for first, second in pairwise(captured)),
        *(f"!{attacker}>{victim}" for attacker, victim in _new_attacks(board, moves)),
        *(f"!S{chess.piece_symbol(kind)}" for kind in _sacrificed(plies)),
        *_mate_terms(final, both_sides_mate),
    ]


@dataclass(frozen=True)
class _Ply:
    piece: chess.Piece
    captured: chess.Piece | None
    promotion: chess.PieceType | None
    check: bool


def _play(board: chess.Board, moves: Iterable[chess.Move]) -> tuple[list[_Ply], chess.Board]:
    board = board.copy(stack=False)
    plies = []
    for move in moves:
        piece = board.piece_at(move.from_square)
        if piece is None:
            raise ValueError(f"{move.uci()} moves nothing in {board.fen()}")
        captured = _victim(board, move)
        board.push(move)
        plies.append(_Ply(piece, captured, move.promotion, board.is_check()))
    return plies, board


def _victim(board: chess.Board, move: chess.Move) -> chess.Piece | None:
    square = _victim_square(board, move)
    return None if square is None else board.piece_at(square)


def _victim_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.piece_at(move.to_square) else None


def _sacrificed(plies: Sequence[_Ply]) -> Iterator[chess.PieceType]:
    """Yield the kind of each piece that the reply takes for more than the solver's move had gained.

    Gained is the value captured, and what a promotion adds to a pawn.
    """
    for own, reply in zip(plies[::2], plies[1::2], strict=False):
        if reply.captured is None:
            continue
        gained = VALUES[own.captured.piece_type] if own.captured else 0
        if own.promotion:
            gained += VALUES[own.promotion] - VALUES[chess.PAWN]
        if VALUES[reply.captured.piece_type] > gained:
            yield reply.captured.piece_type


def _new_attacks(board: chess.Board, moves: Iterable[chess.Move]) -> Iterator[tuple[str, str]]:
    """Yield attacker and victim of each attack that a move brings about, by either side.

    Pieces are told apart by identity, not square: a piece that moves and still attacks the same victim
    attacks nothing new, a promoted pawn is a new piece.
    """
    board = board.copy(stack=False)
    identity = {square: number for number, square in enumerate(chess.scan_forward(board.occupied))}
    before = _attacks(board, identity)
    for number, move in enumerate(moves, start=len(identity)):
        _follow(board, identity, move, number)
        board.push(move)
        after = _attacks(board, identity)
        yield from (letters for pair, letters in after.items() if pair not in before)
        before = after


def _attacks(board: chess.Board, identity: dict[chess.Square, int]) -> dict[tuple[int, int], tuple[str, str]]:
    """Return all attacks on enemy pieces: identities of attacker and victim, with their letters."""
    letters = {square: piece.symbol() for square, piece in board.piece_map().items()}
    found = {}
    for color in chess.COLORS:
        enemies = board.occupied_co[not color]
        for square in chess.scan_forward(board.occupied_co[color]):
            for victim in chess.scan_forward(board.attacks_mask(square) & enemies):
                found[identity[square], identity[victim]] = (letters[square], letters[victim])
    return found


def _follow(board: chess.Board, identity: dict[chess.Square, int], move: chess.Move, fresh: int) -> None:
    """Keep `identity` in step with a move about to be played; `fresh` names a promoted piece."""
    victim = _victim_square(board, move)
    if victim is not None:
        del identity[victim]
    mover = identity.pop(move.from_square)
    identity[move.to_square] = fresh if move.promotion else mover
    if board.is_castling(move):
        rank = chess.square_rank(move.from_square)
        rook_from, rook_to = (7, 5) if board.is_kingside_castling(move) else (0, 3)
        identity[chess.square(rook_to, rank)] = identity.pop(chess.square(rook_from, rank))


def _mate_terms(final: chess.Board, both_sides: bool) -> list[str]:
    king = final.king(final.turn)
    if king is None or not final.is_checkmate():
        return []
    zone = chess.BB_SQUARES[king] | chess.BB_KING_ATTACKS[king]
    candidates = final.occupied if both_sides else final.occupied_co[not final.turn]
    kinds = sorted(
        chess.piece_symbol(kind)
        for square in chess.scan_forward(candidates & ~chess.BB_SQUARES[king])
        if final.attacks_mask(square) & zone and (kind := final.piece_type_at(square))
    )
    return [*(f"!#{kind}" for kind in kinds), *(f"!#{one}{two}" for one, two in combinations(kinds, 2))]
