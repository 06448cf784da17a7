"""The command `puzzlegen mine`: its output, and the command to run next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, show, with_options
from chess_motif.logs import logging_to
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table
from db.store import Store
from engines.options import STOCKFISH, EngineSetup
from puzzlegen.cli.options import (
    ClusterOption,
    DatabaseOption,
    GamesArgument,
    RestartOption,
    WorkersOption,
    at_most,
    chosen_engine,
    next_step,
    worker_count,
)
from puzzlegen.games.pgn import Skip
from puzzlegen.mining.report import MiningReport, MiningSummary
from puzzlegen.rules import MiningRules, Pattern


@with_options(engine=chosen_engine)
def mine_command(
    games: GamesArgument,
    engine: EngineSetup = STOCKFISH,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    pattern: Annotated[
        Pattern,
        typer.Option(
            help="Blunders that may become puzzles: only those answered by another blunder, or all."
        ),
    ] = Pattern.BLUNDER_BLUNDER,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only puzzles that this player could have solved: words of the name, in any order.",
        ),
    ] = None,
    evaluated_only: Annotated[
        bool,
        typer.Option(
            "--evaluated-only",
            help="Only games with [%eval] comments. Each other game takes about seventy searches.",
        ),
    ] = False,
    limit: Annotated[int | None, at_most("games")] = None,
    restart: RestartOption = False,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Do not repeat searches that are in this packed file (see `cache pack`). With --cluster, "
            "its path on the workers.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Append what happens, with times, to this file as JSON lines."),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find blunders in games, verify the moves that punish them, and store the puzzles.

    After an interruption, the same command resumes where it stopped.
    """
    # Imported only here: mining loads more than the other commands need.
    from puzzlegen.indexer import indexed
    from puzzlegen.mining.run import mine

    workers = worker_count(workers, cluster)
    with (
        logging_to(log),
        Store(db) as store,
        TerminalProgress() as progress,
        progress.finishing_on_interrupt(),
    ):
        report = mine(
            games,
            store,
            engine,
            rules=MiningRules(pattern=pattern),
            workers=workers,
            cluster=cluster,
            player=player,
            evaluated_only=evaluated_only,
            limit=limit,
            restart=restart,
            cache=cache,
            progress=progress,
        )
        if report.summary.puzzles:
            indexed(store, lambda _: None, progress)
        progress.close()

        def text() -> str:
            advice = after_mining(
                report.summary,
                games,
                pattern=pattern,
                player=player,
                evaluated_only=evaluated_only,
                limit=limit,
                db=db,
            )
            return f"{mining_text(report)}\n\n{advice}"

        show(report, text, json)
    if report.interrupted:
        raise KeyboardInterrupt
    if report.damaged:
        raise typer.Exit(FAILED)


def mining_text(report: MiningReport) -> str:
    """Return the counts of a run, with an example of each reason for a rejected candidate or skipped game."""
    summary = report.summary
    rows: list[list[object]] = [
        ["games", summary.games],
        ["candidates", summary.candidates],
        ["puzzles stored", summary.puzzles],
    ]
    if summary.known:
        rows.append(["puzzles already known", summary.known])
    for kind, reasons in (("rejected", summary.rejected), ("skipped", summary.skipped)):
        # Games that are skipped unread have no example.
        rows += [
            [f"{kind}: {reason}", count, summary.examples.get(reason, "")]
            for reason, count in reasons.most_common()
        ]
    rows += [
        ["positions searched", f"{summary.positions_searched:,}"],
        ["searches already known", f"{summary.searches_reused:,}"],
        ["engine nodes", f"{summary.nodes:,}"],
        ["seconds", f"{report.seconds:.0f}"],
    ]
    rows = [[*row, ""][:3] for row in rows]
    return table(["", "count", "for example"], rows, right="lr")


def after_mining(
    summary: MiningSummary,
    games: Sequence[str],
    *,
    pattern: Pattern,
    player: str | None,
    evaluated_only: bool,
    limit: int | None,
    db: str | None,
) -> str:
    """Return the next command and, after a run without puzzles, the main reason why there are none.

    The other parameters are those of the run; the next command changes the one that kept puzzles out.
    """
    if summary.puzzles or summary.known:
        return next_step("puzzlegen", "list", db=db)
    if not summary.games:
        return "No game was read."
    reasons = summary.rejected or summary.skipped
    reason, count = reasons.most_common(1)[0] if reasons else ("", 0)
    if reason == Skip.OTHER_PLAYER and count == summary.games:
        return f"No player's name in the games has all words of {player!r}."
    if reason == Skip.NO_EVALUATIONS and count == summary.games:
        why, evaluated_only = "No game has evaluations; Stockfish can find them.", False
    elif summary.skipped.total() == summary.games:
        return f"Every game was skipped, most often for this reason: {reason}."
    elif pattern is Pattern.BLUNDER_BLUNDER:
        pattern = Pattern.BLUNDER
        why = f"{_failures(summary, reason)} The pattern 'blunder' also accepts blunders that were punished."
    elif limit is not None and summary.games >= limit:
        why, limit = f"{_failures(summary, reason)} Later games may have puzzles.", None
    else:
        return f"{_failures(summary, reason)} Other games may have puzzles."
    options = [
        *(["--pattern", pattern.value] if pattern is Pattern.BLUNDER else []),
        *(["--player", player] if player is not None else []),
        *(["--evaluated-only"] if evaluated_only else []),
        *(["--limit", str(limit)] if limit is not None else []),
    ]
    return f"{why}\n\n{next_step('puzzlegen', 'mine', *games, *options, db=db)}"


def _failures(summary: MiningSummary, reason: str) -> str:
    if not summary.candidates:
        return "No position is a candidate for a puzzle."
    return f"No candidate became a puzzle. The most frequent reason: {reason}."
