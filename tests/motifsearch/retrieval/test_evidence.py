"""What games say of a move: counts of games, the game that is named, and the outcome that is expected."""

from __future__ import annotations

from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import InputError
from db.models import ArchivedGame, Game
from motifsearch.retrieval.evidence import (
    DRAWS,
    MODEL_GAMES,
    Record,
    comment_on,
    expected_outcome,
    look_up,
    records_of,
)
from motifsearch.retrieval.folder import OCCURRENCE, UNKNOWN, encode_move
from motifsearch.retrieval.memory import Memory, Neighbours

E4, D4 = chess.Move.from_uci("e2e4"), chess.Move.from_uci("d2d4")

# A game, the plies before a move, the move, its player's points and Elo, and the distance of the position.
Row = tuple[int, int, chess.Move, int, int, float]


def records(*rows: Row, turn: chess.Color = chess.WHITE) -> dict[chess.Move, Record]:
    occurrences = np.zeros(len(rows), OCCURRENCE)
    for occurrence, (game, ply, move, points, elo, _) in zip(occurrences, rows, strict=True):
        occurrence["game"], occurrence["ply"] = game, ply
        occurrence["move"], occurrence["points"], occurrence["elo"] = encode_move(move, turn), points, elo
    return records_of(Neighbours(turn, occurrences, np.array([row[-1] for row in rows], np.float32)))


def test_results_are_those_of_the_player_who_moved() -> None:
    found = records((1, 0, E4, 2, 0, 0), (2, 0, E4, 1, 0, 0), (3, 0, E4, 0, 0, 0), (4, 0, E4, UNKNOWN, 0, 0))
    record = found[E4]
    assert (record.same, record.wins, record.draws, record.losses, record.known) == (4, 1, 1, 1, 3)


def test_black_moves_as_black() -> None:
    e5 = chess.Move.from_uci("e7e5")
    assert [*records((1, 1, e5, 2, 0, 0), turn=chess.BLACK)] == [e5]


def test_a_game_counts_once_where_it_came_nearest() -> None:
    found = records(
        (1, 10, E4, 2, 0, 0.1), (2, 10, E4, 0, 0, 0.2), (1, 12, E4, 2, 0, 0.3), (1, 14, D4, 2, 0, 0.4)
    )
    assert [*found] == [E4]
    assert (found[E4].similar, found[E4].wins, found[E4].losses) == (2, 1, 1)


def test_the_same_position_and_similar_ones_are_told_apart() -> None:
    record = records((1, 10, E4, 2, 0, 0), (2, 10, E4, 2, 0, 1e-6), (3, 10, E4, 2, 0, 0.1))[E4]
    assert (record.same, record.similar) == (2, 1)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        # The nearest one, whoever played.
        ([(1, 10, E4, 2, 2000, 0.1), (2, 12, E4, 2, 2800, 0.2)], (1, 10)),
        # Of the same position, the best player; differences of rounding are none.
        ([(1, 10, E4, 2, 2000, 0), (2, 12, E4, 2, 2800, 1e-6), (3, 14, E4, 2, UNKNOWN, 0)], (2, 12)),
    ],
)
def test_which_game_is_named(rows: list[Row], named: tuple[int, int]) -> None:
    record = records(*rows)[E4]
    assert (record.game, record.ply) == named


def record(same: int = 0, similar: int = 0, *, wins: int = 0, draws: int = 0, losses: int = 0) -> Record:
    return Record(same, similar, wins, draws, losses, 7, 22)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (record(41, wins=20, draws=8, losses=13), "41 games, 59 %"),
        (record(1), "1 game"),
        (record(0, 9, losses=9), "9 games in similar positions, 0 %"),
        (record(3, 9, wins=12), "3 games + 9 in similar positions, 100 %"),
    ],
)
def test_a_record_in_words(given: Record, words: str) -> None:
    assert str(given) == words


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            {"white": "Capablanca, Jose", "black": "Tartakower, Saviely", "date": "1924.03.23"},
            "Nf3 1 game, Capablanca–Tartakower 1924, position 7.22",
        ),
        (
            {"white": "ann", "url": "https://lichess.org/abcdefgh"},
            "Nf3 1 game, ann–?, https://lichess.org/abcdefgh#22",
        ),
        ({"date": "????.??.??", "url": "https://example.org/1"}, "Nf3 1 game, ?–?, https://example.org/1"),
    ],
)
def test_the_line_on_a_move(columns: dict[str, Any], line: str) -> None:
    archived = ArchivedGame(moves="", game=Game(key="x", **columns))
    archived.number = 7
    assert comment_on("Nf3", record(1), archived) == line


def test_a_position_is_looked_up_by_its_number(memory: Memory) -> None:
    archived, ply = look_up(memory.store, "2.1")
    assert (archived.game.white, ply) == ("Karjakin, Sergey", 1)


@pytest.mark.parametrize("number", ["", "1", "1.", ".1", "a.b", "1.2.3", "-1.2", "4.0", "1.31", f"{2**70}.1"])
def test_what_is_no_number_of_a_position(memory: Memory, number: str) -> None:
    with pytest.raises(InputError, match="position"):
        look_up(memory.store, number)


results = st.floats(-1, 1)
ratings = st.floats(*DRAWS)
counts = st.integers(0, 1000)


@given(results, ratings)
def test_without_games_the_model_is_believed(result: float, rating: float) -> None:
    outcome = expected_outcome(result, rating, None)
    assert outcome.value == pytest.approx(result)
    assert min(outcome.wins, outcome.draws, outcome.losses) >= -1e-12


@given(results, ratings, counts, counts, counts)
def test_games_pull_the_outcome_towards_their_results(
    result: float, rating: float, wins: int, draws: int, losses: int
) -> None:
    outcome = expected_outcome(result, rating, record(1, wins=wins, draws=draws, losses=losses))
    games = wins + draws + losses
    joined = (MODEL_GAMES * result + wins - losses) / (MODEL_GAMES + games)
    assert outcome.value == pytest.approx(joined)
    assert outcome.wins + outcome.draws + outcome.losses == pytest.approx(1)


@given(results, ratings, counts, counts, counts)
def test_the_other_side_expects_the_opposite(
    result: float, rating: float, wins: int, draws: int, losses: int
) -> None:
    ours = expected_outcome(result, rating, record(1, wins=wins, draws=draws, losses=losses))
    theirs = expected_outcome(-result, rating, record(1, wins=losses, draws=draws, losses=wins))
    assert (ours.wins, ours.draws) == pytest.approx((theirs.losses, theirs.draws))
