"""What is said of a solution, and what is drawn."""

from __future__ import annotations

import chess
import pytest

from chess_motif.material import Capture
from puzzlegen.reasons.explained import MOST, SolutionReasons, reasons_of_line
from puzzlegen.reasons.fact import Course, Drawing
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.told import fact_of
from tests.helpers import reason_cases as cases
from tests.helpers.solutions import parsed

# A queen, a pawn and a knight stop guarding e6.
LONG = (
    "r1b1k1nr/pp1q1pbp/2pp4/3NP1B1/2Bn4/3P4/PPP2QPP/R4RK1 w kq - 0 1",
    "d5c7 d7c7 c4f7 e8d7 f2f5 d4f5 e5e6",
)

# The queen, not a rook, is lured from f7.
QUEEN_LURED = ("4rbnk/2pq2pp/p2p1p2/1p1P2N1/1P1P4/4BQ1P/P4PP1/5RK1 w - - 0 1", "f3f5 d7f5 g5f7")


# What is captured comes to its square only after the double attack, or is no longer there.
MOVING_TARGETS = [
    ("3rq2k/p4pp1/1p5p/2b5/2Q1N2P/P4RP1/1P3PK1/8 b - - 2 31", "d8d4 e4d6 d4d6"),
    ("6rk/1pR3pp/p4p2/3p1P2/3B4/2P3QP/PP4PK/1q2r3 w - - 1 27", "g3g7 g8g7 c7c8 e1e8 c8e8 g7g8 d4f6"),
    (
        "2k4r/pp3ppp/2n5/3nPb2/1b6/1K2NN2/PP2BPPP/R1B5 b - - 2 15",
        "c6a5 b3a4 f5d7 e2b5 d7b5 a4b5 a7a6 b5a4 b7b5",
    ),
]


def reasons(solution: tuple[str, str]) -> SolutionReasons:
    return SolutionReasons(Tactics(*parsed(*solution)))


def explained(solution: tuple[str, str]) -> list[str]:
    return [reason.sentence for reason in reasons(solution).explained()]


def shared(solution: tuple[str, str], query: tuple[str, str]) -> list[str]:
    return [reason.sentence for reason in reasons(solution).explained_like(reasons(query))]


def test_sentences_come_in_the_order_of_the_moves() -> None:
    assert explained(cases.SMOTHERED) == [
        "The knight on f2 goes to h3 with check and clears f2 for the queen on b6.",
        "The rook on f1 takes the queen on g1 and no longer guards f2.",
        "The king has no way out on h1: its own rook on g1 and pawns on g2 and h2 are in its way.",
    ]


def test_what_one_move_does_is_one_sentence() -> None:
    assert explained(
        ("2k1r1nr/pppnq1bp/4N1p1/3P1p2/2Q1pP2/2N3P1/PPPP3P/R1B1K2R b KQ - 8 13", "d7b6 c4b3 g8f6")
    ) == ["The knight on d7 goes to b6, stops mate on c7 and threatens the queen on c4."]


def test_what_other_answers_allow_is_added_and_says_nothing_alone() -> None:
    assert explained(cases.MATE_ON_H2) == [
        "Taking the knight on f3 costs the queen: the rook on f8 takes back.",
        "Kg2 and Kh1 allow Qh2#.",
    ]
    # A capture that pays is said before it, though it is a last resort.
    assert explained(("r4rk1/pb3p1p/3p1p1Q/2p3q1/6R1/P5PK/1P5P/R7 w - - 2 28", "g4g5 f6g5 h6g5")) == [
        "The pawn on f6 can take back, but a queen is worth more than a rook.",
        "Kh8 allows Qxf6#.",
    ]


def test_a_pawn_on_which_there_is_mate_is_neither_pinned_nor_skewered() -> None:
    line = ("8/3QR2p/pp3ppk/8/3q2PP/P2r1P2/1P5b/R1K5 b - - 0 36", "d3d1 c1c2 d1d2 c2b1 d4b2")
    assert explained(line) == [
        "The king cannot take the rook on d1, which the queen on d4 defends.",
        "The king has no way out on b1: the rook on d2 defends the queen on b2.",
    ]


def test_what_defends_an_offer_is_said_once() -> None:
    fen = "r3r1k1/ppqbbpp1/5n1p/2p1R3/2B5/6B1/PPP2PPP/RN2Q1K1 w - - 5 16"
    assert explained((fen, "e5e7 e8e7 e1e7")) == [
        "The rook on e7 attacks the rook on e8 and is defended by the queen on e1."
    ]


