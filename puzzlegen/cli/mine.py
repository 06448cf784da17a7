"""The command `puzzlegen mine`.

What to run after `puzzlegen mine`, and why a run that stored nothing did so.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, print_json
from chess_motif.progress import TerminalProgress
from puzzlegen.cli.options import DatabaseOption, EngineOption, WorkersOption, next_step, open_store
from puzzlegen.cli.text import mining_text
from puzzlegen.games.pgn import Skip
from puzzlegen.mining.report import MiningSummary
from puzzlegen.rules import MiningRules, Pattern


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
    """Return the next command and, after a run without puzzles, what kept most candidates or games out.

    The other parameters are those of the run: the next command changes the one that is to blame.
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
        why = f"{_failures(summary, reason)} The other pattern also takes blunders that were punished."
    elif limit is not None and summary.games >= limit:
        why, limit = f"{_failures(summary, reason)} There may be puzzles in the games after these.", None
    else:
        return f"{_failures(summary, reason)} Other games may have some."
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


ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Mine on the workers of a Dask scheduler, such as tcp://host:8786. "
        "The engine's PATH is then a path on the workers.",
    ),
]
PlayerOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only puzzles that this player (words of a name, in any order) could have solved.",
    ),
]
EvaluatedOnlyOption = Annotated[
    bool,
    typer.Option(
        "--evaluated-only",
        help="Only games with [%eval] comments; the others need about seventy searches each.",
    ),
]


def mine_command(
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAMES", help=".pgn, .pgn.zst, .pgn.gz, .pgn.bz2, or - for stdin"),
    ],
    engine: EngineOption = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    pattern: Annotated[Pattern, typer.Option(help="What makes a candidate.")] = Pattern.BLUNDER_BLUNDER,
    player: PlayerOption = None,
    evaluated_only: EvaluatedOnlyOption = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N games.")] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Mine from the start, ignoring checkpoints.")
    ] = False,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Do not search positions that this packed file (see memory pack) has a verdict on. "
            "With --cluster, a path on the workers.",
        ),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find blunders in games, verify what punishes them, and store the puzzles.

    After an interruption, the same command resumes where it stopped.
    """
    # Imported when needed: they load more than the other commands need.
    from puzzlegen.mining.run import mine

    if cluster is not None and workers is not None:
        raise typer.BadParameter(
            "cannot be used with --cluster, which has its own workers", param_hint="--workers"
        )
    with open_store(db) as store, TerminalProgress() as progress, progress.finishing_on_interrupt():
        report = mine(
            games,
            store,
            engine,
            rules=MiningRules(pattern=pattern),
            workers=workers or os.cpu_count() or 1,
            cluster=cluster,
            player=player,
            evaluated_only=evaluated_only,
            limit=limit,
            restart=restart,
            cache=memory,
            progress=progress,
        )
        progress.close()
        if json:
            print_json(report.as_dict())
        else:
            print(mining_text(report))
            advice = after_mining(
                report.summary,
                games,
                pattern=pattern,
                player=player,
                evaluated_only=evaluated_only,
                limit=limit,
                db=db,
            )
            print(f"\n{advice}")
    if report.interrupted:
        raise KeyboardInterrupt
    if report.damaged:
        raise typer.Exit(FAILED)
