"""How good chosen moves are: Stockfish scores all legal moves of a position, and a chooser ranks them.

Two metrics are those of section 4.1 of Ajith, Gunnarsson & Xu ("Towards Retrieval-based Chess Engines"): the
rank of the chosen move among all legal moves by Stockfish's scores, and recall at K, the share of positions
with Stockfish's best move among the chooser's first K. Two more metrics are the share of positions in which
the move of the game is chosen, and the centipawn loss.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from statistics import fmean
from typing import NamedTuple

import chess

from chess_motif.errors import InputError
from chess_motif.intervals import (
    Interval,
    mean_interval,
    paired_difference,
    paired_share_difference,
    share_interval,
)
from chess_motif.progress import Progress
from chess_motif.tables import table
from db.evaluations import keep_evaluations, lookup
from db.store import Store
from engines.engine import MOST_CENTIPAWNS, MOST_MOVES_TO_MATE
from engines.finding import find_engine
from engines.pool import EnginePool
from engines.search_cache import Searcher
from puzzlegen.games.archive import games_of
from puzzlegen.games.pgn import SkipGame, read_game
from puzzlegen.games.split import RawGame

# Plies of a game before the first position to ask about: openings are known by heart.
FIRST_PLY = 10

# The depth of the search of every move, in plies.
DEPTH = 10

# The most nodes of a search. Twenty positions of master games took 20,000 to 880,000 nodes, and 0.6 seconds
# on average.
NODES = 5_000_000

# Mate in n scores `MATE` - n, which is more than all centipawns; being mated scores the negative.
MATE = MOST_CENTIPAWNS + MOST_MOVES_TO_MATE + 1

# The limit of scores in centipawns when a loss is computed: large advantages hardly differ.
MOST_LOST = 1_000

# The name of the players of the games, whose only known move is the move played.
PLAYERS = "the players"

# Ranks the legal moves of a position, the chosen move first. The board has its move stack.
Chooser = Callable[[chess.Board], Sequence[chess.Move]]


class Question(NamedTuple):
    """A position with its move stack, the move played, and the Elo of the player."""

    board: chess.Board
    move: chess.Move
    elo: int | None = None


def sample_questions(
    archive: str,
    count: int,
    seed: int,
    in_memory: Callable[[chess.Board], bool],
    known_game: Callable[[str], bool],
) -> list[Question]:
    """Return a random position of each of `count` random games, or of as many games as can be used.

    At least `FIRST_PLY` plies come before the position, and a move follows. A game is left out if
    `known_game` is true for its key. If `in_memory` is true for a position, another position of the game is
    tried. The same games in any order and the same seed give the same questions. Raises `ArchiveError`, and
    `InputError` if no game can be used.
    """

    def order(raw: RawGame) -> bytes:
        return sha256(b"%d %b" % (seed, raw.text.strip())).digest()

    questions: dict[str, Question] = {}
    for raw in sorted(games_of([archive]), key=order):
        if len(questions) == count:
            break
        try:
            game = read_game(raw)
        except SkipGame:
            continue
        if game.key in questions or known_game(game.key):
            continue
        row, plies = game.row(), range(FIRST_PLY, len(game.moves))
        for ply in Random(int.from_bytes(order(raw))).sample(plies, len(plies)):
            board = after(game.start, game.moves[:ply])
            if not in_memory(board):
                elo = row.white_elo if board.turn else row.black_elo
                questions[game.key] = Question(board, game.moves[ply], elo)
                break
    if not questions:
        raise InputError(f"{archive}: no game has a position that can be asked about")
    return list(questions.values())


def after(start: chess.Board, moves: Sequence[chess.Move]) -> chess.Board:
    """Return the position after some moves, with its move stack."""
    board = start.copy()
    for move in moves:
        board.push(move)
    return board


class MoveScores(NamedTuple):
    """The scores of all legal moves in centipawns from the mover's side, in the engine's order, best first.

    Mate in n is `MATE` - n, being mated in n is n - `MATE`.
    """

    scores: Mapping[chess.Move, int]

    @property
    def best(self) -> chess.Move:
        """The engine's best move, the first of several with the same score."""
        return next(iter(self.scores))

    def rank(self, move: chess.Move) -> int:
        """Return 1 + the number of moves with a higher score; moves with the same score share a rank."""
        return 1 + sum(score > self.scores[move] for score in self.scores.values())

    def loss(self, move: chess.Move) -> int:
        """Return the loss in centipawns, compared with the best move, with scores within ±`MOST_LOST`."""
        best, chosen = (max(-MOST_LOST, min(MOST_LOST, self.scores[one])) for one in (self.best, move))
        return best - chosen

    def random_rank(self) -> float:
        """Return the expected rank of a move that is chosen at random."""
        return fmean(map(self.rank, self.scores))


