"""The phase of the game, and the kind of endgame."""

from __future__ import annotations

import chess
import pytest

from puzzlegen.motifs.tags import OPENING_MOVES, phase_tags

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
