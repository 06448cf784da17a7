"""What two solutions share, in words, such as “rook sacrifice on h7 taken by the king, queen mates”."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import chess
from chess import PieceType

from puzzlegen.motifs.mates import PATTERNS, Mate
from puzzlegen.motifs.replay import Motif, Replay
from puzzlegen.motifs.tags import motifs_of

# The words for a motif: if both solutions have it with the same pieces, and if the pieces differ.
_PHRASES: dict[str, tuple[str, str]] = {
    "fork": ("{by} forks {to}", "fork"),
    "doubleAttack": ("{by} threatens {to}", "double attack"),
    "absolutePin": ("{by} pins {first} to the king", "pin to the king"),
    "relativePin": ("{by} pins {first} to {last}", "pin"),
    "skewer": ("{by} skewers {first} and {last}", "skewer"),
    "discoveredCheck": ("discovered check by the {by}", "discovered check"),
    "discoveredAttack": ("discovered attack of the {by} on the {to}", "discovered attack"),
    "doubleCheck": ("double check by the {by}", "double check"),
    "trappedPiece": ("{to} is trapped", "trapped piece"),
    "hangingPiece": ("{by} takes an undefended {to}", "undefended piece is taken"),
    "hangingPawn": ("{by} takes an undefended pawn", "undefended pawn is taken"),
    "betterExchange": ("exchange that wins material", "exchange that wins material"),
    "deflection": ("{to} is deflected by the {by}", "deflection"),
    "overloading": ("{to} is overloaded", "overloaded piece"),
    "attraction": ("{by} attracts the {to}", "attraction"),
    "capturingDefender": ("{by} takes the defending {to}", "defender is taken"),
    "interference": ("{by} blocks the {to}", "interference"),
    "clearance": ("{by} clears the way for the {to}", "clearance"),
    "intermezzo": ("intermediate {by} move before the {to} is taken", "intermediate move"),
    "xRayAttack": ("{by} attacks through the {to}", "x-ray attack"),
    "sacrifice": ("{by} sacrifice taken by the {to}", "sacrifice"),
    "kingsideAttack": ("attack on the king castled kingside", "attack on the king castled kingside"),
    "queensideAttack": ("attack on the king castled queenside", "attack on the king castled queenside"),
    "exposedKing": ("exposed king", "exposed king"),
    "advancedPawn": ("advanced pawn", "advanced pawn"),
    "breakthrough": ("breakthrough of the pawns", "breakthrough of the pawns"),
    "promotion": ("promotion", "promotion"),
    "underPromotion": ("promotion to a {by}", "underpromotion"),
    "castling": ("castling", "castling"),
    "enPassant": ("capture en passant", "capture en passant"),
    "quietMove": ("quiet {by} move", "quiet move"),
    "mateThreat": ("{by} threatens mate", "threat of mate"),
    "attackingF2F7": ("{by} takes on f2 or f7", "capture on f2 or f7"),
    "defensiveMove": ("{by} parries a check", "check is parried"),
    "perpetualCheck": ("perpetual check by the {by}", "perpetual check"),
    "stalemate": ("stalemate", "stalemate"),
}

_WING_ATTACKS = ("kingsideAttack", "queensideAttack")

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


# Replays whose motifs are kept: a query and the last results, of some searches at once.
_REMEMBERED = 16


def shared_words(query: Replay, other: Replay) -> str:
    """Return what two solutions share, in the order of the query's moves; empty if they share nothing."""
    return ", ".join(dict.fromkeys([*_motif_words(query, other), *_mate_words(query, other)]))


def _motif_words(query: Replay, other: Replay) -> Iterator[str]:
    other_motifs = _motifs(other)
    named: set[str] = set()
    for motif in sorted(_motifs(query), key=lambda motif: motif.ply):
        same_name = [candidate for candidate in other_motifs if candidate.name == motif.name]
        # Mates are named by `_mate_words`.
        if not same_name or motif.name in named or motif.name in PATTERNS:
            continue
        named.add(motif.name)
        same_pieces = [
            candidate for candidate in same_name if (candidate.by, candidate.to) == (motif.by, motif.to)
        ]
        if not same_pieces:
            yield _PHRASES[motif.name][1]
            continue
        phrase = _PHRASES[motif.name][0].format(**_pieces(motif))
        if motif.name == "sacrifice":
            assert motif.square is not None
            if motif.square == same_pieces[0].square:
                phrase = phrase.replace("sacrifice", f"sacrifice on {chess.square_name(motif.square)}")
        yield phrase


@lru_cache(maxsize=_REMEMBERED)
def _motifs(replay: Replay) -> list[Motif]:
    """Return the motifs that are worth a word. Those of a query are asked for with each of its results.

    Of in-between moves, those that delay a recapture; of attacks on a wing, those that mate.
    """
    return [
        motif
        for motif in motifs_of(replay)
        if (motif.notable or motif.name != "intermezzo") and (replay.mates or motif.name not in _WING_ATTACKS)
    ]


def _pieces(motif: Motif) -> dict[str, str]:
    names = [chess.piece_name(kind) for kind in motif.to]
    joined = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return {
        "by": chess.piece_name(motif.by),
        "to": joined,
        "first": names[0] if names else "",
        "last": names[-1] if names else "",
    }


def _mate_words(query: Replay, other: Replay) -> Iterator[str]:
    if not (query.mates and other.mates):
        return
    mates = [Mate(query.end), Mate(other.end)]
    for name, pattern in PATTERNS.items():
        if all(pattern.shows(mate) for mate in mates):
            yield _MATE_NAMES[name]
    checkers = [{mate.attack_map.kind(square) for square in mate.checkers} for mate in mates]
    shared_checkers = checkers[0] & checkers[1]
    if not shared_checkers:
        yield "mate"
        return
    checker = chess.piece_name(max(shared_checkers))
    helpers = sorted(_helpers(mates[0]) & _helpers(mates[1]))
    names = " and ".join(chess.piece_name(kind) for kind in helpers)
    yield f"{checker} mates with the {names}'s help" if helpers else f"{checker} mates"


def _helpers(mate: Mate) -> set[PieceType]:
    """Return the kinds of pieces that defend the mating piece or cover squares around the king."""
    helpers = set()
    for square, attacked in mate.attack_map.attacks.items():
        if mate.attack_map.board.color_at(square) == mate.loser or square in mate.checkers:
            continue
        defends = any(attacked & chess.BB_SQUARES[checker] for checker in mate.checkers)
        if defends or attacked & mate.around & ~mate.blocked:
            helpers.add(mate.attack_map.kind(square))
    return helpers
