"""Tags: what a person filters by."""

from __future__ import annotations

import re
from itertools import groupby

import chess
import pytest
from chess import BISHOP, KNIGHT

from chess_motif.material import capture_by
from puzzlegen.motifs.replay import Motif, Replay
from puzzlegen.motifs.table import OPENING_MOVES, TAGS, Group
from puzzlegen.motifs.tags import (
    NO_MOTIF,
    main_motif,
    main_words,
    motif_tags,
    motifs_of,
    phase_tags,
    solution_tags,
)
from tests.helpers import mate_cases, motif_cases
from tests.helpers.motif_cases import Case
from tests.helpers.solutions import parsed

# Black has just taken on c3; White takes on h7 with check before taking back.
BEFORE = "r1bq1rk1/ppp2ppp/8/8/1b6/2NB4/PPP2PPP/R1BQ1RK1 b - - 0 1"
SOLUTION = ["d3h7", "g8h7", "b2c3"]


def tags(fen: str, *solution: str, blunder: str = "") -> set[str]:
    position, taken = chess.Board(fen), None
    if blunder:
        move = chess.Move.from_uci(blunder)
        taken = capture_by(position, move)
        position.push(move)
    return set(solution_tags(position, [chess.Move.from_uci(move) for move in solution], taken))


def test_a_recapture_that_is_put_off() -> None:
    assert "intermezzo" in tags(BEFORE, *SOLUTION, blunder="b4c3")


def test_a_mate_that_is_not_forced_is_no_tag() -> None:
    position, moves = parsed("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8")
    found = set(solution_tags(position, moves, is_forced=False))
    assert {"mate", "mateIn1"}.isdisjoint(found)
    assert "backRankMate" in found


def test_what_begins_once_a_line_has_won_is_no_motif_of_it() -> None:
    # The queen is won because a pawn is pinned to it; then a knight, which has no safe square.
    line = parsed(
        "2k1r2r/1pp3pp/p1nb1pb1/3p4/5PPq/PP1PP3/1BPNQN1P/2KR3R b - - 0 17", "d6f4 e3f4 e8e2 h1f1 e2f2"
    )
    assert {"relativePin", "trappedPiece"} <= set(solution_tags(*line))
    found = set(solution_tags(*line, is_forced=False))
    assert "relativePin" in found
    assert "trappedPiece" not in found


def test_a_piece_is_not_overloaded_if_another_one_could_take_back() -> None:
    line = "r3k2r/ppp2ppp/4p3/3q1b2/1b1PN3/3Q4/PP1N1PPP/R1B2RK1 b kq - 4 14", "b4d2", "d3d2", "f5e4"
    assert {"overloading", "capturingDefender"} & tags(*line) == {"capturingDefender"}


def test_a_queen_for_a_rook_is_the_queen_won() -> None:
    line = "r6k/pbp1R1p1/1p1p2rp/8/5q2/1BP2P2/PP2Q1PP/R5K1 w - - 0 22", "e7e8", "f4f8", "e8f8"
    assert "winsQueen" in tags(*line)
    # The queen that captures back is not what is won.
    line = "3RQ3/2p2npk/4pq1p/5p1B/1P6/8/b4PPP/6K1 b - - 5 28", "f7d8", "e8d8", "f6d8"
    assert main_motif(tags(*line)) == "winsMaterial"


def unforced(fen: str, moves: str) -> set[str]:
    return set(solution_tags(*parsed(fen, moves), is_forced=False))


def test_a_pawn_is_taken_with_a_threat_of_mate() -> None:
    fen = "2kr3r/pppb1q2/3p4/3Pp2n/2P1Ppp1/2N4P/PP2NQB1/1R4KR w - - 0 22"
    assert main_motif(tags(fen, "f2a7")) == "mateThreat"
    assert main_motif(unforced(fen, "f2a7")) == "mateThreat"


def test_checks_that_lead_back_to_the_first_position_are_perpetual() -> None:
    fen = "6k1/7p/p2Q2p1/1p1Pp3/8/4bP2/PPq3PP/5K2 w - - 3 33"
    assert "perpetualCheck" in tags(fen, "d6e6", "g8f8", "e6d6", "f8g8", "d6d8")
    assert "perpetualCheck" not in tags(fen, "d6e6", "g8f8", "e6d6")


