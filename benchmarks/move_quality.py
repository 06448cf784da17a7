"""How good chosen moves are: Stockfish scores all legal moves, and the choosers are asked.

Two metrics are those of section 4.1 of Ajith, Gunnarsson & Xu ("Towards Retrieval-based Chess Engines"): the
rank of the chosen move among all legal moves by Stockfish's scores, and recall at K, the share of positions
with Stockfish's best move among the chooser's first K. Two are added: the share of positions in which the
move of the game is chosen, and the centipawn loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Protocol

import chess

from benchmarks.intervals import mean_interval, paired_difference, paired_share_difference
from benchmarks.questions import FIRST_PLY, Question
from chess_motif.errors import InputError
from chess_motif.intervals import Interval, share_interval
from chess_motif.progress import Progress
from chess_motif.tables import table
from chess_motif.text import counted
from db.evaluations import keep_evaluations, lookup
from db.store import Store
from engines.engine import MOST_CENTIPAWNS, MOST_MOVES_TO_MATE, find_engine
from engines.pool import EnginePool
from engines.search_cache import Searcher

# Plies that every move is searched to.
DEPTH = 10

# Nodes that end a search before, so that none takes forever. Twenty positions of master games took 20,000 to
# 880,000 nodes, and 0.6 seconds on average.
NODES = 5_000_000

# The score of being mated at once, negative; mate in n is this less n, which is beyond all centipawns.
MATE = MOST_CENTIPAWNS + MOST_MOVES_TO_MATE + 1

# Centipawns that scores are limited to before a loss is taken: in a won position, it hardly matters how much.
MOST_LOST = 1_000

# The numbers of moves, K, among which the engine's best one is to be.
RECALL_AT = (1, 3, 5, 10)


class MoveChooser(Protocol):
    """Anything that chooses a move. `name` is what reports call it."""

    @property
    def name(self) -> str:
        """What reports call it, another name for each chooser."""

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the chosen one first. The board's move stack says what came before."""


@dataclass(frozen=True)
class MoveScores:
    """The scores of all legal moves in centipawns from the mover's side, in the engine's order, best first.

    Mate in n is `MATE` - n, being mated in n is n - `MATE`.
    """

    scores: Mapping[chess.Move, int]

    @property
    def best(self) -> chess.Move:
        """The engine's best move, the first of several with the same score."""
        return next(iter(self.scores))

    def rank(self, move: chess.Move) -> int:
        """Return 1 + the number of moves with a higher score: moves with the same score share a rank."""
        return 1 + sum(score > self.scores[move] for score in self.scores.values())

    def loss(self, move: chess.Move) -> int:
        """Return how many centipawns a move loses compared with the best one, scores within ±`MOST_LOST`."""
        return _limited(self.scores[self.best]) - _limited(self.scores[move])

    def random_rank(self) -> float:
        """Return the expected rank of a move that is chosen at random."""
        return fmean(map(self.rank, self.scores))


def score_moves(board: chess.Board, searcher: Searcher) -> MoveScores:
    """Return the scores of all legal moves (at least one) after a search to `DEPTH` plies.

    The search begins with an empty hash table (see `engines.engine`), and knows nothing of the moves before:
    repetitions do not count. Raises `EngineFailedError`.
    """
    variations = searcher.search(board, NODES, board.legal_moves.count(), DEPTH)
    variations = sorted(variations, key=lambda variation: variation.score, reverse=True)
    return MoveScores({one.move: one.score.score(mate_score=MATE) for one in variations})


def _limited(score: int) -> int:
    return max(-MOST_LOST, min(MOST_LOST, score))


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


