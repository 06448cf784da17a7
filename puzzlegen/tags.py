"""Tags of a puzzle, for filters and explanations; named as Lichess' themes where the meaning is the same."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from puzzlegen.motifs.played import Played
from puzzlegen.motifs.recognise import motifs_of

# Solver's moves to the name of the length; more than three are `veryLong`.
_LENGTHS = {1: "oneMove", 2: "short", 3: "long"}

# Motifs with other tags than their own name. Lichess has no theme for an overloaded piece, and counts a
# discovered check as an attack; a relative pin and a move in between are seen too often to be told to people.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "relativePin": (),
    "intermezzo": (),
    "discoveredCheck": ("discoveredCheck", "discoveredAttack"),
}


def solution_tags(position: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Return the tags of a solution, sorted: its length, mate and in how many, and its motifs."""
    played = Played(position, moves)
    length = (len(moves) + 1) // 2
    tags = {_LENGTHS.get(length, "veryLong")}
    for motif in motifs_of(played):
        tags.update(_TAGS.get(motif.name, (motif.name,)))
    if played.mates:
        tags |= {"mate", f"mateIn{length}"}
    return sorted(tags)
