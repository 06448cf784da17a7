"""The engines of `motifsearch.retrieval` as move choosers, under the names that reports use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from engines.human.model import load_human_model
from motifsearch.evaluation.move_quality.choosers import HumanChooser, MoveChooser, RandomChooser
from motifsearch.retrieval.chessbert.model import load_chessbert
from motifsearch.retrieval.chessbert_player import ChessBertPlayer
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.memory.human_embedding import RATING
from motifsearch.retrieval.memory.memory import Memory, open_memory

RANDOM, PEOPLE, LOOKING = "random", "people", "people + outcome"
PUBLISHED, MEMORY, JOINED, CAREFUL = "published rule", "vote", "joined", "joined, careful"
CAREFUL_MEMORY = "vote, careful"
CHESSBERT, CHESSBERT_ALONE = "chessbert", "chessbert alone"

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
}

# Those that play against RANDOM.
PLAYING = (CAREFUL, CAREFUL_MEMORY, PUBLISHED, CHESSBERT)


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


def _chesscone(
    name: str, memory: Memory, *, alone: bool = False, form: Form = Form.JOINED, careful: bool = False
) -> MoveChooser:
    model = memory.model or load_human_model()
    return Chesscone(None if alone else memory, model, form=form, careful=careful, name=name)


def _chessbert(name: str, memory: Memory, *, alone: bool = False) -> MoveChooser:
    return ChessBertPlayer(None if alone else memory, load_chessbert(), careful=False, name=name)


_MAKERS: Mapping[str, Callable[[Memory], MoveChooser]] = {
    RANDOM: lambda _: RandomChooser(),
    PUBLISHED: partial(_chesscone, PUBLISHED, form=Form.PUBLISHED),
    MEMORY: partial(_chesscone, MEMORY, form=Form.MEMORY),
    CAREFUL_MEMORY: partial(_chesscone, CAREFUL_MEMORY, form=Form.MEMORY, careful=True),
    PEOPLE: _people,
    LOOKING: partial(_chesscone, LOOKING, alone=True),
    JOINED: partial(_chesscone, JOINED),
    CAREFUL: partial(_chesscone, CAREFUL, careful=True),
    CHESSBERT: partial(_chessbert, CHESSBERT),
    CHESSBERT_ALONE: partial(_chessbert, CHESSBERT_ALONE, alone=True),
}