def test_a_pinned_pawn_that_is_captured_is_no_guard() -> None:
    line = ("8/pp1Q1ppk/4p2p/4N3/4N2K/4nPP1/P6P/7q w - - 6 40", "e4f6 g7f6 d7f7 h7h8 e5g6")
    assert not any("pinned" in text for text in explained(line))


@pytest.mark.parametrize("solution", MOVING_TARGETS)
def test_targets_may_come_and_go(solution: tuple[str, str]) -> None:
    assert explained(solution)


def test_there_are_not_too_many() -> None:
    assert len(explained(LONG)) == MOST


def test_a_mate_in_one_says_why_it_is_mate() -> None:
    assert explained(cases.MATE_IN_ONE) == [
        "The king has no way out on h1: its own rook on h2 is in its way, and the king on f3 guards g2."
    ]


def test_a_threat_comes_before_the_reply_to_it() -> None:
    assert explained(cases.SHUT_BY_PAWN) == [
        "The queen on e2 goes to e4 and threatens mate on b7 and the rook on h7 at once.",
        "The pawn on f7 advances to f5 and cuts the queen on g5 off from the knight on e5.",
    ]


def test_that_a_piece_is_taken_back_is_no_reason() -> None:
    # Not that the rook on g7 takes the queen and is taken.
    assert explained(cases.QUEEN_EXCHANGE) == ["The rook on g2 is attacked twice and defended only once."]


def test_that_nothing_defends_a_piece_is_said_if_there_is_no_better_reason() -> None:
    assert explained(cases.HANGING) == ["Nothing defends the rook on h3."]
    assert not [text for text in explained(cases.FORK) if text.startswith("Nothing")]


def test_what_has_just_taken_is_said_to_stand_undefended_only_if_it_wins_more() -> None:
    position = chess.Board("6k1/8/8/8/4q3/8/8/1B2R1K1 w - - 0 1")
    capture = chess.Move.from_uci("e1e4")
    text = "The queen has taken on e4, where nothing defends it."
    assert reasons_of_line(position, [capture], Capture(chess.E4, chess.PAWN)) == [text]
    assert text not in reasons_of_line(position, [capture], Capture(chess.E4, chess.QUEEN))


def test_nothing_is_told_of_what_comes_after_the_win() -> None:
    line = "r1b3k1/pp3rPp/2n5/6N1/6B1/4p3/P2R1PP1/5K1R b - - 2 20", "e3d2 g4e2 f7g7 g5h7 g7h7"
    assert explained(line) == ["Nothing defends the rook on d2."]


def test_the_first_move_is_spoken_of_first() -> None:
    # Not only of the fork that comes second.
    first, second = explained(cases.KING_DRIVEN_TO_H7)
    assert first.startswith("The rook on e1 goes to e8 with check and drives the king to h7")
    assert second == "The bishop on f3 goes to e4 with check and also attacks the rook on d3."


def test_a_move_is_not_named_twice_in_a_row() -> None:
    said = explained(("6k1/1b1q1pbp/4p1p1/2Pp4/rp1PnP2/3BPRNP/4Q1P1/4B1K1 w - - 2 27", "d3b5 b7c6 b5a4"))
    assert said == [
        "The bishop on d3 goes to b5, where the queen on e2 defends it, and attacks the queen on d7 and the "
        "rook on a4 at once. It also comes between the queen on d7 and the rook on a4.",
        "Taking the bishop on b5 costs the queen: the queen on e2 takes back.",
    ]


def with_defences(fen: str, moves: str, *defences: str) -> list[str]:
    lines = [[chess.Move.from_uci(move) for move in line.split()] for line in defences]
    return [reason.sentence for reason in SolutionReasons(Tactics(*parsed(fen, moves)), lines).explained()]


def test_other_defences_are_answered_with_what_that_wins() -> None:
    said = with_defences("r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1", "d1d5 h5g6 d5a8", "a8f8 d5h5")
    assert said == [
        "The queen on d1 goes to d5 and attacks the rook on a8 and the bishop on h5 at once.",
        "Another defence: 1...Rf8 2. Qxh5, which wins a piece.",
    ]


def test_a_defence_is_answered_once() -> None:
    fen = "5r1k/ppp2p1p/3p4/1B2p3/4P1qb/5R2/PPPP4/R1BQ1K2 b - - 1 18"
    *_, board, lines = with_defences(fen, "f8g8 f1e2 g4e4", "f3g3 g4d1", "d1e2 g4g1", "d2d4 g4f3")
    assert board.startswith("Rg3 allows Qxd1")
    assert lines == "Another defence: 19. d4 Qxf3+."


