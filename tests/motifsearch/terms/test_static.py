"""Static terms: the example printed by Ganguly et al. (SIGIR 2014), each kind for and against."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given

from chess_motif.notation import reversed_move
from motifsearch.terms import static
from motifsearch.terms.static import pawn_terms, reach_variants, reversed_term
from puzzlegen.motifs.replay import AttackMap
from tests.helpers.solutions import Solution, random_lines

PRINTED = chess.Board("2rq1rk1/1p1n1pb1/p2pp1pp/7P/4PP2/1NN2QP1/PPP5/2KRR3 b - - 0 20")

PRINTED_PLACES = (
    "rc8 qd8 rf8 kg8 pb7 nd7 pf7 bg7 pa6 pd6 pe6 pg6 ph6 Ph5 Pe4 Pf4 Nb3 Nc3 Qf3 Pg3 Pa2 Pb2 Pc2 Kc1 Rd1 Re1"
)
PRINTED_QUEEN_REACH = "Qf2|0.89 Qf1|0.78 Qg2|0.89 Qh1|0.78 Qe2|0.89 Qe3|0.89 Qd3|0.78 Qg4|0.89"
PRINTED_ATTACKS = "b>Nc3 r>Nc3 p>Ph5 R>pd6"
PRINTED_QUEEN_DEFENCES = "Q<Pe4 Q<Pf4 Q<Pg3 Q<Nc3 Q<Rd1"
PRINTED_X_RAYS = "R=qd8 R=nd7 R=pd6 r=Qf3 r=Pf4"


def position_terms(board: chess.Board) -> list[str]:
    return static.position_terms(AttackMap(board))


def reach_terms(board: chess.Board) -> list[str]:
    return static.reach_terms(AttackMap(board))


def test_printed_pieces() -> None:
    found = [term for term in position_terms(PRINTED) if len(term) == 3]
    assert sorted(found) == sorted(PRINTED_PLACES.split())


@pytest.mark.parametrize(
    ("starts", "printed"),
    [
        ("Q", PRINTED_QUEEN_REACH),
        # Section 5.2 of the paper: d2 to d5, and not the pawn on d6.
        ("Rd", "Rd2|0.89 Rd3|0.78 Rd4|0.67 Rd5|0.56"),
        ("Re", "Re2|0.89 Re3|0.78"),
    ],
)
def test_printed_reach(starts: str, printed: str) -> None:
    found = [term for term in reach_terms(PRINTED) if term.startswith(starts)]
    assert sorted(found) == sorted(printed.split())


@pytest.mark.parametrize("term", f"{PRINTED_ATTACKS} {PRINTED_QUEEN_DEFENCES} {PRINTED_X_RAYS}".split())
def test_printed_attacks_defences_and_x_rays(term: str) -> None:
    assert term in position_terms(PRINTED)


def test_a_sliding_attack_ends_at_the_first_piece() -> None:
    assert "R>nd7" not in position_terms(PRINTED)


@pytest.mark.parametrize(
    ("fen", "term", "times"),
    [
        pytest.param("4r1k1/8/8/8/p7/8/8/3BK3 w - - 0 1", "B>pa4", 1, id="a piece that is free"),
        pytest.param("4r1k1/8/8/8/8/p7/4B3/4K3 w - - 0 1", "B>pa3", 0, id="no line"),
        pytest.param("3q2k1/8/8/8/8/8/8/3RR1K1 w - - 0 1", "R>qd8", 1, id="one of two of a kind"),
        pytest.param("R2q2R1/8/8/8/7k/8/8/6K1 w - - 0 1", "R>qd8", 2, id="two of a kind"),
        pytest.param("8/8/8/8/8/8/1k6/R3K3 w - - 0 1", "k>Ra1", 1, id="a king attacks"),
        pytest.param("8/8/8/8/8/8/1k6/R3K3 w - - 0 1", "R=kb2", 0, id="no x-ray beside the line"),
        pytest.param("4k3/8/8/8/8/8/8/K3R3 b - - 0 1", "R>ke8", 1, id="a king is attacked"),
    ],
)
def test_attacks(fen: str, term: str, times: int) -> None:
    assert position_terms(chess.Board(fen)).count(term) == times


def test_a_knight_has_no_x_ray() -> None:
    assert not [term for term in position_terms(PRINTED) if term.startswith(("N=", "n=", "P=", "p=", "K="))]


@pytest.mark.parametrize(
    ("fen", "pieces", "expected"),
    [
        pytest.param("4k3/8/8/8/8/3p4/4P3/4K3 w - - 0 1", "P", "Pe3|0.89 Pe4|0.78", id="a pawn pushes only"),
        pytest.param("4k3/3pp3/3nP3/8/8/8/8/4K3 w - - 0 1", "Pp", "", id="pawns that are blocked"),
        pytest.param("4k3/8/4p3/8/8/8/8/4K3 w - - 0 1", "p", "pe5|0.89", id="a pawn beyond its home"),
        pytest.param("4k3/8/8/8/8/8/PPpPP3/RN1NK3 w - - 0 1", "R", "", id="no square with a piece"),
    ],
)
def test_reach(fen: str, pieces: str, expected: str) -> None:
    assert [term for term in reach_terms(chess.Board(fen)) if term[0] in pieces] == expected.split()


def test_weights_fall_by_seven_64ths_a_square() -> None:
    weights = list(reach_variants("Qf2").values())
    assert weights == pytest.approx([1 - 7 * distance / 64 for distance in range(1, 8)], abs=0.005)


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
    "passed, the enemy behind": ("4k3/8/8/4P3/3p4/8/8/4K3", "Ae5"),
    "protected, and passed too": ("4k3/8/8/4P3/3P4/8/8/4K3", "Ae5"),
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


def test_three_on_a_file_are_two_neighbouring_pairs() -> None:
    terms = pawn_terms(chess.Board("4k3/8/8/6P1/8/6P1/6P1/4K3 w - - 0 1"))
    assert [term for term in terms if term.startswith("S")] == ["Sg2-g3", "Sg3-g5"]


def terms_of(board: chess.Board) -> list[str]:
    return sorted(position_terms(board) + reach_terms(board))


@given(random_lines())
def test_reversed_terms_are_those_of_the_mirrored_position(line: Solution) -> None:
    board, _ = line
    assert sorted(map(reversed_term, terms_of(board))) == terms_of(board.mirror())


@given(random_lines())
def test_reversed_moves_are_legal_in_the_mirrored_position(line: Solution) -> None:
    board, _ = line
    assert set(map(reversed_move, board.legal_moves)) == set(board.mirror().legal_moves)