def test_a_threat_of_mate_says_more_than_what_is_exchanged_for_it() -> None:
    fen = "4rr1k/ppp3pp/5p2/3p1N2/3P1P2/4P3/PPP1q3/2K3RQ w - - 6 22"
    assert main_motif(unforced(fen, "g1g7 e2e3 f5e3")) == "mateThreat"


def test_a_pawn_pinned_to_its_queen_does_not_take() -> None:
    fen = "2kr2r1/1pp2q2/p1n1p2p/4B3/3P2n1/P1PQ1N2/2P2PP1/1R2R1K1 b - - 1 19"
    assert "relativePin" in unforced(fen, "c6e5 e1e5 g4e5 f3e5 f7f5")
    # Another pawn could take.
    fen = fen.replace("3P2n1/P1PQ1N2/2P2PP1", "3P1Pn1/P1PQ1N2/2P3P1")
    assert "relativePin" not in unforced(fen, "c6e5 e1e5 g4e5 f3e5 f7f5")


def test_what_further_captures_win_is_material() -> None:
    # If the queen takes back on d3, the other one takes on e4.
    fen = "r2qkb1r/ppp2ppp/4p3/5b2/1n1PN3/3B1N2/PP1Q1PPP/R1B1K2R b KQkq - 1 11"
    assert main_motif(unforced(fen, "d8d5 e1g1 b4d3")) == "winsMaterial"
    # A knight for a bishop, and nothing follows.
    assert main_motif(unforced("4k3/8/8/8/1n6/3B4/3Q4/4K3 b - - 0 1", "b4d3")) is None


def test_a_threat_of_mate_by_a_piece_that_is_exchanged_is_not_why_it_wins() -> None:
    fen = "rn1qk2r/pb1n1ppp/1p6/1BbpP3/3B4/2N2P2/PP4PP/R2QK1NR b KQkq - 2 11"
    assert "mateThreat" not in tags(fen, "d8h4", "g2g3", "h4d4", "d1d4", "c5d4")


def test_mate_in_two_is_threatened() -> None:
    fen = "6k1/5ppp/5n2/8/7q/8/3QBPPP/4R1K1 b - - 0 1"
    assert main_motif(tags(fen, "f6g4")) == "mateThreat"
    # The knight is not needed for a check on h2, but for the mate that follows.
    assert main_motif(tags(fen, "f6e4")) != "mateThreat"


@pytest.mark.parametrize(
    ("tag", "fen", "line"),
    [
        # No check and no threat of mate follows on the line that is cleared.
        (
            "clearance",
            "r4rk1/1b3pp1/pbq1pn1p/1p6/1PP5/P1N1RP1P/B1P1Q1P1/R1B3K1 w - - 1 20",
            "c4c5 b6c7 e3d3 a8d8 c1e3",
        ),
        # The pinned bishop could capture nothing, and is not captured.
        ("pin", "1Qn4k/p5bp/6p1/8/8/P1q5/5PPP/4R1K1 w - - 5 34", "e1e8 g7f8 h2h4 h8g7 b8c8"),
        # The knight takes on e3, where the pawn and the queen take back.
        (
            "deflection",
            "r3k2r/2pq1pb1/2b1p1pp/1p1pPn2/1p1P3P/3QBN2/P1PKNPP1/3R3R b kq - 1 17",
            "a8a3 c2c3 b4c3 d2e1 f5e3",
        ),
    ],
)
def test_what_does_nothing_is_not_why_a_line_wins_that_is_not_forced(tag: str, fen: str, line: str) -> None:
    assert tag in tags(fen, *line.split())
    assert tag not in unforced(fen, line)


def test_an_exchange_along_an_opened_line_is_no_discovered_attack() -> None:
    # White takes the bishop back.
    fen = "3rr1k1/ppp2ppp/2n5/5b2/5Pq1/2P2N1B/PP2PK2/2B2Q1R b - - 13 25"
    assert "discoveredAttack" not in unforced(fen, "g4g6 h1g1 f5h3 f1h3 g6e4")
    # Nothing defends it here.
    fen = fen.replace("2B2Q1R", "2B1Q2R")
    assert "discoveredAttack" in unforced(fen, "g4g6 h1g1 f5h3")


