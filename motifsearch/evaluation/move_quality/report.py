"""How good chosen moves are: the answers of choosers, and their figures.

Two metrics are those of section 4.1 of Ajith, Gunnarsson & Xu ("Towards Retrieval-based Chess Engines"): the
rank of the chosen move among all legal moves by Stockfish's scores, and recall at K, the share of positions
with Stockfish's best move among the chooser's first K. Two are added: the share of positions in which the
move of the game is chosen, and the centipawn loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import chess

from motifsearch.evaluation.intervals import (
    Interval,
    mean_interval,
    paired_difference,
    paired_share_difference,
    share_interval,
)
from motifsearch.evaluation.move_quality.choosers import MoveChooser
from motifsearch.evaluation.move_quality.move_scores import DEPTH, MoveScores
from motifsearch.evaluation.move_quality.questions import Question

# The numbers of moves, K, among which the engine's best one is to be.
RECALL_AT = (1, 3, 5, 10)


@dataclass(frozen=True)
class Answer:
    """The move chosen in a position, its rank (1 is best) and centipawn loss, see `MoveScores`.

    `as_played` says whether it is the move of the game. `best_place` is the place (from 1) that the chooser
    gives the engine's best move, None if it ranks only other moves.
    """

    move: chess.Move
    rank: int
    loss: int
    as_played: bool
    best_place: int | None

    def recalled(self, k: int) -> bool:
        """Return whether the engine's best move is among the chooser's first `k`."""
        return self.best_place is not None and self.best_place <= k

    def as_dict(self) -> dict[str, Any]:
        """Return the move, its rank and its loss for a JSON document."""
        return {"move": self.move.uci(), "rank": self.rank, "loss": self.loss}


def ask(chooser: MoveChooser, question: Question, scores: MoveScores) -> Answer:
    """Return a chooser's answer. Raises `ValueError` unless it ranks every legal move once."""
    ranked = chooser.ranked(question.board.copy())
    if len(ranked) != len(scores.scores) or set(ranked) != scores.scores.keys():
        raise ValueError(f"{chooser.name} does not rank the legal moves of {question.board.fen()}")
    return _answer(ranked, question, scores)


def players_answer(question: Question, scores: MoveScores) -> Answer:
    """Return the answer of the player of the game, of whom one move is known."""
    return _answer([question.move], question, scores)


def _answer(ranked: Sequence[chess.Move], question: Question, scores: MoveScores) -> Answer:
    move = ranked[0]
    best_place = ranked.index(scores.best) + 1 if scores.best in ranked else None
    return Answer(move, scores.rank(move), scores.loss(move), move == question.move, best_place)


@dataclass(frozen=True)
class Metric:
    """What is measured of an answer. A mean of values that are 0 or 1 is a `share`."""

    value: Callable[[Answer], float]
    share: bool

    def values(self, answers: Sequence[Answer]) -> list[float]:
        """Return the value of each answer."""
        return [float(self.value(answer)) for answer in answers]

    def interval(self, answers: Sequence[Answer]) -> Interval:
        """Return the mean with its interval, Wilson's for a share and else the normal one."""
        values = self.values(answers)
        return share_interval(fmean(values), len(values)) if self.share else mean_interval(values)

    def difference(self, first: Sequence[Answer], second: Sequence[Answer]) -> Interval:
        """Return the mean for `first` minus that for `second` with its interval for pairs of answers."""
        paired = paired_share_difference if self.share else paired_difference
        return paired(self.values(first), self.values(second))


def _recall(k: int) -> Metric:
    return Metric(lambda answer: answer.recalled(k), share=True)


# By their names in JSON.
METRICS = {
    "as_played": Metric(lambda answer: answer.as_played, share=True),
    "rank": Metric(lambda answer: answer.rank, share=False),
    "loss": Metric(lambda answer: answer.loss, share=False),
    **{f"recall_{k}": _recall(k) for k in RECALL_AT},
}

# Those that can be told from the one move of a player.
PLAYER_METRICS = ("rank", "loss", "recall_1")


@dataclass(frozen=True)
class MoveQualityReport:
    """The answers of each chooser by its name, and the scores by the engine that is called `engine`.

    `scores` and all answers are in the order of `questions`, of which there are two or more. `players` has
    the moves of the games.
    """

    engine: str
    questions: Sequence[Question]
    scores: Sequence[MoveScores]
    players: Sequence[Answer]
    answers: Mapping[str, Sequence[Answer]]

    def figures(self, chooser: str) -> dict[str, Interval]:
        """Return the mean of each metric for a chooser, with its confidence interval."""
        return {name: metric.interval(self.answers[chooser]) for name, metric in METRICS.items()}

    def player_figures(self) -> dict[str, Interval]:
        """Return the mean of each of `PLAYER_METRICS` for the players of the games."""
        return {name: METRICS[name].interval(self.players) for name in PLAYER_METRICS}

    def differences(self, first: str, second: str) -> dict[str, Interval]:
        """Return each metric of one chooser minus that of another, with the paired confidence interval."""
        one, other = self.answers[first], self.answers[second]
        return {name: metric.difference(one, other) for name, metric in METRICS.items()}

    @property
    def legal_moves(self) -> float:
        """The mean number of legal moves."""
        return fmean(len(scores.scores) for scores in self.scores)

    @property
    def elo(self) -> float | None:
        """The mean Elo of the players to move, None if no Elo is known."""
        known = [question.elo for question in self.questions if question.elo is not None]
        return fmean(known) if known else None

    @property
    def random_rank(self) -> float:
        """The mean rank that is expected of a move chosen at random."""
        return fmean(scores.random_rank() for scores in self.scores)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "engine": self.engine,
            "depth": DEPTH,
            "positions": len(self.questions),
            "elo": self.elo,
            "legal_moves": self.legal_moves,
            "random_rank": self.random_rank,
            "players": intervals_as_dict(self.player_figures()),
            "choosers": {name: intervals_as_dict(self.figures(name)) for name in self.answers},
            "answers": [self._answers_as_dict(place) for place in range(len(self.questions))],
        }

    def _answers_as_dict(self, place: int) -> dict[str, Any]:
        question = self.questions[place]
        return {
            "game": question.key,
            "ply": question.ply,
            "fen": question.board.fen(),
            "white_elo": question.white_elo,
            "black_elo": question.black_elo,
            "best": self.scores[place].best.uci(),
            "played": self.players[place].as_dict(),
            "chosen": {name: answers[place].as_dict() for name, answers in self.answers.items()},
        }


def intervals_as_dict(figures: Mapping[str, Interval]) -> dict[str, dict[str, float]]:
    """Return figures for a JSON document."""
    return {name: figure._asdict() for name, figure in figures.items()}