def test_a_threat_is_said_unless_a_sentence_says_it() -> None:
    fork = "r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1", "d1d5 h5g6 d5a8"
    # That the queen attacks the bishop is known.
    assert len(with_defences(*fork, "0000 d5h5")) == 1
    *_, threat = with_defences(*fork, "0000 d5f7 g8h8 f7f8 a8f8")
    assert threat == "The threat is 2. Qxf7+ Kh8 3. Qf8+ Rxf8."


def test_replies_to_the_second_move_are_answered_where_they_are_played() -> None:
    said = with_defences(
        "r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1", "d1d5 a8f8 d5h5 f8e8 h5a5", "a8f8 d5h5 f8d8 h5d5"
    )
    assert said[-1] == "Another defence: 2...Rd8 3. Qd5, which attacks the rook on d8."


@pytest.mark.parametrize("line", ["h5g6", "h5g6 d5a8", "a8f8"])
def test_a_line_without_an_answer_says_nothing(line: str) -> None:
    assert len(with_defences("r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1", "d1d5 h5g6 d5a8", line)) == 1


def test_a_queen_that_costs_the_own_queen_is_not_won() -> None:
    # After Kb7 or Kd7 the rook takes the queen on f4 for it.
    said = explained(("r4r2/p1k1q3/1ppN4/8/2PPBQ2/5P2/PP2PK2/n7 w - - 1 29", "d6f5 c7d8 e4c6"))
    assert said[0].startswith("Kb7, Kd7 and Kc8 allow Nxe7, which wins material")


def test_what_is_said_of_a_reply_gives_way_to_a_line_that_refutes_it() -> None:
    # After Kd8 and Kf8, Nxa8 loses the queen to Bc3; White castles first.
    fen, moves = "r1q1k2r/1p1nppbp/p2P2p1/1N5n/8/4BN2/P1PQ1PPP/1R2K2R w Kk - 0 15", "b5c7 c8c7 d6c7"
    assert "Kd8 and Kf8 allow Nxa8" in with_defences(fen, moves)[-1]
    *_, board, lines = with_defences(fen, moves, "e8f8 e1g1 g7c3 d2c3")
    assert "Nxa8" not in board
    assert lines == "Another defence: 15...Kf8 16. O-O Bc3 17. Qxc3, which wins a piece."
    # A line that answers like this adds nothing.
    assert with_defences(fen, moves, "e8f8 c7a8") == with_defences(fen, moves)


def test_a_queen_that_is_exchanged_is_no_price() -> None:
    # The bishop on c2 takes the queen back.
    advance = ("3r1rk1/1p3pp1/p1nq1n1p/2p5/2Pp4/2P2N1P/PPBQRPP1/R5K1 b - - 2 18", "d4d3 e2e3 d3c2")
    assert not any("costs the queen" in sentence for sentence in explained(advance))


def test_a_line_opened_to_an_empty_square_is_not_worth_a_word() -> None:
    # Not that d4-d5 uncovers the rook's line to b4, where the knight goes next.
    fork = ("r4rk1/pp2qpp1/2n1b2p/8/3PR3/2P2NP1/PPQ2PP1/2K4R w - - 1 17", "d4d5 c6b4 e4b4")
    assert explained(fork) == [
        "The pawn on d4 advances to d5 and attacks the knight on c6 and the bishop on e6 at once.",
        "If the bishop on e6 takes the pawn on d5, Rxe7 wins material.",
        "Bxd5 and Bf5 allow Rxe7, which wins material; f5 allows Rxe6, which wins the bishop.",
    ]


def test_what_was_threatened_before_is_no_new_threat() -> None:
    # The knight attacked the rooks before the king takes the bishop.
    taken = ("2r2rk1/1pp2pB1/p6p/3p1Pp1/3P4/2P1P3/PP1N1n2/2KR3R b - - 0 18", "g8g7 d1f1 f2h1")
    assert explained(taken) == ["Nothing defends the bishop on g7."]


def test_a_fact_replaces_what_says_less() -> None:
    assert explained(cases.OVERLOADED) == [
        "The rook on d1 is overloaded: it has to defend both the knight on d2 and the rook on a1."
    ]


def test_one_move_is_told_in_one_sentence() -> None:
    assert explained(cases.DEFENDER_EXCHANGED) == [
        "The rook on f3 is given up for the bishop on f6, which defends the rook on h4."
    ]


def test_only_what_the_query_shares_is_told() -> None:
    assert shared(cases.SMOTHERED, QUEEN_LURED) == [
        "The rook on f1 takes the queen on g1 and no longer guards f2.",
        "The king has no way out on h1: its own rook on g1 and pawns on g2 and h2 are in its way.",
    ]


