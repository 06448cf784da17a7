"""Dynamic terms, each kind for and against, on small lines that can be checked by eye."""

from __future__ import annotations

import chess
import pytest

from motifsearch.terms.dynamic import general_terms, role_terms, solution_terms
from puzzlegen.motifs.replay import Replay

GREEK_GIFT = ("r1bq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/RN1QK2R w KQ - 0 1", "d3h7 g8h7 f3g5")
BACK_RANK = ("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e2e8 d8e8 e1e8")
EXCHANGE = ("r5k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1", "a1a8")
EN_PASSANT = ("4k3/4q3/8/3pP3/8/8/8/4R1K1 w - d6 0 1", "e5d6")
CASTLING = ("4k3/5n2/8/8/8/8/8/4K2R w K - 0 1", "e1g1")
LONG_CASTLING = ("4k3/3n4/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1")
PROMOTION = ("3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8q")
QUIET = ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4 e8d8")
SMOTHERED = ("6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1", "h6f7")
TWO_ROOKS = ("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")
STALEMATE = ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6")
BARE_KINGS = ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2")


Case = tuple[str, str]


def replay(case: Case) -> Replay:
    # The last move may be the opponent's.
    fen, moves = case
    return Replay(chess.Board(fen), [chess.Move.from_uci(move) for move in moves.split()])


def solution(case: Case, starts: str = "!") -> list[str]:
    return sorted(term for term in solution_terms(replay(case)) if term.startswith(starts))


def roles(case: Case, starts: str) -> list[str]:
    return sorted(term for term in role_terms(replay(case)) if term.startswith(starts))


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (GREEK_GIFT, ["?px", "?0x", "?p+", "?S"]),
        (BACK_RANK, ["?px", "?0x", "?p+", "?S", "?#"]),
        (EXCHANGE, ["?px", "?p+", "?#"]),
        (EN_PASSANT, ["?px"]),
        (CASTLING, []),
        (PROMOTION, ["?="]),
        (QUIET, []),
        (STALEMATE, ["?1/2"]),
        (BARE_KINGS, ["?px", "?1/2"]),
        # The opponent's check is not the solver's.
        (("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", "e1e2"), ["?px"]),
        (("4k3/r7/8/8/8/8/7P/4K3 w - - 0 1", "h2h3 a7a1"), []),
    ],
)
def test_general(case: Case, expected: list[str]) -> None:
    assert general_terms(replay(case)) == expected


FOLLOWING = ("4k3/8/8/3p4/4P3/8/n7/R3K3 w - - 0 1", "e4d5 e8d7 a1a2")


@pytest.mark.parametrize(
    ("case", "starts", "expected"),
    [
        pytest.param(
            BACK_RANK, "!-", "!-Q !-Qr !-R !-r !-rR", id="moves of both sides, and consecutive ones"
        ),
        pytest.param(CASTLING, "!-", "!-K", id="castling is a move of the king"),
        pytest.param(GREEK_GIFT, "!x", "!xB !xp !xpB", id="captures and those that follow"),
        pytest.param(FOLLOWING, "!x", "!xn !xp !xpn", id="captures that follow across quiet moves"),
        pytest.param(EN_PASSANT, "!x", "!xp", id="en passant captures a pawn"),
    ],
)
def test_moves_and_captures(case: Case, starts: str, expected: str) -> None:
    assert solution(case, starts) == expected.split()


def test_en_passant_opens_the_line_it_leaves() -> None:
    assert [term for term in solution(EN_PASSANT) if ">" in term] == ["!P>q", "!R>q", "!q>R"]


@pytest.mark.parametrize(
    ("case", "attack", "times"),
    [
        pytest.param(CASTLING, "!R>n", 1, id="the rook that castles"),
        pytest.param(LONG_CASTLING, "!R>n", 1, id="the rook that castles queenside"),
        pytest.param(("4r1k1/8/8/8/8/8/8/3R2K1 w - - 0 1", "d1e1"), "!R>r", 1, id="it arises"),
        pytest.param(("4r1k1/8/8/8/8/8/8/3R2K1 w - - 0 1", "d1e1"), "!r>R", 1, id="it arises for both"),
        pytest.param(("4r1k1/8/8/8/8/8/8/4R1K1 w - - 0 1", "e1e4"), "!R>r", 0, id="it goes on"),
        pytest.param(("4q1k1/8/8/8/8/4N3/8/4R1K1 w - - 0 1", "e3c4"), "!R>q", 1, id="discovered"),
        pytest.param(PROMOTION, "!Q>r", 1, id="of a pawn that promotes"),
        pytest.param(("r3r1k1/8/8/8/8/8/6K1/1Q6 w - - 0 1", "b1e4"), "!Q>r", 2, id="of two of a kind"),
    ],
)
def test_attacks(case: Case, attack: str, times: int) -> None:
    assert solution(case).count(attack) == times


TWO_SACRIFICES = ("6k1/1q3pp1/8/8/8/8/8/4R1KR w - - 0 1", "h1h8 g8h8 e1e8 h8h7 e8h8 h7h8")


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(GREEK_GIFT, ["!Sb"], id="a bishop"),
        pytest.param(BACK_RANK, ["!Sq"], id="a queen"),
        pytest.param(TWO_SACRIFICES, ["!Sr"], id="two rooks are one term"),
        pytest.param(("3r2k1/3r1ppp/8/8/8/8/3R4/3R2K1 w - - 0 1", "d2d7 d8d7"), [], id="a rook for a rook"),
        pytest.param(
            ("3r2k1/4P3/8/8/8/8/8/3r2K1 w - - 0 1", "e7d8q d1d8"),
            [],
            id="rook and promotion gained, queen lost",
        ),
        pytest.param(QUIET, [], id="nothing is captured"),
    ],
)
def test_sacrifices(case: Case, expected: list[str]) -> None:
    assert roles(case, "!S") == expected


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # The side that is mated takes part, too, but for its king.
        (SMOTHERED, ["!#n", "!#nr", "!#r"]),
        # Two of a kind are one term.
        (TWO_ROOKS, ["!#r"]),
        (STALEMATE, []),
    ],
)
def test_who_takes_part_in_a_mate(case: Case, expected: list[str]) -> None:
    assert roles(case, "!#") == expected
