"""How good the moves of chesscone and chessbert are, by Stockfish's scores of all moves.

    python -m benchmarks.engines GAMES.pgn.zst [--queries N] [--against-random N] [--memory DIR] [--db URL]

Asks them, and others to compare with, about positions of GAMES; games and positions that are in the memory
are left out, as are games that ChessPos and ChessBERT have learned from. `--against-random` also lets each
engine play N games against random moves, and asks it again in positions of these (Ajith, Gunnarsson & Xu,
section 4). Prints the figures of each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import chess

from benchmarks.command import at_least, parser_for, run, show
from benchmarks.move_quality import (
    MoveChooser,
    MoveQualityReport,
    differences_text,
    measure_choosers,
    move_quality_text,
)
from benchmarks.questions import sample_questions
from benchmarks.random_games import (
    RandomGamesReport,
    in_games_text,
    play_against_random,
    questions_of,
    random_games_text,
)
from chess_motif.output import note
from chess_motif.progress import Progress, TerminalProgress
from db.games import archived_keys
from engines.human.model import TYPICAL_RATING, HumanModel, load_human_model
from motifsearch.retrieval import chessbert
from motifsearch.retrieval.chessbert import SHIPPED_NETWORKS, ChessBertPlayer, load_chessbert
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.decision import Decider
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.memory import Memory, open_memory
from motifsearch.retrieval.policy import PolicyPlayer
from puzzlegen.games.archive import open_archive
from training.parts import game_is_for_test

RANDOM, PEOPLE, LOOKING = "random", "people", "people + outcome"
PUBLISHED, MEMORY, JOINED, CAREFUL = "published rule", "vote", "joined", "joined, careful"
CAREFUL_MEMORY = "vote, careful"
CHESSBERT, CHESSBERT_ALONE = "chessbert", "chessbert alone"
CHESSBERT_PUBLISHED, CHESSBERT_PUBLISHED_ALONE = "published chessbert", "published chessbert alone"

# What each of them is.
LEGEND = {
    RANDOM: "any legal move",
    PUBLISHED: "Chesscone as published: the move of the nearest position in which it is legal",
    MEMORY: "the memory alone: the vote of similar positions",
    PEOPLE: "the human-move model alone: the move that people play most often",
    LOOKING: "the model with mirror images and the outcome that it expects after each move",
    JOINED: "the vote and the model together",
    CAREFUL: "the same with the rules against throwing games away: Chesscone as it plays",
    CHESSBERT: "ChessBERT with similar positions to read",
    CHESSBERT_ALONE: "ChessBERT without any",
    CHESSBERT_PUBLISHED: "ChessBERT with the loss of the paper, with similar positions to read",
    CHESSBERT_PUBLISHED_ALONE: "the same without any",
}

# Those that play against RANDOM.
PLAYING = (
    RANDOM,
    CAREFUL,
    CAREFUL_MEMORY,
    PUBLISHED,
    CHESSBERT,
    CHESSBERT_ALONE,
    CHESSBERT_PUBLISHED,
    CHESSBERT_PUBLISHED_ALONE,
)

# Positions of the games of each that it is asked about.
POSITIONS_IN_GAMES = 300


class RandomChooser:
    """Ranks the moves at random: the same way for the same position (with its move numbers) and seed."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves in random order."""
        moves = list(board.legal_moves)
        Random(f"{self._seed} {board.fen()}").shuffle(moves)
        return moves


class DeciderChooser:
    """Ranks the moves as Chesscone or ChessBERT decides."""

    def __init__(self, name: str, decider: Decider) -> None:
        self.name = name
        self._decider = decider

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the chosen one first."""
        return list(self._decider.decide(board).moves)


class HumanChooser:
    """Ranks the moves by how likely a player with the Elo `rating` is to play them."""

    def __init__(self, model: HumanModel, rating: float = TYPICAL_RATING, name: str = "") -> None:
        self.name = name or f"human {rating:.0f}"
        self._model = model
        self._rating = rating

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the most likely one first."""
        (prediction,) = self._model.predict([board], [self._rating])
        return list(prediction.moves)


def make_choosers(memory: Memory) -> list[MoveChooser]:
    """Return the choosers of `LEGEND`, in its order. Raises `HumanModelError`, `ChessBertError`."""
    return [make(memory) for make in (_MAKERS[name] for name in LEGEND)]


def load_chooser(name: str, database: str | None, path: Path | None) -> MoveChooser:
    """Return one of the choosers with the memory that `open_memory` opens.

    `functools.partial` makes a factory of this function, for `play_against_random`.
    """
    return _MAKERS[name](open_memory(database, path))


