"""Terms of the positions of a game, made from one to the next, are those of each position alone."""

from __future__ import annotations

from itertools import chain

import chess
import pytest
from hypothesis import given

from motifsearch.positions.terms import Family, GameTerms, query_families
from motifsearch.terms.static import position_terms, reach_terms
from puzzlegen.motifs.replay import AttackMap
from tests.helpers.solutions import Solution, random_lines

# A game with castling on both sides, a capture en passant and promotions.
GAME = "e4 e6 e5 d5 exd6 c5 Nf3 Nf6 Bd3 Bxd6 O-O O-O a4 b5 axb5 a6 b6 a5 b7 a4 bxa8=N a3 Nb6 axb2 Bxb2 Qxb6"


def alone(board: chess.Board) -> dict[Family, list[str]]:
    attack_map = AttackMap(board)
    found = {family: sorted(terms) for family, terms in query_families(board).items()}
    assert sorted(chain(*found.values())) == sorted(position_terms(attack_map))
    return found | {Family.REACH: sorted(reach_terms(attack_map))}


def by_family(texts: list[str]) -> dict[Family, list[str]]:
    return {family: sorted(text.split()) for family, text in zip(Family, texts, strict=True)}


def test_through_a_game() -> None:
    board, followed = chess.Board(), GameTerms()
    assert by_family(followed.families(board)) == alone(board)
    for san in GAME.split():
        board.push_san(san)
        assert by_family(followed.families(board)) == alone(board)


@given(random_lines())
def test_through_any_line(line: Solution) -> None:
    board, followed = line[0].copy(), GameTerms()
    followed.families(chess.Board())
    for move in line[1]:
        assert by_family(followed.families(board)) == alone(board)
        board.push(move)
    assert by_family(followed.families(board)) == alone(board)


@pytest.mark.parametrize(
    ("term", "family"),
    [("Ra1", "placed"), ("b>Nc3", "attack"), ("Q<Pe4", "defence"), ("R=qd8", "xray")],
)
def test_what_family_a_term_is_of(term: str, family: str) -> None:
    board = chess.Board("q2qr3/8/8/8/1b2P3/2N1Q3/8/R2R2K1 w - - 0 1")
    assert term in query_families(board)[Family(family)]
