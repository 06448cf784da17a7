"""Reports on move choosers for a terminal: the quality of their moves, and games against RANDOM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chess_motif.tables import table
from chess_motif.text import counted
from motifsearch.evaluation.intervals import Interval
from motifsearch.evaluation.move_quality.move_scores import DEPTH, MOST_LOST
from motifsearch.evaluation.move_quality.questions import FIRST_PLY
from motifsearch.evaluation.move_quality.random_games import RandomGamesReport
from motifsearch.evaluation.move_quality.report import METRICS, RECALL_AT, MoveQualityReport

# What a column is called, by metric.
TITLES = {"as_played": "as played", "rank": "rank", "loss": "centipawn loss"} | {
    f"recall_{k}": f"recall@{k}" for k in RECALL_AT
}

CONFIDENCE = "In parentheses: 95 % confidence intervals."


def move_quality_text(report: MoveQualityReport) -> str:
    """Return the figures of all choosers, one below the other, and those of the players of the games."""
    figures = {name: report.figures(name) for name in report.answers}
    figures["the players"] = report.player_figures()
    chosen = [name for name in METRICS if not name.startswith("recall")]
    recall = [name for name in METRICS if name.startswith("recall")]
    elo = f"The players have {report.elo:.0f} Elo on average.\n" if report.elo is not None else ""
    return "\n\n".join(
        [
            f"{counted(len(report.questions), 'position')}, each from a different game, after {FIRST_PLY} "
            f"plies or more.\n{elo}{report.engine} scored every legal move at depth {DEPTH}.",
            _figures(figures, chosen),
            _figures(figures, recall),
            "as played: the chosen move is that of the game.\n"
            f"rank: 1 + the number of better moves. A position has {report.legal_moves:.1f} legal moves on "
            f"average;\none chosen at random is expected to have rank {report.random_rank:.1f}.\n"
            f"centipawn loss: to the best move, with scores within ±{MOST_LOST:,}.\n"
            f"recall@K: the engine's best move is among the chooser's first K.\n{CONFIDENCE}",
        ]
    )


def differences_text(report: MoveQualityReport, first: str, second: str) -> str:
    """Return by how much the figures of one chooser differ from those of another on the same positions."""
    rows = [
        [TITLES[name], _shown(name, difference, sign="+")]
        for name, difference in report.differences(first, second).items()
    ]
    return (
        f"{first} minus {second}, on the same positions\n\n"
        f"{table(['figure', 'difference'], rows, right='lr')}\n\n"
        f"Lower is better for rank and centipawn loss. {CONFIDENCE}"
    )


def random_games_text(reports: Sequence[RandomGamesReport]) -> str:
    """Return the results against RANDOM of all choosers, one below the other."""
    rows = [
        [
            report.name,
            len(report.games),
            f"{report.won}–{report.drawn}–{report.lost}",
            _percent(report.win_rate),
            _percent(report.decisive),
            f"{report.plies:.0f}",
            ", ".join(
                f"{count} {termination.name.lower().replace('_', ' ')}"
                for termination, count in report.draws.most_common()
            ),
        ]
        for report in reports
    ]
    header = ["chooser", "games", "won–drawn–lost", "win rate", "decisive", "plies", "draws by"]
    return (
        "Games against RANDOM, which plays any legal move; none is adjudicated\n\n"
        f"{table(header, rows, right='lrrrrrl')}\n\n{CONFIDENCE}"
    )


def _figures(figures: Mapping[str, Mapping[str, Interval]], metrics: Sequence[str]) -> str:
    rows = [
        [chooser, *(_shown(name, found[name]) if name in found else "–" for name in metrics)]
        for chooser, found in figures.items()
    ]
    return table(["chooser", *(TITLES[name] for name in metrics)], rows, right="l" + "r" * len(metrics))


def _shown(metric: str, figure: Interval, sign: str = "") -> str:
    if METRICS[metric].share:
        return _percent(figure, sign)
    digits = 2 if metric == "rank" else 0
    mean, low, high = (f"{value:{sign}z.{digits}f}" for value in figure)
    return f"{mean} ({low}{_between(sign)}{high})"


def _percent(figure: Interval, sign: str = "") -> str:
    mean, low, high = (f"{100 * value:{sign}z.0f}" for value in figure)
    return f"{mean} % ({low}{_between(sign)}{high})"


def _between(sign: str) -> str:
    """Return what is between the ends of an interval: no dash where numbers have signs."""
    return " to " if sign else "–"
