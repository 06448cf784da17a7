"""Reasons in words, such as “The rook on d8 takes the queen on b8 and no longer guards h8.”

The squares are those of the puzzle. “The king” is the opponent's; the solver's is named with its square.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import chess
from chess import Bitboard, PieceType, Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.reasons.goal import Aim, Goal, Pieces
from puzzlegen.reasons.reason import Cause, Part, Reason, newly_attacked

_CHECK = re.compile(r" with (check|a discovered check by .+)$")

# What becomes of the target, if the goal is reached and if it is only threatened.
_FATES: dict[Aim, tuple[str, str]] = {
    Aim.MATE: ("is mated", "is threatened with mate"),
    Aim.CHECK: ("is checked", "is checked"),
    Aim.CAPTURE: ("is taken", "is attacked"),
    Aim.PROMOTE: ("is taken", "is attacked"),
}
ALL_FATES = {fate for pair in _FATES.values() for fate in pair}
_KINGS_FATES = {*_FATES[Aim.MATE], *_FATES[Aim.CHECK]}

# An effect that names what is attacked.
_ATTACKS = re.compile(r"(also )?(attacks|threatens) (?P<what>the .+)")


@dataclass(frozen=True)
class Scene:
    """A reason with the solution that it is about."""

    reason: Reason
    replay: Replay
    pieces: Pieces

    @property
    def goal(self) -> Goal:
        """The goal that the reason is for."""
        return self.reason.goal

    @property
    def ply(self) -> Ply:
        """The ply of the reason; the goal's may come after the end of the solution."""
        return self.replay.at(self.reason.ply) or self.goal.ply

    @property
    def guarded(self) -> Square | None:
        """The square for the sake of which the piece of the reason is a defender.

        None if that is a square between, and the piece a pawn or a king, which cannot go there.
        """
        before, square, kind = self.ply.before, self.reason.square, self.reason.kind
        line = before.board.pin_mask(not self.replay.solver, square)
        attacked = before.attacks[square] & self.goal.contested & line
        target = self.goal.ply.target
        if attacked >> target & 1:
            return target
        if kind in (chess.PAWN, chess.KING) or not attacked:
            return None
        return min(chess.scan_forward(attacked), key=lambda at: chess.square_distance(at, target))

    @property
    def attacker_square(self) -> Square:
        """The square of the piece that reaches the goal, before the ply of the reason."""
        attacker = self.pieces.on(self.goal.number, self.goal.ply.origin)
        square = self.pieces.square(self.ply.number, attacker)
        assert square is not None
        return square

    @property
    def attacked(self) -> Bitboard:
        """The squares of what the ply newly attacks; in a double attack, only with the piece that moved."""
        attacked = newly_attacked(self.ply)
        is_double = self.reason.cause is Cause.DOUBLE
        return attacked & self.ply.after.attacks[self.ply.target] if is_double else attacked


class Phrase(NamedTuple):
    """A reason in words: what happened (`deed`), what the captured piece guarded, and the effect.

    Deed and effect have the same subject, which only the deed names: what moves from the square `actor`, or
    is pinned there. What is not to be said is empty.
    """

    actor: Square
    deed: str
    effect: str = ""
    guarded: str = ""


def phrase_of(reason: Reason, replay: Replay, pieces: Pieces) -> Phrase | None:
    """Return a reason in words, None if it is not worth any."""
    return _PHRASES[reason.part](Scene(reason, replay, pieces))


def sentence(phrases: Sequence[Phrase]) -> str:
    """Return one sentence for what is said of one actor in one position."""
    main = next((phrase for phrase in phrases if phrase.guarded), phrases[0])
    text = f"{without_check(main.deed)}, {main.guarded}" if main.guarded else main.deed
    effects: list[str] = []
    for effect in dict.fromkeys(phrase.effect for phrase in phrases if phrase.effect):
        # What is guarded or cut off needs no second mention.
        attacked = _ATTACKS.match(effect)
        said = [part.replace("the enemy ", "the ") for part in (text, *effects)]
        if attacked is None or not any(attacked["what"] in part for part in said):
            effects.append(effect.removeprefix("also ") if main.guarded else effect)
    # What becomes of the piece comes last.
    effects.sort(key=lambda effect: effect in ALL_FATES)
    if len(effects) == 1 and effects[0] in ALL_FATES:
        effects = [f"{effects[0]} there"]
    elif effects and effects[-1] in _KINGS_FATES:
        # What else the king's move does says more, and the mate may be much later.
        effects.pop()
    text = f"{text}, and {joined(effects)}" if main.guarded and effects else joined([text, *effects])
    return as_sentence(text)


