"""Why a mated king has no way out: its own pieces in its way, and the pieces that guard the other squares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import chess
from chess import Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.mates import Mate
from puzzlegen.reasons.claim import Claim, Course, Kind
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.words import as_sentence, joined, piece_name, pinner_of


def nets(course: Course) -> Iterator[Claim]:
    """Find what keeps a mated king in place, besides the piece that mates."""
    if not course.replay.mates:
        return
    mate = Mate(course.replay.end)
    helpers = _helpers(course, mate)
    parts = [*_own(mate, course), *(_guards(course, mate, *one) for one in helpers), *_pinned(course, mate)]
    number = len(course.replay.plies)
    drawn = [
        (helper, square)
        for helper, squares in helpers
        if course.unmoved(number, helper)
        for square in squares[:1]
    ]
    square = chess.square_name(mate.king)
    if parts:
        text = f"The king has no way out on {square}: {_listed(parts)}."
    elif len(mate.checkers) == 1:
        checker = mate.checkers[0]
        mating = piece_name(mate.attack_map.kind(checker), checker)
        text = as_sentence(f"{mating} alone leaves the king on {square} no way out")
    else:
        text = f"It is double check, and the king on {square} has nowhere to go."
    yield Claim(Kind.NET, number - 1, text, Drawing(Role.ATTACK, tuple(drawn)) if drawn else None)


def _without_king(mate: Mate) -> chess.Board:
    board = mate.attack_map.board.copy(stack=False)
    board.remove_piece_at(mate.king)
    return board


def _own(mate: Mate, course: Course) -> Iterator[str]:
    """Say which pieces of its own are in the king's way: those on squares that it could otherwise go to."""
    board = _without_king(mate)
    by_kind: dict[chess.PieceType, list[Square]] = {}
    for square in sorted(chess.scan_forward(mate.blocked), key=chess.square_file):
        piece = board.remove_piece_at(square)
        assert piece is not None
        if not board.is_attacked_by(not mate.loser, square):
            by_kind.setdefault(piece.piece_type, []).append(square)
        board.set_piece_at(square, piece)
    if not by_kind:
        return
    names = []
    for kind in sorted(by_kind, key=lambda kind: -PIECE_VALUES[kind]):
        squares = sorted(by_kind[kind], key=course.place)
        plural = "s" if len(squares) > 1 else ""
        names.append(f"{chess.piece_name(kind)}{plural} on {_squares(squares)}")
    several = sum(map(len, by_kind.values())) > 1
    yield f"its own {joined(names)} {'are' if several else 'is'} in its way"


def _helpers(course: Course, mate: Mate) -> list[tuple[Square, list[Square]]]:
    """Return the pieces, fewest possible, that guard the squares that the mating piece does not."""
    board = _without_king(mate)
    winner = not mate.loser
    checkers = chess.SquareSet(mate.checkers)
    left = {
        square: attackers
        for square in chess.scan_forward(mate.around & ~mate.blocked)
        if not (attackers := board.attackers(winner, square)) & checkers
    }
    found = []
    while left:
        counts = Counter(helper for attackers in left.values() for helper in attackers)

        def use(helper: Square, counts: Counter[Square] = counts) -> tuple[int, int, tuple[int, int]]:
            return -counts[helper], PIECE_VALUES[mate.attack_map.kind(helper)], course.place(helper)

        best = min(counts, key=use)
        guarded = sorted((at for at, attackers in left.items() if best in attackers), key=course.place)
        found.append((best, guarded))
        left = {at: attackers for at, attackers in left.items() if at not in guarded}
    return found


def _guards(course: Course, mate: Mate, helper: Square, squares: list[Square]) -> str:
    attack_map = mate.attack_map
    own = attack_map.board.occupied_co[not mate.loser]
    defended = [square for square in squares if own >> square & 1]
    others = [square for square in squares if square not in defended]
    does = [f"defends {piece_name(attack_map.kind(square), square)}" for square in defended]
    does += [f"guards {_squares(others)}"] if others else []
    return f"{piece_name(attack_map.kind(helper), helper)} {joined(does)}"


def _pinned(course: Course, mate: Mate) -> Iterator[str]:
    """Say which pieces could take the mating piece if they were not pinned."""
    if len(mate.checkers) > 1:
        return
    attack_map, checker = mate.attack_map, mate.checkers[0]
    takers = [at for at in attack_map.attackers(mate.loser, checker) if at != mate.king]
    for taker in sorted(takers, key=course.place):
        pinner = pinner_of(attack_map, taker)
        pinned = piece_name(attack_map.kind(taker), taker)
        yield f"{pinned} is pinned by {piece_name(attack_map.kind(pinner), pinner)}"


def _listed(parts: list[str]) -> str:
    """Return parts that may contain an "and" themselves as `a, b, and c`."""
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first else last


def _squares(squares: list[Square]) -> str:
    return joined(map(chess.square_name, squares))