def test_a_fork_may_capture_a_pawn_with_check() -> None:
    fen = "2r2rk1/b4p2/p3p1PQ/8/2R5/1P1p1q2/P4P2/2B1R1K1 b - - 3 38"
    assert main_motif(unforced(fen, "a7f2")) == "fork"


def test_a_single_move_may_capture_what_is_defended_and_fork() -> None:
    fen = "5r2/p1p4k/bp4p1/2nPq2p/P1P1p2P/3B2P1/2Q1R1K1/4R3 b - - 1 36"
    assert main_motif(unforced(fen, "e4d3")) == "fork"


def test_what_is_forked_is_not_lured_away() -> None:
    # The king leaves the queen because it is in check.
    fen = "2br4/p4rkp/1p1p1q2/2p2pp1/P4N2/1P1P3P/2PQ1PP1/2R1R1K1 w - - 0 26"
    assert main_motif(unforced(fen, "f4h5 g7h6 h5f6")) == "fork"


def test_a_blocked_pawn_is_not_pinned() -> None:
    fen = "r7/pppb2P1/3k4/2p5/8/2P1R2P/PPP5/6K1 b - - 0 28"
    line = "a8g8 e3g3 d6e5 h3h4 e5f6 g1g2 g8g7"
    assert "relativePin" not in unforced(fen, line)


def test_the_last_piece_that_captures_may_be_lost_too() -> None:
    # The king takes the rook that took the queen: what is won in all is a queen for a rook.
    fen = "3r2k1/R4Rp1/1pb1p1q1/2p5/7p/3PQ2P/1PP5/5Kr1 w - - 2 42"
    assert "winsQueen" not in tags(fen, "e3g1", "g6f7", "a7f7")
    # The pawn takes back on e4: a rook and a knight are won for a knight and a bishop.
    fen = "r3qrk1/pp1b4/2p3N1/3pb1p1/4n3/2PB4/PP3PPP/R2QR1K1 w - - 2 20"
    assert "winsExchange" in tags(fen, "g6f8", "g8f8", "d3e4")


def test_a_trapped_piece_may_sell_itself() -> None:
    # Whatever the bishop captures on f7 is captured twice.
    fen = "r3r1k1/pppq1ppp/2b2b2/4p3/2B5/1QPP1N2/PP3PPP/R3R1K1 b - - 2 14"
    assert "trappedPiece" in unforced(fen, "b7b5 c4f7 d7f7")
    # On d5 it is as well defended as attacked.
    assert "trappedPiece" not in unforced(fen.replace("1QPP1N2", "1QNP1N2"), "b7b5 c4f7 d7f7")


def test_a_pinned_piece_that_is_defended_may_be_attacked_once_more() -> None:
    # The rook on e1 attacks the queen through the bishop.
    fen = "r3r1k1/ppp1qppp/5b2/8/2B1b3/1QP2N2/PP3PPP/3RR1K1 w - - 2 17"
    assert main_motif(unforced(fen, "f3d2 e4c2 e1e7 c2b3 e7e8")) == "relativePin"
    # The rook on e8 defends the bishop, too, but then it is not the queen that stands behind it.
    fen = fen.replace("ppp1qppp/5b2", "ppp2ppp/5bq1")
    assert "relativePin" not in unforced(fen, "f3d2 e4c2 e1e8 a8e8 b3c2")


def test_a_check_attacks_a_defended_piece_once_more() -> None:
    fen = "3q2k1/1p1r1pbp/2b3p1/p3N3/8/Q1N5/PPP2PPP/2K1R3 b - - 5 21"
    line = "d8g5 c1b1 g7e5 a3c5 e5c3 c5g5 c3e1"
    assert "doubleAttack" in unforced(fen, line)
    # A pawn defends it, too.
    fen = fen.replace("8/Q1N5/PPP2PPP", "5P2/Q1N5/PPP3PP")
    assert "doubleAttack" not in unforced(fen, "d8f6 a3d6 g7f8 d6d7 c6d7")


def test_both_pieces_of_a_double_attack_are_lost_because_of_it() -> None:
    # The bishop on f3 hung before.
    fen = "rn1q1rk1/p1p2p2/1p1b2pp/3b4/8/4BN1P/PPB2PP1/R2Q1RK1 w - - 0 15"
    assert "doubleAttack" not in unforced(fen, "e3h6 b8c6 h6f8 d5f3 d1f3")


