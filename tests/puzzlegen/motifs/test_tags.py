"""Tags: what a person filters by."""

from __future__ import annotations

import chess
import pytest

from chess_motif.material import capture_square
from puzzlegen.motifs.tags import MOTIF_TAGS, TAGS, solution_tags
from tests.helpers import mate_cases, motif_cases

# Black has just taken on c3; White takes on h7 with check before taking back.
BEFORE = "r1bq1rk1/ppp2ppp/8/8/1b6/2NB4/PPP2PPP/R1BQ1RK1 b - - 0 1"
SOLUTION = ["d3h7", "g8h7", "b2c3"]


def tags(fen: str, *solution: str, blunder: str = "") -> set[str]:
    position, taken = chess.Board(fen), None
    if blunder:
        move = chess.Move.from_uci(blunder)
        taken = capture_square(position, move)
        position.push(move)
    return set(solution_tags(position, [chess.Move.from_uci(move) for move in solution], taken))


def test_a_recapture_that_is_put_off() -> None:
    assert "intermezzo" in tags(BEFORE, *SOLUTION, blunder="b4c3")


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
    ],
)
def test_length_and_mate(solution: list[str], length: set[str]) -> None:
    assert tags("6k1/p4ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", *solution) >= {*length, "mate"}


def test_a_discovered_check_is_a_discovered_attack_too() -> None:
    petroff = "rnbqkb1r/pppp1ppp/5n2/4N3/8/8/PPPPQPPP/RNB1KB1R w KQkq - 2 5"
    assert tags(petroff, "e5c6", "d8e7", "c6e7") >= {"discoveredCheck", "discoveredAttack"}


def test_every_tag_is_known() -> None:
    cases = (*motif_cases.SHOWN, *mate_cases.SHOWN)
    given = {tag for case in cases for tag in tags(case.fen, *case.moves.split())}
    assert given <= TAGS
    # An intermezzo needs the move before the puzzle.
    assert given >= MOTIF_TAGS - {"intermezzo"}
