"""How good the moves of chesscone and chessbert are, by Stockfish's scores of all moves.

    python -m benchmarks.engines GAMES.pgn.zst [--queries N] [--against-random N] [--memory DIR] [--db URL]

Asks chesscone, chessbert and other choosers for their moves in positions of GAMES, except games and positions
that are in the memory, and games that ChessPos and ChessBERT have learned from. `--against-random` also lets
each engine play N games against random moves, and asks it again in positions of these games (Ajith,
Gunnarsson & Xu, section 4). No game is adjudicated: games end by checkmate, or in a draw that need not be
claimed. Prints the figures of each chooser.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

import chess

from benchmarks.command import at_least, parser_for, run
from benchmarks.moves import (
    RECALL,
    Chooser,
    Question,
    after,
    differences_text,
    figures_table,
    measure_choosers,
    percent,
    quality_text,
    sample_questions,
)
from chess_motif.held_out import game_is_for_test
from chess_motif.intervals import share_interval
from chess_motif.output import note
from chess_motif.parallel import in_processes
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table
from db.games import archived_keys
from engines.human.model import load_human_model
from motifsearch.retrieval import chessbert
from motifsearch.retrieval.chessbert import SHIPPED_NETWORKS, ChessBertPlayer, load_chessbert
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.decision import Decider
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.memory import Memory, open_memory
from motifsearch.retrieval.policy import PolicyPlayer

# The number of positions of its games against random moves that each engine is asked about.
POSITIONS_IN_GAMES = 300


def ranked_at_random(board: chess.Board) -> list[chess.Move]:
    """Return all legal moves in random order, always the same for a position with its move numbers."""
    moves = list(board.legal_moves)
    Random(f"0 {board.fen()}").shuffle(moves)
    return moves


def decided(decider: Decider) -> Chooser:
    """Return the chooser that ranks the moves as Chesscone or ChessBERT decides."""
    return lambda board: decider.decide(board).moves


def people(memory: Memory) -> Chooser:
    model = memory.model or load_human_model()
    return lambda board: list(model.predict([board], [RATING])[0].moves)


def people_looking(memory: Memory) -> Chooser:
    return decided(PolicyPlayer(memory.model or load_human_model(), RATING, careful=False))


def chesscone(memory: Memory, form: Form, *, careful: bool = False) -> Chooser:
    return decided(Chesscone(memory, memory.model or load_human_model(), form=form, careful=careful))


def chessbert_of(memory: Memory | None, form: chessbert.Form) -> Chooser:
    return decided(ChessBertPlayer(memory, load_chessbert(SHIPPED_NETWORKS[form]), careful=False))


class Measured(NamedTuple):
    """A description of a chooser, a function that makes it of a memory, and whether it plays games."""

    what: str
    make: Callable[[Memory], Chooser]
    plays: bool = True


PEOPLE_LOOKING, JOINED = "people + outcome", "joined"

CHOOSERS = {
    "random": Measured("any legal move", lambda _: ranked_at_random),
    "published rule": Measured(
        "Chesscone as published: the move of the nearest position whose move is legal",
        lambda memory: chesscone(memory, Form.PUBLISHED),
    ),
    "vote": Measured(
        "the memory alone: the vote of similar positions",
        lambda memory: chesscone(memory, Form.MEMORY),
        plays=False,
    ),
    "vote, careful": Measured(
        "the vote with the blunder check",
        lambda memory: chesscone(memory, Form.MEMORY, careful=True),
    ),
    "people": Measured(
        "the human-move model alone: the move that people play most often", people, plays=False
    ),
    PEOPLE_LOOKING: Measured(
        "the model with mirror images and the expected outcome of each move",
        people_looking,
        plays=False,
    ),
    JOINED: Measured(
        "the vote and the model together", lambda memory: chesscone(memory, Form.JOINED), plays=False
    ),
    "joined, careful": Measured(
        "vote and model with the blunder check: Chesscone as it plays",
        lambda memory: chesscone(memory, Form.JOINED, careful=True),
    ),
    "chessbert": Measured(
        "ChessBERT with similar positions to read",
        lambda memory: chessbert_of(memory, chessbert.Form.IMPROVED),
    ),
    "chessbert alone": Measured(
        "ChessBERT without similar positions", lambda _: chessbert_of(None, chessbert.Form.IMPROVED)
    ),
    "published chessbert": Measured(
        "ChessBERT with the loss of the paper, with similar positions to read",
        lambda memory: chessbert_of(memory, chessbert.Form.PUBLISHED),
    ),
    "published chessbert alone": Measured(
        "published ChessBERT without similar positions",
        lambda _: chessbert_of(None, chessbert.Form.PUBLISHED),
    ),
}


class RandomGame(NamedTuple):
    """A game against random moves that a chooser played with the colour `colour`."""

    colour: chess.Color
    moves: Sequence[chess.Move]
    outcome: chess.Outcome

    @property
    def result(self) -> str:
        """The result of the game for the chooser."""
        if self.outcome.winner is None:
            return "drawn"
        return "won" if self.outcome.winner == self.colour else "lost"


def play_game(
    chooser: Chooser, colour: chess.Color, random: Random, start: chess.Board | None = None
) -> RandomGame:
    """Return a game with random moves against `colour`, from `start` or the usual initial position."""
    board = start.copy() if start else chess.Board()
    began = len(board.move_stack)
    while (outcome := board.outcome()) is None:
        moves = list(board.legal_moves)
        # A copy, in case a chooser changes the board.
        move = chooser(board.copy())[0] if board.turn == colour else random.choice(moves)
        if move not in moves:
            raise ValueError(f"{move} is illegal in {board.fen()}")
        board.push(move)
    return RandomGame(colour, board.move_stack[began:], outcome)


# Making a chooser may take long, so that it is made only once in each process.
@lru_cache(maxsize=1)
def load_chooser(name: str, database: str | None, folder: Path | None) -> Chooser:
    return CHOOSERS[name].make(open_memory(database, folder))


def play(name: str, database: str | None, folder: Path | None, seed: int, number: int) -> RandomGame:
    """Return a game of a chooser, which has White in every other game. Number and seed decide the moves."""
    colour = chess.WHITE if number % 2 == 0 else chess.BLACK
    return play_game(load_chooser(name, database, folder), colour, Random(f"{seed} {number}"))


def questions_of(games: Sequence[RandomGame], name: str, seed: int) -> list[Question]:
    """Return a random sample of the positions in which the chooser moved, or all if there are few."""
    turns = [
        (number, ply)
        for number, game in enumerate(games)
        for ply in range(game.colour == chess.BLACK, len(game.moves), 2)
    ]
    chosen = Random(f"{name} {seed}").sample(turns, min(POSITIONS_IN_GAMES, len(turns)))
    played = [(games[number].moves, ply) for number, ply in sorted(chosen)]
    return [Question(after(chess.Board(), moves[:ply]), moves[ply]) for moves, ply in played]


def games_row(name: str, games: Sequence[RandomGame]) -> list[object]:
    """Return the results of a chooser, with Wilson intervals, as a row of a table."""
    results = Counter(game.result for game in games)
    draws = Counter(game.outcome.termination for game in games if game.result == "drawn")
    shares = (results["won"], len(games) - results["drawn"])
    return [
        name,
        len(games),
        "–".join(str(results[result]) for result in ("won", "drawn", "lost")),
        *(percent(share_interval(share / len(games), len(games))) for share in shares),
        f"{fmean(len(game.moves) for game in games):.0f}",
        ", ".join(
            f"{count} {termination.name.lower().replace('_', ' ')}"
            for termination, count in draws.most_common()
        ),
    ]


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games", metavar="GAMES")
    parser.add_argument("--queries", type=at_least(2), default=250, help="number of positions to ask about")
    parser.add_argument("--against-random", type=at_least(0), default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="seed of the positions and of the random moves")
    parser.add_argument("--memory", type=Path, metavar="DIR", help="folder of a memory with its own games")
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()

    memory = open_memory(options.db, options.memory)
    with memory.store.reading() as session:
        known = {key for _, key in archived_keys(session)}
    questions = sample_questions(
        options.games,
        options.queries,
        options.seed,
        memory.contains,
        lambda key: key in known or not game_is_for_test(key),
    )
    if len(questions) < options.queries:
        note(f"only {len(questions)} positions: no other game can be used")
    with TerminalProgress() as progress:
        measure = partial(measure_choosers, store=memory.store, progress=progress)
        choosers = {name: measured.make(memory) for name, measured in CHOOSERS.items()}
        quality = measure(questions, choosers)
        played, in_games = {}, {}
        for name in [name for name in CHOOSERS if CHOOSERS[name].plays and options.against_random]:
            work = partial(play, name, options.db, options.memory, options.seed)
            played[name] = list(in_processes(work, range(options.against_random)))
            asked = questions_of(played[name], name, options.seed)
            in_games[name] = measure(asked, {name: choosers[name]})

    parts = [
        quality_text(quality),
        "\n".join(f"{name}: {measured.what}." for name, measured in CHOOSERS.items()),
        differences_text(quality, JOINED, PEOPLE_LOOKING),
    ]
    header = ["chooser", "games", "won–drawn–lost", "win rate", "decisive", "plies", "draws by"]
    rows = [games_row(name, games) for name, games in played.items()]
    if rows:
        parts += ["Against random moves", table(header, rows, right="lrrrrrl")]
        parts.append(figures_table(in_games, ["rank", *RECALL]))
    print("\n\n".join(parts))


if __name__ == "__main__":
    run(main)
