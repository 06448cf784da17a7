"""The command `motifsearch report engines`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from chess_motif.console import JsonOption, note, print_json
from motifsearch.cli.options import MemoryOption
from puzzlegen.cli.options import DatabaseOption, EngineOption


def engines_command(
    games: Annotated[
        str,
        typer.Argument(
            metavar="GAMES", help="Games whose positions are asked about; those in the memory are left out."
        ),
    ],
    queries: Annotated[int, typer.Option(min=2, help="Number of positions.")] = 250,
    against_random: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Also play N games against random moves, with each engine."),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed for choosing the positions, and of the random moves.")] = 0,
    memory: MemoryOption = None,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how good the moves of chesscone and chessbert are, by Stockfish's scores of all moves."""
    # Imported only here: it takes a while.
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.move_quality.engines_report import measure_engines
    from motifsearch.evaluation.move_quality.players import JOINED, LEGEND, LOOKING
    from motifsearch.views.reports.move_quality import (
        differences_text,
        move_quality_text,
        random_games_text,
    )

    with TerminalProgress() as progress:
        report = measure_engines(
            games,
            db,
            memory,
            queries=queries,
            games=against_random,
            seed=seed,
            engine=engine,
            workers=os.cpu_count() or 1,
            progress=progress,
        )
    if len(report.quality.questions) < queries:
        note(f"only {len(report.quality.questions)} positions: no other game can be used")
    if json:
        print_json(report.as_dict())
        return
    print(move_quality_text(report.quality))
    print("\n".join(["", *(f"{name}: {what}." for name, what in LEGEND.items()), ""]))
    print(differences_text(report.quality, JOINED, LOOKING))
    if report.games:
        print(f"\n{random_games_text(report.games)}")
