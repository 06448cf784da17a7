"""What a memory holds, as text."""

from __future__ import annotations

from chess_motif.tables import table
from motifsearch.positions.archiving import AddReport
from motifsearch.retrieval.memory.build import MemoryReport
from motifsearch.views.positions.text import skipped_rows


def memory_text(added: AddReport, memory: MemoryReport) -> str:
    """Return the counts of a build, with an example of each reason to skip a game."""
    rows: list[list[object]] = []
    if added.games:
        rows = [["games read", f"{added.games:,}", ""], ["archived", f"{added.archived:,}", ""]]
        rows += skipped_rows(added)
    rows += [
        ["games in the memory", f"{memory.games:,}", ""],
        ["of which new", f"{memory.added:,}", ""],
        ["moves played", f"{memory.occurrences:,}", ""],
        ["different positions", f"{memory.positions:,}", ""],
        ["MB on disk", f"{memory.bytes / 1e6:,.0f}", ""],
    ]
    return table(["", "count", "for example"], rows, right="lr")
