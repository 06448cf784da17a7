"""Tags of a puzzle, named like the Lichess themes that mean the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess
from chess import Square

from puzzlegen.motifs.mates import PATTERNS
from puzzlegen.motifs.recognise import notable_motifs
from puzzlegen.motifs.replay import Replay

# Tags by the number of solver moves, and that of more than three.
_LENGTHS = {1: "oneMove", 2: "short", 3: "long"}
_VERY_LONG = "veryLong"

# Motifs whose tags are not just their name. On Lichess a discovered check is also a discovered attack;
# relative pins are too frequent to be worth a tag.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "relativePin": (),
    "discoveredCheck": ("discoveredCheck", "discoveredAttack"),
}

# The tags of motifs.
MOTIF_TAGS = frozenset(
    (
        "advancedPawn", "attackingF2F7", "attraction", "capturingDefender", "castling", "clearance",
        "defensiveMove", "deflection", "desperado", "discoveredAttack", "discoveredCheck", "doubleCheck",
        "enPassant", "exposedKing", "fork", "hangingPiece", "interference", "intermezzo", "kingsideAttack",
        "overloading", "pin", "promotion", "queensideAttack", "quietMove", "sacrifice", "skewer",
        "trappedPiece", "underPromotion", "xRayAttack", *PATTERNS,
    )
)  # fmt: skip

# All tags, except those of longer mates.
TAGS = MOTIF_TAGS.union(
    _LENGTHS.values(), (_VERY_LONG, "mate"), (f"mateIn{length}" for length in range(1, 6))
)


def motif_tags(tags: Iterable[str]) -> list[str]:
    """Return those of the tags that name a motif."""
    return [tag for tag in tags if tag in MOTIF_TAGS]


def solution_tags(
    position: chess.Board, moves: Sequence[chess.Move], taken: Square | None = None
) -> list[str]:
    """Return the tags of a solution, sorted: its length, its motifs, and `mate` with the number of moves.

    `taken` is the square on which the move before the solution captured, None if it did not or is not known.
    """
    replay = Replay(position, moves, taken)
    length = (len(moves) + 1) // 2
    tags = {_LENGTHS.get(length, _VERY_LONG)}
    for motif in notable_motifs(replay):
        tags.update(_TAGS.get(motif.name, (motif.name,)))
    if replay.mates:
        tags |= {"mate", f"mateIn{length}"}
    return sorted(tags)
