"""Training as text: an analysis and its report.

Results of `motifsearch.trainer` go in, text for a terminal comes out. An opportunity is a chance here, as
players call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chess_motif.notation import parse_move
from chess_motif.tables import Column, fitted_table
from chess_motif.text import counted
from db.training import Opportunity
from puzzlegen.motifs.tags import TAGS, tag_words

if TYPE_CHECKING:
    from motifsearch.trainer.report import OpportunityTables, OpportunityTally, ReportRow
    from motifsearch.trainer.sets import SetReport
    from puzzlegen.mining.report import OpportunityReport

# Rows of a table: those that cost most.
MOST_ROWS = 10


def analysis_text(report: OpportunityReport) -> str:
    """Return what an analysis of games found and cost, in a sentence or two."""
    summary = report.summary
    if not summary.games:
        known = report.known_games
        return f"No new games; {known:,} were analysed before." if known else "No games."
    puzzles = summary.puzzles + summary.known - report.exercises
    of_known = f" ({report.known_games:,} were known)" if report.known_games else ""
    return (
        f"{counted(summary.games, 'new game')}{of_known}: "
        f"{counted(report.opportunities, 'chance')} of both sides, "
        f"from which came {counted(puzzles, 'puzzle')} and {counted(report.exercises, 'exercise')}. "
        f"{summary.nodes / summary.games / 1e6:.1f} million nodes and "
        f"{report.seconds / summary.games:.1f} seconds a game."
    )


def report_text(tables: OpportunityTables, player: str, width: int) -> str:
    """Return the tables and the motifs that cost most, for a terminal of `width` columns."""
    if not tables.all.player.had and not tables.all.opponents.had:
        return f"No chances in {counted(tables.games, 'game')} of {player}."
    parts = [_table("", [tables.all], width)]
    parts += [_table(name, rows, width) for name, rows in tables.by.items() if len(rows) > 1]
    if tables.missed:
        parts.append(_missed(tables.missed[:MOST_ROWS], width))
    parts.append("found: the share, and its 95 % confidence interval; they: the opponents.")
    return "\n\n".join([*parts, cost_sentence(tables, player)])


def cost_sentence(tables: OpportunityTables, player: str) -> str:
    """Return which motifs cost the player most, in a sentence."""
    rows = tables.most_expensive
    if not rows:
        return f"{player} missed no chance with a motif that has a name."
    costs = [
        f"{_words(row.name)} ({row.player.missed} of {row.player.had} missed, {row.player.lost:.1f} points)"
        for row in rows
    ]
    *first, last = costs
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"What cost {player} most: {listed}."


def _table(name: str, rows: Sequence[ReportRow], width: int) -> str:
    shown = rows[:MOST_ROWS]
    player, opponents = [row.player for row in shown], [row.opponents for row in shown]
    columns = [
        Column(name, [_words(row.name) for row in shown]),
        *_counts(player, ("had", "missed", "found"), order=0),
        Column("points lost", [f"{tally.lost:.1f}" for tally in player], right=True, order=1),
        *_counts(opponents, ("they had", "they missed", "they found"), order=2),
    ]
    text, _ = fitted_table(columns, width)
    more = len(rows) - len(shown)
    return f"{text}\n({more} more)" if more else text


def _counts(tallies: Sequence[OpportunityTally], headers: tuple[str, str, str], order: int) -> list[Column]:
    cells = (
        [str(tally.had or "") for tally in tallies],
        [str(tally.missed) if tally.had else "" for tally in tallies],
        [_share(tally) for tally in tallies],
    )
    return [
        Column(header, shown, right=True, order=order) for header, shown in zip(headers, cells, strict=True)
    ]


def _share(tally: OpportunityTally) -> str:
    """Return the share found with its 95 % interval, such as `36 % (15-65)`."""
    if tally.share is None:
        return ""
    mean, low, high = (round(100 * value) for value in tally.share)
    return f"{mean} % ({low}-{high})"


def _words(name: str) -> str:
    return tag_words(name) if name in TAGS else name


def _missed(missed: Sequence[Opportunity], width: int) -> str:
    columns = [
        Column("missed", [_game(one) for one in missed], order=1),
        Column("played", [_san(one, one.played) for one in missed]),
        Column("best", [_san(one, one.solution) for one in missed]),
        Column("points lost", [f"{one.lost:.1f}" for one in missed], right=True),
        Column("id", [one.puzzle_id for one in missed]),
    ]
    text, _ = fitted_table(columns, width)
    return text


def _game(opportunity: Opportunity) -> str:
    game = opportunity.game
    return f"{game.white or '?'} – {game.black or '?'}, {game.date}"


def _san(opportunity: Opportunity, line: str) -> str:
    """Return the first move of a line in UCI as `29. Rxc6`."""
    position = opportunity.position()
    return position.variation_san([parse_move(position, line.split()[0])])


def added_text(report: SetReport) -> str:
    """Return what was added to a training set, and which missed opportunities are not in it."""
    name = f"the training set {report.name!r}"
    if not report.own:
        lines = [f"Nothing new for {name}."]
    else:
        own, picked = counted(report.own, "missed chance"), counted(report.picked, "puzzle")
        lines = [f"Added to {name}: {own} and {picked} like them."]
    if report.alone:
        lines.append(f"For {report.alone} of them the database has no puzzle that is close.")
    if report.without:
        reason = "too many good moves, or no clear gain"
        lines.append(f"Not in it: {counted(report.without, 'missed chance')} with {reason}.")
    if report.repeated:
        lines.append(f"Left out: {report.repeated} nearly the same as one before in the game.")
    return "\n".join(lines)