def test_nothing_is_pinned_to_a_pawn() -> None:
    fen = "2r5/p4kpQ/3q1b2/1p2p3/2pP4/2P5/PPB3PP/5RK1 w - - 3 28"
    assert "relativePin" not in unforced(fen, "h7h5 f7e7 f1e1 e7d8 d4e5")


def test_a_pawn_that_is_taken_attacks_two_pieces() -> None:
    fen = "3r1rk1/ppq2pp1/1nbb3p/2p5/8/1B1Q1N1P/PPP2PP1/R1BR3K b - - 8 19"
    assert main_motif(unforced(fen, "c5c4 b3c4 d6c5 c1f4 c7f4")) == "doubleAttack"
    # From a4, the bishop could not be taken.
    fen = fen.replace("8/1B1Q1N1P", "B7/3Q1N1P")
    assert main_motif(unforced(fen, "c5c4 d3c4 d6h2 f3h2 d8d1")) != "doubleAttack"


def test_a_queen_leaves_a_pin_and_attacks_something_else() -> None:
    # The pawn on e4 could not take: the queen behind it hung.
    fen = "r4rk1/pR3pp1/1nP4p/5q2/4p3/5B2/P1Q2PPP/R5K1 b - - 1 26"
    assert main_motif(tags(fen, "f5f6", "a1c1", "e4f3")) == "doubleAttack"
    # A rook that is defended is not attacked.
    assert main_motif(tags(fen.replace("R5K1", "R4RK1"), "f5f6", "a1c1", "e4f3")) == "winsPiece"


def test_a_line_that_the_reply_cuts_explains_nothing_if_it_is_not_forced() -> None:
    fen = "r4rk1/3b1ppp/pqp4n/1p1PP3/5Q2/2NB2RP/PP6/R5K1 w - - 2 20"
    line = "g1h1 c6d5 a1g1 g7g6 f4h6"
    assert "interference" in tags(fen, *line.split())
    assert "interference" not in unforced(fen, line)


def test_a_pawn_that_is_won_makes_a_passed_pawn() -> None:
    fen = "8/6p1/pkp1N1np/1p6/P2PP3/5K2/2P4P/8 b - - 3 33"
    assert main_motif(unforced(fen, "b5a4 e6c5 a4a3")) == "passedPawn"
    # A pawn on b2 stops it.
    assert main_motif(unforced(fen.replace("2P4P", "1PP4P"), "b5a4 e6c5 b6b5")) == "winsPawn"
    # With all pieces on the board, that is not what it is about.
    assert "passedPawn" not in unforced("rnbqkbnr/p7/8/1p6/P7/8/7P/RNBQKBNR b - - 0 1", "b5a4 a1a4 a7a5")


def test_a_pawn_behind_the_king_makes_no_skewer_of_a_line_that_is_not_forced() -> None:
    # The king may go to e1 or e3 and defend the pawn.
    line = "8/p3kp2/4p3/3p2p1/1P5p/Pr5P/3K1PP1/R7 b - - 5 41", "b3b2 d2c3 b2f2"
    assert main_motif(solution_tags(*parsed(*line))) == "skewer"
    assert main_motif(unforced(*line)) == "winsPawn"


def test_an_exchange_with_the_piece_that_pins_is_no_pin() -> None:
    line = "5rk1/1prb1pp1/p6p/4n3/4N3/PP1B4/5PPP/2R1R1K1 b - - 1 25", "c7c1 e1c1 e5d3"
    assert "pin" not in unforced(*line)


def test_a_pawn_on_which_there_is_mate_is_not_skewered() -> None:
    fen = "8/3QR2p/pp3ppk/8/3q2PP/P2r1P2/1P5b/R1K5 b - - 0 36"
    found = tags(fen, "d3d1", "c1c2", "d1d2", "c2b1", "d4b2")
    assert ("skewer" in found, main_motif(found)) == (False, "mate")
    # A rook there is.
    assert "skewer" in tags(fen.replace("1P5b", "1R5b"), "d3d1", "c1c2", "d1d2", "c2b1", "d2b2")


