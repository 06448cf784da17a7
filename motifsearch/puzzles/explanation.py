"""What two solutions share, in words: “rook sacrifice on h7 taken by the king, queen mates”."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import PieceType

from puzzlegen.motifs.mates import PATTERNS, Mate
from puzzlegen.motifs.motif import Motif
from puzzlegen.motifs.recognise import notable_motifs
from puzzlegen.motifs.replay import Replay

# The words for a motif: if both have it with the same pieces, and if only the motif is the same.
_PHRASES: dict[str, tuple[str, str]] = {
    "fork": ("{by} forks {to}", "fork"),
    "absolutePin": ("{by} pins {first} to the king", "pin to the king"),
    "relativePin": ("{by} pins {first} to {last}", "pin"),
    "skewer": ("{by} skewers {first} and {last}", "skewer"),
    "discoveredCheck": ("discovered check by the {by}", "discovered check"),
    "discoveredAttack": ("discovered attack of the {by} on the {to}", "discovered attack"),
    "doubleCheck": ("double check by the {by}", "double check"),
    "trappedPiece": ("{to} is trapped", "trapped piece"),
    "hangingPiece": ("{by} takes an unguarded {to}", "unguarded piece is taken"),
    "deflection": ("{to} is deflected by the {by}", "deflection"),
    "overloading": ("{to} is overloaded", "overloaded piece"),
    "attraction": ("{by} draws the {to} in", "attraction"),
    "capturingDefender": ("{by} takes the {to} that guards", "defender is taken"),
    "interference": ("{by} blocks the {to}", "interference"),
    "clearance": ("{by} makes way for the {to}", "clearance"),
    "intermezzo": ("{by} moves in between before the {to} is taken", "move in between"),
    "desperado": ("{by} that is lost takes a {to} with it", "desperado"),
    "xRayAttack": ("{by} attacks through the {to}", "x-ray attack"),
    "sacrifice": ("{by} sacrifice taken by the {to}", "sacrifice"),
    "kingsideAttack": ("attack on the castled king", "attack on the castled king"),
    "queensideAttack": ("attack on the king castled long", "attack on the king castled long"),
    "exposedKing": ("exposed king", "exposed king"),
    "advancedPawn": ("advanced pawn", "advanced pawn"),
    "promotion": ("promotion", "promotion"),
    "underPromotion": ("promotion to a {by}", "promotion to less than a queen"),
    "castling": ("castling", "castling"),
    "enPassant": ("capture en passant", "capture en passant"),
    "quietMove": ("quiet {by} move", "quiet move"),
    "attackingF2F7": ("{by} takes on the weak f-pawn's square", "capture on the weak f-pawn's square"),
    "defensiveMove": ("{by} move against a check", "move against a check"),
}

# Mates with a name.
_MATE_NAMES = {
    "smotheredMate": "smothered mate",
    "backRankMate": "back-rank mate",
    "arabianMate": "Arabian mate",
    "anastasiaMate": "Anastasia's mate",
    "hookMate": "hook mate",
    "bodenMate": "Boden's mate",
    "doubleBishopMate": "mate with two bishops",
    "dovetailMate": "dovetail mate",
    "epauletteMate": "epaulette mate",
    "swallowstailMate": "swallow's tail mate",
    "operaMate": "opera mate",
    "pillsburysMate": "Pillsbury's mate",
    "morphysMate": "Morphy's mate",
    "killBoxMate": "kill box mate",
    "vukovicMate": "Vuković's mate",
    "blindSwineMate": "mate with two rooks on the seventh rank",
    "cornerMate": "corner mate",
}


def shared_words(one: Replay, other: Replay) -> str:
    """Return what two solutions share, in the order of the moves; empty if they share nothing with a name."""
    return ", ".join(dict.fromkeys([*_motif_words(one, other), *_mate_words(one, other)]))


def _motif_words(one: Replay, other: Replay) -> Iterator[str]:
    theirs = notable_motifs(other)
    named: set[str] = set()
    for motif in sorted(notable_motifs(one), key=lambda motif: motif.ply):
        same = [found for found in theirs if found.name == motif.name]
        if not same or motif.name in named or motif.name in PATTERNS:
            continue
        named.add(motif.name)
        exact = [found for found in same if (found.by, found.to) == (motif.by, motif.to)]
        if not exact:
            yield _PHRASES[motif.name][1]
            continue
        phrase = _PHRASES[motif.name][0].format(**_pieces(motif))
        if motif.name in ("sacrifice", "attraction") and _seen_square(one, motif) == _seen_square(
            other, exact[0]
        ):
            phrase = phrase.replace("sacrifice", f"sacrifice on {_seen_square(one, motif)}")
        yield phrase


def _pieces(motif: Motif) -> dict[str, str]:
    names = [chess.piece_name(kind) for kind in motif.to]
    joined = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return {
        "by": chess.piece_name(motif.by),
        "to": joined,
        "first": names[0] if names else "",
        "last": names[-1] if names else "",
    }


def _seen_square(replay: Replay, motif: Motif) -> str:
    """Return the name of a motif's square as seen with the solver as White."""
    assert motif.square is not None
    square = motif.square if replay.solver == chess.WHITE else chess.square_mirror(motif.square)
    return chess.square_name(square)


def _mate_words(one: Replay, other: Replay) -> Iterator[str]:
    if not (one.mates and other.mates):
        return
    mates = [Mate.of(one.end), Mate.of(other.end)]
    for name, shows in PATTERNS.items():
        if all(shows(mate) for mate in mates):
            yield _MATE_NAMES[name]
    givers = [{mate.attack_map.kind(at) for at in mate.checkers} for mate in mates]
    both = givers[0] & givers[1]
    if not both:
        yield "mate"
        return
    helpers = sorted(_helpers(mates[0]) & _helpers(mates[1]))
    giver = chess.piece_name(max(both))
    names = " and ".join(chess.piece_name(kind) for kind in helpers)
    yield f"{giver} mates with the {names}'s help" if helpers else f"{giver} mates"


def _helpers(mate: Mate) -> set[PieceType]:
    """Return the kinds of pieces that defend the mating piece or cover squares around the king."""
    helpers = set()
    for square, attacked in mate.attack_map.attacks.items():
        if mate.attack_map.board.color_at(square) == mate.loser or square in mate.checkers:
            continue
        guards = any(attacked & chess.BB_SQUARES[at] for at in mate.checkers)
        if guards or attacked & mate.around & ~mate.blocked:
            helpers.add(mate.attack_map.kind(square))
    return helpers
