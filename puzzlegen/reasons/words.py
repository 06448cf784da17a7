"""Facts in words, such as “The rook on d8 takes the queen on b8 and no longer guards h8.”

“The king” is the opponent's; the solver's king is named with its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess
from chess import PieceType, Square

from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.reasons.fact import Fact, Joint
from puzzlegen.reasons.reason import Cause, cause_of


def sentence(facts: Sequence[Fact], replay: Replay) -> str:
    """Return one sentence for a fact, or for several facts about the same move."""
    first, *others = sorted(facts, key=lambda fact: list(Joint).index(fact.joint))
    if first.joint is Joint.ALONE:
        return f"{first.text}."
    deed = capital(deed_of(replay, first.ply, says_check=first.joint is not Joint.WHICH))
    # A fact that names several pieces needs a comma before the next one.
    is_short = first.joint is Joint.AND and len(first.relations) < 2
    if is_short and [fact.joint for fact in others] == [Joint.AND]:
        return f"{deed}, {joined([first.text, others[0].text])}."
    then = ". It also " if first.joint is Joint.COMMA else ", and "
    follow = {Joint.AND: then, Joint.ALSO: then, Joint.BEFORE: ", before "}
    texts = [f"{follow.get(fact.joint, fact.joint)}{fact.text}" for fact in others]
    return f"{deed}{first.joint}{first.text}{''.join(texts)}."


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return f"{text[0].upper()}{text[1:]}"


def deed_of(replay: Replay, number: int, *, says_check: bool = True) -> str:
    """Say what the move with this number does, such as `the queen on c8 goes to g4`."""
    ply = replay.plies[number]
    cause = cause_of(replay, number) if number % 2 else None
    name = piece_name(ply.kind, ply.origin, ply.kind == chess.KING and cause is not None)
    if cause is Cause.LEAVES:
        name = f"the attacked {name.removeprefix('the ')}"
    board, target = ply.before.board, chess.square_name(ply.target)
    promotion = f"promotes to a {chess.piece_name(ply.move.promotion)}" if ply.move.promotion else ""
    if board.is_castling(ply.move):
        text = "castles"
    elif board.is_en_passant(ply.move):
        text = f"takes en passant on {target}"
    elif ply.captured:
        taken = f"takes the {chess.piece_name(ply.captured)} on {target}"
        text = f"{taken} and {promotion}" if promotion else taken
    elif promotion:
        text = f"{promotion} on {target}"
    elif cause is Cause.FLEES:
        text = f"moves out of check to {target}"
    elif cause is Cause.INTERPOSES:
        text = f"blocks the check on {target}"
    else:
        text = f"{'advances' if ply.kind == chess.PAWN else 'goes'} to {target}"
    return f"{name} {text}{_check(ply) if cause is None and ply.check and says_check else ''}"


def _check(ply: Ply) -> str:
    """Say that a move gives check, and with which piece if not the one that moved."""
    checkers = ply.after.board.checkers()
    # In castling, the rook may give check.
    if ply.target in checkers or ply.before.board.is_castling(ply.move):
        return " with check"
    return f" with a discovered check by {named(ply.after, checkers.pop())}"


def named(attack_map: AttackMap, square: Square, alone: bool = False) -> str:
    """Return the piece on a square with its square, except that `alone` leaves out a king's square."""
    kind = attack_map.kind(square)
    return piece_name(kind, square, alone and kind == chess.KING)


def piece_name(kind: PieceType, square: Square, alone: bool = False) -> str:
    """Return a piece with its square, such as `the knight on f6`, or without the square if `alone` is set."""
    name = f"the {chess.piece_name(kind)}"
    return name if alone else f"{name} on {chess.square_name(square)}"


def pieces_named(attack_map: AttackMap, squares: Iterable[Square], article: str = "the ") -> list[str]:
    """Return pieces with their squares, grouped by kind, such as `the rooks on b1 and c1`."""
    by_kind: dict[PieceType, list[Square]] = {}
    for square in squares:
        by_kind.setdefault(attack_map.kind(square), []).append(square)
    return [
        f"{article}{chess.piece_name(kind)}{'s' if len(at) > 1 else ''} on {squares_named(at)}"
        for kind, at in by_kind.items()
    ]


def squares_named(squares: Iterable[Square]) -> str:
    """Return squares as `g1, g2 and h2`."""
    return joined(map(chess.square_name, squares))


def joined(parts: Iterable[str]) -> str:
    """Return parts of a sentence as `a, b and c`; empty if there are none."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last