def score_moves(question: Question, searcher: Searcher) -> MoveScores:
    """Return the scores of all legal moves (at least one) after a search to `DEPTH` plies.

    The search begins with an empty hash table (see `engines.engine`), and ignores repetitions. Raises
    `EngineFailedError`.
    """
    variations = searcher.search(question.board, NODES, question.board.legal_moves.count(), DEPTH)
    variations = sorted(variations, key=lambda variation: variation.score, reverse=True)
    return MoveScores({one.move: one.score.score(mate_score=MATE) for one in variations})


class Answer(NamedTuple):
    """The rank of the chosen move (1 is best), its centipawn loss, and whether it was played in the game.

    `place` is the place (from 1) of the engine's best move in the chooser's order, 0 if it is missing there.
    """

    rank: int
    loss: int
    as_played: bool
    place: int

    @classmethod
    def of(cls, ranked: Sequence[chess.Move], question: Question, scores: MoveScores) -> Answer:
        """Return the answer of a chooser that ranks moves, perhaps not all, in this order."""
        move = ranked[0]
        place = ranked.index(scores.best) + 1 if scores.best in ranked else 0
        return cls(scores.rank(move), scores.loss(move), move == question.move, place)


def ask(chooser: Chooser, question: Question, scores: MoveScores) -> Answer:
    """Return a chooser's answer. Raises `ValueError` unless it ranks every legal move once."""
    ranked = chooser(question.board.copy())
    if len(ranked) != len(scores.scores) or set(ranked) != scores.scores.keys():
        raise ValueError(f"the moves of {question.board.fen()} are not ranked")
    return Answer.of(ranked, question, scores)


@dataclass(frozen=True)
class Metric:
    """A measure of an answer. The mean of a `share` (a measure that is 0 or 1) is printed in per cent."""

    value: Callable[[Answer], float]
    share: bool = True
    digits: int = 0

    def values(self, answers: Sequence[Answer]) -> list[float]:
        return [float(self.value(answer)) for answer in answers]

    def interval(self, answers: Sequence[Answer]) -> Interval:
        """Return the mean with its interval: Wilson's for a share, otherwise the normal interval."""
        values = self.values(answers)
        return share_interval(fmean(values), len(values)) if self.share else mean_interval(values)

    def difference(self, first: Sequence[Answer], second: Sequence[Answer]) -> Interval:
        """Return the mean of `first` minus the mean of `second`, with the interval for paired answers."""
        paired = paired_share_difference if self.share else paired_difference
        return paired(self.values(first), self.values(second))

    def text(self, figure: Interval, sign: str = "") -> str:
        """Return the text of a figure with its interval."""
        if self.share:
            return percent(figure, sign)
        mean, low, high = (f"{value:{sign}z.{self.digits}f}" for value in figure)
        return f"{mean} ({low}{_between(sign)}{high})"


def percent(figure: Interval, sign: str = "") -> str:
    mean, low, high = (f"{100 * value:{sign}z.0f}" for value in figure)
    return f"{mean} % ({low}{_between(sign)}{high})"


def _between(sign: str) -> str:
    """Return the text between the ends of an interval: no dash if numbers have signs."""
    return " to " if sign else "–"


def _recall(k: int) -> Metric:
    return Metric(lambda answer: 0 < answer.place <= k)


METRICS = {
    "as played": Metric(lambda answer: answer.as_played),
    "rank": Metric(lambda answer: answer.rank, share=False, digits=2),
    "centipawn loss": Metric(lambda answer: answer.loss, share=False),
    **{f"recall@{k}": _recall(k) for k in (1, 3, 5, 10)},
}
RECALL = [title for title in METRICS if title.startswith("recall")]

