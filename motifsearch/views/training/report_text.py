"""What a player makes of the chances in her games, as tables and a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from chess_motif.tables import Column, fitted_table
from chess_motif.text import counted
from motifsearch.trainer.report import ChanceTables, Row, Tally
from motifsearch.trainer.training import SetReport
from puzzlegen.chances.run import ChancesReport

# Rows of a table: those that cost most.
MOST_ROWS = 12


def report_text(tables: ChanceTables, player: str, width: int) -> str:
    """Return the tables and the motifs that cost most, for a terminal of `width` columns."""
    if not tables.all.player.had and not tables.all.opponents.had:
        return f"No chances in {counted(tables.games, 'game')} of {player}."
    parts = [_table("", [tables.all], width)]
    parts += [_table(name, rows, width) for name, rows in tables.by.items() if _says_something(rows)]
    return "\n\n".join([*parts, cost_sentence(tables, player)])


def cost_sentence(tables: ChanceTables, player: str) -> str:
    """Return which motifs cost the player most, in a sentence."""
    rows = tables.most_expensive
    if not rows:
        return f"{player} missed no chance with a motif that has a name."
    costs = [
        f"{row.name} ({row.player.missed} of {row.player.had} missed, {_points(row.player.lost)})"
        for row in rows
    ]
    *first, last = costs
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"What cost {player} most: {listed}."


def analysis_text(report: ChancesReport) -> str:
    """Return what an analysis of games found and cost, in a sentence or two."""
    summary = report.summary
    if not summary.games:
        return f"No new games; {report.known:,} were analysed before." if report.known else "No games."
    puzzles = summary.puzzles + summary.known - report.exercises
    known = f" ({report.known:,} were known)" if report.known else ""
    return (
        f"{counted(summary.games, 'new game')}{known}: {counted(report.chances, 'chance')} of both sides, "
        f"from which came {counted(puzzles, 'puzzle')} and {counted(report.exercises, 'exercise')}. "
        f"{summary.nodes / summary.games / 1e6:.1f} million nodes and "
        f"{report.seconds / summary.games:.1f} seconds a game."
    )


def set_text(report: SetReport) -> str:
    """Return what was added to a training set."""
    if not report.own + report.picked:
        text = f"Nothing new for the training set {report.name!r}."
    else:
        text = (
            f"Added to the training set {report.name!r}: {counted(report.own, 'missed chance')} and "
            f"{counted(report.picked, 'puzzle')} like them."
        )
    if report.without:
        text += (
            f" {counted(report.without, 'missed chance')} with too many good moves or no clear gain "
            f"{'is' if report.without == 1 else 'are'} not in it."
        )
    if report.left_over:
        text += f" For {report.left_over} of the missed chances the database has no puzzle that is close."
    return text


def _table(name: str, rows: Sequence[Row], width: int) -> str:
    shown = rows[:MOST_ROWS]
    columns = [
        Column(name, [row.name for row in shown]),
        *_columns([row.player for row in shown], "", order=0),
        *_columns([row.opponents for row in shown], "opponents: ", order=1),
    ]
    text, _ = fitted_table(columns, width)
    more = len(rows) - len(shown)
    return f"{text}\n({more} more)" if more else text


def _columns(tallies: Sequence[Tally], whose: str, order: int) -> list[Column]:
    return [
        Column(f"{whose}had", [f"{tally.had}" for tally in tallies], right=True, order=order),
        Column(f"{whose}missed", [f"{tally.missed}" for tally in tallies], right=True, order=order),
        Column(f"{whose}found", [_share(tally) for tally in tallies], right=True, order=order),
        Column(f"{whose}lost", [_points(tally.lost) for tally in tallies], right=True, order=order),
    ]


def _says_something(rows: Sequence[Row]) -> bool:
    """Return whether a table has more than one row of what is not known."""
    return len(rows) > 1


def _share(tally: Tally) -> str:
    """Return the share found with its 95 % interval, such as `36 % (15-65)`."""
    if tally.share is None:
        return ""
    mean, low, high = (round(100 * value) for value in tally.share)
    return f"{mean} % ({low}-{high})"


def _points(points: float) -> str:
    return f"{points:.1f} points"