def as_sentence(text: str) -> str:
    """Return a text with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def _defender(scene: Scene) -> Phrase | None:
    reason, ply = scene.reason, scene.ply
    if reason.ply == scene.goal.number:
        pinner = _pinner(ply.after, reason.square)
        taker = f"{piece_name(reason.kind, reason.square)} is pinned by {pinner}"
        return Phrase(reason.square, taker, f"cannot take on {chess.square_name(ply.target)}")
    guarded = scene.guarded
    if guarded is None:
        return None
    defender = piece_name(reason.kind, reason.square, reason.kind == chess.KING)
    if reason.cause in (Cause.CAPTURED, Cause.EXCHANGED):
        return _removed(scene, guarded)
    if reason.cause is Cause.BLOCKED:
        # When castling, it is the rook that comes between.
        if not chess.between(reason.square, guarded) >> ply.target & 1:
            return None
        return _done(scene, f"comes between {defender} and {_named(scene, ply.after, guarded)}")
    if reason.cause is Cause.PINNED:
        # What is captured itself before it could guard anything is not kept from it by the pin.
        if scene.pieces.square(scene.goal.number, scene.pieces.on(reason.ply, reason.square)) is None:
            return None
        pinner = _pinner(ply.after, reason.square)
        return Phrase(
            reason.square,
            f"{defender} is pinned by {pinner}",
            f"no longer {_guards(scene, ply.after, guarded)}",
        )
    # The rook that castles is not what is said to move.
    if ply.origin != reason.square:
        return None
    piece = scene.pieces.on(reason.ply, reason.square)
    if guarded == ply.target:
        # It defends no longer because it stands there itself: it must be captured for that to matter.
        is_goal = scene.pieces.square(scene.goal.number, piece) == guarded
        if not is_goal and scene.pieces.square(scene.goal.number, piece) is not None:
            return None
        return _done(scene, _FATES[Aim.CAPTURE][is_goal and scene.goal.threatened])
    if ply.after.attacks[ply.target] >> guarded & 1 and ply.after.board.is_pinned(
        not scene.replay.solver, ply.target
    ):
        return _done(scene, f"is pinned there by {_pinner(ply.after, ply.target)}")
    return _done(scene, f"no longer {_guards(scene, ply.after, guarded)}")


def _removed(scene: Scene, guarded: Square) -> Phrase:
    """Speak of a defender that is captured, or exchanged."""
    reason, ply = scene.reason, scene.ply
    which = f"which {_guards(scene, ply.before, guarded)}"
    price = PIECE_VALUES[ply.kind] - PIECE_VALUES[reason.kind]
    again = scene.replay.at(ply.number + 2)
    regained = again is not None and again.captured and again.target == ply.target
    if reason.cause is Cause.CAPTURED or price < -1 or (price > 1 and regained):
        return Phrase(ply.origin, _deed(scene), guarded=which)
    done = "given up" if price > 1 else "exchanged"
    deed = f"{piece_name(ply.kind, ply.origin)} is {done} for {piece_name(reason.kind, reason.square)}"
    return Phrase(ply.origin, deed, guarded=which)


def _shut(scene: Scene) -> Phrase | None:
    guarded = scene.guarded
    if guarded is None:
        return None
    defender = piece_name(scene.reason.kind, scene.reason.square)
    return _done(scene, f"cuts {defender} off from {_named(scene, scene.ply.after, guarded)}")


def _target(scene: Scene) -> Phrase | None:
    reason, goal = scene.reason, scene.goal
    # A pinned pawn that is captured could hardly have left.
    if reason.cause is Cause.STANDS or (reason.cause is Cause.PINNED and reason.kind == chess.PAWN):
        return None
    if reason.cause is Cause.PINNED:
        pinner = _pinner(goal.ply.before, reason.square)
        return Phrase(reason.square, f"{piece_name(reason.kind, reason.square)} is pinned by {pinner}")
    if reason.cause is Cause.MOVES and reason.kind != chess.KING:
        return None
    return _done(scene, _FATES[goal.aim][goal.threatened])


def _escape(scene: Scene) -> Phrase | None:
    ply, goal = scene.ply, scene.goal
    square = ply.target
    # What is captured is not in the way, and a square that the solver covers is no escape.
    if goal.aim is not Aim.MATE or goal.ply.target == square or not _is_way_out(goal, square):
        return None
    return _done(scene, f"cuts off its king's escape to {chess.square_name(square)}")


def _is_way_out(goal: Goal, square: Square) -> bool:
    """Return whether the king could go to a square after the goal if nothing of its own were there."""
    board = goal.ply.after.board.copy(stack=False)
    king = board.king(board.turn)
    if king is None or not board.occupied_co[board.turn] >> square & 1:
        return False
    board.remove_piece_at(square)
    board.remove_piece_at(king)
    return not board.is_attacked_by(not board.turn, square)


def _attacker(scene: Scene) -> Phrase | None:
    """Speak of a new attack on the target; that a piece goes where it captures next needs no words."""
    reason, ply, goal = scene.reason, scene.ply, scene.goal
    if reason.cause is Cause.STANDS:
        return None
    target = goal.ply.target
    if goal.threatened and goal.aim is Aim.MATE:
        verb = "threatens mate on" if ply.number == goal.number - 1 else "takes aim at"
        return _done(scene, f"{verb} {chess.square_name(target)}")
    if goal.aim is Aim.CAPTURE and ply.after.board.occupied_co[not scene.replay.solver] >> target & 1:
        return _done(scene, f"attacks {_named(scene, ply.after, target)}")
    return None


def _opened(scene: Scene) -> Phrase | None:
    ply, goal = scene.ply, scene.goal
    # A king that leaves a line and is mated along it: that it is mated says all.
    if ply.number % 2 and ply.kind == chess.KING and goal.aim in (Aim.MATE, Aim.CHECK):
        return None
    square = scene.attacker_square
    target = goal.ply.target
    if goal.ply.kind == chess.PAWN:
        return _done(scene, f"makes way for the pawn on {chess.square_name(square)}")
    if not chess.between(square, target) >> ply.origin & 1:
        return None
    name = chess.piece_name(ply.before.kind(square))
    if ply.target == target:
        # A piece of the opponent that went there along the line did not open it for anything.
        if ply.number % 2:
            return None
        return _done(scene, f"is backed up by the {name} on {chess.square_name(square)}")
    # A line to an empty square, to which something comes later, says nothing of the move that opens it.
    if goal.aim is Aim.CAPTURE and not _is_owned(scene, ply.after, target):
        return None
    verb = "opens" if ply.number % 2 else "uncovers"
    named = _named(scene, ply.after, target).replace(f"the {name} ", f"the enemy {name} ")
    return _done(scene, f"{verb} the {name}'s line to {named}")


def _threat(scene: Scene) -> Phrase | None:
    """Speak of two attacks at once, of which the goal uses one."""
    reason, ply, goal = scene.reason, scene.ply, scene.goal
    if reason.cause not in (Cause.DOUBLE, Cause.TWO) or goal.aim is not Aim.CAPTURE:
        return None
    attacked = scene.attacked
    # Without the target among them, it is not why the goal is reached.
    target = goal.ply.target
    if not attacked >> target & 1:
        return None
    if scene.pieces.square(goal.number, scene.pieces.on(ply.number + 1, target)) != target:
        return None
    king = ply.after.king(not scene.replay.solver)
    # The most valuable piece first; of equal ones, from the a-file on.
    squares = sorted(
        chess.scan_forward(attacked & ~chess.BB_SQUARES[king]),
        key=lambda square: (-PIECE_VALUES[ply.after.kind(square)], chess.square_file(square)),
    )
    names = pieces_named(ply.after, squares)
    verb = "attacks" if reason.cause is Cause.DOUBLE else "threatens"
    if attacked >> king & 1:
        return _done(scene, f"also {verb} {joined(names)}")
    return _done(scene, f"{verb} {joined(names)} at once")


_PHRASES: dict[Part, Callable[[Scene], Phrase | None]] = {
    Part.DEFENDER: _defender,
    Part.SHUT: _shut,
    Part.TARGET: _target,
    Part.ESCAPE: _escape,
    Part.ATTACKER: _attacker,
    Part.OPENED: _opened,
    Part.THREAT: _threat,
}


def _done(scene: Scene, effect: str) -> Phrase:
    """Say the effect of the reason's ply."""
    return Phrase(scene.ply.origin, _deed(scene), effect)


