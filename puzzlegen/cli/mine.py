"""The command `puzzlegen mine`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, print_json
from chess_motif.terminal import TerminalProgress
from puzzlegen.cli.options import DatabaseOption, EngineOption, WorkersOption, open_store
from puzzlegen.cli.text import mining_text
from puzzlegen.rules import MiningRules, Pattern

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
    from puzzlegen.cli.advice import after_mining
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
            memory=memory,
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
