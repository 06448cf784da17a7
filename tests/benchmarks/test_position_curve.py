"""Variations of games, by which an archive of positions grows, and how much two searches have in common."""

from __future__ import annotations

import chess
import pytest

from benchmarks.position_curve import VARIED_FROM, overlap, variation
from motifsearch.positions.ranking import Candidate, Place
from tests.helpers.archived_games import random_moves

MOVES = random_moves(1)


def test_a_variation_is_a_legal_game_of_new_positions() -> None:
    varied = variation((5, "", MOVES), 1)
    assert varied is not None
    original = chess.Board()
    known = {original.board_fen()}
    for word in MOVES.split():
        original.push_uci(word)
        known.add(original.board_fen())
    board = chess.Board(varied.start)
    assert board.is_valid()
    new = [board.board_fen() not in known]
    for word in varied.moves.split():
        board.push_uci(word)
        new.append(board.board_fen() not in known)
    assert all(new)
    assert len(new) == len(MOVES.split()) - VARIED_FROM + 1


def test_variations_differ_by_round_and_are_the_same_again() -> None:
    first, again, other = (variation((5, "", MOVES), round) for round in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert (first.start, first.moves, first.game.key) == (again.start, again.moves, again.game.key)
    assert first.start != other.start
    assert first.game.key != other.game.key


@pytest.mark.parametrize("game", [(5, "", " ".join(MOVES.split()[:30])), (5, chess.STARTING_FEN, MOVES)])
def test_short_games_and_those_from_elsewhere_have_no_variation(game: tuple[int, str, str]) -> None:
    assert variation(game, 1) is None


def test_overlap_is_that_of_the_best_positions_of_games() -> None:
    everything = [Candidate(3.0, Place(1, 30)), Candidate(2.0, Place(1, 31)), Candidate(1.0, Place(2, 40))]
    assert overlap(everything, everything[1:], 2) == 0.5
    assert overlap(everything, [everything[0]], 1) == 1.0
