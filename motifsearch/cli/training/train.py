"""The command `motifsearch train`: from a player's games to her training set."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, print_json
from chess_motif.tables import terminal_width
from motifsearch.cli.options import IndexOption
from puzzlegen.cli.options import DatabaseOption, EngineOption, WorkersOption, next_step, open_store


def train_command(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAMES",
            help=".pgn, .pgn.zst, .pgn.gz, .pgn.bz2, - for stdin; or lichess:USER, chesscom:USER",
        ),
    ],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The player: words of a name, in any order; several times for several names. "
            "Default: the USER.",
        ),
    ] = None,
    set_name: Annotated[
        str | None,
        typer.Option("--set", metavar="SET", help="Name of the training set. Default: the player's."),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=0, metavar="N", help="Puzzles picked for each missed chance.")
    ] = 3,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only N new games of the player.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="YYYY-MM-DD",
            help="Download games from this day on. Default: the last 90 days.",
        ),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Analyse games again that were analysed before.")
    ] = False,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find the tactics that a player missed, and make a training set of them and of puzzles like them.

    After an interruption, the same command resumes; later, it analyses new games only.
    """
    # Imported when needed: they load more than the other commands need.
    from chess_motif.terminal import TerminalProgress
    from motifsearch.trainer.downloads import players_of
    from motifsearch.trainer.train import train
    from motifsearch.views.training.report_text import added_text, analysis_text, report_text

    players = [*(player or ()), *players_of(games)]
    if not players:
        raise typer.BadParameter("is needed for files of games", param_hint="--player")
    if not all(name.strip(" ,") for name in players):
        raise typer.BadParameter("has no words", param_hint="--player")
    name = set_name or players[0]
    with open_store(db) as store, TerminalProgress() as progress, progress.finishing_on_interrupt():
        training = train(
            games,
            store,
            players,
            name=name,
            k=k,
            engine_path=engine,
            workers=workers or os.cpu_count() or 1,
            limit=limit,
            since=since.date() if since else None,
            restart=restart,
            index=index,
            progress=progress,
        )
    if json:
        print_json(training.as_dict())
    else:
        print(f"{analysis_text(training.analysis)}\n")
        print(report_text(training.chances, players[0], terminal_width()))
        if training.added is not None:
            print(f"\n{added_text(training.added)}\n\n{next_step('motifsearch', 'solve', name, db=db)}")
    if training.analysis.interrupted:
        raise KeyboardInterrupt
    if training.analysis.damaged:
        raise typer.Exit(FAILED)