# The metrics that a single move of a player is enough for.
PLAYERS_METRICS = ("rank", "centipawn loss", "recall@1")


@dataclass(frozen=True)
class MoveQuality:
    """The answers of each chooser by name, and the scores by the engine with the name `engine`.

    `scores` and all answers are in the order of `questions` (at least two). The answers of `PLAYERS` are the
    moves of the games.
    """

    engine: str
    questions: Sequence[Question]
    scores: Sequence[MoveScores]
    answers: Mapping[str, Sequence[Answer]]

    def figures(self) -> dict[str, dict[str, Interval]]:
        """Return the mean of each metric, with its confidence interval, by chooser."""
        return {
            name: {
                title: metric.interval(answers)
                for title, metric in METRICS.items()
                if name != PLAYERS or title in PLAYERS_METRICS
            }
            for name, answers in self.answers.items()
        }

    @property
    def random_rank(self) -> float:
        """The mean of the expected ranks of random moves."""
        return fmean(scores.random_rank() for scores in self.scores)


def measure_choosers(
    questions: Sequence[Question],
    choosers: Mapping[str, Chooser],
    store: Store,
    progress: Progress,
) -> MoveQuality:
    """Return how good the moves of each of `choosers` are in `questions`.

    Stockfish scores all legal moves; stored searches are not repeated. Raises `EngineError`,
    `StoreError`, and `InputError` for fewer than two questions.
    """
    if len(questions) < 2:
        raise InputError("a report needs two positions or more for a confidence interval")
    all_scores: list[MoveScores] = []
    answers: dict[str, list[Answer]] = {name: [] for name in (*choosers, PLAYERS)}
    with EnginePool(find_engine(), os.cpu_count() or 1, lookup(store)) as pool:
        for scored in pool.map(score_moves, questions):
            with store.session() as session:
                keep_evaluations(session, scored.searched)
            question, scores = scored.item, scored.result
            all_scores.append(scores)
            answers[PLAYERS].append(Answer.of([question.move], question, scores))
            for name, chooser in choosers.items():
                answers[name].append(ask(chooser, question, scores))
            progress.update("choosing moves", len(all_scores), len(questions), "position")
        return MoveQuality(pool.engines[0].name, questions, all_scores, answers)


def figures_table(reports: Mapping[str, MoveQuality], titles: Sequence[str]) -> str:
    """Return a table of some metrics of choosers, each given with its report."""
    rows = []
    for name, report in reports.items():
        figures = report.figures()[name]
        texts = (METRICS[title].text(figures[title]) if title in figures else "–" for title in titles)
        rows.append([name, len(report.questions), f"{report.random_rank:.2f}", *texts])
    header = ["chooser", "positions", "rank of any move", *titles]
    return table(header, rows, right="l" + "r" * (len(header) - 1))


def quality_text(report: MoveQuality) -> str:
    """Return a table of the figures of all choosers and of the players of the games."""
    reports = dict.fromkeys(report.answers, report)
    moves = fmean(len(scores.scores) for scores in report.scores)
    known = [question.elo for question in report.questions if question.elo is not None]
    elo = f" The players have {fmean(known):.0f} Elo on average." if known else ""
    return "\n\n".join(
        [
            f"Each position is from a different game, after {FIRST_PLY} plies or more.{elo}\n"
            f"{report.engine} scored every one of {moves:.1f} legal moves at depth {DEPTH}.",
            figures_table(reports, [title for title in METRICS if title not in RECALL]),
            figures_table(reports, RECALL),
            "rank: 1 + the number of better moves; rank of any move: the expected rank of a random move.\n"
            f"centipawn loss: compared with the best move, with scores within ±{MOST_LOST:,}.\n"
            "recall@K: the engine's best move is among the chooser's first K.\n"
            "In parentheses: 95 % confidence intervals.",
        ]
    )


def differences_text(report: MoveQuality, first: str, second: str) -> str:
    """Return the differences between the figures of two choosers on the same positions."""

    def rows() -> Iterator[list[str]]:
        for title, metric in METRICS.items():
            difference = metric.difference(report.answers[first], report.answers[second])
            yield [title, metric.text(difference, sign="+")]

    return f"{first} minus {second}\n\n{table(['figure', 'difference'], rows(), right='lr')}"