def _people(memory: Memory) -> MoveChooser:
    return HumanChooser(memory.model or load_human_model(), RATING, PEOPLE)


def _looking(memory: Memory) -> MoveChooser:
    model = memory.model or load_human_model()
    return DeciderChooser(LOOKING, PolicyPlayer(model, RATING, careful=False))


def _chesscone(name: str, memory: Memory, *, form: Form = Form.JOINED, careful: bool = False) -> MoveChooser:
    model = memory.model or load_human_model()
    return DeciderChooser(name, Chesscone(memory, model, form=form, careful=careful))


def _chessbert(
    name: str,
    memory: Memory,
    *,
    alone: bool = False,
    form: chessbert.Form = chessbert.Form.IMPROVED,
) -> MoveChooser:
    network = load_chessbert(SHIPPED_NETWORKS[form])
    decider = ChessBertPlayer(None if alone else memory, network, careful=False)
    return DeciderChooser(name, decider)


_MAKERS: Mapping[str, Callable[[Memory], MoveChooser]] = {
    RANDOM: lambda _: RandomChooser(),
    PUBLISHED: partial(_chesscone, PUBLISHED, form=Form.PUBLISHED),
    MEMORY: partial(_chesscone, MEMORY, form=Form.MEMORY),
    CAREFUL_MEMORY: partial(_chesscone, CAREFUL_MEMORY, form=Form.MEMORY, careful=True),
    PEOPLE: _people,
    LOOKING: _looking,
    JOINED: partial(_chesscone, JOINED),
    CAREFUL: partial(_chesscone, CAREFUL, careful=True),
    CHESSBERT: partial(_chessbert, CHESSBERT),
    CHESSBERT_ALONE: partial(_chessbert, CHESSBERT_ALONE, alone=True),
    CHESSBERT_PUBLISHED: partial(_chessbert, CHESSBERT_PUBLISHED, form=chessbert.Form.PUBLISHED),
    CHESSBERT_PUBLISHED_ALONE: partial(
        _chessbert, CHESSBERT_PUBLISHED_ALONE, form=chessbert.Form.PUBLISHED, alone=True
    ),
}


@dataclass(frozen=True)
class EnginesReport:
    """How good the moves of the engines are; their games against RANDOM, and their moves in these, if any."""

    quality: MoveQualityReport
    games: Sequence[RandomGamesReport]
    in_games: Mapping[str, MoveQualityReport]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "quality": self.quality.as_dict(),
            "games": [report.as_dict() for report in self.games],
            "in_games": {name: report.as_dict() for name, report in self.in_games.items()},
        }


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

    Games that are archived or that ChessPos and ChessBERT have learned from, and positions that the memory
    knows, are left out. The memory is that of `open_memory`, and so are `database` and `path`. Raises what
    `open_memory`, `sample_questions` and `measure_choosers` raise.
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
            known_game=lambda key: key in known or not game_is_for_test(key),
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
    in_games = {
        report.name: measure_choosers(
            questions_of(report, POSITIONS_IN_GAMES, seed),
            [_MAKERS[report.name](memory)],
            engine,
            store=memory.store,
            workers=workers,
            progress=progress,
        )
        for report in played
    }
    return EnginesReport(quality, played, in_games)


def engines_text(report: EnginesReport) -> str:
    """Return the figures of all choosers, what each of them is, and the games against RANDOM, if any."""
    parts = [
        move_quality_text(report.quality),
        "\n".join(f"{name}: {what}." for name, what in LEGEND.items()),
        differences_text(report.quality, JOINED, LOOKING),
    ]
    if report.games:
        parts += [random_games_text(report.games), in_games_text(report.in_games)]
    return "\n\n".join(parts)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games", metavar="GAMES")
    parser.add_argument("--queries", type=at_least(2), default=250, help="positions that are asked about")
    parser.add_argument(
        "--against-random", type=at_least(0), default=0, metavar="N", help="games against random moves"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="for choosing the positions, and of the random moves"
    )
    parser.add_argument("--memory", type=Path, metavar="DIR", help="folder of a memory with its own games")
    parser.add_argument("--engine", metavar="PATH", help="UCI engine; default: Stockfish")
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()
    with TerminalProgress() as progress:
        report = measure_engines(
            options.games,
            options.db,
            options.memory,
            queries=options.queries,
            games=options.against_random,
            seed=options.seed,
            engine=options.engine,
            workers=os.cpu_count() or 1,
            progress=progress,
        )
    if len(report.quality.questions) < options.queries:
        note(f"only {len(report.quality.questions)} positions: no other game can be used")
    show(engines_text(report), report.as_dict(), as_json=options.json)


if __name__ == "__main__":
    run(main)
