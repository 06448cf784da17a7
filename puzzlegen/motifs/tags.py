"""Tags of a puzzle, named like the Lichess themes that mean the same."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from chess import Square

from puzzlegen.motifs.recognise import notable_motifs
from puzzlegen.motifs.replay import Replay

# Tags by the number of solver moves; more than three are `veryLong`.
_LENGTHS = {1: "oneMove", 2: "short", 3: "long"}

# Motifs whose tags are not just their name. On Lichess a discovered check is also a discovered attack;
# relative pins are too frequent to be worth a tag.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "relativePin": (),
    "discoveredCheck": ("discoveredCheck", "discoveredAttack"),
}


def solution_tags(
    position: chess.Board, moves: Sequence[chess.Move], taken: Square | None = None
) -> list[str]:
    """Return the tags of a solution, sorted: its length, its motifs, and `mate` with the number of moves.

    `taken` is the square on which the move before the solution captured, None if it did not or is not known.
    """
    replay = Replay(position, moves, taken)
    length = (len(moves) + 1) // 2
    tags = {_LENGTHS.get(length, "veryLong")}
    for motif in notable_motifs(replay):
        tags.update(_TAGS.get(motif.name, (motif.name,)))
    if replay.mates:
        tags |= {"mate", f"mateIn{length}"}
    return sorted(tags)
