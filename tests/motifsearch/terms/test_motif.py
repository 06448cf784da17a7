"""Terms of the motif and of the end, on lines that can be checked by eye."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import chess
import pytest

from motifsearch.terms.motif import (
    capture_terms,
    end_move_terms,
    end_piece_terms,
    mate_terms,
    name_terms,
    relation_terms,
)
from puzzlegen.motifs.replay import Motif, Replay
from tests.helpers.solutions import Solution, colours_swapped, left_and_right_swapped, parsed
from tests.helpers.tactics import SOLUTIONS

GREEK_GIFT = ("r1bq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/RN1QK2R w KQ - 0 1", "d3h7 g8h7 f3g5")
BACK_RANK = ("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e2e8 d8e8 e1e8")
BACK_RANK_AT_ONCE = ("4r1k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", "e1e8")
BACK_RANK_BY_A_QUEEN = ("4r1k1/5ppp/8/8/8/8/5PPP/4Q1K1 w - - 0 1", "e1e8")
SMOTHERED = ("6rk/6pp/7N/8/8/8/8/K7 w - - 0 1", "h6f7")
TWO_ROOKS = ("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")
PROMOTION = ("1r4k1/P4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "a7b8q")

Family = Callable[[Replay], Iterator[str]]


def replay(case: tuple[str, str]) -> Replay:
    return Replay(*parsed(*case))


def white_solves(solution: Solution) -> Solution:
    return solution if solution[0].turn == chess.WHITE else colours_swapped(solution)


def test_names_say_how_many_moves_are_to_come() -> None:
    fork = Motif("fork", 0, chess.KNIGHT, (chess.QUEEN, chess.KING), chess.C7)
    promotion = Motif("promotion", 2, chess.QUEEN, (), chess.A8)
    names = list(name_terms([fork, promotion], replay(GREEK_GIFT)))
    assert names == ["fork", "fork@1", "promotion", "promotion@0"]


def test_relations_are_by_class() -> None:
    fork = Motif("fork", 0, chess.KNIGHT, (chess.QUEEN, chess.KING), chess.C7)
    promotion = Motif("promotion", 2, chess.QUEEN, (), chess.A8)
    assert list(relation_terms([fork, promotion])) == ["fork:n", "fork:n>kl", "fork>qk", "promotion:l"]


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
        pytest.param(
            *(end_move_terms, GREEK_GIFT),
            "2:lx+ 0lx+4,4 1:kx 1kx1,-1 0:n+ 0n+1,2 lx+>kx0,0 kx>n+1,-2 last:n+ last:lx+,n+",
            id="moves",
        ),
        pytest.param(
            end_move_terms, PROMOTION, "0:px=q# 0px=q#1,1 last:px=q#", id="a capture with promotion and mate"
        ),
        pytest.param(
            *(end_piece_terms, SMOTHERED),
            "king:corner @k2-1 r10 @l1-1 p01 @p20 p11 @p10 N02 @N21 K77",
            id="pieces around the king and the target",
        ),
    ],
)
def test_terms(family: Family, case: tuple[str, str], expected: str) -> None:
    assert list(family(replay(case))) == expected.split()


def test_a_mate_in_fewer_moves_has_the_terms_of_the_end() -> None:
    longer, shorter = (set(end_move_terms(replay(case))) for case in (BACK_RANK, BACK_RANK_AT_ONCE))
    assert shorter <= longer


def test_the_end_is_the_position_before_the_last_move() -> None:
    longer, shorter = (set(end_piece_terms(replay(case))) for case in (BACK_RANK, BACK_RANK_AT_ONCE))
    assert shorter == longer


def test_another_line_piece_moves_alike() -> None:
    rook, queen = (list(end_move_terms(replay(case))) for case in (BACK_RANK_AT_ONCE, BACK_RANK_BY_A_QUEEN))
    assert rook == queen


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
    assert next(end_piece_terms(Replay(board, [chess.Move.from_uci("c5b5")]))) == f"king:{zone}"


@pytest.mark.parametrize("family", [mate_terms, end_piece_terms, end_move_terms])
def test_left_and_right_do_not_matter(family: Family) -> None:
    for solution in map(white_solves, SOLUTIONS):
        mirrored = left_and_right_swapped(solution)
        # Castling has no mirror image.
        assert mirrored is None or Counter(family(Replay(*mirrored))) == Counter(family(Replay(*solution)))
