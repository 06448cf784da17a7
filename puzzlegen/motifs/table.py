"""The table of tags: their definitions, their names, and how much they say about why a solution wins.

Tags are named like the Lichess themes (https://lichess.org/training/themes) that mean the same, and motifs
like their tags. Lichess does not say where one phase ends: the bounds were set on 26,788 puzzles with themes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import chess

from puzzlegen.motifs import attacks, defences, exchange, mates, plans, threats
from puzzlegen.motifs.plans import CHASE_MOVES, LEAST_PIECES, NEAR
from puzzlegen.motifs.replay import Rule
from puzzlegen.motifs.threats import ZUGZWANG_PIECES

# The most pieces on the board in an endgame, and the fewest in an opening, besides kings and pawns.
ENDGAME_PIECES = 6
OPENING_PIECES = 11

# In an opening each side still has at least this many pieces on its back rank, the king included.
OPENING_UNDEVELOPED = 4
# The last move of an opening.
OPENING_MOVES = 16

# Endgames by the kinds of pieces that are left.
ENDGAMES: dict[frozenset[chess.PieceType], str] = {
    frozenset(): "pawnEndgame",
    frozenset({chess.KNIGHT}): "knightEndgame",
    frozenset({chess.BISHOP}): "bishopEndgame",
    frozenset({chess.ROOK}): "rookEndgame",
    frozenset({chess.QUEEN}): "queenEndgame",
    frozenset({chess.QUEEN, chess.ROOK}): "queenRookEndgame",
}

# The tags for one solver move, two, three, and four or more.
LENGTHS = ("oneMove", "short", "long", "veryLong")
MATES = ("mateIn1", "mateIn2", "mateIn3", "mateIn4", "mateIn5")

# The tags of solutions that win no more than a pawn, and of solutions that hold an endgame.
WINS_PAWN = ("winsPawn", "hangingPawn", "passedPawn")
HOLDS_DRAW = "holdsDraw"


class TagGroup(StrEnum):
    """What a tag is about."""

    PHASE = "phase"
    LENGTH = "length"
    MATE = "mate"
    MOTIF = "motif"
    MATE_PATTERN = "mate pattern"
    GAIN = "gain"
    SOURCE = "source"


# How much a tag says about why a solution wins. `why`: the reason; `beside`: often there is another reason;
# `plain`: what is won or kept, if no motif says more; `little`: not a motif to practise; `nothing`: about
# something else.
Says = Literal["why", "beside", "plain", "little", "nothing"]


@dataclass(frozen=True)
class Tag:
    """A tag: its name, what it is about, the rule that finds it, and what a puzzle with this tag shows.

    `words` is the name in words, by default the words of the tag. `shared` describes what two solutions with
    the motif and the same pieces have in common. A motif that `leads` to a later gain explains nothing once a
    line has won. A puzzle with this tag also gets the tag `also`.
    """

    name: str
    group: TagGroup
    find: Rule | None
    definition: str
    words: str = ""
    shared: str = ""
    says: Says = "why"
    leads: bool = False
    also: str = ""


_PATTERN, _MOTIF, _GAIN = TagGroup.MATE_PATTERN, TagGroup.MOTIF, TagGroup.GAIN

# The tags that say most about why a solution wins come first: mate patterns, then broken defences, then mate,
# then gains of material. A tag that says `plain` is only given if no motif says more.
# fmt: off
BY_IMPORTANCE = (
    Tag("smotheredMate", _PATTERN, mates.named_mates,
        "A knight mates a king that is completely surrounded by its own pieces."),
    Tag("backRankMate", _PATTERN, mates.named_mates,
        "A rook or queen mates along the back rank, and the king's own pieces occupy every square in front "
        "of it, none of which is attacked.", "back-rank mate"),
    Tag("arabianMate", _PATTERN, mates.named_mates,
        "A rook next to a cornered king mates, defended by a knight on the king's diagonal.", "Arabian mate"),
    Tag("anastasiaMate", _PATTERN, mates.named_mates,
        "A rook or queen mates along an edge file, and a knight covers squares beside the king.",
        "Anastasia's mate"),
    Tag("hookMate", _PATTERN, mates.named_mates,
        "A rook next to the king mates, defended by a knight that a pawn defends."),
    Tag("bodenMate", _PATTERN, mates.named_mates,
        "Two bishops mate on diagonals that cross.", "Boden's mate"),
    Tag("doubleBishopMate", _PATTERN, mates.named_mates,
        "Two bishops mate on parallel diagonals.", "mate with two bishops"),
    Tag("dovetailMate", _PATTERN, mates.named_mates,
        "A queen diagonally next to the king mates, and the king's own pieces block the rest."),
    Tag("epauletteMate", _PATTERN, mates.named_mates,
        "A queen mates a king on the edge that has its own pieces on both sides."),
    Tag("swallowstailMate", _PATTERN, mates.named_mates,
        "A queen orthogonally next to the king mates, and the king's own pieces block the rest.",
        "swallow's tail mate"),
    Tag("operaMate", _PATTERN, mates.named_mates,
        "A rook next to the king mates, defended by a bishop."),
    Tag("pillsburysMate", _PATTERN, mates.named_mates,
        "A rook mates along the file of a king next to the corner, which a bishop covers.",
        "Pillsbury's mate"),
    Tag("morphysMate", _PATTERN, mates.named_mates,
        "A bishop mates a cornered king that a rook cuts off along the next file or rank.", "Morphy's mate"),
    Tag("killBoxMate", _PATTERN, mates.named_mates,
        "A rook defended by a queen mates, both in corners of a 3 × 3 box around the king."),
    Tag("vukovicMate", _PATTERN, mates.named_mates,
        "A rook mates a king on the edge, with a knight directly behind the rook.", "Vuković's mate"),
    Tag("blindSwineMate", _PATTERN, mates.named_mates,
        "Two rooks on the seventh rank mate a king on the eighth.",
        "mate with two rooks on the seventh rank"),
    Tag("cornerMate", _PATTERN, mates.named_mates,
        "A knight mates a cornered king, and a rook or queen covers the file or rank beside it."),
    Tag("stalemate", _MOTIF, plans.draws,
        "A move of the solver stalemates, or offers a piece whose capture would be stalemate."),
    Tag("perpetualCheck", _MOTIF, plans.draws,
        "The solver checks with every move, and the position comes up again.",
        shared="perpetual check by the {by}"),
    Tag("breakthrough", _MOTIF, plans.breakthroughs,
        "A pawn is given up to a pawn, and another pawn advances and becomes a passed pawn, or promotes."),
    Tag("underPromotion", _MOTIF, plans.promotions,
        "A pawn promotes to a knight, bishop or rook.",
        "underpromotion", "promotion to a {by}", also="promotion"),
    Tag("doubleCheck", _MOTIF, attacks.discoveries,
        "Two pieces give check at once.", shared="double check by the {by}"),
    Tag("discoveredCheck", _MOTIF, attacks.discoveries,
        "A move opens a line for another piece, which gives check.", shared="discovered check by the {by}"),
    Tag("skewer", _MOTIF, attacks.skewers,
        "A piece that is attacked along a line moves away, and the piece behind it, of no higher value, is "
        "captured.", shared="{by} skewers {first} and {last}", leads=True),
    Tag("deflection", _MOTIF, defences.deflections,
        "A piece captures one that is given up, or answers a check, and stops defending a square, on which "
        "the solver then captures or promotes.", shared="{to} is deflected by the {by}", leads=True),
    Tag("overloading", _MOTIF, defences.deflections,
        "A piece defends two things: the solver captures one, and after the recapture the other.",
        shared="{to} is overloaded", leads=True),
    Tag("mate", TagGroup.MATE, None,
        "The solution ends in mate."),
    Tag("discoveredAttack", _MOTIF, attacks.discoveries,
        "A move opens a line for another piece, which checks, or captures along it next; a double check "
        "does not count.", shared="discovered attack of the {by} on the {to}", leads=True),
    Tag("clearance", _MOTIF, defences.clearances,
        "A move vacates a square to or through which a bishop, rook or queen moves next without a capture, "
        "unless that checks a king that has just moved.",
        shared="{by} clears the way for the {to}", leads=True),
    Tag("fork", _MOTIF, attacks.forks,
        "A move attacks two pieces or more that can be captured at a profit, pawns not counted, and the "
        "piece that forks is not captured, or only by one of higher value that is recaptured.",
        shared="{by} forks {to}", leads=True),
    Tag("trappedPiece", _MOTIF, attacks.trapped,
        "A piece hangs, has no safe square without being pinned to its king, and is captured next.",
        shared="{to} is trapped", leads=True),
    Tag("attraction", _MOTIF, defences.attractions,
        "A piece is given up or exchanged to draw the king to a square where it is checked next, or given "
        "up to draw a rook or queen to a square where it is attacked next (decoy).",
        shared="{by} attracts the {to}", leads=True),
    Tag("relativePin", _MOTIF, attacks.pins,
        "A piece is pinned to one of higher value, or to an undefended one of the same value; the pinned "
        "piece moves and exposes the other one, is attacked again and captured, or cannot capture a more "
        "valuable piece that just moved.", shared="{by} pins {first} to {last}", leads=True),
    Tag("interference", _MOTIF, defences.interferences,
        "A move of either side comes between an enemy line piece and a square that it defended, on which "
        "the solver captures next.", shared="{by} blocks the {to}", leads=True),
    Tag("intermezzo", _MOTIF, defences.in_between_moves,
        "Another move comes before a recapture that was possible at once (zwischenzug).",
        shared="intermediate {by} move before the {to} is taken", leads=True),
    Tag("xRayAttack", _MOTIF, defences.x_rays,
        "A line piece attacks a square through an enemy piece, and takes part in the exchange on it.",
        "x-ray attack", "{by} attacks through the {to}", leads=True),
    Tag("hangingPiece", _MOTIF, exchange.hanging,
        "The first move captures an undefended piece, not a pawn, of more value than what was just lost "
        "there.", shared="{by} takes an undefended {to}"),
    Tag("capturingDefender", _MOTIF, defences.removed_defenders,
        "A piece that defends another one is captured, without check, and a different piece then captures "
        "the other one, which is undefended.", shared="{by} takes the defending {to}", leads=True),
    Tag("pin", _MOTIF, attacks.pins,
        "A piece is pinned to its king, and therefore hangs, or cannot capture the piece that just moved.",
        shared="{by} pins {first} to the king"),
    Tag("doubleAttack", _MOTIF, attacks.double_attacks,
        "A move other than a fork makes two threats at once, the reply meets one of them without a capture, "
        "and the solver carries out the other by a capture; or the first move makes two threats, and no "
        "other motif says more.", shared="{by} threatens {to}", leads=True),
    Tag("zugzwang", _MOTIF, None,
        "A move threatens nothing, but every reply loses something that the solution wins, with at most "
        f"{ZUGZWANG_PIECES} pieces and pawns on the board; or the source says so."),
    Tag("promotion", _MOTIF, plans.promotions,
        "A pawn promotes."),
    Tag("mateThreat", _MOTIF, threats.mate_threats,
        "A move without check threatens mate in one, and the piece that moved is not captured; or the first "
        "move threatens mate in two by checks alone, and no other motif says more.",
        shared="{by} threatens mate", leads=True),
    Tag("winsPawn", _GAIN, None,
        "The solution wins a pawn or more, but no piece.", "wins a pawn", says="plain"),
    Tag("winsPiece", _GAIN, None,
        "The solution wins a bishop or knight, possibly for pawns.", "wins a piece", says="plain"),
    Tag("winsExchange", _GAIN, None,
        "The solution wins a rook for a bishop or knight.", "wins the exchange", says="plain"),
    Tag("winsRook", _GAIN, None,
        "The solution wins a rook, possibly for pawns.", "wins a rook", says="plain"),
    Tag("winsQueen", _GAIN, None,
        "The solution wins the queen, possibly for less material.", "wins the queen", says="plain"),
    Tag("passedPawn", _GAIN, None,
        "In an endgame, the solution wins a pawn, and the pawn that moves first is a passed pawn on the "
        "fifth or sixth rank at the end.", says="plain"),
    Tag("stopsMate", _GAIN, None,
        "The opponent threatens mate in one; the solution holds, or begins with a quiet move and later wins "
        "no more than a pawn.", says="plain"),
    Tag("winsMaterial", _GAIN, None,
        "The solution wins more than it gives up.", says="plain"),
    Tag("betterExchange", _MOTIF, exchange.better_exchanges,
        "The first move captures a defended piece, or both sides capture from the first move on; these "
        "captures win all that the solution wins, and more than the opponent's last capture did.",
        shared="exchange that wins material", says="plain"),
    Tag("sacrifice", _MOTIF, defences.sacrifices,
        "A piece is given up, and the solver's next move leaves a loss of two pawns' worth or more.",
        shared="{by} sacrifice{place} taken by the {to}", says="beside"),
    Tag("attackingF2F7", _MOTIF, plans.weak_f_pawn,
        "A piece is captured on f7 (f2) next to a king on its square in the starting position.",
        shared="{by} takes on f2 or f7", says="beside"),
    Tag("advancedPawn", _MOTIF, plans.pawn_advances,
        "A pawn moves to the seventh or eighth rank.", says="beside"),
    Tag("holdsDraw", _GAIN, None,
        "The solution holds an endgame that is lost otherwise.", "holds the draw", says="plain"),
    Tag("hangingPawn", _MOTIF, exchange.better_exchanges,
        "The first move captures an undefended pawn, and the solution wins no more than that.",
        shared="{by} takes an undefended pawn", says="plain"),
    Tag("kingsideAttack", _MOTIF, plans.wing_attacks,
        f"A king on the g- or h-file of its back rank is attacked, with {LEAST_PIECES} pieces and pawns or "
        f"more on the board: the solver checks, and captures within {NEAR} squares of the king, or moves "
        "there and checks twice.", says="little"),
    Tag("queensideAttack", _MOTIF, plans.wing_attacks,
        f"A king on the a-, b- or c-file of its back rank is attacked, with {LEAST_PIECES} pieces and pawns "
        f"or more on the board: the solver checks, and captures within {NEAR} squares of the king, or moves "
        "there and checks twice.", says="little"),
    Tag("exposedKing", _MOTIF, plans.exposed_kings,
        "A king on one of its first three ranks, without a pawn of its own next to it, is checked at least "
        f"twice in a solution of {CHASE_MOVES} moves or more.", says="little"),
    Tag("castling", _MOTIF, plans.special_moves,
        "The solver castles.", says="little"),
    Tag("enPassant", _MOTIF, plans.special_moves,
        "A pawn captures en passant.", "capture en passant", says="little"),
    Tag("quietMove", _MOTIF, plans.quiet_moves,
        "A move, not the last one, that neither captures, checks nor promotes, and attacks nothing; king "
        "moves, answers to a check and pawn moves to the sixth or seventh rank do not count.",
        shared="quiet {by} move", says="little"),
    Tag("defensiveMove", _MOTIF, plans.defences,
        "The first move answers a check without capturing, checking or promoting.",
        shared="{by} parries a check", says="little"),
)

_PHASES = {
    "opening": f"Up to move {OPENING_MOVES}, with at least {OPENING_PIECES} pieces besides kings and pawns, "
        f"and each side's back rank has at least {OPENING_UNDEVELOPED} of its pieces, the king included.",
    "middlegame": "Neither opening nor endgame.",
    "endgame": f"At most {ENDGAME_PIECES} pieces besides kings and pawns.",
    "pawnEndgame": "An endgame with only pawns.",
    "knightEndgame": "An endgame with only knights and pawns.",
    "bishopEndgame": "An endgame with only bishops and pawns.",
    "rookEndgame": "An endgame with only rooks and pawns.",
    "queenEndgame": "An endgame with only queens and pawns.",
    "queenRookEndgame": "An endgame with only queens, rooks and pawns.",
}

# Themes that do not follow from the moves, so that only a source can give them.
_SOURCES = {
    "crushing": "The solver is ahead by 6 pawns or more afterwards, according to the source.",
    "advantage": "The solver is ahead by 2 to 6 pawns afterwards, according to the source.",
    "equality": "The solver saves a lost position, according to the source.",
    "master": "From a game of a titled player, according to the source.",
    "masterVsMaster": "From a game of two titled players, according to the source.",
    "superGM": "From a game of one of the best players in the world, according to the source.",
}
# fmt: on


def _others(group: TagGroup, definitions: dict[str, str]) -> list[Tag]:
    return [Tag(name, group, None, text, says="nothing") for name, text in definitions.items()]


def _counted(names: Sequence[str], what: str) -> dict[str, str]:
    numbers = [f"{number} move{'s'[: number > 1]}" for number in range(1, len(names))]
    counts = [*numbers, f"{len(names)} moves or more"]
    return {name: f"{what} {count}." for name, count in zip(names, counts, strict=True)}


# All tags by name, group by group.
TAGS = {
    tag.name: tag
    for tag in sorted(
        (
            *BY_IMPORTANCE,
            *_others(TagGroup.PHASE, _PHASES),
            *_others(TagGroup.LENGTH, _counted(LENGTHS, "The solver has")),
            *_others(TagGroup.MATE, _counted(MATES, "Mate in")),
            *_others(TagGroup.SOURCE, _SOURCES),
        ),
        key=lambda tag: list(TagGroup).index(tag.group),
    )
}
