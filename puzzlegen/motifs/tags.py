"""The motifs of a solution and the tags of its puzzle, named like the Lichess themes that mean the same.

Each tag has a definition. The phases and kinds of endgame are those of Lichess' themes
(https://lichess.org/training/themes), which name them without saying where one phase ends. The bounds here
were set on 26,788 puzzles with themes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import chess

from chess_motif.boards import threatens_mate
from chess_motif.material import Capture
from puzzlegen.motifs import attacks, defences, exchange, mates, plans, threats
from puzzlegen.motifs.defences import deciding_ply, net_gain
from puzzlegen.motifs.mates import PATTERNS
from puzzlegen.motifs.replay import Motif, Replay, Rule, back_rank

# What wins by force.
TACTICS: tuple[Rule, ...] = (
    attacks.forks, attacks.double_attacks, attacks.pins, attacks.skewers, attacks.discoveries,
    attacks.trapped, exchange.hanging,
    defences.deflections, defences.attractions, defences.removed_defenders, defences.interferences,
    defences.clearances, defences.in_between_moves, defences.x_rays, defences.sacrifices,
)  # fmt: skip

RULES: tuple[Rule, ...] = (
    *TACTICS,
    exchange.better_exchanges,
    mates.named_mates,
    plans.wing_attacks, plans.exposed_kings, plans.pawn_advances, plans.breakthroughs, plans.promotions,
    plans.special_moves, plans.quiet_moves, threats.mate_threats, plans.weak_f_pawn, plans.defences,
    plans.draws,
)  # fmt: skip

# The most pieces on the board in an endgame, and the fewest in an opening, besides kings and pawns.
ENDGAME_PIECES = 6
OPENING_PIECES = 11

# In an opening each side still has at least this many pieces on its back rank, the king included.
OPENING_UNDEVELOPED = 4
# The last move of an opening.
OPENING_MOVES = 16

# Endgames by the kinds of pieces that are left.
_KINDS: dict[frozenset[chess.PieceType], tuple[str, str]] = {
    frozenset(): ("pawnEndgame", "pawns"),
    frozenset({chess.KNIGHT}): ("knightEndgame", "knights and pawns"),
    frozenset({chess.BISHOP}): ("bishopEndgame", "bishops and pawns"),
    frozenset({chess.ROOK}): ("rookEndgame", "rooks and pawns"),
    frozenset({chess.QUEEN}): ("queenEndgame", "queens and pawns"),
    frozenset({chess.QUEEN, chess.ROOK}): ("queenRookEndgame", "queens, rooks and pawns"),
}

PHASES = {
    "opening": f"Up to move {OPENING_MOVES}, with at least {OPENING_PIECES} pieces besides kings and pawns, "
    f"and each side's back rank has at least {OPENING_UNDEVELOPED} of its pieces, the king included.",
    "middlegame": "Neither opening nor endgame.",
    "endgame": f"At most {ENDGAME_PIECES} pieces besides kings and pawns.",
} | {name: f"An endgame with only {pieces}." for name, pieces in _KINDS.values()}

# What is said of a puzzle without any motif that has a name.
NO_MOTIF = "no motif found"

# Motifs that say little about what was to be seen, so that nobody is told to practise them.
VAGUE = frozenset({
    "quietMove", "defensiveMove", "kingsideAttack", "queensideAttack", "exposedKing", "castling", "enPassant",
})  # fmt: skip

# They say plainly what is won or kept where no motif says more.
_GAINS = {
    "winsPawn": ("wins a pawn", "The solution wins a pawn or more, but no piece."),
    "winsPiece": ("wins a piece", "The solution wins a bishop or knight, perhaps for pawns."),
    "winsExchange": ("wins the exchange", "The solution wins a rook for a bishop or knight."),
    "winsRook": ("wins a rook", "The solution wins a rook, perhaps for pawns."),
    "winsQueen": ("wins the queen", "The solution wins the queen, perhaps for less."),
    "passedPawn": (
        "passed pawn",
        "In an endgame, the solution wins a pawn, and the pawn that moves first is a passed pawn on the "
        "fifth or sixth rank at the end.",
    ),
    "winsMaterial": ("wins material", "The solution wins more than it gives up."),
    "stopsMate": (
        "stops mate",
        "The solution holds a position in which the opponent threatens mate in one, or a quiet first move "
        "does, and no more than a pawn is won later.",
    ),
    "holdsDraw": ("holds the draw", "The solution holds an endgame that is lost otherwise."),
}
_PLAIN = {"betterExchange", "hangingPawn", *_GAINS}

# They say that no more than a pawn is won.
WINS_PAWN = ("winsPawn", "hangingPawn", "passedPawn")

# It says that a move is the only one to hold an endgame.
HOLDS_DRAW = "holdsDraw"

# They come with much that wins for another reason, which is said first.
_BESIDE = ("sacrifice", "attackingF2F7", "advancedPawn")

# All others and mates, those first that say most about why a solution wins: a mate in a pattern, then how a
# defence is broken, then mate, then how material is won.
_BY_IMPORTANCE = (
    *PATTERNS,
    "stalemate", "perpetualCheck", "breakthrough", "underPromotion",
    "doubleCheck", "discoveredCheck", "skewer", "deflection", "overloading", "mate", "discoveredAttack",
    "clearance", "fork", "trappedPiece", "attraction", "relativePin", "interference",
    "intermezzo", "xRayAttack", "hangingPiece", "capturingDefender", "pin", "doubleAttack", "zugzwang",
    "promotion",
    *(name for name in _GAINS if name not in ("winsMaterial", "holdsDraw")), "mateThreat", "winsMaterial",
    "betterExchange", *_BESIDE, "holdsDraw", "hangingPawn",
)  # fmt: skip

# They lead to what a later move wins. Once a line has won, they explain nothing.
_LEADING = frozenset({
    "fork", "doubleAttack", "skewer", "trappedPiece", "deflection", "overloading", "attraction", "clearance",
    "capturingDefender", "interference", "intermezzo", "xRayAttack", "relativePin",
    "discoveredAttack", "mateThreat",
})  # fmt: skip

# The tags by the number of solver moves; the last one stands for all higher numbers, too.
_LENGTHS = ("oneMove", "short", "long", "veryLong")
_MATES = ("mateIn1", "mateIn2", "mateIn3", "mateIn4", "mateIn5")

# Motifs whose tags are not their name.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "underPromotion": ("promotion", "underPromotion"),
}


class Group(StrEnum):
    """What a tag is about."""

    PHASE = "phase"
    LENGTH = "length"
    MATE = "mate"
    MOTIF = "motif"
    MATE_PATTERN = "mate pattern"
    GAIN = "gain"
    SOURCE = "source"


@dataclass(frozen=True)
class Tag:
    """A tag: its name, what it is about, and what a puzzle with this tag shows."""

    name: str
    group: Group
    definition: str


def _moves(names: Sequence[str], what: str) -> dict[str, str]:
    numbers = [f"{number} move{'s'[: number > 1]}" for number in range(1, len(names))]
    return {
        name: f"{what} {number}."
        for name, number in zip(names, [*numbers, f"{len(names)} moves or more"], strict=True)
    }


_DEFINITIONS = {
    Group.PHASE: PHASES,
    Group.LENGTH: _moves(_LENGTHS, "The solver has"),
    Group.MATE: {"mate": "The solution ends in mate."} | _moves(_MATES, "Mate in"),
    Group.MOTIF: {name: text for rule in RULES for name, text in rule.definitions.items()}
    # It takes an engine to recognise others; they are no motif by which puzzles are searched.
    | {
        "zugzwang": "A move threatens nothing, but every reply loses something, which the solution wins; "
        "with at most 14 pieces and pawns on the board, and not where the solution mates. Or so says the "
        "source.",
    },
    Group.MATE_PATTERN: {name: pattern.definition for name, pattern in PATTERNS.items()},
    Group.GAIN: {name: f"{text} Only where no motif says more." for name, (_, text) in _GAINS.items()},
    # Themes that say nothing about the moves, and are known only where a source gives them.
    Group.SOURCE: {
        "crushing": "The solver is ahead by 6 pawns or more afterwards, according to the source.",
        "advantage": "The solver is ahead by 2 to 6 pawns afterwards, according to the source.",
        "equality": "The solver saves a lost position, according to the source.",
        "master": "From a game of a titled player, according to the source.",
        "masterVsMaster": "From a game of two titled players, according to the source.",
        "superGM": "From a game of one of the best players of the world, according to the source.",
    },
}

# All tags with a definition, by name.
TAGS = {
    name: Tag(name, group, definition)
    for group, definitions in _DEFINITIONS.items()
    for name, definition in definitions.items()
}


def motifs_of(replay: Replay) -> list[Motif]:
    """Return every motif of a solution, in the order of the rules."""
    return [motif for rule in RULES for motif in rule(replay)]


def _tags(motifs: Iterable[Motif]) -> set[str]:
    return {tag for motif in motifs for tag in _TAGS.get(motif.name, (motif.name,))}


def _explaining(motifs: Iterable[Motif], replay: Replay) -> list[Motif]:
    """Return those motifs of a line that is not forced that say why it wins."""
    found = [motif for motif in motifs if _explains(motif, replay)]
    # Whoever is forked does not stay, whether or not he is lured away.
    forks = {motif.ply for motif in found if motif.name == "fork"}
    return [motif for motif in found if motif.name != "deflection" or motif.ply not in forks]


def _explains(motif: Motif, replay: Replay) -> bool:
    """Return whether a motif of a line that is not forced says why it wins.

    What begins once the line has won most does not. Nor does a piece that is deflected from what wins
    nothing, a line that is opened for an exchange, or cleared without a check or a threat of mate, a line
    that the reply cuts, and a pin that neither costs the pinned piece nor keeps it from capturing.
    """
    decides, follow_up = deciding_ply(replay), replay.at(motif.ply + 2)
    has_won = motif.ply >= decides.number and net_gain(decides, replay) > 0
    # What follows a single move is not known.
    if motif.name in _LEADING and has_won and len(replay.plies) > 1:
        return False
    if motif.name in ("deflection", "discoveredAttack") and follow_up:
        return follow_up.mates or exchange.settled_gain(follow_up, replay) > 0
    if motif.name == "clearance" and follow_up:
        return follow_up.check or threatens_mate(follow_up.after.board)
    if motif.name == "skewer":
        return motif.to[1] != chess.PAWN
    if motif.name == "absolutePin":
        return attacks.uses_pin(motif, replay)
    if motif.name == "interference":
        return motif.square == replay.plies[motif.ply].target
    return True


def solution_tags(
    position: chess.Board,
    moves: Sequence[chess.Move],
    before: Capture | None = None,
    *,
    is_forced: bool = True,
    holds: bool = False,
) -> list[str]:
    """Return the tags of a solution, sorted: phase, length, motifs, and `mate` with the number of moves.

    `before` is the capture by the move before the solution, None if it did not capture or is not known. If
    the line is not forced, a mate at its end is no tag, nor is a motif that does not say why the line wins.
    `holds` says that the solution need not win. Without a motif there is a tag for what is won or kept.
    """
    replay = Replay(position, moves, before)
    length = (len(moves) + 1) // 2
    tags = {*phase_tags(position), _LENGTHS[min(length, len(_LENGTHS)) - 1]}
    motifs = [motif for motif in motifs_of(replay) if motif.notable]
    tags |= _tags(motifs if is_forced else _explaining(motifs, replay))
    if not replay.mates and any(threats.is_zugzwang(ply, replay) for ply in replay.solver_plies):
        tags.add("zugzwang")
    # On Lichess a discovered check is a discovered attack, too, unless it is a double check.
    if "discoveredCheck" in tags and "doubleCheck" not in tags:
        tags.add("discoveredAttack")
    if replay.mates and is_forced:
        tags |= {"mate", _MATES[min(length, len(_MATES)) - 1]}
    if has_motif(tags):
        tags -= _PLAIN
    else:
        tags |= set(_gain(replay, holds))
    return sorted(tags)


def _gain(replay: Replay, holds: bool) -> Iterator[str]:
    """Yield a tag for what a solution without a motif threatens, wins or keeps, if anything.

    What is captured later in a line that only holds was not forced if it begins with a quiet move, or ends
    without a capture.
    """
    first, wins = replay.plies[0], exchange.winnings(replay)
    is_open = first.quiet or replay.plies[-1].captured is None
    is_endgame = "endgame" in phase_tags(replay.start.board)
    stops_mate = threatens_mate(replay.start.board)
    if threats.threatens_mate_in_two(first):
        yield "mateThreat"
    elif wins and threats.makes_two_threats(first):
        yield "doubleAttack"
    elif wins == "winsPawn" and is_endgame and plans.has_passed_pawn(replay):
        yield "passedPawn"
    elif wins and not (holds and is_open):
        # The pawn falls only later.
        yield "stopsMate" if wins == "winsPawn" and first.quiet and stops_mate else wins
    elif holds and stops_mate:
        yield "stopsMate"
    elif holds and is_endgame:
        yield "holdsDraw"


def phase_tags(position: chess.Board) -> Iterator[str]:
    """Yield the phase of a position and, if it is an endgame of a kind that has a name, its kind."""
    pieces = position.occupied & ~position.kings & ~position.pawns
    if chess.popcount(pieces) <= ENDGAME_PIECES:
        yield "endgame"
        kinds = frozenset(position.piece_type_at(square) or 0 for square in chess.scan_forward(pieces))
        if kinds in _KINDS:
            yield _KINDS[kinds][0]
    elif (
        chess.popcount(pieces) >= OPENING_PIECES
        and position.fullmove_number <= OPENING_MOVES
        and all(
            chess.popcount(position.occupied_co[color] & back_rank(color)) >= OPENING_UNDEVELOPED
            for color in chess.COLORS
        )
    ):
        yield "opening"
    else:
        yield "middlegame"


def tag_words(name: str) -> str:
    """Return a tag as words: `mateIn2` is `mate in 2`, and `winsPawn` is `wins a pawn`."""
    if name in _GAINS:
        return _GAINS[name][0]
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name).lower()


def seen_tags(tags: Iterable[str]) -> list[str]:
    """Return those of some tags that say what was to be seen: motifs, patterns, lengths of mates, gains."""
    groups = (Group.MOTIF, Group.MATE_PATTERN, Group.MATE, Group.GAIN)
    return sorted(tag for tag in tags if tag != "mate" and tag in TAGS and TAGS[tag].group in groups)


def seen_words(tags: Iterable[str]) -> str:
    """Return in words what was to be seen, such as `fork, mate in 2`, or that it has no name."""
    return ", ".join(map(tag_words, seen_tags(tags))) or NO_MOTIF


def motif_tags(tags: Iterable[str]) -> list[str]:
    """Return those of some tags or themes that name a motif, sorted. Unknown ones count as motifs."""
    motifs = (Group.MOTIF, Group.MATE_PATTERN)
    return sorted(tag for tag in tags if tag not in TAGS or TAGS[tag].group in motifs)


def main_motif(tags: Iterable[str]) -> str | None:
    """Return the one of some tags that says most about why the solution wins, None if none of them does.

    It is a motif that is not vague, a mate pattern, or `mate`; where there is none, what is won or kept.
    """
    given = set(tags)
    return next((name for name in _BY_IMPORTANCE if name in given), None)


def has_motif(tags: Iterable[str]) -> bool:
    """Return whether some tags say more about why the solution wins than what is won."""
    return main_motif(tags) not in (None, *_PLAIN, *_BESIDE)


def main_words(tags: Iterable[str]) -> str:
    """Return the main motif of some tags in words, such as `hanging piece`, or that it has no name."""
    name = main_motif(tags)
    return tag_words(name) if name else NO_MOTIF