def test_nothing_is_told_without_a_shared_reason() -> None:
    assert shared(cases.FORK, cases.KNIGHT_LURED) == []


@pytest.mark.parametrize("solution", [cases.SMOTHERED, cases.FORK, cases.WAY_MADE, LONG])
def test_a_puzzle_shares_everything_with_itself(solution: tuple[str, str]) -> None:
    assert shared(solution, solution) == explained(solution)


def test_a_sentence_has_its_drawing() -> None:
    reason = reasons(cases.KNIGHT_LURED).explained()[-1]
    assert reason.drawing is not None
    assert reason.drawing.role == "defender"


def test_a_sentence_may_have_no_drawing() -> None:
    (reason,) = reasons(cases.SKEWER).explained()
    assert reason.drawing is None


DRAWN = [
    (cases.KNIGHT_LURED, "defender:accepts", "defender c2a1"),
    (cases.PINNED_DEFENDER, "defender:pinned", "attack e5g3"),
    (cases.PINNED_PAWN, "defender:pinned", "attack h5h6"),
    (cases.SHUT_OFF, "shut:flees", "defender g1e1"),
    (cases.KING_LURED, "target:accepts", "lured h7g8"),
    (cases.DISCOVERED, "opened:comes+", "attack c5e5"),
    (cases.DRIVEN_OFF, "target:pinned", "attack a2b2"),
    (cases.FORK, "threat:double", "attack d3 a6"),
]

UNDRAWN = [
    pytest.param(cases.TARGET_PINNED, "target:pinned", id="the pinned piece was elsewhere"),
    pytest.param(cases.SKEWER, "opened:flees", id="the attacker was elsewhere"),
    pytest.param(cases.FORK, "attacker:comes+", id="the way of the attacker"),
    pytest.param(cases.SKEWER, "threat:check", id="a check alone"),
]


def drawn(solution: tuple[str, str], kind: str) -> list[Drawing]:
    course = Course(Tactics(*parsed(*solution)))
    reasons = [reason for reason in course.reasons.found if f"{reason.part}:{reason.cause}" == kind]
    assert reasons
    facts = (fact_of(reason, course) for reason in reasons)
    return [fact.drawing for fact in facts if fact and fact.drawing]


def written(drawing: Drawing) -> str:
    arrows = (chess.square_name(tail) + chess.square_name(head) for tail, head in drawing.arrows)
    return " ".join([drawing.role, *arrows, *map(chess.square_name, drawing.squares)])


@pytest.mark.parametrize(("solution", "kind", "expected"), DRAWN, ids=[kind for _, kind, _ in DRAWN])
def test_what_is_drawn(solution: tuple[str, str], kind: str, expected: str) -> None:
    assert expected in map(written, drawn(solution, kind))


@pytest.mark.parametrize(("solution", "kind"), UNDRAWN)
def test_what_cannot_be_understood_is_not_drawn(solution: tuple[str, str], kind: str) -> None:
    assert drawn(solution, kind) == []


def said(fen: str, line: str) -> str:
    return " ".join(reasons_of_line(*parsed(fen, line)))


def test_a_pinned_pawn_can_take_the_piece_that_pins_it() -> None:
    fen = "2kr1b1r/pbp3qB/1p2p3/3pPp2/6p1/2P1P1P1/PPQN1PPR/2K4R w - - 0 1"
    assert "pinned" not in said(fen, "h7f5 h8h2 f5e6 c8b8 h1h2")


def test_a_piece_is_pinned_once_another_one_leaves_the_line() -> None:
    fen = "8/1p2r1p1/p6p/3Rb1k1/6P1/2P1N3/PP4K1/8 w - - 0 1"
    pinned = "The bishop on e5 is pinned by the rook on d5 and cannot take on g7."
    assert pinned in said(fen, "e3f5 e7e6 f5g7")
    # From d4 the rook pins nothing.
    assert "pinned" not in said(fen.replace("3Rb1k1/6P1", "4b1k1/3R2P1"), "e3f5 e7e6 f5g7")


def test_a_king_that_leaves_check_attacks_a_rook_and_lets_a_pawn_promote() -> None:
    fen = "7R/8/5pk1/7P/1r4P1/6K1/5p2/8 b - - 0 1"
    assert "threatens the rook on h8 and to promote on f1" in said(fen, "g6g7 g3f2 g7h8")


def test_what_is_only_threatened_at_the_end_is_said() -> None:
    line = ("r1bk3r/pp3ppp/2n1p3/8/1bP1n3/2N3P1/PB2PP1P/R3KBNR w KQ - 2 11", "e1c1 e4d6 c4c5")
    assert explained(line)[-1] == "The knight on d6 is pinned by the rook on d1."
