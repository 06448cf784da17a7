"""Pawn terms, each kind for and against. Kings stand where they disturb nothing."""

from __future__ import annotations

import chess
import pytest

from motifsearch.terms.static import pawn_terms

GIVEN = {
    "isolated": ("4k3/6p1/8/8/8/8/4P1P1/4K3", "Ig2"),
    "isolated, Black's": ("4k3/6p1/8/8/8/8/4P1P1/4K3", "ig7"),
    "backward, stop square attacked": ("4k3/8/8/2p5/1p1P4/8/2P5/4K3", "Lc2"),
    "backward on a half-open file": ("4k3/8/8/8/3P4/8/2P5/4K3", "Lc2"),
    "backward, Black's, attacked": ("4k3/2p5/8/1P1p4/8/8/8/4K3", "lc7"),
    "doubled": ("4k3/8/8/8/8/6P1/6P1/4K3", "Sg2-g3"),
    "doubled, Black's, lower rank first": ("4k3/6p1/6p1/8/8/8/8/4K3", "sg6-g7"),
    "passed": ("4k3/8/8/4P3/8/8/8/4K3", "Ae5"),
    "passed, Black's": ("4k3/8/8/8/4p3/8/8/4K3", "ae4"),
    "protected passed": ("4k3/1p6/8/4P3/3P4/8/8/4K3", "Te5"),
    "chain": ("4k3/8/8/4P3/3P4/8/8/4K3", "Hd4-e5"),
    "chain, Black's": ("4k3/8/3p4/4p3/8/8/8/4K3", "hd6-e5"),
    "islands": ("4k3/p1p1p1p1/8/8/8/8/PP2PP2/4K3", "P(2)"),
    "islands, Black's": ("4k3/p1p1p1p1/8/8/8/8/PP2PP2/4K3", "p(4)"),
}


@pytest.mark.parametrize(("board", "term"), GIVEN.values(), ids=GIVEN)
def test_given(board: str, term: str) -> None:
    assert term in pawn_terms(chess.Board(f"{board} w - - 0 1"))


WITHHELD = {
    "a neighbour anywhere on the file ends isolation": ("4k3/8/8/5P2/8/8/6P1/4K3", "Ig2"),
    "an isolated pawn is not backward too": ("4k3/8/8/8/8/8/2P5/4K3", "Lc2"),
    "a pawn beside": ("4k3/8/8/8/8/8/2PP4/4K3", "Lc2"),
    "a pawn behind": ("4k3/8/8/8/8/2P5/3P4/4K3", "Lc3"),
    "closed file, free stop square": ("4k3/2p5/8/8/3P4/8/2P5/4K3", "Lc2"),
    "pawns on two files": ("4k3/8/8/8/8/6P1/5P2/4K3", "Sf2-g3"),
    "the enemy ahead on the file": ("4k3/4p3/8/4P3/8/8/8/4K3", "Ae5"),
    "the enemy ahead on a neighbour file": ("4k3/3p4/8/4P3/8/8/8/4K3", "Ae5"),
    "a passed pawn without a defender": ("4k3/8/8/3PP3/8/8/8/4K3", "Te5"),
    "a defended pawn that is not passed": ("4k3/4p3/8/4P3/3P4/8/8/4K3", "Te5"),
    "pawns side by side": ("4k3/8/8/3PP3/8/8/8/4K3", "Hd5-e5"),
}


@pytest.mark.parametrize(("board", "term"), WITHHELD.values(), ids=WITHHELD)
def test_withheld(board: str, term: str) -> None:
    assert term not in pawn_terms(chess.Board(f"{board} w - - 0 1"))


def test_an_enemy_behind_does_not_stop_a_pawn() -> None:
    assert "Ae5" in pawn_terms(chess.Board("4k3/8/8/4P3/3p4/8/8/4K3 w - - 0 1"))


def test_three_on_a_file_are_two_neighbouring_pairs() -> None:
    terms = pawn_terms(chess.Board("4k3/8/8/6P1/8/6P1/6P1/4K3 w - - 0 1"))
    assert [term for term in terms if term.startswith("S")] == ["Sg2-g3", "Sg3-g5"]


def test_a_protected_passed_pawn_is_passed_too() -> None:
    assert {"Ae5", "Te5"} <= set(pawn_terms(chess.Board("4k3/8/8/4P3/3P4/8/8/4K3 w - - 0 1")))
