"""Terms of the motif: what a solution shows and why it works, how it mates, what is captured, and the king.

These terms are not from the papers. Each family is a field, with a weight. The solver is White.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import chess
from chess import PieceType, Square

from puzzlegen.motifs.mates import Mate
from puzzlegen.motifs.replay import Motif, Ply, Replay
from puzzlegen.reasons.reason import Part, Reason, Reasons

# Pieces and captures at most this many king's moves from the enemy king are near it.
_NEAR = 2

_distance = cache(chess.square_distance)

_LETTER: dict[PieceType | None, str] = {None: ""}
_LETTER |= {kind: chess.piece_symbol(kind) for kind in chess.PIECE_TYPES}


def relation_terms(motifs: list[Motif]) -> Iterator[str]:
    """Yield each motif: its name (`fork`), with its piece (`fork:n`), and with the targets (`fork:n>kq`)."""
    for motif in motifs:
        yield motif.name
        by = f"{motif.name}:{_LETTER[motif.by]}"
        yield by
        if motif.to:
            yield f"{by}>{''.join(_LETTER[kind] for kind in motif.to)}"


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
        yield f"mates:{_LETTER[attack_map.kind(checker)]}{_near(checker, king)}"
    for square in chess.scan_forward(mate.blocked):
        yield f"blocks:{_LETTER[attack_map.kind(square)]}"
        yield f"blocks{_near(square, king)}"
    for square in mate.helpers():
        yield f"covers:{_LETTER[attack_map.kind(square)]}"
        yield f"covers:{_LETTER[attack_map.kind(square)]}{_near(square, king)}"


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
        if chess.square_distance(king, ply.target) <= _NEAR:
            yield f"{how}@{_near(ply.target, king)}"
        before = replay.plies[ply.number - 1] if ply.number else None
        if before is not None and before.target == ply.target:
            yield f"re{how}"
            if before.captured is None:
                yield f"takes:{_LETTER[ply.kind]}x{_LETTER[ply.captured]}"


def king_terms(replay: Replay) -> Iterator[str]:
    """Yield where the enemy king is in the puzzle position, and the pieces near it."""
    king = replay.start.king(not replay.solver)
    yield f"king:{_zone(king)}"
    yield from _pieces(replay, king, _NEAR)


def piece_terms(replay: Replay) -> Iterator[str]:
    """Yield all pieces except the enemy king, with their squares relative to this king."""
    yield from _pieces(replay, replay.start.king(not replay.solver), 7)


def _pieces(replay: Replay, king: Square, farthest: int) -> Iterator[str]:
    attack_map = replay.start
    for square in attack_map.attacks:
        if square != king and _distance(square, king) <= farthest:
            symbol = attack_map.symbols[square]
            yield f"{symbol if replay.solver == chess.WHITE else symbol.swapcase()}{_near(square, king)}"


def shape_terms(replay: Replay) -> Iterator[str]:
    """Yield the geometry of the line: the length of each move, the distance between moves, the whole line.

    Left and right are the same, and the place on the board does not matter.
    """
    names = [_name(ply) for ply in replay.plies]
    for ply, name in zip(replay.plies, names, strict=True):
        yield f"{ply.number % 2}{name}{_step(ply.origin, ply.target)}"
    for (ply, reply), (name, reply_name) in zip(pairwise(replay.plies), pairwise(names), strict=True):
        yield f"{name}>{reply_name}{_step(ply.target, reply.target)}"
    for ply, following in pairwise(replay.plies[::2]):
        yield f"{_LETTER[ply.kind]}>{_LETTER[following.kind]}{_step(ply.target, following.target)}"
    yield f"line:{','.join(names)}"
    yield f"moves:{','.join(names[::2])}"


def _step(origin: Square, target: Square) -> str:
    """Return the distance in files, and in ranks towards the opponent, such as `1,2`."""
    files = abs(chess.square_file(target) - chess.square_file(origin))
    return f"{files},{chess.square_rank(target) - chess.square_rank(origin)}"


def _name(ply: Ply) -> str:
    """Return a move without its squares: piece, capture, promotion, check or mate, such as `rx+`."""
    check = "#" if ply.mates else "+" if ply.check else ""
    promotes = f"={_LETTER[ply.move.promotion]}" if ply.move.promotion else ""
    return f"{_LETTER[ply.kind]}{'x' if ply.captured else ''}{promotes}{check}"


@cache
def _near(square: Square, king: Square) -> str:
    """Return the distance from the enemy king in files, and in ranks towards the solver, such as `12`."""
    files = abs(chess.square_file(square) - chess.square_file(king))
    ranks = chess.square_rank(king) - chess.square_rank(square)
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


def goal_terms(reasons: Reasons) -> list[str]:
    """Return the reasons for all goals: `defender:accepts>mate`, and with piece `defender:accepts:r>mate`.

    Repeated reasons count once.
    """
    return list(dict.fromkeys(term for reason in reasons.found for term in _terms(reason)))


def decisive_terms(reasons: Reasons) -> list[str]:
    """Return the reasons for the decisive goal, each once, or the goal alone if no defender had to go."""
    goal = reasons.decisive
    if goal is None:
        return []
    why = [reason for reason in reasons.found if reason.goal is goal]
    terms = [term for reason in why for term in _terms(reason)]
    if all(reason.part is not Part.DEFENDER for reason in why):
        terms.append(f"undefended>{goal.aim}")
    return list(dict.fromkeys(terms))


def _terms(reason: Reason) -> Iterator[str]:
    yield f"{reason.part}:{reason.cause}>{reason.goal.aim}"
    yield f"{reason.part}:{reason.cause}:{chess.piece_symbol(reason.kind)}>{reason.goal.aim}"
