"""Tags of a puzzle, for filters and explanations; named as Lichess' themes where the meaning is the same."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from chess import Square

from puzzlegen.motifs.recognise import notable_motifs
from puzzlegen.motifs.replay import Replay

# Solver's moves to the name of the length; more than three are `veryLong`.
_LENGTHS = {1: "oneMove", 2: "short", 3: "long"}

# Motifs with other tags than their own name. A discovered check counts as a discovered attack on Lichess;
# a relative pin is too frequent to be worth a tag.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "relativePin": (),
    "discoveredCheck": ("discoveredCheck", "discoveredAttack"),
}


def solution_tags(
    position: chess.Board, moves: Sequence[chess.Move], taken: Square | None = None
) -> list[str]:
    """Return the tags of a solution, sorted: its length, mate and in how many, and its motifs.

    `taken` is the square on which the move before it captured, if known.
    """
    replay = Replay(position, moves, taken)
    length = (len(moves) + 1) // 2
    tags = {_LENGTHS.get(length, "veryLong")}
    for motif in notable_motifs(replay):
        tags.update(_TAGS.get(motif.name, (motif.name,)))
    if replay.mates:
        tags |= {"mate", f"mateIn{length}"}
    return sorted(tags)
