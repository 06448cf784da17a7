"""Why a mated king has no way out: its own pieces are in the way, and other squares are guarded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import chess
from chess import Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.mates import Mate
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint, Role
from puzzlegen.reasons.words import joined, named, pieces_named, squares_named


def nets(course: Course) -> Iterator[Fact]:
    """Find what keeps a mated king in place besides the mating piece."""
    if not course.replay.mates:
        return
    mate = Mate(course.replay.end)
    helpers = _helpers(course, mate)
    parts = [*_own(mate, course), *(_guards(mate, *one) for one in helpers), *_pinned(course, mate)]
    text = f"The king has no way out on {chess.square_name(mate.king)}"
    if parts:
        text += f": {_listed(parts)}"
    number = len(course.replay.plies)
    drawing = course.draws(Role.ATTACK, number, arrows=[(helper, squares[0]) for helper, squares in helpers])
    yield Fact(FactKind.NET, number - 1, text, Joint.ALONE, drawing=drawing)


def _without_king(mate: Mate) -> chess.Board:
    board = mate.attack_map.board.copy(stack=False)
    board.remove_piece_at(mate.king)
    return board


def _own(mate: Mate, course: Course) -> Iterator[str]:
    """Say which of its own pieces are in the king's way: those on squares that are not attacked."""
    board, in_way = _without_king(mate), list[Square]()
    for square in chess.scan_forward(mate.blocked):
        piece = board.remove_piece_at(square)
        if not board.is_attacked_by(not mate.loser, square):
            in_way.append(square)
        board.set_piece_at(square, piece)
    if in_way:
        squares = course.by_worth(mate.attack_map, in_way)
        names = joined(pieces_named(mate.attack_map, squares, article=""))
        yield f"its own {names} {'are' if len(squares) > 1 else 'is'} in its way"


def _helpers(course: Course, mate: Mate) -> list[tuple[Square, list[Square]]]:
    """Return the fewest pieces that guard all squares that the mating piece does not."""
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


def _guards(mate: Mate, helper: Square, squares: list[Square]) -> str:
    attack_map = mate.attack_map
    own = attack_map.board.occupied_co[not mate.loser]
    does = [f"defends {named(attack_map, square)}" for square in squares if own >> square & 1]
    others = [square for square in squares if not own >> square & 1]
    does += [f"guards {squares_named(others)}"] if others else []
    return f"{named(attack_map, helper)} {joined(does)}"


def _pinned(course: Course, mate: Mate) -> Iterator[str]:
    """Say which pieces could take the mating piece if they were not pinned."""
    if len(mate.checkers) > 1:
        return
    attack_map = mate.attack_map
    takers = [at for at in attack_map.attackers(mate.loser, mate.checkers[0]) if at != mate.king]
    for taker in sorted(takers, key=course.place):
        pinner = attack_map.pinners[mate.loser][taker]
        yield f"{named(attack_map, taker)} is pinned by {named(attack_map, pinner)}"


def _listed(parts: list[str]) -> str:
    """Return parts that may contain an "and" themselves as `a, b, and c`."""
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first else last
