"""Terms of the motifs that a solution shows, and of its end. The solver is White.

These terms are not from the papers. The end is counted and seen from the last move, so that the same idea in
fewer moves has the same terms. Bishops, rooks and queens are one class there, the line pieces (`l`), so that
the same idea with another piece has the same terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import chess
from chess import Square

from puzzlegen.motifs.mates import Mate
from puzzlegen.motifs.replay import SLIDERS, Motif, Ply, Replay

# Pieces at most this many king's moves from the target of the last move are near it, as are captures from the
# enemy king.
_NEAR = 2

# The longest run of the solver's last moves that is one term.
_LAST_MOVES = 3

_distance = cache(chess.square_distance)

_LETTER = {kind: chess.piece_symbol(kind) for kind in chess.PIECE_TYPES}

# By letter, the class of a piece.
_CLASS = {letter: "l" if kind in SLIDERS else letter for kind, letter in _LETTER.items()}
_CLASS |= {letter.upper(): piece_class.upper() for letter, piece_class in _CLASS.items()}


def name_terms(motifs: list[Motif], replay: Replay) -> Iterator[str]:
    """Yield the name of each motif, and the name with the number of the solver's moves to come (`fork@1`)."""
    for motif in motifs:
        yield motif.name
        yield f"{motif.name}@{(len(replay.plies) - 1 - motif.ply) // 2}"


def relation_terms(motifs: list[Motif]) -> Iterator[str]:
    """Yield each motif with the class of its piece, also with its targets, and with its targets alone.

    A knight's fork of king and queen is `fork:n`, `fork:n>kl` and `fork>kq`.
    """
    for motif in motifs:
        by = f"{motif.name}:{_CLASS[_LETTER[motif.by]]}"
        yield by
        if motif.to:
            targets = [_LETTER[kind] for kind in motif.to]
            yield f"{by}>{''.join(sorted(_CLASS[target] for target in targets))}"
            yield f"{motif.name}>{''.join(targets)}"


def mate_terms(replay: Replay) -> Iterator[str]:
    """Yield how the king is mated: where it is, what gives mate, what blocks and what covers its squares.

    Squares are relative to the king, left and right being the same: `n12` is a knight one file away and two
    ranks nearer to the solver. There are no terms if the solution does not end in mate.
    """
    if not replay.mates:
        return
    mate = Mate(replay.end)
    attack_map, king = mate.attack_map, mate.king
    yield f"on:{_zone(king)}"
    for checker in mate.checkers:
        yield f"mates:{_LETTER[attack_map.kind(checker)]}"
        yield f"mates:{_LETTER[attack_map.kind(checker)]}{_offset(checker, king)}"
    for square in chess.scan_forward(mate.blocked):
        yield f"blocks:{_LETTER[attack_map.kind(square)]}"
        yield f"blocks{_offset(square, king)}"
    for square in mate.helpers():
        yield f"covers:{_LETTER[attack_map.kind(square)]}"
        yield f"covers:{_LETTER[attack_map.kind(square)]}{_offset(square, king)}"


def capture_terms(replay: Replay) -> Iterator[str]:
    """Yield the captures: `sqxn` if the solver takes a knight with the queen, `oqxn` if the opponent does.

    A second term has a `!` if the captured piece was undefended. A third term (`@`) has the square relative
    to the enemy king if it is near. Captures on the square of the move before have a term with `re`, and
    another with `takes:` if the move before was not a capture.
    """
    king = replay.start.king(not replay.solver)
    for ply in replay.plies:
        if ply.captured is None:
            continue
        side = "o" if ply.number % 2 else "s"
        defended = ply.before.defended[not ply.before.board.turn] >> ply.target & 1
        how = f"{side}{_LETTER[ply.kind]}x{_LETTER[ply.captured]}"
        yield how
        yield f"{how}{'' if defended else '!'}"
        if _distance(king, ply.target) <= _NEAR:
            yield f"{how}@{_offset(ply.target, king)}"
        before = replay.plies[ply.number - 1] if ply.number else None
        if before is not None and before.target == ply.target:
            yield f"re{how}"
            if before.captured is None:
                yield f"takes:{_LETTER[ply.kind]}x{_LETTER[ply.captured]}"


def end_piece_terms(replay: Replay) -> Iterator[str]:
    """Yield the position before the last move, as seen from the enemy king and from the target of that move.

    There is a term for the part of the board that the king is in, one for each other piece with its square
    relative to the king, left and right being the same (`N12` is a knight one file away and two ranks nearer
    to the solver), and one for each piece near the target, by class (`@L20`).
    """
    last = replay.plies[-1]
    king = last.before.king(not replay.solver)
    yield f"king:{_zone(king)}"
    for square, symbol in last.before.symbols.items():
        if square != king:
            yield f"{symbol}{_offset(square, king)}"
        if square != last.target and _distance(square, last.target) <= _NEAR:
            yield f"@{_CLASS[symbol]}{_offset(square, last.target)}"


def end_move_terms(replay: Replay) -> Iterator[str]:
    """Yield the moves by the class of their piece.

    There are terms for each move with its number from the end (`0:lx#`), for the side with the move and its
    distance (`1kx1,-1`), for two consecutive moves and the distance between their targets, and for the
    solver's last move, the last two and the last three.
    """
    plies, names = replay.plies, [_name(ply) for ply in replay.plies]
    for ply, name in zip(plies, names, strict=True):
        yield f"{len(plies) - 1 - ply.number}:{name}"
        yield f"{ply.number % 2}{name}{_step(ply.origin, ply.target)}"
    for (ply, reply), (name, reply_name) in zip(pairwise(plies), pairwise(names), strict=True):
        yield f"{name}>{reply_name}{_step(ply.target, reply.target)}"
    own = names[::2]
    yield from (f"last:{','.join(own[-count:])}" for count in range(1, min(len(own), _LAST_MOVES) + 1))


def _step(origin: Square, target: Square) -> str:
    """Return the distance in files, and in ranks towards the opponent, such as `1,2`."""
    files = abs(chess.square_file(target) - chess.square_file(origin))
    return f"{files},{chess.square_rank(target) - chess.square_rank(origin)}"


def _name(ply: Ply) -> str:
    """Return a move without its squares: class, capture, promotion, check or mate, such as `lx+`."""
    check = "#" if ply.mates else "+" if ply.check else ""
    promotes = f"={_LETTER[ply.move.promotion]}" if ply.move.promotion else ""
    return f"{_CLASS[_LETTER[ply.kind]]}{'x' if ply.captured else ''}{promotes}{check}"


@cache
def _offset(square: Square, center: Square) -> str:
    """Return the distance in files, and in ranks towards the solver, such as `12`."""
    files = abs(chess.square_file(square) - chess.square_file(center))
    ranks = chess.square_rank(center) - chess.square_rank(square)
    return f"{files}{'-' if ranks < 0 else ''}{abs(ranks)}"


def _zone(king: Square) -> str:
    """Return the part of the board that the enemy king is in."""
    file, rank = chess.square_file(king), chess.square_rank(king)
    side = min(file, 7 - file)
    if rank == 7:
        return "corner" if side == 0 else "castled" if side == 1 else "home"
    if rank == 0:
        return "far"
    return "edge" if side == 0 else "seventh" if rank == 6 else "open"
