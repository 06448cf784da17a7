"""Games of a move chooser against RANDOM, an opponent that plays any legal move with the same probability.

Who wins them is the third metric of section 4.1 of Ajith, Gunnarsson & Xu ("Towards Retrieval-based Chess
Engines"). The other two, rank and recall, they measure in such games, too (their Figures 1, 2, 5 to 8).
No game is adjudicated. It ends by checkmate, or in a draw that nobody has to claim: stalemate, insufficient
material, the fifth repetition, or 75 moves without a capture or a pawn move.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from math import inf
from random import Random
from statistics import fmean
from typing import Any

import chess

from benchmarks.move_quality import CONFIDENCE, TITLES, MoveChooser, MoveQualityReport, percent, shown
from benchmarks.questions import Question
from chess_motif.intervals import Interval, share_interval
from chess_motif.parallel import in_processes
from chess_motif.progress import Progress
from chess_motif.tables import table

# What is measured in the positions of games, and the first moves of the parts of a game.
IN_GAMES = ("rank", "recall_1", "recall_3", "recall_5", "recall_10")
MOVES = (1, 11, 21, 41)


@dataclass(frozen=True)
class RandomGame:
    """A game that the chooser played with the colour `colour`; the winner is None for a draw."""

    colour: chess.Color
    moves: tuple[chess.Move, ...]
    winner: chess.Color | None
    termination: chess.Termination

    @property
    def won(self) -> bool:
        """Whether the chooser won."""
        return self.winner == self.colour

    @property
    def drawn(self) -> bool:
        """Whether nobody won."""
        return self.winner is None

    def as_dict(self) -> dict[str, Any]:
        """Return the game for a JSON document."""
        return {
            "colour": chess.COLOR_NAMES[self.colour],
            "result": chess.Outcome(self.termination, self.winner).result(),
            "termination": self.termination.name.lower(),
            "moves": " ".join(move.uci() for move in self.moves),
        }


@dataclass(frozen=True)
class RandomGamesReport:
    """The games of the chooser `name` against RANDOM, at least one."""

    name: str
    games: Sequence[RandomGame]

    @property
    def won(self) -> int:
        """The number of games that the chooser won."""
        return sum(game.won for game in self.games)

    @property
    def drawn(self) -> int:
        """The number of drawn games."""
        return sum(game.drawn for game in self.games)

    @property
    def lost(self) -> int:
        """The number of games that RANDOM won."""
        return len(self.games) - self.won - self.drawn

    @property
    def win_rate(self) -> Interval:
        """The share of games that the chooser won, with Wilson's interval."""
        return share_interval(self.won / len(self.games), len(self.games))

    @property
    def decisive(self) -> Interval:
        """The share of games that somebody won, with Wilson's interval."""
        return share_interval(1 - self.drawn / len(self.games), len(self.games))

    @property
    def plies(self) -> float:
        """The mean length of a game in plies."""
        return fmean(len(game.moves) for game in self.games)

    @property
    def draws(self) -> Counter[chess.Termination]:
        """How many draws came about in which way."""
        return Counter(game.termination for game in self.games if game.drawn)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "name": self.name,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "win_rate": self.win_rate._asdict(),
            "decisive": self.decisive._asdict(),
            "plies": self.plies,
            "draws": {termination.name.lower(): count for termination, count in self.draws.most_common()},
            "games": [game.as_dict() for game in self.games],
        }