def measure_choosers(
    questions: Sequence[Question],
    choosers: Sequence[MoveChooser],
    engine_path: str | None = None,
    *,
    store: Store | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> MoveQualityReport:
    """Return how good the moves are that each of `choosers` chooses in `questions`.

    All legal moves are scored by the engine at `engine_path` (default: Stockfish, wherever it is installed);
    `workers` of them run at a time. With a `store`, the results of searches are stored, so that none is
    repeated. The choosers are asked in this process. Raises `EngineError`, `StoreError`, `InputError` for
    fewer than two questions, and `ValueError` if two choosers have the same name or one does not rank every
    legal move once.
    """
    if len(questions) < 2:
        raise InputError("a report needs two positions or more: one has no confidence interval")
    if len({chooser.name for chooser in choosers}) < len(choosers):
        raise ValueError(f"two of {[chooser.name for chooser in choosers]} have the same name")
    progress = progress or Progress()
    all_scores: list[MoveScores] = []
    players: list[Answer] = []
    answers: dict[str, list[Answer]] = {chooser.name: [] for chooser in choosers}
    with EnginePool(find_engine(engine_path), workers, None if store is None else lookup(store)) as pool:
        for scored in pool.map(_score, questions):
            if store is not None:
                with store.session() as session:
                    keep_evaluations(session, scored.searched)
            question, scores = scored.item, scored.result
            all_scores.append(scores)
            players.append(players_answer(question, scores))
            for chooser in choosers:
                answers[chooser.name].append(ask(chooser, question, scores))
            progress.update("choosing moves", len(all_scores), len(questions), "position")
        return MoveQualityReport(pool.engines[0].name, questions, all_scores, players, answers)


def _score(question: Question, searcher: Searcher) -> MoveScores:
    return score_moves(question.board, searcher)


# What a column is called, by metric.
TITLES = {"as_played": "as played", "rank": "rank", "loss": "centipawn loss"} | {
    f"recall_{k}": f"recall@{k}" for k in RECALL_AT
}

CONFIDENCE = "In parentheses: 95 % confidence intervals."


def move_quality_text(report: MoveQualityReport) -> str:
    """Return the figures of all choosers, one below the other, and those of the players of the games."""
    figures = {name: report.figures(name) for name in report.answers}
    figures["the players"] = report.player_figures()
    chosen = [name for name in METRICS if not name.startswith("recall")]
    recall = [name for name in METRICS if name.startswith("recall")]
    elo = f"The players have {report.elo:.0f} Elo on average.\n" if report.elo is not None else ""
    return "\n\n".join(
        [
            f"{counted(len(report.questions), 'position')}, each from a different game, after {FIRST_PLY} "
            f"plies or more.\n{elo}{report.engine} scored every legal move at depth {DEPTH}.",
            _figures(figures, chosen),
            _figures(figures, recall),
            "as played: the chosen move is that of the game.\n"
            f"rank: 1 + the number of better moves. A position has {report.legal_moves:.1f} legal moves on "
            f"average;\none chosen at random is expected to have rank {report.random_rank:.1f}.\n"
            f"centipawn loss: to the best move, with scores within ±{MOST_LOST:,}.\n"
            f"recall@K: the engine's best move is among the chooser's first K.\n{CONFIDENCE}",
        ]
    )


def differences_text(report: MoveQualityReport, first: str, second: str) -> str:
    """Return by how much the figures of one chooser differ from those of another on the same positions."""
    rows = [
        [TITLES[name], shown(name, difference, sign="+")]
        for name, difference in report.differences(first, second).items()
    ]
    return (
        f"{first} minus {second}, on the same positions\n\n"
        f"{table(['figure', 'difference'], rows, right='lr')}\n\n"
        f"Lower is better for rank and centipawn loss. {CONFIDENCE}"
    )


def _figures(figures: Mapping[str, Mapping[str, Interval]], metrics: Sequence[str]) -> str:
    rows = [
        [chooser, *(shown(name, found[name]) if name in found else "–" for name in metrics)]
        for chooser, found in figures.items()
    ]
    return table(["chooser", *(TITLES[name] for name in metrics)], rows, right="l" + "r" * len(metrics))


def shown(metric: str, figure: Interval, sign: str = "") -> str:
    """Return a figure of `METRICS` with its interval, as it is printed."""
    if METRICS[metric].share:
        return percent(figure, sign)
    digits = 2 if metric == "rank" else 0
    mean, low, high = (f"{value:{sign}z.{digits}f}" for value in figure)
    return f"{mean} ({low}{_between(sign)}{high})"


def percent(figure: Interval, sign: str = "") -> str:
    mean, low, high = (f"{100 * value:{sign}z.0f}" for value in figure)
    return f"{mean} % ({low}{_between(sign)}{high})"


def _between(sign: str) -> str:
    """Return what is between the ends of an interval: no dash where numbers have signs."""
    return " to " if sign else "–"
