"""The report on the engines that play from a memory (Ajith, Gunnarsson & Xu, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from chess_motif.progress import Progress
from db.games import archived_keys
from motifsearch.evaluation.move_quality.measure import measure_choosers
from motifsearch.evaluation.move_quality.players import PLAYING, load_chooser, make_choosers
from motifsearch.evaluation.move_quality.questions import sample_questions
from motifsearch.evaluation.move_quality.random_games import RandomGamesReport, play_against_random
from motifsearch.evaluation.move_quality.report import MoveQualityReport
from motifsearch.retrieval.memory.memory import open_memory
from puzzlegen.games.archive import open_archive


@dataclass(frozen=True)
class EnginesReport:
    """How good the moves of the engines are, and their games against RANDOM, if there are any."""

    quality: MoveQualityReport
    games: Sequence[RandomGamesReport]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {"quality": self.quality.as_dict(), "games": [report.as_dict() for report in self.games]}


def measure_engines(
    archive: str,
    database: str | None = None,
    path: Path | None = None,
    *,
    queries: int,
    games: int = 0,
    seed: int = 0,
    engine: str | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> EnginesReport:
    """Ask the engines in `queries` positions of the games of an archive, and let each play `games` games.

    Games that are archived, and positions that the memory knows, are left out. The memory is that of
    `open_memory`, and so are `database` and `path`. Raises what `open_memory`, `sample_questions` and
    `measure_choosers` raise.
    """
    progress = progress or Progress()
    memory = open_memory(database, path)
    with memory.store.reading() as session:
        known = {key for _, key in archived_keys(session)}
    with open_archive(archive) as opened:
        questions = sample_questions(
            opened,
            queries,
            seed,
            in_memory=memory.contains,
            known_game=known.__contains__,
            progress=progress,
        )
    quality = measure_choosers(
        questions, make_choosers(memory), engine, store=memory.store, workers=workers, progress=progress
    )
    played = [
        play_against_random(
            partial(load_chooser, name, database, path), games, seed, workers=workers, progress=progress
        )
        for name in (PLAYING if games else ())
    ]
    return EnginesReport(quality, played)