def play_against_random(
    factory: Callable[[], MoveChooser],
    games: int,
    seed: int = 0,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> RandomGamesReport:
    """Return `games` games (at least one) of a chooser against RANDOM, every other one with White.

    With more than one of `workers`, processes play at the same time; `factory`, which must be picklable, is
    called once in each of them. RANDOM moves by `seed` and the number of the game, so that a chooser that
    always chooses the same plays the same games again. Raises what `factory` and the chooser raise, and
    `ValueError` if it chooses an illegal move.
    """
    progress = progress or Progress()
    play = partial(_play, pickle.dumps(factory), seed)
    played = []
    try:
        for name, game in in_processes(play, range(games), workers):
            played.append(game)
            progress.update(f"{name} against RANDOM", len(played), games, "game")
    finally:
        # With one worker, the chooser is in this process.
        _chooser.cache_clear()
    return RandomGamesReport(name, played)


def play_game(
    chooser: MoveChooser, colour: chess.Color, random: Random, start: chess.Board | None = None
) -> RandomGame:
    """Return a game in which RANDOM plays against `colour`, from `start` or the usual initial position.

    Raises `ValueError` if the chooser chooses an illegal move.
    """
    board = chess.Board() if start is None else start.copy()
    began = len(board.move_stack)
    while (outcome := board.outcome()) is None:
        if board.turn == colour:
            # A copy, so that nothing that a chooser does to it changes the game.
            move = chooser.ranked(board.copy())[0]
            if not board.is_legal(move):
                raise ValueError(f"{chooser.name} chooses {move}, which is illegal in {board.fen()}")
        else:
            move = random.choice(list(board.legal_moves))
        board.push(move)
    return RandomGame(colour, tuple(board.move_stack[began:]), outcome.winner, outcome.termination)


@lru_cache(maxsize=1)
def _chooser(factory: bytes) -> MoveChooser:
    """Return the chooser of this process: making one may take long."""
    made: MoveChooser = pickle.loads(factory)()
    return made


def _play(factory: bytes, seed: int, number: int) -> tuple[str, RandomGame]:
    chooser = _chooser(factory)
    colour = chess.WHITE if number % 2 == 0 else chess.BLACK
    return chooser.name, play_game(chooser, colour, Random(f"{seed} {number}"))


def questions_of(report: RandomGamesReport, count: int, seed: int = 0) -> list[Question]:
    """Return a random sample of `count` positions in which the chooser moved, or all if there are fewer."""
    turns = [
        (number, ply)
        for number, game in enumerate(report.games)
        for ply in range(game.colour == chess.BLACK, len(game.moves), 2)
    ]
    chosen = Random(f"{report.name} {seed}").sample(turns, min(count, len(turns)))
    return [_question(report, number, ply) for number, ply in sorted(chosen)]


def _question(report: RandomGamesReport, number: int, ply: int) -> Question:
    moves = report.games[number].moves
    board = chess.Board()
    for move in moves[:ply]:
        board.push(move)
    return Question(f"{report.name} {number}", board, moves[ply], None, None)


def in_games_text(reports: Mapping[str, MoveQualityReport]) -> str:
    """Return rank and recall of the choosers in their games against RANDOM, by the number of the move."""
    header = ["chooser", "positions", "rank of any move", *(TITLES[name] for name in IN_GAMES)]
    parts = [
        table(
            header,
            [
                [
                    name,
                    len(report.questions),
                    f"{report.random_rank:.2f}",
                    *(shown(one, report.figures(name)[one]) for one in IN_GAMES),
                ]
                for name, report in reports.items()
            ],
            right="l" + "r" * (len(header) - 1),
        ),
        table(
            [
                "rank at move",
                *(f"{first} to {last - 1}" for first, last in pairwise(MOVES)),
                f"{MOVES[-1]} on",
            ],
            [[name, *_ranks_by_move(report, name)] for name, report in reports.items()],
            right="l" + "r" * len(MOVES),
        ),
    ]
    parts.append("rank of any move: what is expected of a random move in the same positions.")
    return "In their games against RANDOM\n\n" + "\n\n".join(parts)


def _ranks_by_move(report: MoveQualityReport, name: str) -> Iterator[str]:
    for first, last in pairwise([*MOVES, inf]):
        ranks = [
            answer.rank
            for question, answer in zip(report.questions, report.answers[name], strict=True)
            if first <= question.board.fullmove_number < last
        ]
        yield f"{fmean(ranks):.1f} ({len(ranks)})" if ranks else "–"


def random_games_text(reports: Sequence[RandomGamesReport]) -> str:
    """Return the results against RANDOM of all choosers, one below the other."""
    rows = [
        [
            report.name,
            len(report.games),
            f"{report.won}–{report.drawn}–{report.lost}",
            percent(report.win_rate),
            percent(report.decisive),
            f"{report.plies:.0f}",
            ", ".join(
                f"{count} {termination.name.lower().replace('_', ' ')}"
                for termination, count in report.draws.most_common()
            ),
        ]
        for report in reports
    ]
    header = ["chooser", "games", "won–drawn–lost", "win rate", "decisive", "plies", "draws by"]
    return (
        "Games against RANDOM, which plays any legal move; none is adjudicated\n\n"
        f"{table(header, rows, right='lrrrrrl')}\n\n{CONFIDENCE}"
    )