def test_what_only_repeats_is_no_zugzwang() -> None:
    # The bishop goes back and forth; captures alone see no good move of Black's.
    fen, there = "8/8/4pkp1/3b2p1/1R1Pp1K1/1p6/5P2/8 w - - 0 41", ["b4b5", "d5c4", "b5b6"]
    assert "zugzwang" not in tags(fen, *there, "c4d5", "b6b5")


def test_zugzwang_with_few_pieces() -> None:
    # King and pawns only, but many of them.
    pawns = "8/6p1/p1p2k1p/1p2pP2/1P2K1P1/P6P/8/8 w - - 0 39"
    assert "zugzwang" in tags(pawns, "h3h4", "f6e7", "e4e5")
    # The king must leave its pawn, or the knight the square on which it is safe.
    assert "zugzwang" in tags("8/8/4p1K1/2k1P3/8/8/8/8 b - - 4 50", "c5d4", "g6f6", "d4d5")
    assert main_motif(tags("1k6/nP6/P1K5/8/8/8/8/8 w - - 3 84", "c6b6", "a7b5", "b6b5")) == "zugzwang"
    # A pawn can move.
    assert "zugzwang" not in tags("8/8/4p1K1/2k1P3/8/8/7P/8 b - - 4 50", "c5d4", "g6f6", "d4d5")


def test_without_the_move_before_no_recapture_is_known() -> None:
    after = chess.Board(BEFORE)
    after.push_uci("b4c3")
    assert "intermezzo" not in tags(after.fen(), *SOLUTION)


def test_a_capture_elsewhere_is_no_recapture() -> None:
    # The bishop stood on c3 before; what was taken is a pawn on a7.
    fen = "r1bq1rk1/Ppp2ppp/8/8/8/2bB4/PPP2PPP/R1BQ1RK1 b - - 0 1"
    assert "intermezzo" not in tags(fen, *SOLUTION, blunder="a8a7")


def test_a_recapture_put_off_within_the_solution() -> None:
    # The rook has taken the knight on d5; a check on e8 comes before it is taken.
    fen = "3r2k1/1p3pp1/7p/3n4/8/2N5/5PPP/3RR1K1 w - - 0 1"
    assert "intermezzo" in tags(fen, "c3d5", "d8d5", "e1e8", "g8h7", "d1d5")


@pytest.mark.parametrize(
    ("solution", "length"),
    [
        (["d1d8"], {"oneMove", "mateIn1"}),
        (["d1e1", "a7a6", "e1e8"], {"short", "mateIn2"}),
        # Five moves or more are one tag.
        (
            ["h2h3", "a7a6", "h3h4", "a6a5", "h4h5", "a5a4", "h5h6", "a4a3", "g2g3", "a3a2", "d1d8"],
            {"veryLong", "mateIn5"},
        ),
    ],
)
def test_length_and_mate(solution: list[str], length: set[str]) -> None:
    assert tags("6k1/p4ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", *solution) >= {*length, "mate"}


def test_a_discovered_check_is_a_discovered_attack_too() -> None:
    petroff = "rnbqkb1r/pppp1ppp/5n2/4N3/8/8/PPPPQPPP/RNB1KB1R w KQkq - 2 5"
    assert tags(petroff, "e5c6", "d8e7", "c6e7") >= {"discoveredCheck", "discoveredAttack"}


def test_a_double_check_is_no_discovered_attack() -> None:
    reti = motif_cases.RETI
    found = tags(reti, "d3d8", "e8d8", "d2g5", "d8c7", "g5d8")
    assert found >= {"doubleCheck", "discoveredCheck"}
    assert "discoveredAttack" not in found


def test_an_underpromotion_is_a_promotion_too() -> None:
    assert tags("8/5P1k/8/8/8/8/8/K7 w - - 0 1", "f7f8r") >= {"promotion", "underPromotion"}


