"""Mates that show a pattern, and mates that nearly do."""

from __future__ import annotations

from tests.helpers.motif_cases import BODEN, Case

SHOWN = [
    Case(
        "smotheredMate",
        "Philidor's legacy",
        "2r3k1/5Npp/8/8/8/1Q6/6PP/6K1 w - - 0 1",
        "f7h6 g8h8 b3g8 c8g8 h6f7",
    ),
    Case("backRankMate", "", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8"),
    Case("arabianMate", "", "7k/R7/5N2/8/8/8/8/6K1 w - - 0 1", "a7h7"),
    Case("anastasiaMate", "", "5r2/4Nppk/8/8/8/R7/5PPP/6K1 w - - 0 1", "a3h3"),
    Case("hookMate", "", "2R5/5pk1/5Np1/6P1/8/8/8/6K1 w - - 0 1", "c8g8"),
    Case("bodenMate", "", BODEN, "f3c6 b7c6 f1a6"),
    Case("doubleBishopMate", "", "7k/7p/8/3B4/8/8/5PPP/2B3K1 w - - 0 1", "c1b2"),
    Case("dovetailMate", "", "8/4b3/3pk3/7Q/4P3/8/8/6K1 w - - 0 1", "h5f5"),
    Case("epauletteMate", "", "3rkr2/8/7Q/8/8/8/5PPP/6K1 w - - 0 1", "h6e6"),
    Case("swallowstailMate", "", "8/3p1p2/4k3/7Q/3P4/8/8/6K1 w - - 0 1", "h5e5"),
    Case(
        "operaMate",
        "Morphy – Brunswick and Isouard 1858",
        "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 16",
        "b3b8 d7b8 d1d8",
    ),
    Case("pillsburysMate", "", "5rk1/5p1p/5B2/8/8/8/PP6/2KR4 w - - 0 1", "d1g1"),
    Case("morphysMate", "", "7k/7p/8/8/8/4B3/PP6/1K4R1 w - - 0 1", "e3d4"),
    Case("killBoxMate", "", "5k2/p1q5/6Q1/8/8/8/5PPP/4R1K1 w - - 0 1", "e1e8"),
    Case("vukovicMate", "", "4k3/R7/3PN3/8/8/8/8/6K1 w - - 0 1", "a7e7"),
    Case("blindSwineMate", "", "5rk1/1R5R/8/8/8/8/5PPP/6K1 w - - 0 1", "h7g7 g8h8 g7h7 h8g8 b7g7"),
    Case("cornerMate", "", "6rk/7p/7N/8/8/8/8/6RK w - - 0 1", "h6f7"),
]

NOT_SHOWN = [
    Case("smotheredMate", "a rook takes one of the squares", "6rk/7p/7N/8/8/8/8/6RK w - - 0 1", "h6f7"),
    Case("backRankMate", "the other king takes the squares", "6k1/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8"),
    Case("backRankMate", "along a file", "6r1/6pk/6p1/8/8/R7/5PPP/6K1 w - - 0 1", "a3h3"),
    Case("arabianMate", "the knight takes no square", "6rk/R7/8/6N1/8/8/8/6K1 w - - 0 1", "a7h7"),
    Case("anastasiaMate", "without a knight", "6rk/6p1/8/8/8/R7/5PPP/6K1 w - - 0 1", "a3h3"),
    Case("hookMate", "a bishop guards the knight", "2R5/5pk1/5Np1/6B1/8/8/8/6K1 w - - 0 1", "c8g8"),
    Case(
        "bodenMate",
        "a queen for the second bishop",
        "2kr3r/p2n1ppp/2p5/8/5Q2/8/P4PPP/2K2B1R w - - 0 1",
        "f1a6",
    ),
    Case("bodenMate", "diagonals side by side", "7k/7p/8/3B4/8/8/5PPP/2B3K1 w - - 0 1", "c1b2"),
    Case("doubleBishopMate", "a queen for the second bishop", "7k/7p/8/3Q4/8/8/5PPP/2B3K1 w - - 0 1", "c1b2"),
    Case("doubleBishopMate", "diagonals that cross", BODEN, "f3c6 b7c6 f1a6"),
    Case("doubleBishopMate", "a rook guards the bishop", "k7/n1B5/B7/8/8/8/8/1R4K1 w - - 0 1", "a6b7"),
    Case("dovetailMate", "a rook takes one of the squares", "8/R7/3pk3/7Q/4P3/8/8/6K1 w - - 0 1", "h5f5"),
    Case("epauletteMate", "a bishop takes one shoulder", "3rk3/8/7Q/8/8/B7/5PPP/6K1 w - - 0 1", "h6e6"),
    Case(
        "swallowstailMate", "a knight takes one of the squares", "7N/3p4/4k3/7Q/3P4/8/8/6K1 w - - 0 1", "h5e5"
    ),
    Case("swallowstailMate", "along the home rank", "4kb2/5p2/8/B7/8/8/8/3Q2K1 w - - 0 1", "d1d8"),
    Case("operaMate", "a knight guards the rook", "4kb1r/5ppp/2N1q3/8/8/8/PPP2PPP/2KR4 w k - 0 1", "d1d8"),
    Case("pillsburysMate", "a queen guards the corner", "5rk1/5p1p/5Q2/8/8/8/PP6/2KR4 w - - 0 1", "d1g1"),
    Case(
        "pillsburysMate", "the rook itself holds the corner", "6r1/7k/6p1/8/8/R7/1B4PP/6K1 w - - 0 1", "a3h3"
    ),
    Case("morphysMate", "the rook's file is closed", "7k/4N2p/8/8/8/4B3/PP4P1/1K4R1 w - - 0 1", "e3d4"),
    Case("killBoxMate", "the queen is far", "5k2/6p1/8/7Q/8/8/5PPP/4R1K1 w - - 0 1", "e1e8"),
    Case("vukovicMate", "the rook stands beside the king", "4k3/5p2/4NP2/8/8/8/8/3R2K1 w - - 0 1", "d1d8"),
    Case("blindSwineMate", "a queen for the rook", "5rk1/1Q5R/8/8/8/8/5PPP/6K1 w - - 0 1", "b7g7"),
    Case("cornerMate", "a pawn takes the square", "6rk/7p/5P1N/8/8/8/8/K7 w - - 0 1", "h6f7"),
]
