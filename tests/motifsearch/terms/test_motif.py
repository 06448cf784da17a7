"""Terms of the motif and of its reasons, family by family, on lines that can be checked by eye."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import chess
import pytest

from motifsearch.terms.motif import (
    capture_terms,
    decisive_terms,
    goal_terms,
    king_terms,
    mate_terms,
    piece_terms,
    relation_terms,
    shape_terms,
)
from puzzlegen.motifs.replay import Motif, Replay
from puzzlegen.reasons.reason import Reasons
from tests.helpers.solutions import Solution, colours_swapped, left_and_right_swapped, parsed
from tests.helpers.tactics import SOLUTIONS

GREEK_GIFT = ("r1bq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/RN1QK2R w KQ - 0 1", "d3h7 g8h7 f3g5")
BACK_RANK = ("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e2e8 d8e8 e1e8")
SMOTHERED = ("6rk/6pp/7N/8/8/8/8/K7 w - - 0 1", "h6f7")
TWO_ROOKS = ("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")
PROMOTION = ("1r4k1/P4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "a7b8q")
OPEN_KING = ("8/8/4n3/4k3/8/6N1/8/4K3 w - - 0 1", "e1e2")


Family = Callable[[Replay], Iterator[str]]


def replay(case: tuple[str, str]) -> Replay:
    return Replay(*parsed(*case))


def white_solves(solution: Solution) -> Solution:
    return solution if solution[0].turn == chess.WHITE else colours_swapped(solution)


def test_relations() -> None:
    fork = Motif("fork", 0, chess.KNIGHT, (chess.QUEEN, chess.KING), chess.C7)
    promotion = Motif("promotion", 2, chess.QUEEN, (), chess.A8)
    assert list(relation_terms([fork, promotion])) == [
        "fork", "fork:n", "fork:n>qk",
        "promotion", "promotion:q",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("family", "case", "expected"),
    [
        pytest.param(
            *(mate_terms, SMOTHERED),
            "on:corner mates:n mates:n21 blocks:p blocks11 blocks:p blocks01 blocks:r blocks10",
            id="a king mated among its own",
        ),
        pytest.param(
            *(mate_terms, TWO_ROOKS),
            "on:corner mates:r mates:r60 covers:r covers:r71",
            id="a king mated in the open",
        ),
        pytest.param(mate_terms, GREEK_GIFT, "", id="no mate"),
        pytest.param(
            *(capture_terms, GREEK_GIFT),
            "sbxp sbxp sbxp@11 okxb okxb! okxb@11 reokxb",
            id="captures next to the king",
        ),
        pytest.param(
            *(capture_terms, BACK_RANK),
            "orxq orxq orxq@20 reorxq takes:rxq srxr srxr! srxr@20 resrxr",
            id="captures of what came by itself",
        ),
        pytest.param(capture_terms, PROMOTION, "spxr spxr!", id="a capture far from the king"),
        pytest.param(king_terms, BACK_RANK, "king:castled p11 p01 p11", id="a king that has castled"),
        pytest.param(king_terms, SMOTHERED, "king:corner N02 p11 p01 r10", id="a king in the corner"),
        pytest.param(king_terms, OPEN_KING, "king:open N22 n0-1", id="a king in the open"),
        pytest.param(
            *(shape_terms, GREEK_GIFT),
            "0bx+4,4 1kx1,-1 0n+1,2 bx+>kx0,0 kx>n+1,-2 b>n1,-2 line:bx+,kx,n+ moves:bx+,n+",
            id="the shape of a line",
        ),
        pytest.param(
            *(shape_terms, PROMOTION),
            "0px=q#1,1 line:px=q# moves:px=q#",
            id="the shape of a move that captures, promotes and mates",
        ),
    ],
)
def test_terms(family: Family, case: tuple[str, str], expected: str) -> None:
    assert list(family(replay(case))) == expected.split()


@pytest.mark.parametrize(
    ("king", "zone"),
    [
        ("a8", "corner"), ("b8", "castled"), ("g8", "castled"), ("c8", "home"), ("e8", "home"),
        ("h7", "edge"), ("a2", "edge"), ("d7", "seventh"), ("f4", "open"), ("h1", "far"), ("e1", "far"),
    ],
)  # fmt: skip
def test_where_the_king_is(king: str, zone: str) -> None:
    board = chess.Board(None)
    board.set_piece_at(chess.parse_square(king), chess.Piece.from_symbol("k"))
    board.set_piece_at(chess.C5, chess.Piece.from_symbol("K"))
    assert next(king_terms(Replay(board, []))) == f"king:{zone}"


def test_men_far_from_the_king() -> None:
    far = Counter(piece_terms(replay(OPEN_KING))) - Counter(king_terms(replay(OPEN_KING)))
    assert far == Counter(["K04"])


@pytest.mark.parametrize("family", [mate_terms, king_terms, piece_terms, shape_terms])
def test_left_and_right_do_not_matter(family: Family) -> None:
    for solution in map(white_solves, SOLUTIONS):
        mirrored = left_and_right_swapped(solution)
        # Castling has no mirror image.
        assert mirrored is None or Counter(family(Replay(*mirrored))) == Counter(family(Replay(*solution)))


# The rook that guards the back rank takes the queen that is offered; the other rook mates.
DEFLECTION = ("3r2k1/5ppp/8/8/8/8/Q4PPP/4R1K1 w - - 0 1", "a2d5 d8d5 e1e8")
QUIET = ("8/8/4n3/4k3/8/6N1/8/4K3 w - - 0 1", "e1e2")


def reasons(case: tuple[str, str]) -> Reasons:
    return Reasons(Replay(*parsed(*case)))


def test_the_defender_that_takes_the_offer_is_a_reason_for_mate() -> None:
    assert {"defender:accepts>mate", "defender:accepts:r>mate"} <= set(goal_terms(reasons(DEFLECTION)))


def test_the_goal_that_decides_has_its_reasons_alone() -> None:
    terms = decisive_terms(reasons(DEFLECTION))
    assert [term for term in terms if not term.endswith(">mate")] == []


def test_a_goal_that_nobody_defended() -> None:
    undefended = ("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")
    assert "undefended>mate" in decisive_terms(reasons(undefended))


def test_without_a_goal_there_is_nothing_decisive() -> None:
    assert decisive_terms(reasons(QUIET)) == []


def test_each_term_counts_once() -> None:
    perpetual = ("7k/8/8/8/8/8/1q6/6QK w - - 0 1", "g1g3 b2a1 g3g1 a1b2 g1g3")
    terms = goal_terms(reasons(perpetual))
    assert len(terms) == len(set(terms))
