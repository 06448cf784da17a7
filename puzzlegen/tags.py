"""Tags of a puzzle, for filters and explanations; named as Lichess' themes where the meaning is the same."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from chess import Square

from puzzlegen.motifs.played import Played
from puzzlegen.motifs.recognise import motifs_of

# Solver's moves to the name of the length; more than three are `veryLong`.
_LENGTHS = {1: "oneMove", 2: "short", 3: "long"}

# Motifs with other tags than their own name. A discovered check counts as a discovered attack on Lichess;
# a relative pin is seen too often to be told to people.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "relativePin": (),
    "discoveredCheck": ("discoveredCheck", "discoveredAttack"),
}


def solution_tags(
    position: chess.Board,
    moves: Sequence[chess.Move],
    before: chess.Board | None = None,
    blunder: chess.Move | None = None,
) -> list[str]:
    """Return the tags of a solution, sorted: its length, mate and in how many, and its motifs.

    `blunder` in `before` is the move that led to the position, if known; only with it is a first move seen
    to be an `intermezzo`, which puts off a recapture.
    """
    played = Played(position, moves)
    taken = blunder.to_square if before and blunder and before.is_capture(blunder) else None
    length = (len(moves) + 1) // 2
    tags = {_LENGTHS.get(length, "veryLong")}
    for motif in motifs_of(played):
        if motif.name != "intermezzo" or motif.square == _due(played, motif.ply, taken):
            tags.update(_TAGS.get(motif.name, (motif.name,)))
    if played.mates:
        tags |= {"mate", f"mateIn{length}"}
    return sorted(tags)


def _due(played: Played, number: int, taken: Square | None) -> Square | None:
    """Return the square on which a recapture was due at the ply of a number, `taken` before the first."""
    if number == 0:
        return taken
    reply = played.plies[number - 1]
    return reply.target if reply.captured else None
