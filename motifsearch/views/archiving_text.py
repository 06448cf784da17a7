"""What came of adding games, for people."""

from __future__ import annotations

from chess_motif.tables import table
from motifsearch.positions.archiving import AddReport
from motifsearch.positions.index import PositionsReport


def added_text(report: AddReport, index: PositionsReport) -> str:
    """Return the counts of games and positions, with an example for each reason to skip a game."""
    rows: list[list[object]] = [
        ["games read", f"{report.games:,}", ""],
        ["archived", f"{report.archived:,}", ""],
        ["known before", f"{report.known:,}", ""],
    ]
    rows += [
        [f"skipped: {reason}", f"{count:,}", report.examples[reason]]
        for reason, count in report.skipped.most_common()
    ]
    rows.append(["positions in the index", f"{index.indexed:,}", ""])
    if index.positions:
        rows += [["of these new", f"{index.positions:,}", ""], ["positions/s", f"{index.rate:,.0f}", ""]]
    following = 'motifsearch positions similar "FEN"' if index.indexed else "motifsearch positions add GAMES"
    return f"{table(['', 'count', 'for example'], rows, right='lr')}\n\nNext: {following}"
