"""Positions that show a motif, and positions that nearly do."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A solution, with what there is to see in it: `what` completes "it shows (or not), as …"."""

    name: str
    what: str
    fen: str
    moves: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


RETI = "rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9"
DAMIANO = "5rk1/5pp1/6P1/8/8/8/1K6/3Q3R w - - 0 1"
GREEK_GIFT = "r1bq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/RN1QK2R w KQ - 0 1"
FRIED_LIVER = "r1bqkb1r/ppp2ppp/2n5/3np1N1/2B5/8/PPPP1PPP/RNBQK2R w KQkq - 0 6"
ALBIN = "rnbqk1nr/ppp2ppp/8/4P3/1BP5/4p3/PP3PPP/RN1QKBNR b KQkq - 0 6"
NOAH = "r2qkbnr/3b1ppp/p2p4/1ppQ4/4P3/1B6/PPP2PPP/RNB1K2R b KQkq - 5 11"
BODEN = "2kr3r/pp1n1ppp/2p5/8/5B2/5Q2/P4PPP/2KR1B1R w - - 0 1"
BREAKTHROUGH = "8/ppp5/8/PPP5/8/8/6k1/4K3 w - - 0 1"
BACK_RANK = "6k1/5pqp/p2R4/1p3p2/3PrP2/Pb4PP/5Q2/6K1 w - - 0 35"
PERPETUAL = "6k1/6p1/8/7Q/8/8/qr4PP/6K1 w - - 0 1"