NOT_NOTABLE = [
    Case("trappedPiece", "the queen is pinned", "6k1/6pp/4q3/8/8/8/P4PPP/3B2K1 w - - 0 1", "d1b3 e6b3 a2b3"),
    Case("advancedPawn", "the sixth rank", "6k1/5ppp/8/4P3/8/8/5PPP/6K1 w - - 0 1", "e5e6"),
    Case("quietMove", "the last move", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d2"),
    Case("quietMove", "it attacks a pawn", "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - 0 1", "c1c7 h7h6 c7c8"),
    Case("quietMove", "a pawn on the sixth rank", "6k1/5ppp/8/4P3/8/8/5PPP/6K1 w - - 0 1", "e5e6 h7h6 e6e7"),
    Case("exposedKing", "soon caught", "4r3/2q2k2/8/8/8/8/6PP/1Q4K1 w - - 0 1", "b1b3 f7f6 b3f3"),
    Case(
        "exposedKing",
        "far up the board",
        "8/8/8/8/4k3/8/1R6/R5K1 w - - 0 1",
        "a1a4 e4e5 b2b5 e5e6 a4a6",
    ),
    Case(
        "clearance", "the king walks into the check", "8/8/8/7k/4B3/8/5PPP/4R1K1 w - - 0 1", "e4d3 h5g5 e1e5"
    ),
    Case("clearance", "for a knight", "6k1/5ppp/8/8/4B3/2N5/5PPP/6K1 w - - 0 1", "e4d3 h7h6 c3e4"),
    Case(
        "kingsideAttack", "one check, nothing taken", motif_cases.GREEK_GIFT.replace("ppp/4", "pp1/4"), "d3h7"
    ),
    Case(
        "capturingDefender",
        "the same piece takes both",
        "6k1/pp2bppp/2n5/8/1N6/8/PP3PPP/6K1 w - - 0 1",
        "b4c6 h7h5 c6e7",
    ),
    Case("mateThreat", "the last move captures", "r4rk1/5p1p/5Ppn/8/8/8/3Q1PPP/6K1 w - - 0 1", "d2h6"),
    Case(
        "betterExchange",
        "a fork wins more",
        "q3k2r/2p2ppp/8/3b4/5P2/2N5/5PPP/3R2K1 w k - 0 1",
        "c3d5 h7h6 d5c7 e8e7 c7a8",
    ),
]


@pytest.mark.parametrize("case", NOT_NOTABLE, ids=str)
def test_a_motif_that_is_not_worth_a_tag(case: Case) -> None:
    position, moves = parsed(case.fen, case.moves)
    assert case.name in {motif.name for motif in motifs_of(Replay(position, moves))}
    assert case.name not in solution_tags(position, moves)


@pytest.mark.parametrize(("lost", "hangs"), [("P", True), ("N", False)])
def test_a_recapture_is_a_hanging_piece_if_it_wins_more_than_was_lost(lost: str, hangs: bool) -> None:
    # A knight takes a pawn or a knight on d5, and is taken by the queen.
    fen = f"6k1/5ppp/5n2/3{lost}4/8/8/5PPP/3Q2K1 b - - 0 1"
    assert ("hangingPiece" in tags(fen, "d1d5", blunder="f6d5")) is hangs


@pytest.mark.parametrize(("lost", "wins"), [("P", True), ("Q", False)])
def test_an_exchange_is_better_if_it_wins_more_than_was_lost(lost: str, wins: bool) -> None:
    # A queen takes a pawn or a queen on d5; two rooks attack it there, and one defends it.
    fen = f"3r2k1/5ppp/8/q2{lost}4/8/8/3R1PPP/3R2K1 b - - 0 1"
    solution = ["d2d5", "d8d5", "d1d5"]
    assert ("betterExchange" in tags(fen, *solution, blunder="a5d5")) is wins


def test_an_exchange_is_named_only_if_nothing_says_more() -> None:
    # The bishop takes the knight that defends the other bishop, and is taken.
    position, moves = parsed("r4rk1/1p3ppp/1q1p4/p3pb2/2Pn3Q/P1BB4/1P3PPP/R4RK1 w - - 2 17", "c3d4 e5d4 d3f5")
    assert Motif("betterExchange", 0, BISHOP, (KNIGHT,), chess.D4) in motifs_of(Replay(position, moves))
    found = solution_tags(position, moves)
    assert ("capturingDefender" in found, "betterExchange" in found) == (True, False)


def test_every_tag_has_a_definition() -> None:
    cases = [*motif_cases.SHOWN, *mate_cases.SHOWN]
    found = {tag for case in cases for tag in solution_tags(*parsed(case.fen, case.moves))}
    assert found <= TAGS.keys()
    recognised = {name for name, tag in TAGS.items() if tag.group in (Group.MOTIF, Group.MATE_PATTERN)}
    assert recognised - found == {"zugzwang"}


def test_tags_are_listed_group_by_group() -> None:
    assert [group for group, _ in groupby(tag.group for tag in TAGS.values())] == list(Group)


def test_a_definition_is_a_sentence() -> None:
    definitions = [tag.definition for tag in TAGS.values()]
    assert [text for text in definitions if not re.fullmatch(r"[A-Z][^.]*\.", text)] == []


def test_tags_that_name_a_motif() -> None:
    words = ["short", "mate", "mateIn2", "endgame", "crushing", "smotheredMate", "fork", "ourOwnTheme"]
    assert motif_tags(words) == ["fork", "ourOwnTheme", "smotheredMate"]


@pytest.mark.parametrize(
    ("given", "main"),
    [
        # A smothered mate is also a mate, and its queen sacrifice draws the rook beside the king.
        ({"mate", "mateIn2", "sacrifice", "attraction", "smotheredMate"}, "smotheredMate"),
        ({"mate", "mateIn3", "sacrifice", "deflection", "kingsideAttack"}, "deflection"),
        ({"mate", "mateIn2", "fork", "sacrifice"}, "mate"),
        ({"attraction", "fork", "sacrifice", "short"}, "fork"),
        ({"attraction", "sacrifice", "pin", "short"}, "attraction"),
        ({"capturingDefender", "hangingPiece", "short"}, "hangingPiece"),
        ({"betterExchange", "winsPiece", "middlegame", "short"}, "winsPiece"),
        ({"hangingPiece", "oneMove", "quietMove"}, "hangingPiece"),
    ],
)
def test_the_main_motif(given: set[str], main: str) -> None:
    assert main_motif(given) == main


def test_no_motif_that_says_little_is_the_main_one() -> None:
    little = [name for name, tag in TAGS.items() if tag.says == "little"]
    assert main_motif([*little, "endgame", "short", "ourOwnTheme"]) is None


def test_each_motif_has_a_row_that_says_something_of_it() -> None:
    cases = [*motif_cases.SHOWN, *mate_cases.SHOWN]
    found = {motif.name for case in cases for motif in motifs_of(Replay(*parsed(case.fen, case.moves)))}
    assert {name for name in found if TAGS[name].says == "nothing"} == set()


@pytest.mark.parametrize(
    ("fen", "solution", "gain"),
    [
        ("6k1/5ppp/2p5/8/4B3/8/5PPP/6K1 w - - 0 1", ["e4c6"], "winsPawn"),
        # A pawn drives a bishop away that has nowhere to go.
        ("6k1/5ppp/1p6/8/b7/8/1P3PPP/R5K1 w - - 0 1", ["b2b3", "h7h6", "b3a4"], "winsPiece"),
        # The rook that is lost in return is worth more than the bishop.
        ("3r2k1/4bppp/8/8/7B/8/5PPP/3R2K1 w - - 0 1", ["h4e7", "d8d1"], None),
    ],
)
def test_what_is_won_is_said_where_no_motif_says_more(
    fen: str, solution: list[str], gain: str | None
) -> None:
    found = tags(fen, *solution)
    assert {tag for tag in found if TAGS[tag].group is Group.GAIN} == ({gain} if gain else set())


@pytest.mark.parametrize(
    ("fen", "kept"),
    [
        ("6k1/5ppp/8/8/8/8/r4PPP/6K1 w - - 0 1", "stopsMate"),
        # The rook guards the back rank.
        ("6k1/5pp1/7p/8/8/8/1r3PPP/3R2K1 w - - 0 1", "holdsDraw"),
    ],
)
def test_what_is_kept_is_said_of_a_solution_that_holds(fen: str, kept: str) -> None:
    position, moves = parsed(fen, "h2h3")
    assert kept in solution_tags(position, moves, holds=True)
    assert not {"stopsMate", "holdsDraw"} & set(solution_tags(position, moves))


def test_a_quiet_move_that_stops_mate_wins_a_pawn_only_later() -> None:
    fen = "3r2k1/1p2bppp/p7/1q1rP3/5PQ1/3N2R1/PP4PP/5R1K b - - 4 26"
    line = "g7g6 a2a4 b5c4 b2b3 c4b3"
    assert main_motif(unforced(fen, line)) == "stopsMate"
    # Without a rook behind her, the queen threatens no mate.
    assert main_motif(unforced(fen.replace("3N2R1", "3N4"), line)) == "winsPawn"


def test_nothing_is_said_of_a_middlegame_that_is_held_by_a_quiet_move() -> None:
    position, moves = parsed(chess.STARTING_FEN, "h2h3")
    assert main_motif(solution_tags(position, moves, holds=True)) is None


def test_a_gain_in_words() -> None:
    assert main_words(["winsExchange", "short"]) == "wins the exchange"


RELATIVE_PIN = "r2qr1k1/ppp2ppp/2n2n2/6B1/4P3/2N5/PPP2PPP/R2Q1RK1 w - - 0 1"


@pytest.mark.parametrize(
    ("solution", "is_used"),
    [
        # The pawn attacks the knight before the queen, which is lost; or the pin is only there.
        (["e4e5", "f6d5", "g5d8"], True),
        (["e4e5", "h7h6", "e5f6"], True),
        (["e4e5", "c6e5", "f2f4"], False),
    ],
)
def test_a_relative_pin_has_a_tag_if_the_solution_uses_it(solution: list[str], is_used: bool) -> None:
    assert ("relativePin" in tags(RELATIVE_PIN, *solution)) is is_used


@pytest.mark.parametrize(("taken", "is_attracted"), [("p", True), ("r", False)])
def test_a_rook_that_is_exchanged_is_not_attracted(taken: str, is_attracted: bool) -> None:
    # A rook takes a pawn or a rook, and is taken; then the bishop attacks the other rook.
    fen = f"3r2k1/5ppp/8/3{taken}4/8/8/2B2PPP/3R2K1 w - - 0 1"
    assert ("attraction" in tags(fen, "d1d5", "d8d5", "c2b3")) is is_attracted


def test_the_main_motif_in_words() -> None:
    assert (main_words(["hangingPiece", "short"]), main_words(["short"])) == ("hanging piece", NO_MOTIF)


# After 1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5.
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 {move}"


def phase(fen: str) -> set[str]:
    return set(phase_tags(chess.Board(fen)))


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ("8/5k2/5p2/8/8/2P5/2K5/8", {"pawnEndgame"}),
        ("8/5k2/5p2/8/8/2P1N3/2K5/8", {"knightEndgame"}),
        ("8/3b1k2/5p2/8/8/2P1B3/2K5/8", {"bishopEndgame"}),
        ("8/3r1k2/5p2/8/8/2P1R3/2K5/8", {"rookEndgame"}),
        ("8/3q1k2/5p2/8/8/2P1Q3/2K5/8", {"queenEndgame"}),
        ("8/3q1k2/5p2/8/8/2P1R3/2K5/8", {"queenRookEndgame"}),
        ("8/3qrk2/5p2/8/8/2P1RQ2/2K5/8", {"queenRookEndgame"}),
        ("8/3b1k2/5p2/8/8/2P1N3/2K5/8", set()),
        ("8/3b1k2/5p2/8/8/2P1R3/2K5/8", set()),
    ],
)
def test_kinds_of_endgames(pieces: str, kind: set[str]) -> None:
    assert phase(f"{pieces} w - - 0 40") == {"endgame", *kind}


def test_six_pieces_are_an_endgame_and_seven_are_not() -> None:
    assert "endgame" in phase("r3r1k1/5ppp/4b3/8/8/4B3/5PPP/R3R1K1 w - - 0 20")
    assert phase("r3r1k1/5ppp/4b3/8/8/4B3/3N1PPP/R3R1K1 w - - 0 20") == {"middlegame"}


def test_an_opening() -> None:
    assert phase(ITALIAN.format(move=4)) == {"opening"}


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param(ITALIAN.format(move=OPENING_MOVES + 1), id="late"),
        pytest.param("r3k2r/pppp1ppp/2n5/4p3/4P3/2N5/PPPP1PPP/R1BQKB1R w KQkq - 0 10", id="ten pieces"),
        pytest.param(
            "r4rk1/ppp1qppp/2npbn2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQ - 0 9", id="Black is developed"
        ),
    ],
)
def test_no_opening_any_more(fen: str) -> None:
    assert phase(fen) == {"middlegame"}
