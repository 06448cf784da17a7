"""The command `motifsearch train`, which makes a training set of the tactics that a player missed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, show
from chess_motif.errors import InputError
from chess_motif.progress import TerminalProgress
from chess_motif.tables import terminal_width
from chess_motif.text import clean_name, name_words
from db.store import Store
from motifsearch.cli.names import chosen_players
from puzzlegen.cli.options import (
    GAME_FILES,
    DatabaseOption,
    EngineOption,
    IndexOption,
    RestartOption,
    WorkersOption,
    at_most,
    cleaned,
    next_step,
    worker_count,
)


def train_command(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAMES",
            help=f"{GAME_FILES}; lichess:USER or chesscom:USER to download them",
        ),
    ],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Words of the player's name, in any order. Repeat the option for other names of the "
            "player. Default: USER.",
        ),
    ] = None,
    set_name: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="SET",
            help="Name of the training set. Default: the player's name.",
            callback=cleaned,
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=0, metavar="N", help="Similar puzzles for each missed opportunity.")
    ] = 3,
    limit: Annotated[int | None, at_most("new games of the player")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="YYYY-MM-DD",
            help="Download games from this day on. Default: the last 90 days.",
        ),
    ] = None,
    rating: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Level of the puzzles, as on Lichess. Default: the player's rating in the newest games.",
        ),
    ] = None,
    restart: RestartOption = False,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find the tactics that a player missed, and make a training set of these and of similar puzzles.

    After an interruption, the same command resumes where it stopped. Later, it analyses only new games.
    """
    # Imported when needed: other commands do not need these modules.
    from motifsearch.show.report import added_text, analysis_text, report_text
    from motifsearch.trainer.train import players_of, train
    from puzzlegen.games.players import readable_twice

    users, player = players_of(games), [clean_name(words) for words in player or ()]
    if not player and not users:
        raise typer.BadParameter("is needed for files of games", param_hint="--player")
    if not all(map(name_words, player)):
        raise typer.BadParameter("has no words", param_hint="--player")
    with (
        readable_twice(games) as files,
        Store(db) as store,
        TerminalProgress() as progress,
        progress.finishing_on_interrupt(),
    ):
        players = [*chosen_players(files, player), *users]
        training = train(
            files,
            store,
            players,
            name=set_name,
            k=k,
            engine=engine,
            workers=worker_count(workers),
            limit=limit,
            since=since.date() if since else None,
            restart=restart,
            level=rating,
            index=index,
            progress=progress,
        )

    if training.added is None and not training.analysis.interrupted:
        raise InputError(f"no game of {players[0]!r} can be used; there is no training set")

    def text() -> str:
        found, width = training.opportunities, terminal_width()
        parts = [analysis_text(training.analysis)]
        name = training.added.name if training.added else players[0]
        parts.append(report_text(found, players[0], name, width))
        if training.added is not None:
            solve = ("solve", training.added.name)
            more = ("train", "MORE_GAMES", "--player", players[0])
            step = next_step("motifsearch", *(solve if training.added.puzzles else more), db=db)
            parts += [added_text(training.added), step]
        return "\n\n".join(parts)

    show(training, text, json)
    if training.analysis.interrupted:
        raise KeyboardInterrupt
    if training.analysis.damaged:
        raise typer.Exit(FAILED)
