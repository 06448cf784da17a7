"""Colours reversed: the terms and moves of a mirrored position are those of the position, reversed."""

from __future__ import annotations

import chess
from hypothesis import given

from motifsearch.terms.static import position_terms, reach_terms, reversed_move, reversed_term
from puzzlegen.motifs.replay import AttackMap
from tests.helpers.solutions import Solution, random_lines


def terms_of(board: chess.Board) -> list[str]:
    attack_map = AttackMap(board)
    return sorted(position_terms(attack_map) + reach_terms(attack_map))


@given(random_lines())
def test_reversed_terms_are_those_of_the_mirrored_position(line: Solution) -> None:
    board, _ = line
    assert sorted(map(reversed_term, terms_of(board))) == terms_of(board.mirror())


@given(random_lines())
def test_reversed_moves_are_legal_in_the_mirrored_position(line: Solution) -> None:
    board, _ = line
    assert set(map(reversed_move, board.legal_moves)) == set(board.mirror().legal_moves)
