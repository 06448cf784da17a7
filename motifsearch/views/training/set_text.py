"""Training sets as tables."""

from __future__ import annotations

from collections.abc import Sequence

from chess_motif.tables import Column, fitted_table, table
from chess_motif.text import counted
from db.training.sets import SetEntry
from motifsearch.trainer.sets import SetStatus
from puzzlegen.motifs.tags import seen_words


def sets_text(sets: Sequence[SetStatus]) -> str:
    """Return a table of training sets (at least one), with what is due."""
    rows = [each.as_dict() for each in sets]
    cells = [[value if value is not None else "" for value in row.values()] for row in rows]
    return table(list(rows[0]), cells, right="llrrrl")


def set_text(entries: Sequence[SetEntry], width: int) -> str:
    """Return a table of the puzzles of a set, for a terminal of `width` columns."""
    puzzles = [entry.puzzle for entry in entries]
    columns = [
        Column("", [str(place) for place in range(1, len(entries) + 1)], right=True),
        Column("id", [puzzle.id for puzzle in puzzles]),
        Column("what", ["missed" if entry.is_own else "like it" for entry in entries]),
        Column("level", [puzzle.level_text() for puzzle in puzzles], right=True),
        Column("motif", [seen_words(one.all_tags()) for one in puzzles], order=1),
        Column("from", [puzzle.origin() for puzzle in puzzles], order=2),
    ]
    text, left_out = fitted_table(columns, width)
    own = sum(entry.is_own for entry in entries)
    lines = [text, ""]
    if left_out:
        lines.append(f"No room for: {', '.join(left_out)}")
    lines.append(f"{counted(own, 'missed chance')}, and {counted(len(entries) - own, 'puzzle')} like them")
    return "\n".join(lines)