def _deed(scene: Scene) -> str:
    """Say what the ply of the reason does; the opponent has a cause for it."""
    ply = scene.ply
    cause = scene.reason.cause if ply.number % 2 else None
    name = piece_name(ply.kind, ply.origin, ply.kind == chess.KING and ply.number % 2 == 1)
    if cause is Cause.LEAVES:
        name = name.replace("the ", "the attacked ", 1)
    return f"{name} {move_words(ply, cause)}"


def deed_of(ply: Ply) -> str:
    """Say what a move of the solver does, such as `the queen on c8 goes to g4`."""
    return f"{piece_name(ply.kind, ply.origin)} {move_words(ply)}"


def _named(scene: Scene, attack_map: AttackMap, square: Square) -> str:
    """Name what is on a square: the opponent's piece, or only the square. A king may leave it."""
    if _is_owned(scene, attack_map, square):
        return piece_name(attack_map.kind(square), square)
    return chess.square_name(square)


def _is_owned(scene: Scene, attack_map: AttackMap, square: Square) -> bool:
    """Return whether a piece of the opponent, not the king, is on a square."""
    board = attack_map.board
    return bool(board.occupied_co[not scene.replay.solver] & ~board.kings & chess.BB_SQUARES[square])


def _guards(scene: Scene, attack_map: AttackMap, guarded: Square) -> str:
    verb = "defends" if _is_owned(scene, attack_map, guarded) else "guards"
    return f"{verb} {_named(scene, attack_map, guarded)}"


