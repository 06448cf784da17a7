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


def parsed(case: tuple[str, str]) -> tuple[chess.Board, list[chess.Move]]:
    fen, moves = case
    return chess.Board(fen), [chess.Move.from_uci(move) for move in moves.split()]


def general(case: tuple[str, str]) -> list[str]:
    return general_terms(Replay(*parsed(case)))


def solution(case: tuple[str, str], starts: str = "!") -> list[str]:
    terms = solution_terms(Replay(*parsed(case)))
    return sorted(term for term in terms if term.startswith(starts))


def roles(case: tuple[str, str], starts: str, as_printed: bool = False) -> list[str]:
    terms = role_terms(Replay(*parsed(case)), as_printed)
    return sorted(term for term in terms if term.startswith(starts))


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
    ],
)
def test_general(case: tuple[str, str], expected: list[str]) -> None:
    assert general(case) == expected


def test_the_opponents_check_is_not_the_solvers() -> None:
    assert general(("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", "e1e2")) == ["?px"]
    assert general(("4k3/r7/8/8/8/8/7P/4K3 w - - 0 1", "h2h3 a7a1")) == []


def test_moves_of_both_sides_and_consecutive_ones() -> None:
    assert solution(BACK_RANK, "!-") == ["!-Q", "!-Qr", "!-R", "!-r", "!-rR"]


def test_captures_and_those_that_follow() -> None:
    assert solution(GREEK_GIFT, "!x") == ["!xB", "!xp", "!xpB"]


def test_captures_follow_one_another_across_quiet_moves() -> None:
    line = ("4k3/8/8/3p4/4P3/8/n7/R3K3 w - - 0 1", "e4d5 e8d7 a1a2")
    assert solution(line, "!x") == ["!xn", "!xp", "!xpn"]


def test_en_passant_captures_a_pawn() -> None:
    assert solution(EN_PASSANT, "!x") == ["!xp"]


def test_en_passant_opens_the_line_it_leaves() -> None:
    attacks = [term for term in solution(EN_PASSANT) if ">" in term]
    assert attacks == ["!P>q", "!R>q", "!q>R"]


def test_castling_is_a_kings_move() -> None:
    assert solution(CASTLING, "!-") == ["!-K"]


@pytest.mark.parametrize("case", [CASTLING, LONG_CASTLING])
def test_the_castled_rook_attacks(case: tuple[str, str]) -> None:
    assert "!R>n" in solution(case)


def test_an_attack_that_arises() -> None:
    attacks = solution(("4r1k1/8/8/8/8/8/8/3R2K1 w - - 0 1", "d1e1"))
    assert {"!R>r", "!r>R"} <= set(attacks)


def test_a_piece_that_goes_on_attacking_the_same_piece_is_not_new() -> None:
    attacks = solution(("4r1k1/8/8/8/8/8/8/4R1K1 w - - 0 1", "e1e4"))
    assert "!R>r" not in attacks


def test_a_discovered_attack_arises() -> None:
    assert "!R>q" in solution(("4q1k1/8/8/8/8/4N3/8/4R1K1 w - - 0 1", "e3c4"))


def test_the_attack_of_a_promoted_pawn_is_new() -> None:
    assert "!Q>r" in solution(PROMOTION)


def test_two_victims_of_a_kind_are_two_terms() -> None:
    fork = ("r3r1k1/8/8/8/8/8/6K1/1Q6 w - - 0 1", "b1e4")
    assert solution(fork).count("!Q>r") == 2


def test_the_sacrificed_piece() -> None:
    assert roles(GREEK_GIFT, "!S") == ["!Sb"]
    assert roles(BACK_RANK, "!S") == ["!Sq"]


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (("3r2k1/3r1ppp/8/8/8/8/3R4/3R2K1 w - - 0 1", "d2d7 d8d7"), "a rook for a rook"),
        (("3r2k1/4P3/8/8/8/8/8/3r2K1 w - - 0 1", "e7d8q d1d8"), "rook and promotion gained, queen lost"),
        (("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4 e8d8"), "nothing is captured"),
    ],
)
def test_no_sacrifice(case: tuple[str, str], why: str) -> None:
    assert roles(case, "!S") == [], why


def test_who_takes_part_in_a_mate() -> None:
    assert roles(SMOTHERED, "!#") == ["!#n"]


def test_as_printed_the_mated_side_takes_part_but_its_king() -> None:
    assert roles(SMOTHERED, "!#", as_printed=True) == ["!#n", "!#nr", "!#r"]


def test_two_rooks_that_mate() -> None:
    assert roles(TWO_ROOKS, "!#") == ["!#r", "!#r", "!#rr"]


def test_as_printed_two_of_a_kind_are_one_term() -> None:
    assert roles(TWO_ROOKS, "!#", as_printed=True) == ["!#r"]


def test_as_printed_two_sacrifices_of_a_kind_are_one_term() -> None:
    two_rooks = ("6k1/1q3pp1/8/8/8/8/8/4R1KR w - - 0 1", "h1h8 g8h8 e1e8 h8h7 e8h8 h7h8")
    assert roles(two_rooks, "!S") == ["!Sr", "!Sr"]
    assert roles(two_rooks, "!S", as_printed=True) == ["!Sr"]


def test_without_mate_nothing_takes_part() -> None:
    assert roles(STALEMATE, "!#", as_printed=True) == []
