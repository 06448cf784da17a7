"""How hard a puzzle is for people: the rating that it would get on Lichess.

The features of a puzzle are numbers: what is visible at once (counts of pieces and moves, the kinds of moves
in the solution), and how likely people are to play the moves of the solution, by the human-move model. A
missing feature, such as the capture by a third move when there are two, is NaN.

Two sets of boosted trees (`trees`) read the features: one estimates the rating, the other the error of this
estimate. Both were trained with the predictions of one human-move model, and only work with that model.
`training/difficulty.py` makes them; `about.json` says how good they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np

from chess_motif.boards import checks, mates, mating_moves
from chess_motif.errors import HumanModelError
from chess_motif.material import PIECE_VALUES, capture_by, material_balance
from db.models import Kind, Puzzle
from engines.human.model import HumanModel, Prediction
from puzzlegen.difficulty.trees import Trees
from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.motifs.table import TAGS
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import Ending

# Each folder has a rating model: `rating.npz`, `margin.npz` and `about.json`.
MODELS = Path(__file__).parent / "models"

# Solver moves that have features of their own. The totals cover all moves.
DESCRIBED_MOVES = 3

# The features of each of these moves from the human-move model.
OF_MOVE = ("log_P", "rank", "entropy", "largest_wrong_P", "value", "value_after")

# Lower probabilities count as this one: one in a billion is no more hopeless than one in a million.
LEAST_PROBABILITY = 1e-6


# The estimate for a move that only begins a win is stretched: the model takes the move for one of the few,
# and hard, puzzles of Lichess with a single move without mate. `python -m training.difficulty first` fitted
# this to puzzles of two moves of which nearly everyone plays the second.
SLOPE_OF_FIRST_MOVE = 1.40
OFFSET_OF_FIRST_MOVE = -930


@dataclass(frozen=True)
class Problem:
    """A position, the moves to find (solver first), and the puzzle's tags.

    The position's move stack has the opponent's last move, if known. `accepted` are the first moves that are
    right. `begins_win` says that the move to find only begins a line that wins.
    """

    position: chess.Board
    moves: tuple[chess.Move, ...]
    tags: frozenset[str] = frozenset()
    accepted: tuple[chess.Move, ...] = ()
    begins_win: bool = False

    @classmethod
    def of(cls, puzzle: Puzzle) -> Problem:
        """Return the problem of a stored puzzle. Raises `StoreError` if the puzzle is damaged.

        In an exercise, only the first move is to be found, unless the exercise asks for a mate.
        """
        position, moves = puzzle.board(), tuple(puzzle.moves())
        if puzzle.kind != Kind.EXERCISE or puzzle.outcome == Ending.MATE:
            return cls(position, moves, frozenset(puzzle.tags.split()), tuple(puzzle.accepted_moves()))
        begins_win, first = puzzle.outcome != Ending.HELD, moves[:1]
        tags = solution_tags(position, first, puzzle.capture_before(), holds=not begins_win)
        return cls(position, first, frozenset(tags), tuple(puzzle.accepted_moves()), begins_win)


class Estimate(NamedTuple):
    """How hard a puzzle is.

    `difficulty` is on the scale of Lichess' puzzle ratings; the rating is within `difficulty_margin` of it
    for four puzzles of five. `first_move_chance` (0…1) is the share of people who would play the first move.
    """

    difficulty: float
    difficulty_margin: float
    first_move_chance: float


@dataclass(frozen=True)
class RatingModel:
    """Estimates difficulties. The human model predicts the moves of players with these `ratings` (Elo)."""

    human: HumanModel
    ratings: tuple[int, ...]
    rating: Trees
    margin: Trees

    def estimate(self, problems: Sequence[Problem]) -> list[Estimate]:
        """Return an estimate for each problem."""
        if not problems:
            return []
        rows = [all_features(problem, self.human, self.ratings) for problem in problems]
        table = np.array([[row.get(name, 0.0) for name in self.rating.names] for row in rows], np.float64)
        difficulties = self.rating.predict(table)
        begins_win = np.array([problem.begins_win for problem in problems])
        columns = (
            np.where(begins_win, SLOPE_OF_FIRST_MOVE * difficulties + OFFSET_OF_FIRST_MOVE, difficulties),
            self.margin.predict(table),
            np.exp([[row[f"log_P(1)@{rating}"] for rating in self.ratings] for row in rows]).mean(axis=1),
        )
        return [
            Estimate(round(float(difficulty), 1), round(float(margin), 1), round(float(chance), 4))
            for difficulty, margin, chance in zip(*columns, strict=True)
        ]


def load_rating_model(human: HumanModel) -> RatingModel:
    """Open the rating model for a human-move model. Raises `HumanModelError` if there is none."""
    folders = sorted(MODELS.iterdir())
    for folder in folders:
        about = json.loads((folder / "about.json").read_text())
        if about["human_model"] == human.digest:
            return RatingModel(
                human,
                tuple(about["ratings"]),
                rating=Trees.load(folder / "rating.npz"),
                margin=Trees.load(folder / "margin.npz"),
            )
    raise HumanModelError(
        "there is no rating model for this human-move model, only for these: "
        + ", ".join(folder.name for folder in folders)
    )


def all_features(problem: Problem, human: HumanModel, ratings: Sequence[int]) -> dict[str, float]:
    """Return all features of a problem by name; the human model predicts players of these `ratings`."""
    return features(problem) | human_features(problem, human, ratings)


def features(problem: Problem) -> dict[str, float]:
    """Return the visible features of a problem by name."""
    replay = Replay(problem.position, problem.moves)
    values = dict(_of_position(replay.start))
    values |= dict(_of_move_before(problem))
    values |= dict(_of_line(replay))
    for number in range(DESCRIBED_MOVES):
        values |= {f"{name}({number + 1})": value for name, value in _of_move(replay.at(2 * number))}
    return values | {f"tag_{tag}": float(tag in problem.tags) for tag in TAGS}


def _of_position(position: AttackMap) -> Iterator[tuple[str, float]]:
    board = position.board
    solver = board.turn
    for kind in chess.PIECE_TYPES[:-1]:
        name = f"{chess.piece_name(kind)}s"
        yield f"own_{name}", len(board.pieces(kind, solver))
        yield f"enemy_{name}", len(board.pieces(kind, not solver))
    yield "balance", material_balance(board, solver)
    yield "move_number", board.fullmove_number
    legal = position.legal_moves
    captures = [(move, _captured(board, move)) for move in legal if board.is_capture(move)]
    defended = position.defended[not solver]
    free = [value for move, value in captures if not defended & chess.BB_SQUARES[move.to_square]]
    yield "legal_moves", len(legal)
    yield "legal_captures", len(captures)
    yield "legal_checks", sum(1 for _ in checks(board))
    yield "in_check", board.is_check()
    yield "largest_capture", max((value for _, value in captures), default=0)
    yield "largest_free_capture", max(free, default=0)
    for name, side in (("own", solver), ("enemy", not solver)):
        threatened = _threatened(position, side)
        yield f"{name}_king_attackers", _attackers_near_king(position, side)
        yield f"{name}_threatened", sum(threatened)
        yield f"{name}_most_threatened", max(threatened, default=0)


def _threatened(position: AttackMap, side: chess.Color) -> list[int]:
    """Return the values of the pieces of a side that hang."""
    pieces = chess.scan_forward(position.board.occupied_co[side])
    return [PIECE_VALUES[position.kind(square)] for square in pieces if position.is_hanging(square)]


def _attackers_near_king(position: AttackMap, side: chess.Color) -> int:
    """Return how many enemy pieces attack the king of a side or a square next to it."""
    king = position.king(side)
    near = chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]
    enemies = chess.scan_forward(position.board.occupied_co[not side])
    return sum(bool(position.attacks[square] & near) for square in enemies)


def _of_move_before(problem: Problem) -> Iterator[tuple[str, float]]:
    board, first = problem.position, problem.moves[0]
    if not board.move_stack:
        for name in ("capture", "kind", "recaptured", "distance_to_first", "attacks"):
            yield f"before_{name}", math.nan
        return
    before, move = board.copy(), board.peek()
    before.pop()
    yield "before_capture", _captured(before, move)
    yield "before_kind", board.piece_type_at(move.to_square) or 0
    yield "before_recaptured", first.to_square == move.to_square
    yield "before_distance_to_first", chess.square_distance(first.to_square, move.to_square)
    attacked = board.attacks_mask(move.to_square) & board.occupied_co[board.turn]
    kinds = (board.piece_type_at(square) for square in chess.scan_forward(attacked))
    yield "before_attacks", sum(PIECE_VALUES[kind] for kind in kinds if kind is not None)


def _of_line(replay: Replay) -> Iterator[tuple[str, float]]:
    own, replies = replay.solver_plies, replay.plies[1::2]
    yield "moves", len(own)
    positions = [replay.start, *(ply.after for ply in replay.plies)]
    balances = [material_balance(position.board, replay.solver) for position in positions]
    yield "gain", balances[-1] - balances[0]
    yield "deepest_sacrifice", balances[0] - min(balances)
    yield "mate", replay.mates
    yield "checks", sum(ply.check for ply in own)
    yield "captures", sum(ply.captured is not None for ply in own)
    yield "quiet_moves", sum(ply.quiet for ply in own)
    yield "pieces_moved", len({ply.kind for ply in own})
    choices = [len(reply.before.legal_moves) for reply in replies]
    yield "forced_replies", choices.count(1)
    yield "log_of_replies", sum(map(math.log, choices))
    yield "captures_in_reply", sum(reply.captured is not None for reply in replies)
    yield "log_of_choices", sum(math.log(len(ply.before.legal_moves)) for ply in own)


def _of_move(ply: Ply | None) -> Iterator[tuple[str, float]]:
    names = ("kind", "capture", "check", "promotion", "distance", "forward", "attacked", "choices", "replies")
    if ply is None:
        yield from ((name, math.nan) for name in names)
        return
    board, after = ply.before.board, ply.after.board
    forward = chess.square_rank(ply.target) - chess.square_rank(ply.origin)
    values = (
        ply.kind,
        PIECE_VALUES[ply.captured] if ply.captured else 0,
        ply.check,
        ply.move.promotion or 0,
        chess.square_distance(ply.origin, ply.target),
        forward if board.turn else -forward,
        after.is_attacked_by(after.turn, ply.target),
        len(ply.before.legal_moves),
        len(ply.after.legal_moves),
    )
    yield from zip(names, map(float, values), strict=True)


def _captured(board: chess.Board, move: chess.Move) -> int:
    """Return the value of what a move captures, 0 if it captures nothing."""
    capture = capture_by(board, move)
    return PIECE_VALUES[capture.kind] if capture else 0


def human_features(problem: Problem, model: HumanModel, ratings: Sequence[int]) -> dict[str, float]:
    """Return the features from the human-move model by name, for players of these `ratings`."""
    boards = [problem.position]
    # The last move is left out, unless it is the only one.
    for move in problem.moves[: max(1, len(problem.moves) - 1)]:
        boards.append(_after(boards[-1], move))
    predictions = model.predict(len(ratings) * boards, [rating for rating in ratings for _ in boards])
    tempting = [
        _after(problem.position, _most_tempting(predictions[number * len(boards)], problem.moves[0]))
        for number in range(len(ratings))
    ]
    tempted = model.predict(tempting, ratings)
    solutions = [_solutions(*ply) for ply in zip(boards, problem.moves, strict=False)]
    solutions[0] = {*solutions[0], *problem.accepted}
    values: dict[str, float] = {}
    for number, rating in enumerate(ratings):
        seen = predictions[number * len(boards) : (number + 1) * len(boards)]
        of_player = _of_player(problem.moves, seen, solutions)
        of_player["value_of_wrong"] = -tempted[number].value
        values |= {f"{name}@{rating}": value for name, value in of_player.items()}
    return values


def _of_player(
    moves: Sequence[chess.Move],
    predictions: Sequence[Prediction],
    solutions: Sequence[Collection[chess.Move]],
) -> dict[str, float]:
    plies = list(zip(predictions, moves, solutions, strict=False))
    probabilities = [sum(seen.moves.get(move, 0) for move in found) for seen, _, found in plies]
    logs = [math.log(max(probability, LEAST_PROBABILITY)) for probability in probabilities]
    own, replies = logs[::2], logs[1::2]
    values = {
        "log_P": sum(own),
        "log_P_after_the_first": sum(own[1:]),
        "least_log_P": min(own),
        "log_P_of_replies": sum(replies),
        "worst_rank": max(_rank(prediction.moves, move) for prediction, move, _ in plies[::2]),
        "last_value": plies[-1][0].value,
    }
    for number in range(DESCRIBED_MOVES):
        ply, of_move = 2 * number, dict.fromkeys(OF_MOVE, math.nan)
        if ply < len(plies):
            prediction, move, _ = plies[ply]
            of_move |= {"log_P": logs[ply], "value": prediction.value} | _among_others(prediction, move)
        if ply + 1 < len(predictions):
            of_move["value_after"] = -predictions[ply + 1].value
        values |= {f"{name}({number + 1})": value for name, value in of_move.items()}
    return values


def _among_others(prediction: Prediction, solution: chess.Move) -> dict[str, float]:
    moves = prediction.moves
    return {
        "rank": _rank(moves, solution),
        "entropy": -sum(p * math.log(p) for p in moves.values() if p > 0),
        "largest_wrong_P": max((p for move, p in moves.items() if move != solution), default=0.0),
    }


def _most_tempting(prediction: Prediction, solution: chess.Move) -> chess.Move:
    """Return the likeliest move that is not the solution, or the solution if there is no other."""
    return next((move for move in prediction.moves if move != solution), solution)


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy()
    after.push(move)
    return after


def _solutions(board: chess.Board, move: chess.Move) -> set[chess.Move]:
    """Return the moves that are as right as a move of the solution: for a mate, all mating moves."""
    return set(mating_moves(board)) if mates(board, move) else {move}


def _rank(moves: Mapping[chess.Move, float], move: chess.Move) -> int:
    """Return the place of a move among the moves by probability, from 1."""
    return 1 + list(moves).index(move)