def piece_name(kind: PieceType, square: Square, alone: bool = False) -> str:
    """Return a piece with its square, such as `the knight on f6`, or `alone` without it."""
    name = f"the {chess.piece_name(kind)}"
    return name if alone else f"{name} on {chess.square_name(square)}"


def move_words(ply: Ply, cause: Cause | None = None) -> str:
    """Say what a move does: the opponent's for a cause, the solver's without one."""
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
    return f"{text}{_check(ply)}" if cause is None and ply.check else text


def _check(ply: Ply) -> str:
    """Say that a move gives check, and with which piece if it is another one."""
    checkers = ply.after.board.checkers()
    # When castling, it is the rook that checks.
    if ply.target in checkers or ply.before.board.is_castling(ply.move):
        return " with check"
    at = checkers.pop()
    return f" with a discovered check by {piece_name(ply.after.kind(at), at)}"


def without_check(deed: str) -> str:
    """Return what a move does without saying that it gives check."""
    return _CHECK.sub("", deed)


def _pinner(attack_map: AttackMap, square: Square) -> str:
    """Name the piece that pins the one on a square to its king."""
    pinner = pinner_of(attack_map, square)
    return piece_name(attack_map.kind(pinner), pinner)


def pinner_of(attack_map: AttackMap, square: Square) -> Square:
    """Return the square of the piece that pins the one on a square to its king."""
    board = attack_map.board
    color = bool(board.color_at(square))
    king = attack_map.king(color)
    line = board.pin_mask(color, square) & board.occupied_co[not color]
    alone = chess.BB_SQUARES[square]
    return next(at for at in chess.scan_forward(line) if chess.between(at, king) & board.occupied == alone)


def pieces_named(attack_map: AttackMap, squares: Iterable[Square]) -> list[str]:
    """Return pieces with their squares, those of a kind together, such as `the rooks on b1 and c1`."""
    by_kind: dict[PieceType, list[Square]] = {}
    for square in squares:
        by_kind.setdefault(attack_map.kind(square), []).append(square)
    return [
        f"the {chess.piece_name(kind)}{'s' if len(at) > 1 else ''} on {joined(map(chess.square_name, at))}"
        for kind, at in by_kind.items()
    ]


def joined(parts: Iterable[str]) -> str:
    """Return parts of a sentence as `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