SHOWN = [
    Case("fork", "a knight's on king and queen", "q3k2r/5ppp/8/3N4/8/8/5PPP/6K1 w k - 0 1", "d5c7 e8e7 c7a8"),
    Case("fork", "a pawn's", "6k1/5ppp/8/2n1r3/8/3P4/5PPP/3R2K1 w - - 0 1", "d3d4 e5e2 d4c5"),
    Case("fork", "a queen's on loose pieces", "r5k1/5ppp/8/7b/8/8/5PPP/3Q2K1 w - - 0 1", "d1d5 h5g6 d5a8"),
    Case("fork", "a single move", "q3k2r/5ppp/8/3N4/8/8/5PPP/6K1 w k - 0 1", "d5c7"),
    Case(
        "fork",
        "the queen has to take the knight",
        "rn1qkb1r/ppp2ppp/5n2/1N6/5B2/8/PPP2PPP/R2QKBNR w KQkq - 0 1",
        "b5c7 d8c7 f4c7",
    ),
    Case(
        "doubleAttack",
        "a king and a pawn",
        "rnbqkbnr/ppp2ppp/3p4/4P3/4P3/8/PPPP2PP/RNBQKBNR b KQkq - 0 3",
        "d8h4 e1e2 h4e4",
    ),
    Case(
        "doubleAttack",
        "a pawn attacks one rook, and the rook behind it the other",
        "8/5p2/3pkPrp/1p1rp2R/1P6/2P2RP1/4KP1P/8 b - - 2 34",
        "e5e4 h5h4 e4f3",
    ),
    Case(
        "doubleAttack",
        "by castling",
        "3k3r/p3np1p/B3p1p1/4n3/2p5/1NP4P/Pr3PP1/R3K2R w KQ - 0 17",
        "e1c1 d8c7 c1b2",
    ),
    Case(
        "pin",
        "the knight cannot leave and is won",
        "4k3/pp3ppp/8/4n3/8/8/PP3PPP/3R2K1 w - - 0 1",
        "d1e1 f7f6 f2f4 e8f7 f4e5",
    ),
    Case("pin", "the pawn cannot take", "r4rk1/p4p2/6pp/8/2B5/6Q1/5PPP/6K1 w - - 0 1", "g3g6"),
    Case(
        "relativePin",
        "a pawn attacks the knight before the queen",
        "r2qr1k1/ppp2ppp/2n2n2/6B1/4P3/2N5/PPP2PPP/R2QR1K1 w - - 0 1",
        "e4e5 d8d1 a1d1",
    ),
    Case(
        "relativePin",
        "by a rook, before a loose rook",
        "3r2k1/5ppp/8/3n4/8/8/2P2PPP/R5K1 w - - 0 1",
        "a1d1 g8f8 c2c4 d5b6 d1d8",
    ),
    Case(
        "relativePin",
        "the bishop behind is undefended",
        "r2r2k1/pb3pp1/1n5p/3p4/P1pP4/2N2B2/1Q3PPP/R4RK1 w - - 0 22",
        "a4a5 g8h8 a5b6",
    ),
    Case("skewer", "king before queen", "q7/5ppp/2k5/8/8/8/4B1PP/6K1 w - - 0 1", "e2f3 c6c5 f3a8"),
    Case("skewer", "queen before rook", "5rk1/5ppp/3q4/8/8/8/1B3PPP/6K1 w - - 0 1", "b2a3 d6e6 a3f8"),
    Case(
        "skewer",
        "another piece takes what the king has to leave",
        "1k4r1/1p6/p1p2K2/5Q2/1R5P/P1P5/2P2q2/8 b - - 3 38",
        "g8f8 f6e5 f2f5",
    ),
    Case(
        "discoveredCheck",
        "the Petroff trap",
        "rnbqkb1r/pppp1ppp/5n2/4N3/8/8/PPPPQPPP/RNB1KB1R w KQkq - 2 5",
        "e5c6 d8e7 c6e7",
    ),
    Case("discoveredCheck", "by a king", "8/8/8/8/8/8/1k1K3R/8 w - - 0 1", "d2d3"),
    Case(
        "discoveredAttack",
        "on the queen, the bishop checks",
        "r1b2rk1/pp3ppp/4p3/8/3q4/3B4/PPP2PPP/R2Q1RK1 w - - 0 1",
        "d3h7 g8h7 d1d4",
    ),
    Case("doubleCheck", "Réti – Tartakower 1910", RETI, "d3d8 e8d8 d2g5 d8c7 g5d8"),
    Case("trappedPiece", "Noah's ark", NOAH, "c5c4 e1g1 c4b3"),
    Case("trappedPiece", "it sells itself for a pawn", NOAH, "c5c4 b3c4 b5c4"),
    Case(
        "trappedPiece",
        "a queen that can only retreat along the rook's file",
        "1n3rk1/qp3ppp/1p6/8/8/8/5PPP/3RR1K1 w - - 0 1",
        "d1a1 a7a8 a1a8",
    ),
    Case(
        "trappedPiece",
        "a knight in the corner",
        "n5k1/5ppp/8/8/8/4B1B1/5PPP/3R2K1 w - - 0 1",
        "d1a1 h7h6 a1a8",
    ),
    Case("hangingPiece", "a bishop", "r4rk1/pp3ppp/8/3b4/8/2N5/PP3PPP/R4RK1 w - - 0 1", "c3d5"),
    Case(
        "betterExchange",
        "two rooks and a queen against a rook and a queen",
        "1k1r3r/8/pp1n2p1/2q5/1Q6/3R2P1/PPP2P1P/3R2K1 w - - 0 1",
        "b4c5 b6c5 d3d6 d8d6 d1d6",
    ),
    Case(
        "betterExchange",
        "a knight takes a defended queen",
        "6k1/pp3ppp/2b5/3q4/1N6/8/5PPP/3R2K1 w - - 0 1",
        "b4d5",
    ),
    Case("hangingPawn", "", "6k1/p4pp1/7p/8/8/8/5PPP/R5K1 w - - 0 1", "a1a7"),
    Case(
        "deflection",
        "the queen leaves the bishop",
        "3q2k1/4bppp/8/8/8/4Q3/5PPP/2R3K1 w - - 0 1",
        "c1c8 d8c8 e3e7",
    ),
    Case(
        "deflection",
        "the rook leaves the square of promotion",
        "4r3/2P3k1/8/8/8/8/6PK/R7 w - - 0 1",
        "a1e1 e8e1 c7c8q",
    ),
    Case(
        "deflection",
        "the rook behind the pawn leaves its file",
        "8/6P1/7R/2pp1kr1/8/4KP2/8/8 w - - 0 56",
        "h6h5 g5h5 g7g8q",
    ),
    Case(
        "overloading",
        "the queen guards knight and bishop",
        "3q2k1/4bppp/8/3n4/8/4Q2P/5PP1/3R2K1 w - - 0 1",
        "d1d5 d8d5 e3e7",
    ),
    Case("attraction", "a king into a double check", RETI, "d3d8 e8d8 d2g5 d8c7 g5d8"),
    Case(
        "attraction",
        "a queen into a fork",
        "3q2k1/5p1p/6p1/3N4/8/8/5PPP/4R1K1 w - - 0 1",
        "e1e8 d8e8 d5f6 g8g7 f6e8",
    ),
    Case(
        "attraction",
        "by an exchange of queens",
        "3qk3/ppp2ppp/8/8/8/8/PPP2PPP/R2QK3 w Q - 0 1",
        "d1d8 e8d8 e1c1",
    ),
    Case(
        "capturingDefender",
        "the knight held the bishop",
        "6k1/pp3p1p/5np1/3b2B1/8/8/PP3PPP/3R2K1 w - - 0 1",
        "g5f6 h7h5 d1d5",
    ),
    Case(
        "interference",
        "the knight parts rook and knight",
        "3r4/5kpp/p7/4P3/3nN3/4B3/5PPP/6K1 w - - 0 1",
        "e4d6 f7e6 e3d4",
    ),
    Case(
        "interference",
        "the reply does",
        "3r4/5pkp/6p1/2b5/8/8/3nR1PP/2B4K w - - 0 1",
        "c1b2 c5d4 e2d2",
    ),
    Case("clearance", "the first move captures", "5rkr/5pp1/6P1/8/8/8/1K6/3Q3R w - - 0 1", "h1h8 g8h8 d1h1"),
    Case("clearance", "Damiano's mate", DAMIANO, "h1h8 g8h8 d1h1 h8g8 h1h7"),
    Case(
        "intermezzo",
        "before taking back, within the solution",
        "3r2k1/1p3pp1/7p/3n4/8/2N5/5PPP/3RR1K1 w - - 0 1",
        "c3d5 d8d5 e1e8 g8h7 d1d5",
    ),
    Case(
        "xRayAttack",
        "through the rook that takes",
        "Q2r2k1/2q2ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1",
        "e1e8 d8e8 a8e8",
    ),
    Case("sacrifice", "the Greek gift", GREEK_GIFT, "d3h7 g8h7 f3g5"),
    Case(
        "sacrifice",
        "the exchange",
        "2r3k1/1p3ppp/8/8/4n3/2N5/PPP2PPP/2KR4 b - - 0 1",
        "c8c3 b2c3 g7g6",
    ),
    Case("kingsideAttack", "the Greek gift", GREEK_GIFT, "d3h7 g8h7 f3g5"),
    Case("queensideAttack", "Boden's mate", BODEN, "f3c6 b7c6 f1a6"),
    Case("exposedKing", "two checks", "4r3/2q2k2/8/8/8/8/6PP/1Q4K1 w - - 0 1", "b1b3 f7f6 b3f3"),
    Case("advancedPawn", "White's", "6k1/5ppp/8/4P3/8/8/5PPP/6K1 w - - 0 1", "e5e6"),
    Case("advancedPawn", "Black's", "6k1/5ppp/8/8/4p3/8/5PPP/6K1 b - - 0 1", "e4e3"),
    Case("breakthrough", "three pawns against three", BREAKTHROUGH, "b5b6 a7b6 c5c6 b7c6 a5a6"),
    Case("promotion", "with a capture", "1r4k1/P4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "a7b8q"),
    Case("underPromotion", "the Lasker trap", ALBIN, "e3f2 e1e2 f2g1n"),
    Case("castling", "with check", "3k4/ppp2ppp/8/8/8/8/PPP2PPP/R3K2R w KQ - 0 1", "e1c1"),
    Case("enPassant", "", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6"),
    Case(
        "quietMove",
        "mate is threatened",
        "r4rk1/5p1p/5Pp1/8/8/8/3Q1PPP/6K1 w - - 0 1",
        "d2h6 f8e8 h6g7",
    ),
    Case("mateThreat", "on g7", "r4rk1/5p1p/5Pp1/8/8/8/3Q1PPP/6K1 w - - 0 1", "d2h6"),
    Case("quietMove", "it attacks nothing", "6k1/p4ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1e1 a7a6 e1e8"),
    Case(
        "attackingF2F7",
        "the scholar's mate",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "h5f7",
    ),
    Case("attackingF2F7", "Black's", ALBIN, "e3f2 e1e2 f2g1n"),
    Case("defensiveMove", "interposing", "4r1k1/5ppp/8/8/8/8/3B1PPP/4K3 w - - 0 1", "d2e3"),
    Case("perpetualCheck", "from e8 and h5", PERPETUAL, "h5e8 g8h7 e8h5 h7g8 h5e8"),
    Case("stalemate", "the rook must not be taken", "1k6/7R/8/8/8/8/2q5/K7 w - - 0 1", "h7b7"),
    Case("stalemate", "at once", "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "c1c7"),
]

NOT_SHOWN = [
    Case(
        "skewer",
        "the queens are exchanged",
        "r4rk1/p1Q2pp1/4b2p/2N1p3/8/3q2P1/P4PBP/5RK1 b - - 1 22",
        "a8c8 c7f7 e6f7 c5d3 f8e8",
    ),
    Case("fork", "the king takes the knight", FRIED_LIVER, "g5f7 e8f7 d1f3"),
    Case(
        "fork",
        "the queen attacks what is defended",
        "r1r3k1/5ppp/2n5/8/8/8/5PPP/3Q2K1 w - - 0 1",
        "d1d7 c6e5 d7b7",
    ),
    Case("fork", "the last of two moves", "q3k2r/5ppp/8/8/1N6/8/5PPP/6K1 w k - 0 1", "b4d5 h7h6 d5c7"),
    Case(
        "fork",
        "the queen that is attacked still guards the bishop",
        "5rk1/2qn1ppp/2p1p3/p2p3b/3Pn3/4P2P/P2NBPP1/R2Q1RK1 b - - 0 1",
        "e4c3 d1e1 c3e2",
    ),
    Case(
        "doubleAttack",
        "the knight hung already",
        "n5k1/5pp1/7p/8/8/5B2/5PPP/3R2K1 w - - 0 1",
        "d1d8 g8h7 d8a8",
    ),
    Case(
        "doubleAttack",
        "there is no other threat",
        "6k1/5pp1/7p/8/2n5/8/5PPP/3R2K1 w - - 0 1",
        "d1c1 g8h7 c1c4",
    ),
    Case(
        "doubleAttack",
        "the reply captures",
        "2q3k1/1r3pp1/3Q3p/p1nPpR2/p1P1P3/P3P2P/3N2P1/6K1 b - - 0 32",
        "c5e4 d2e4 c8f5",
    ),
    Case(
        "pin",
        "the king stands beside the line",
        "5k2/pp3ppp/8/4n3/8/8/PP3PPP/3R2K1 w - - 0 1",
        "d1e1 f7f6 f2f4 e5c6 f4f5",
    ),
    Case(
        "pin",
        "nobody makes use of it",
        "r1bqkbnr/ppp2ppp/2np4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 4",
        "f1b5",
    ),
    Case(
        "pin",
        "another piece moves",
        "r1bqkbnr/ppp2ppp/2np4/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
        "d2d3",
    ),
    Case(
        "pin",
        "the bishop may take the bishop",
        "rn1qkbnr/pppb1ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 4",
        "f1b5",
    ),
    Case(
        "relativePin",
        "the king guards the rook behind",
        "3rk3/5ppp/8/3n4/8/8/2P2PPP/R5K1 w - - 0 1",
        "a1d1 e8e7 c2c4 d5b4 d1d8",
    ),
    Case("relativePin", "the piece behind is the king", "4k3/8/8/4n3/8/8/8/3R2K1 w - - 0 1", "d1e1"),
    Case(
        "relativePin",
        "the bishop behind is defended",
        "r2r2k1/pbq2pp1/1n5p/3p4/P1pP4/2N2B2/1Q3PPP/R4RK1 w - - 0 22",
        "a4a5 g8h8 a5b6",
    ),
    Case("relativePin", "the piece behind is worth less", "5n2/5ppk/3r4/8/8/8/1B3PPP/6K1 w - - 0 1", "b2a3"),
    Case(
        "skewer",
        "the king takes the piece that checks",
        "7r/5pk1/3R2p1/3P4/2P1P3/2N3p1/6P1/r4RK1 b - - 0 35",
        "h8h1 g1h1 a1f1",
    ),
    Case("skewer", "nothing stands behind", "6k1/5ppp/3q4/8/8/8/1B3PPP/6K1 w - - 0 1", "b2a3 d6e7 a3e7"),
    Case(
        "skewer",
        "the piece behind is worth more",
        "5rk1/5ppp/3n4/8/8/8/1B3PPP/6K1 w - - 0 1",
        "b2a3 d6e4 a3f8",
    ),
    Case(
        "discoveredCheck",
        "a bishop stands between",
        "rnbqk2r/ppppbppp/5n2/4N3/8/8/PPPPQPPP/RNB1KB1R w KQkq - 0 1",
        "e5c6",
    ),
    Case(
        "discoveredCheck",
        "the line is that of the king's own rook",
        "r2Nk3/8/8/8/8/8/8/4K3 w - - 0 1",
        "d8c6",
    ),
    Case(
        "discoveredAttack",
        "the queen takes first",
        "r1b2rk1/pp3ppp/4p3/8/3q4/3B4/PPP2PPP/R2Q1RK1 w - - 0 1",
        "d3e4 d4d1 f1d1",
    ),
    Case("doubleCheck", "only the rook checks", RETI, "d3d8 e8d8 d2b4 d8c7 b4d6"),
    Case(
        "trappedPiece",
        "the bishop might have gone to a4",
        "r1bqkbnr/1p3ppp/p2p4/2pQ4/4P3/1B6/PPP2PPP/RNB1K2R b KQkq - 0 1",
        "c5c4 e1g1 c4b3",
    ),
    Case(
        "trappedPiece",
        "a square is attacked but defended",
        "n5k1/2p2ppp/8/8/8/4B1B1/5PPP/3R2K1 w - - 0 1",
        "d1a1 h7h6 a1a8",
    ),
    Case(
        "trappedPiece",
        "the queen could not move for a check",
        "q3k2r/5ppp/8/3N4/8/8/5PPP/6K1 w k - 0 1",
        "d5c7 e8e7 c7a8",
    ),
    Case("hangingPiece", "a pawn defends it", "r4rk1/pp3ppp/4p3/3b4/8/2N5/PP3PPP/R4RK1 w - - 0 1", "c3d5"),
    Case(
        "betterExchange",
        "a rook for a rook",
        "2rr2k1/5ppp/8/8/8/8/2R2PPP/6K1 w - - 0 1",
        "c2c8",
    ),
    Case("hangingPawn", "a pawn defends it", "6k1/p4ppp/1p6/8/8/8/5PPP/1R4K1 w - - 0 1", "b1b6"),
    Case("hangingPawn", "a queen falls, too", "q5k1/P4ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a5 g7g6 a5a6"),
    Case("hangingPiece", "it is a pawn", "r4rk1/pp3ppp/8/3p4/8/2N5/PP3PPP/R4RK1 w - - 0 1", "c3d5"),
    Case(
        "deflection",
        "the queen still guards the bishop",
        "3q2k1/4bppp/8/8/8/4Q3/5PPP/3R2K1 w - - 0 1",
        "d1d7 d8d7 e3e7",
    ),
    Case(
        "deflection",
        "the queen leaves unforced",
        "3q2k1/4bppp/8/8/8/4Q3/5PPP/2R3K1 w - - 0 1",
        "c1c5 d8c8 e3e7",
    ),
    Case(
        "deflection",
        "nothing is won where the queen was",
        "6k1/4qpp1/7p/8/8/1Q6/5PPP/3R2K1 w - - 0 1",
        "b3b7 e7b7 d1d8",
    ),
    Case(
        "overloading",
        "another piece takes back",
        "3q2k1/4bppp/4p3/3n4/8/4Q2P/5PP1/3R2K1 w - - 0 1",
        "d1d5 e6d5 e3e7",
    ),
    Case("attraction", "the king is left alone there", FRIED_LIVER, "g5f7 e8f7 b1c3"),
    Case(
        "attraction",
        "the rook is taken there",
        "3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1",
        "e2e8 d8e8 e1e8",
    ),
    Case(
        "attraction",
        "the queen is not attacked there",
        "3q2k1/4bppp/8/8/8/4Q3/5PPP/2R3K1 w - - 0 1",
        "c1c8 d8c8 e3e7",
    ),
    Case(
        "capturingDefender",
        "the knight guarded something else",
        "6k1/pp3p1p/6pn/3b2B1/8/8/PP3PPP/3R2K1 w - - 0 1",
        "g5h6 f7f6 d1d5",
    ),
    Case(
        "capturingDefender",
        "the bishop goes there afterwards",
        "6k1/pp3p1p/4bnp1/6B1/8/8/PP3PPP/3R2K1 w - - 0 1",
        "g5f6 e6d5 d1d5",
    ),
    Case(
        "capturingDefender", "with check", "8/pp3pkp/5np1/3b2B1/8/8/PP3PPP/3R2K1 w - - 0 1", "g5f6 g7f6 d1d5"
    ),
    Case("interference", "nothing is taken", "3r4/5kpp/p7/4P3/4N3/4B3/5PPP/6K1 w - - 0 1", "e4d6 f7e6 e3d4"),
    Case("clearance", "the queen goes elsewhere", DAMIANO, "h1h8 g8h8 d1d4"),
    Case(
        "clearance", "the piece itself comes back", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a3 g8f8 a3a1"
    ),
    Case(
        "clearance",
        "the second move captures",
        "r1b2rk1/pp3pp1/4p3/8/3q4/3B4/PPP2PPP/R2Q1RK1 w - - 0 1",
        "d3h7 g8h7 d1d4",
    ),
    Case(
        "intermezzo",
        "in check, it could not take at once",
        "q5k1/pB3ppp/8/8/8/8/5PPP/R3r1K1 w - - 0 1",
        "a1e1 h7h6 b7a8",
    ),
    Case(
        "intermezzo",
        "the piece comes there afterwards",
        "6k1/6pp/8/8/1b3Q2/8/5PPP/3R2K1 w - - 0 1",
        "d1d8 b4f8 f4f8",
    ),
    Case("intermezzo", "nothing is taken", "6k1/6pp/8/8/5Q2/8/5PPP/3R2K1 w - - 0 1", "f4b8 g8f7 d1d7"),
    Case(
        "xRayAttack",
        "the rook attacks through its own queen",
        "3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1",
        "e2e8 d8e8 e1e8",
    ),
    Case("xRayAttack", "a skewer", "q7/5ppp/2k5/8/8/8/4B1PP/6K1 w - - 0 1", "e2f3 c6c5 f3a8"),
    Case(
        "sacrifice",
        "a rook for a rook",
        "3r2k1/3r1ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1",
        "d2d7 d8d7 d1d7",
    ),
    Case(
        "kingsideAttack",
        "the king has not castled",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "h5f7",
    ),
    Case("kingsideAttack", "an endgame", "6k1/pp6/6K1/8/8/8/7Q/8 w - - 0 1", "h2h7 g8f8 h7f7"),
    Case("queensideAttack", "without a check", BODEN, "f3g3 h8g8 f1a6"),
    Case("exposedKing", "one check", "4r3/2q2k2/8/8/8/8/6PP/1Q4K1 w - - 0 1", "b1b3 f7f6 b3a3"),
    Case("exposedKing", "a pawn beside it", "4r3/2q2kp1/8/8/8/8/6PP/1Q4K1 w - - 0 1", "b1b3 f7f6 b3f3"),
    Case("advancedPawn", "the fifth rank", "6k1/5ppp/8/8/4P3/8/5PPP/6K1 w - - 0 1", "e4e5"),
    Case("breakthrough", "an exchange of pawns", BREAKTHROUGH, "b5b6 a7b6 a5b6"),
    Case("breakthrough", "the other pawn is still stopped", BREAKTHROUGH, "b5b6 c7b6 c5c6"),
    Case("promotion", "to a knight", ALBIN, "e3f2 e1e2 f2g1n"),
    Case("underPromotion", "to a queen", "1r4k1/P4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "a7b8q"),
    Case("castling", "the king makes one step", "3k4/ppp2ppp/8/8/8/8/PPP2PPP/R3K2R w KQ - 0 1", "e1d1"),
    Case(
        "enPassant",
        "a knight stands there",
        "rnbqkb1r/pppp1ppp/5n2/4P3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3",
        "e5f6",
    ),
    Case("mateThreat", "a rook covers g7", "r4rk1/r4p1p/5Pp1/8/8/8/3Q1PPP/6K1 w - - 0 1", "d2d5"),
    Case("mateThreat", "the king has a square", BACK_RANK.replace("5pqp", "5pq1"), "d6d8 g7f8 d8f8"),
    Case("quietMove", "out of check", "4r1k1/5ppp/8/8/8/8/3B1PPP/4K3 w - - 0 1", "d2e3"),
    Case(
        "attackingF2F7",
        "the king is far",
        "r1bq1r1k/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQ - 0 1",
        "h5f7",
    ),
    Case("defensiveMove", "by taking", "6k1/5ppp/8/8/8/8/4rPPP/4K3 w - - 0 1", "e1e2"),
    Case("defensiveMove", "nobody checks", "5rk1/5ppp/8/8/8/8/3B1PPP/4K3 w - - 0 1", "d2e3"),
    Case("perpetualCheck", "two checks", PERPETUAL, "h5e8 g8h7 e8h5"),
    Case("perpetualCheck", "without check", PERPETUAL, "h5h4 g8f7 h4h5 f7g8 h5h4"),
    Case("stalemate", "a pawn can move", "1k6/7R/8/8/8/8/2q4P/K7 w - - 0 1", "h7b7"),
]
