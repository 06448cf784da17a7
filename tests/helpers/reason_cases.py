"""Solutions with a reason why they work, and solutions that nearly have it. Most are puzzles from Lichess.

A reason is written as its part, its cause, the piece with its square before the move, and the aim.
"""

from __future__ import annotations

from typing import NamedTuple


class ReasonCase(NamedTuple):
    """A solution and a reason that it has, or does not have although it nearly does: why not is in `what`."""

    reason: str
    what: str
    fen: str
    moves: str

    def __str__(self) -> str:
        return f"{self.reason}, {self.what}"


DEFLECTION = ("3K4/3Q4/7k/1Pq3p1/8/8/8/8 w - - 0 56", "d7c6 c5c6 b5c6")
KNIGHT_LURED = ("8/8/8/7P/2n5/2K3P1/p1N5/1k6 b - - 0 63", "c4e3 c2e3 a2a1q")
QUEEN_EXCHANGE = ("7k/6r1/1p6/3Q1P2/8/8/P4Kr1/8 w - - 3 45", "d5g2 g7g2 f2g2")
KING_TAKES = ("8/6k1/5R2/6K1/4P2p/2r2P2/8/8 b - - 0 50", "c3c5 g5h4 g7f6")
KING_FLEES = ("1k2n3/pB6/K7/2P5/8/8/8/8 b - - 0 65", "e8c7 a6a5 b8b7")
KING_MOVES = ("8/8/8/6p1/5KPk/8/8/8 w - - 0 81", "f4f5 h4h3 f5g5")
INTERPOSED = ("8/5K1k/8/6r1/8/8/5R2/8 w - - 2 78", "f2h2 g5h5 h2h5")
DRIVEN_OFF = ("8/2b5/2P1k1p1/p7/5P2/1R2P3/rB5K/8 b - - 0 36", "a5a4 b3a3 a2b2")
DEFENDER_TAKEN = ("8/6p1/2B2n2/3b2k1/3B4/6K1/4P3/8 w - - 5 45", "d4f6 g5f5 c6d5")
DEFENDER_EXCHANGED = ("8/p4p2/4kb2/P6P/7r/5RK1/6P1/8 w - - 6 57", "f3f6 e6f6 g3h4")
INTERFERENCE = ("4r1k1/8/pp1p2N1/2pP4/4q1QP/8/PK6/8 w - - 0 45", "g6e7 g8f8 g4e4")
PINNED_DEFENDER = ("2r4r/5pk1/5pp1/4q3/8/1B1Q2R1/PPP3PP/6RK b - - 2 31", "h8h2 h1h2 c8h8")
PINNED_PAWN = ("4Q3/6pk/1q2prbp/3p3R/3P4/5N1P/5PP1/6K1 w - - 12 38", "f3g5")
SHUT_OFF = ("3r4/5p1p/8/7R/5p2/5k2/PbP4P/4K1R1 b - - 3 28", "b2c3 e1f1 d8d1")
SHUT_BY_PAWN = ("8/k4p1r/p3p3/2p1n1q1/P2p4/1R6/1PP1Q3/1K6 w - - 0 43", "e2e4 f7f5 e4e5")
KING_LURED = ("4r3/1R4Pk/8/3p4/2nq3P/p7/PP6/K3R3 w - - 1 38", "g7g8q h7g8 e1e8")
KING_DRIVEN = ("6k1/R5P1/5K2/8/1p6/8/6r1/8 w - - 0 57", "a7a8 g8h7 a8h8")
TARGET_PINNED = ("8/1r4k1/6p1/6Kp/5RP1/7P/8/8 b - - 0 60", "b7b5 f4f5 g6f5")
ESCAPE_CLOSED = ("5Q2/7p/6p1/8/6Pk/P3q2P/1P5K/3q4 w - - 1 49", "f8f6 e3g5 f6f2")
SMOTHERED = ("2r2rk1/3Q1ppp/pq2p3/1p2N3/1P3P2/P1P5/5nPP/RNB2RK1 b - - 4 18", "f2h3 g1h1 b6g1 f1g1 h3f2")
FORK = ("8/8/q7/P7/1K6/1N1k4/8/8 w - - 1 59", "b3c5 d3d4 c5a6")
DISCOVERED = ("8/4k3/5p2/2RPr3/P2Kb3/4P3/8/8 w - - 1 41", "d5d6 e7d6 c5e5")
SKEWER = ("2r5/8/8/2k5/8/1R6/1K6/8 w - - 7 78", "b3c3 c5d6 c3c8")
OPENED_BY_CAPTURE = ("8/8/3k4/4p1RP/8/4PpK1/2r5/8 b - - 0 42", "c2g2 g3f3 g2g5")
WAY_MADE = ("8/6pk/6p1/5p2/5B1P/6P1/2Rp1PK1/3r4 b - - 0 39", "d1g1 g2g1 d2d1q g1g2 d1c2")
MATE_THREATENED = ("r1q2k1r/pb3pp1/1p6/2n3N1/3p4/P7/1PQ1BPPP/2R2RK1 b - - 0 1", "d4d3 e2d3 c8g4")
DISCOVERED_CHECK = ("8/7p/6p1/3b1p2/5B1P/1p2P1P1/1K1k4/8 w - - 8 46", "e3e4 d2d3 e4d5")
CAPTURED_WITH_CHECK = ("4N3/7k/4Kp2/7r/5P2/8/8/8 w - - 0 72", "e8f6 h7g6 f6h5")
CAPTURED_QUIETLY = ("8/8/6k1/3p1p2/3P2p1/4PPK1/8/8 w - - 1 56", "f3g4 g6h6 g4f5")
QUIET_ATTACK = ("2q3k1/5ppp/p4b2/3Q4/6b1/6P1/PP3P1P/4R1K1 w - - 2 27", "d5c4 c8f8 c4g4")
QUEEN_PINNED = ("8/8/8/8/5p2/4r3/3k1Q1K/8 b - - 36 62", "e3e2 h2g1 e2f2")
FORKED_ROOK = ("r3k3/5ppp/8/3N4/8/8/5PPP/4K3 w - - 1 2", "d5c7 e8d8 c7a8")
PINNED_ROOK = ("8/7k/6rp/2p1pQ2/P1N5/KP6/7q/8 w - - 2 43", "c4e5 h7h8 e5g6")
QUEEN_UNCOVERED = ("2k4r/1pp3pp/p1n2pb1/3p4/5bPN/PP1Pr3/1BP1QN1P/2KR3R b - - 0 19", "e3e2 c1b1 e2f2")
QUEENS_EXCHANGED = ("r4rk1/pp3ppp/2p2n2/4qb2/7B/2QBP3/PP3PPP/R4RK1 b - - 0 15", "e5c3 b2c3 f5d3")
BATTERY = ("3r2k1/1pp2pp1/2p2n1p/p3pQ2/1P2P1N1/P2r4/5PPP/R5K1 b - - 0 21", "d3d1 a1d1 d8d1")
QUIET_FORK = ("r2r2k1/p2n1pp1/BpRP3p/8/3Pp3/4P2P/P2K1PP1/R7 b - - 0 22", "d7b8 a6b7 b8c6")
PAWN_BLOCKS_NOTHING = ("8/pp3pkp/3Q2p1/4p1P1/3nq3/8/P4PP1/5RK1 b - - 0 27", "d4e2 g1h1 e4h4")
BLOCKER_TAKEN = ("5rr1/1R6/p6p/8/3N4/8/k3N2P/7K b - - 0 42", "f8f1 e2g1 f1g1")
CASTLED = ("r3k2r/pp3ppp/2n1qn2/2bN4/8/4P1P1/PP3PBP/R1BQK2R b KQkq - 0 12", "e8c8 d1c2 d8d5")
CASTLING = (
    "r1bqr2k/ppp2p2/5p1p/7Q/3pBb1B/8/PPP3PP/R3K2R w KQ - 1 16",
    "e1g1 e8e4 f1f4 e4f4 h5h6 h8g8 h6f4",
)
EN_PASSANT = ("6k1/3r4/8/2pP4/8/8/8/6K1 w - c6 0 2", "d5c6 g8g7 c6d7")
MATE_IN_ONE = ("8/8/8/8/8/3r1k2/7R/7K b - - 68 97", "d3d1")

HAVE = [
    ReasonCase("defender:accepts:nc2>promote", "lured from the queening square", *KNIGHT_LURED),
    ReasonCase("target:recaptures:rg7>capture", "it takes the queen", *QUEEN_EXCHANGE),
    ReasonCase("defender:takes:kg5>capture", "a king that captures elsewhere", *KING_TAKES),
    ReasonCase("defender:flees:ka6>capture", "checked away", *KING_FLEES),
    ReasonCase("defender:moves:kh4>capture", "zugzwang", *KING_MOVES),
    ReasonCase("defender:interposes:rg5>mate", "the only piece that can block", *INTERPOSED),
    ReasonCase("defender:leaves:rb3>capture", "a rook attacked by a pawn", *DRIVEN_OFF),
    ReasonCase("defender:captured:nf6>capture", "taken with check", *DEFENDER_TAKEN),
    ReasonCase("defender:exchanged:bf6>capture", "for a rook", *DEFENDER_EXCHANGED),
    ReasonCase("defender:blocked:re8>capture", "a knight on the line", *INTERFERENCE),
    ReasonCase("defender:pinned:rg3>mate", "its king was lured onto the line", *PINNED_DEFENDER),
    ReasonCase("defender:pinned:ph6>mate", "pinned from the beginning", *PINNED_PAWN),
    ReasonCase("shut:flees:rg1>mate", "the king steps onto the line", *SHUT_OFF),
    ReasonCase("shut:moves:qg5>capture", "a pawn steps onto the line", *SHUT_BY_PAWN),
    ReasonCase("target:accepts:kh7>mate", "decoy of a king", *KING_LURED),
    ReasonCase("target:accepts:qc5>capture", "decoy of a queen", *DEFLECTION),
    ReasonCase("target:flees:kg8>mate", "driven into mate", *KING_DRIVEN),
    ReasonCase("target:pinned:rf5>capture", "pinned by the rook", *TARGET_PINNED),
    ReasonCase("target:stands:kh1>mate", "nothing had to happen", *MATE_IN_ONE),
    ReasonCase("escape:interposes:qe3>mate", "the queen blocks the check beside her king", *ESCAPE_CLOSED),
    ReasonCase("escape:accepts:rf1>mate", "smothered by the rook", *SMOTHERED),
    ReasonCase("attacker:comes:qd5>capture", "a quiet attack", *QUIET_ATTACK),
    ReasonCase("attacker:comes+:nb3>capture", "with check", *FORK),
    ReasonCase("attacker:comes-x:pf3>capture", "by a capture", *CAPTURED_QUIETLY),
    ReasonCase("attacker:comes-x+:ne8>capture", "by a capture with check", *CAPTURED_WITH_CHECK),
    ReasonCase("attacker:comes:qc8>mate", "mate is threatened at the end", *MATE_THREATENED),
    ReasonCase("attacker:stands:rd3>mate", "nothing had to happen", *MATE_IN_ONE),
    ReasonCase("opened:comes+:pd5>capture", "discovered attack", *DISCOVERED),
    ReasonCase("opened:flees:kc5>capture", "skewer", *SKEWER),
    ReasonCase("opened:takes:kg3>capture", "the opponent's king leaves the line", *OPENED_BY_CAPTURE),
    ReasonCase("opened:comes+:rd1>promote", "the square before a pawn", *WAY_MADE),
    ReasonCase("threat:double:nb3>capture", "king and queen", *FORK),
    ReasonCase("threat:two:pe3>capture", "one of them by another piece", *DISCOVERED_CHECK),
    ReasonCase("threat:check:rb3>capture", "nothing else hangs", *SKEWER),
    ReasonCase("threat:one:re3>capture", "a pinned queen", *QUEEN_PINNED),
    ReasonCase("threat:none:kf4>capture", "zugzwang", *KING_MOVES),
]  # fmt: skip

LACK = [
    ReasonCase("defender:accepts:rg7>capture", "the move before captured", *QUEEN_EXCHANGE),
    ReasonCase("defender:recaptures:nc2>promote", "the move before captured nothing", *KNIGHT_LURED),
    ReasonCase("defender:takes:nc2>promote", "it takes what was offered", *KNIGHT_LURED),
    ReasonCase("defender:flees:kh4>capture", "there was no check", *KING_MOVES),
    ReasonCase("defender:interposes:ka6>capture", "the king itself moves", *KING_FLEES),
    ReasonCase("defender:leaves:kh4>capture", "kings do not hang", *KING_MOVES),
    ReasonCase("defender:captured:bf6>capture", "the rook is taken in return", *DEFENDER_EXCHANGED),
    ReasonCase("defender:exchanged:nf6>capture", "the bishop is not taken in return", *DEFENDER_TAKEN),
    ReasonCase(
        "defender:blocked:re8>capture", "the knight goes beside the line", INTERFERENCE[0], "g6h8 g8f8 g4e4"
    ),
    ReasonCase(
        "defender:pinned:ne7>capture",
        "a pawn stands between it and the rook",
        "4k3/4n3/4p3/3p4/8/1B6/8/4R1K1 w - - 0 1",
        "b3d5",
    ),
    ReasonCase("defender:flees:rg1>mate", "the rook stays where it is", *SHUT_OFF),
    ReasonCase("shut:flees:ka6>capture", "it is the defender itself that moves", *KING_FLEES),
    ReasonCase("target:accepts:kg8>mate", "the king takes nothing", *KING_DRIVEN),
    ReasonCase("target:stands:kh7>mate", "the king has moved", *KING_DRIVEN),
    ReasonCase("target:pinned:nf6>capture", "only a pawn is before its king", *DEFENDER_TAKEN),
    ReasonCase("escape:accepts:kg1>mate", "a king is not in its own way", *SMOTHERED),
    ReasonCase("escape:stands:pg2>mate", "the pawn was there from the beginning", *SMOTHERED),
    ReasonCase("attacker:stands:nc5>capture", "it came with the move before", *FORK),
    ReasonCase("attacker:comes+:nb3>check", "a fork's check is not for its own sake", *FORK),
    ReasonCase("opened:comes+:nb3>capture", "the knight uncovers nothing", *FORK),
    ReasonCase("opened:flees:ka6>capture", "the king was in nobody's way", *KING_FLEES),
    ReasonCase("threat:double:pe3>capture", "the pawn attacks one of them only", *DISCOVERED_CHECK),
    ReasonCase("threat:two:re3>capture", "only the queen is attacked", *QUEEN_PINNED),
    ReasonCase("threat:one:kf4>capture", "pawns do not count", *KING_MOVES),
]  # fmt: skip


class FactCase(NamedTuple):
    """A solution and a fact about it; or a kind of facts that it lacks, and in `text` why."""

    kind: str
    text: str
    fen: str
    moves: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.text}"


BACK_RANK = ("3rr1k1/pp3ppp/8/8/8/8/PP3PPP/4Q1K1 w - - 0 1", "e1e8 d8e8 h2h3")
RUNNER = ("8/8/1K6/6pp/P5k1/8/8/8 w - - 0 68", "a4a5 g4h3 a5a6")
OVERLOADED = ("r2r2k1/pp3ppp/1n6/4q3/1P2p1Q1/P3P3/3N1PPP/R2R2K1 b - - 1 18", "d8d2 d1d2 e5a1")
QUEEN_TRAPPED = ("rnb1k2r/1pp2pb1/p2pp1pp/8/2PP4/P1NBPN2/1q3PPP/R2QK2R w KQkq - 0 13", "c3a4 b2a1 d1a1")
COSTLY = ("4k3/4P1pp/8/3N1K2/8/p7/rp6/8 w - - 0 41", "f5e6 g7g6 d5c7")
BOTH_THREATENED = ("1r4k1/p1pq1p1p/4rbp1/3p4/N5Q1/2P5/PP3PPP/R4RK1 w - - 1 18", "a4c5 d7c6 c5e6")
DISCOVERED_LAST = ("r2kr3/3b1p1p/6pb/3N4/p4P2/8/PPPR2PP/2K1R3 w - - 1 20", "e1e8 d7e8 d5b6")
MATE_ON_H2 = ("r4r1k/1p4pp/p2q2p1/2pB4/3nP1P1/P1P4P/1P3P2/R2Q1RK1 b - - 0 19", "d4f3 d1f3 f8f3")
TAKEN_BACK_LATER = (
    "r1bq1rk1/ppp2ppp/8/8/1b6/2NB4/PPP2PPP/R1BQ1RK1 w - - 0 1",
    "a2a3 b4c3 d3h7 g8h7 b2c3",
)
TREBUCHET = ("8/8/4p1K1/2k1P3/8/8/8/8 b - - 4 50", "c5d4 g6f6 d4d5")
TIED = ("r1b1r1k1/ppp5/3p4/3P1pq1/2P1nR1Q/4P3/P1B3PP/4R1K1 w - - 2 23", "f4e4 g5h4 e4h4")
QUEEN_PINNED_BY_OFFER = (
    "2kr2r1/pp3p2/2b1qn1p/2Pp2p1/3Q2P1/2PBPP2/P6P/3R1RK1 w - - 1 22",
    "d3f5 e6f5 g4f5",
)
HELD_OFF = ("8/8/8/8/8/8/kr6/2K2R2 b - - 14 112", "b2b1 c1d2 b1f1")
FREED = ("r2qkb1r/pp3ppp/2p2n2/4n3/2B1P1b1/2N2N2/PPP3PP/R1BQK2R w KQkq - 0 9", "d1d8 a8d8 f3e5")
BLOCKED_ON_E6 = (
    "2rq1k1r/p2b2bp/5pp1/8/1p6/2BP2P1/PP3PBP/R3R2K w - - 0 21",
    "c3b4 c8c5 b4c5 f8f7 g2d5 d7e6 d5e6",
)
HANGING = ("8/8/5p2/2K3p1/1p4P1/6kR/2P5/8 b - - 0 59", "g3h3 c5b4 h3g4")
ATTACKED_TWICE = ("2r1r1k1/p5pp/1p3q2/2pn4/Q1Nn4/P2P4/5PPP/2R1RBK1 w - - 5 27", "e1e8 c8e8 a4e8")
QUEEN_FOR_BISHOP = ("rn2k2r/ppp2ppp/3bpB2/3n4/3P4/2PB1b2/PP3PPP/RN1Q1RK1 b kq - 0 9", "f3d1 f6g7 h8g8")

TAKEN_IN_RETURN = ("r1bqkb1r/5ppp/p2p1n2/1pp1p3/4P3/1PNP1N2/1PP2PPP/R1BQ1RK1 w kq - 1 10", "c3b5 a6b5 a1a8")
CHECK_FIRST = ("6k1/1Q2qp1p/6p1/2r1P3/P7/8/6PP/1R4K1 b - - 0 28", "c5c1 b1c1 e7b7")
KING_DRIVEN_TO_H7 = ("6k1/5pp1/7p/8/1p6/3r1BP1/Pb3P1P/4R1K1 w - - 0 27", "e1e8 g8h7 f3e4 g7g6 e4d3")
SQUARE_CLEARED = (
    "2k5/pp1n1R2/2pp2p1/4p3/1P2P1nq/P2P1Q2/1BP3Br/5RK1 b - - 6 28",
    "h2h1 g2h1 h4h2",
)
KNIGHT_MADE = ("8/2p3p1/k4p2/3Q4/2P1P3/1P2K2b/P4p1r/8 b - - 1 41", "f2f1n e3d3 h2d2 d3c3 d2d5")
ROOK_TIED_DOWN = ("r2n1nk1/6pp/BRb1p3/3pP1P1/3P4/4B2P/3N1K2/8 b - - 2 29", "f8d7 b6c6 d8c6")
CHECKS_THREATENED = ("8/4K2k/2b4P/1p1p2P1/2p1p3/4B3/1P6/8 w - - 8 50", "e7f7 c6e8 f7e8")
MATE_STOPPED = ("2r2r1k/1p1b1p2/pq2pP2/3p4/1b1P2Q1/2N1B3/PP3P1P/2R2RK1 b - - 0 21", "f8g8")
BISHOP_SAVED = ("r1b2r1k/ppp3p1/2np1nqp/1Bb1p1B1/4P3/5NNP/PPP2PP1/R2QR1K1 w - - 0 13", "g5e3 a7a6 b5c4")
ONLY_ANSWER = ("3rN2k/p4Q1p/1p2p1p1/4b3/P7/1P2R1P1/5P1P/1q4K1 w - - 3 32", "g1g2")
GUARD_TAKEN = ("1b4k1/2q2pp1/P1Q5/8/8/8/3P1P2/3K4 w - - 3 43", "c6c7 b8c7 a6a7")

FACTS = [
    FactCase(
        "net",
        "The king has no way out on h1: its own rook on g1 and pawns on g2 and h2 are in its way.",
        *SMOTHERED,
    ),
    FactCase(
        "net",
        "The king has no way out on h8: its own pawn on h7 is in its way, and the bishop on c4 guards g8.",
        "3rr1k1/1pQ2p1p/p5p1/8/2B5/4q2b/P5P1/5R1K w - - 0 25",
        "c7f7 g8h8 f7f6",
    ),
    FactCase(
        "net",
        "The king has no way out on h1.",
        "2r4k/6p1/5p1p/8/3B2n1/4PP2/2p1q1PP/Q1R1N1K1 b - - 0 39",
        "e2f2 g1h1 f2f1",
    ),
    FactCase("unstoppable", "The king is too late: nothing can stop the pawn on a5 any more.", *RUNNER),
    FactCase(
        "unstoppable",
        "Nothing can stop the pawn on h2 any more.",
        "8/8/3N4/p1p3K1/P1P4p/2Pk4/8/8 b - - 0 51",
        "h4h3 g5f4 h3h2",
    ),
    FactCase(
        "overloaded",
        "The rook on d1 is overloaded: it has to defend both the knight on d2 and the rook on a1.",
        *OVERLOADED,
    ),
    FactCase(
        "overloaded",
        "The pawn on b2 is overloaded: it has to defend the pawn on c3 and guard a3.",
        "3q2k1/1p3ppp/2rb2b1/3Q2P1/5p1P/2P2P2/PP1N4/2KR3R b - - 1 22",
        "c6c3 b2c3 d6a3",
    ),
    FactCase(
        "other-answers",
        "Kh5 allows g6#.",
        "8/pp1Q1ppk/4p2p/8/4N1NK/4nPP1/P6P/7q b - - 7 40",
        "e3f5 h4h3 h1f1",
    ),
    FactCase(
        "other-answers",
        "Rg3 allows Qxd1, which wins the queen; Rf2 allows Qxd1#; Qe2 allows Qg1#.",
        "5r1k/ppp2p1p/3p4/1B2p3/4P1qb/5R2/PPPP4/R1BQ1K2 b - - 1 18",
        "f8g8 f1e2 g4e4",
    ),
    FactCase(
        "threat",
        "The pawn on d2 advances to d4 and threatens the queen on g5 and the bishop on c5 "
        "at once.",
        "r1b4r/ppp2kpp/2n2n2/1Bbp1Pq1/4p3/8/PPPP1PPP/RNBQR1K1 w - - 2 10",
        "d2d4 g5f5 d4c5",
    ),
    FactCase(
        "mate-threat",
        "The knight on c4 goes to e3 and threatens mate on f1 and the queen on b3 at once.",
        "5qk1/4p1bp/6p1/3bP3/2n5/1Q1B4/1P2N1PP/2B3K1 b - - 1 20",
        "c4e3 b3d5 e3d5",
    ),
    FactCase(
        "flights",
        "Qc5 allows Be3, which attacks it.",
        "r1b2rk1/2p2pp1/p1nb1n1p/1p1qp3/8/2PP1N1P/PPB2PP1/RNBQR1K1 w - - 1 12",
        "c2b3 d5b3 a2b3",
    ),
    FactCase(
        "flights",
        "Wherever the queen on b5 is safe, except on b4, it allows Qxd3, which wins the knight, or b5, which "
        "attacks it.",
        "2r1r1k1/pp3pp1/5n1p/1q1p4/1P1Q4/P2nP1PP/3N1PBK/R4R2 w - - 3 22",
        "a3a4 b5b4 d4d3",
    ),
    FactCase(
        "trapped",
        "The knight on c3 goes to a4 and attacks the queen on b2, which has no safe square.",
        *QUEEN_TRAPPED,
    ),
    FactCase(
        "costly-defence",
        "The king on f5 goes to e6 and threatens mate on c7, which can be parried only at a loss of "
        "material.",
        *COSTLY,
    ),
    FactCase(
        "mate-threat",
        "The queen on c8 goes to g4 and threatens mate on g2 and the knight on g5 at once.",
        *MATE_THREATENED,
    ),
    FactCase(
        "last-check",
        "The knight on d5 goes to b6 with a discovered check by the rook on d2 and also attacks the rook on "
        "a8.",
        *DISCOVERED_LAST,
    ),
    FactCase(
        "threat",
        "The knight on a4 goes to c5 and threatens the queen on d7 and the rook on e6 at once.",
        *BOTH_THREATENED,
    ),
    FactCase(
        "threat",
        "The rook on d6 goes to d8 and pins the rook on e8 to its king.",
        "4r1k1/p3Prpp/3R4/1p6/2p5/6Q1/Pq3PPP/4R1K1 w - - 1 24",
        "d6d8 f7e7 d8e8 e7e8 e1e8",
    ),
    FactCase("zugzwang", "It is zugzwang: every move of the opponent loses something.", *TREBUCHET),
    FactCase("tied", "If the pawn on f5 takes the rook on e4, Qxg5 wins the queen on g5.", *TIED),
    FactCase(
        "passed",
        "The pawn on b5 takes the pawn on a4, and no pawn can stop it on its way.",
        "8/6p1/pkp1N1np/1p6/P2PP3/5K2/2P4P/8 b - - 3 33",
        "b5a4 e6c5 a4a3",
    ),
    FactCase("other-answers", "Kg2 and Kh1 allow Qh2#.", *MATE_ON_H2),
    FactCase(
        "other-answers",
        "Qxc2 is the only answer to the check.",
        "r1b1kbnr/pppp1ppp/8/4P3/1n6/2N2N2/PqPBPPPP/1R1QKB1R b Kkq - 3 7",
        "b4c2 d1c2 b2c2",
    ),
    FactCase(
        "before-taking-back",
        "The bishop on d3 takes the pawn on h7 with check before the pawn on b2 takes back on c3.",
        *TAKEN_BACK_LATER,
    ),
    FactCase(
        "before-taking-back",
        "The bishop on d3 takes the pawn on h7 before the pawn on b2 takes back on c3.",
        "r1bq1r1k/ppp2ppp/8/8/1b6/2NB4/PPP2PPP/R1BQ1RK1 w - - 0 1",
        "a2a3 b4c3 d3h7 h8h7 b2c3",
    ),
    FactCase(
        "pinned",
        "The rook on d3 is pinned to the queen on b1 by the bishop on f5.",
        "5rk1/1p2bppp/pq6/4Pb2/5P2/3R4/PP1B2PP/RQ5K b - - 3 20",
        "b6g6 d3g3 f5b1 g3g6 b1g6",
    ),
    FactCase(
        "backed",
        "The bishop on f5 pins the queen on e6 to its king and is defended by the pawn on g4.",
        *QUEEN_PINNED_BY_OFFER,
    ),
    FactCase(
        "king-held-off", "The king cannot take the rook on b1, which the king on a2 defends.", *HELD_OFF
    ),
    FactCase(
        "forced-block",
        "After Bd5+ the king has no square, and what blocks the check on e6 is lost.",
        *BLOCKED_ON_E6,
    ),
    FactCase(
        "not-at-once",
        "Qxb7 at once would allow Rxb7, so the rook on c5 goes to c1 with check first.",
        *CHECK_FIRST,
    ),
    FactCase(
        "driven",
        "The rook on e1 goes to e8 with check and drives the king to h7, where the bishop on f3 checks it "
        "from e4.",
        *KING_DRIVEN_TO_H7,
    ),
    FactCase(
        "skewer", "The rook on b3 goes to c3 with check; behind the king stands the rook on c8.", *SKEWER
    ),
    FactCase(
        "clears",
        "The rook on h2 goes to h1 with check and clears h2 for the queen on h4.",
        *SQUARE_CLEARED,
    ),
    FactCase(
        "knight-check",
        "The pawn on f2 promotes to a knight on f1 with check, which a queen would not give.",
        *KNIGHT_MADE,
    ),
    FactCase(
        "tied-down",
        "The knight on f8 goes to d7 and attacks the rook on b6, which has to defend the bishop on a6.",
        *ROOK_TIED_DOWN,
    ),
    FactCase(
        "mate-in-two",
        "The king on e7 goes to f7 and threatens g6+ with mate to follow.",
        *CHECKS_THREATENED,
    ),
    FactCase("stops-mate", "The rook on f8 goes to g8 and stops mate on g7.", *MATE_STOPPED),
    FactCase(
        "stops-mate",
        "The queen on b3 takes the queen on d5, which threatened mate on d2.",
        "2kr1b1r/p4ppp/1P6/3q4/8/1Q6/1P1N4/R2K4 w - - 7 28",
        "b3d5 d8d5 b6a7",
    ),
    FactCase(
        "saves",
        "The bishop on g5 goes to e3, and escapes the pawn on h6.",
        *BISHOP_SAVED,
    ),
    FactCase(
        "saves",
        "The rook on c1 takes the rook on c8, which attacked it.",
        "2rn2k1/pb2q1pp/Bp1p1pn1/3Pp3/1P2P3/P4NP1/3NQP1P/2R3K1 w - - 1 19",
        "c1c8 b7c8 a6c8",
    ),
    FactCase(
        "only-answer",
        "The king on g1 goes to g2, the only good answer to the check: Re1 allows Qxe1+.",
        *ONLY_ANSWER,
    ),
    FactCase("undefended", "Nothing defends the rook on h3.", *HANGING),
    FactCase("outnumbered", "The rook on e8 is attacked twice and defended only once.", *ATTACKED_TWICE),
    FactCase(
        "worth-more",
        "The rook on f1 can take back, but a queen is worth more than a bishop.",
        *QUEEN_FOR_BISHOP,
    ),
    FactCase(
        "backed",
        "The rook on d7 attacks the queen on c7 and the bishop on e7, and is defended by the queen on e6.",
        "r4r1k/2q1b1p1/p1p1Q2p/8/1P3p2/P3B3/5PPP/R2R2K1 w - - 0 21",
        "d1d7 c7d7 e6d7",
    ),
    FactCase("in-return", "If the pawn on a6 takes back, Rxa8 takes the rook on a8.", *TAKEN_IN_RETURN),
    FactCase(
        "tied",
        # The pawn on b2 cannot, because the capture uncovers a check.
        "Taking the pawn on c3 costs the bishop: the king takes back.",
        "3q3k/pp3p1p/8/1p6/3bP3/3K4/PPP1Q3/R1B5 w - - 18 42",
        "c2c3 d4e3 d3e3",
    ),
    FactCase(
        "tied",
        "Taking the pawn on e2 costs the queen: the queen on e6 takes back.",
        "6k1/p7/4q3/Pp1p4/5pN1/3Qp2P/6P1/7K b - - 0 39",
        "e3e2 g4h6 g8g7 d3d4 g7g6 h1h2 e2e1q",
    ),
    FactCase(
        "fork",
        "The rook on d1 goes to d7, where the bishop on e6 defends it, and attacks the queen on c7 and the "
        "knight on e7 at once.",
        "rk5r/2q1nQpp/p3B3/1p6/4P3/5P1P/PPP2P2/2KR4 w - - 2 22",
        "d1d7 a8a7 d7c7",
    ),
    FactCase(
        "fork", "The knight on d5 goes to c7 with check and also attacks the rook on a8.", *FORKED_ROOK
    ),
    FactCase("pinned", "The rook on g6 is pinned to its king by the queen on f5.", *PINNED_ROOK),
    FactCase(
        "pinned",
        "The pawn on d4 is pinned to the queen on d3 by the rook on d8 and should not take on e5.",
        "2kr2r1/1pp2q2/p1n1p2p/4B3/3P2n1/P1PQ1N2/2P2PP1/1R2R1K1 b - - 1 19",
        "c6e5 e1e5 g4e5 f3e5 f7f5",
    ),
    FactCase(
        "pinned",
        "The knight on b6 is pinned to the bishop on b7 by the queen on b2.",
        "r2r2k1/pb3pp1/1n5p/3p4/P1pP4/2N2B2/1Q3PPP/R4RK1 w - - 0 22",
        "a4a5 g8h8 a5b6",
    ),
]  # fmt: skip

NO_FACTS = [
    FactCase("fork", "it attacks one piece only", *PINNED_ROOK),
    FactCase("pinned", "it is not pinned before the move", *FORKED_ROOK),
    FactCase(
        "tied-down",
        "the rook falls although the queen defends it",
        "1r4k1/p1pq1p1p/4rbp1/3p4/N5Q1/2P5/PP3PPP/R4RK1 w - - 1 18",
        "a4c5 d7c6 c5e6",
    ),
    FactCase(
        "threat",
        "the knight was attacked before, by the rook and the pawn",
        "r5k1/5ppp/3b1n2/1p3p2/Nnpq1P2/5B1P/1BPP2P1/3Q1R1K b - - 1 20",
        "d4f4 g2g3 f4g3",
    ),
    FactCase(
        "in-return",
        "the rook on b8 is defended",
        "1rbqkb1r/5ppp/p2p1n2/1pp1p3/4P3/1PNP1N2/1PP2PPP/R1BQ1RK1 w k - 1 10",
        "c3b5 a6b5 a1a8",
    ),
    FactCase("net", "nobody is mated", *FORK),
    FactCase(
        "unstoppable", "the king is in the square", "8/8/8/8/P2k4/8/8/6K1 w - - 0 1", "a4a5 d4c5 a5a6"
    ),
    FactCase(
        "unstoppable", "a pawn behind another", "8/p7/2K5/6pp/P5k1/8/8/8 w - - 0 68", "a4a5 g4h3 a5a6"
    ),
    FactCase(
        "overloaded",
        "another rook defends a1",
        "r2r2k1/pp3ppp/1n6/4q3/1P2p1Q1/P3P3/3N1PPP/RR1R2K1 b - - 1 18",
        "d8d2 d1d2 e5a1",
    ),
    FactCase(
        "trapped",
        "the queen can give check on b4",
        "rnb1k2r/1pp2pb1/p2pp1pp/8/2PP4/2NBPN2/1q3PPP/R2QK2R w KQkq - 0 13",
        "c3a4 b2a1 d1a1",
    ),
    FactCase("costly-defence", "a pawn move parries it", *MATE_THREATENED),
    FactCase("mate-threat", "only a piece is threatened", *BOTH_THREATENED),
    FactCase(
        "last-check", "the knight can be taken", "r2bk3/8/8/3N4/8/8/8/4K3 w - - 0 1", "d5c7"
    ),
    FactCase("threat", "the rook hung before", "4k3/8/8/3r4/8/4N3/8/B3K3 w - - 0 1", "a1b2"),
    FactCase(
        "passed", "a pawn on b2", "8/6p1/pkp1N1np/1p6/P2PP3/5K2/1PP4P/8 b - - 3 33", "b5a4 e6c5 b6b5"
    ),
    FactCase(
        "other-answers",
        "the queen does not see h2",
        "r4r1k/qp4pp/p5p1/2pB4/3nP1P1/P1P4P/1P3P2/R2Q1RK1 b - - 0 19",
        "d4f3 d1f3 f8f3",
    ),
    FactCase(
        "before-taking-back",
        "it neither checks nor takes",
        TAKEN_BACK_LATER[0],
        "a2a3 b4c3 d3e4 g8h8 b2c3",
    ),
    FactCase(
        "tied-down",
        "there is mate on e6 if the knight stays, too",
        "2R1R3/3k2Pp/7P/4P3/8/7P/5p1K/8 w - - 0 47",
        "g7g8q f2f1n h2g1 f1d2 g8h7",
    ),
    FactCase("zugzwang", "a pawn can move", "8/8/4p1K1/2k1P3/8/8/7P/8 b - - 4 50", "c5d4 g6f6 d4d5"),
    FactCase("zugzwang", "something is threatened", *HANGING),
    FactCase(
        "tied",
        "the queen on g5 is defended",
        "r1b1r1k1/ppp5/3p3p/3P1pq1/2P1nR1Q/4P3/P1B3PP/6K1 w - - 2 23",
        "f4e4 g5h4 e4h4",
    ),
    FactCase("backed", "queens are exchanged", *QUEENS_EXCHANGED),
    FactCase("king-held-off", "a knight can take it", "8/8/8/8/8/8/kr1N4/2K2R2 b - - 14 112", "b2b1"),
    FactCase("forced-block", "the king can move", *INTERFERENCE),
    FactCase(
        "forced-block",
        "the rook on e8 is only exchanged",
        "6k1/3q1ppp/pR1Pr3/1p1n4/1P6/P4PP1/3Q3P/7K w - - 1 35",
        "b6b8 e6e8 b8e8 d7e8 d2d5",
    ),
    FactCase(
        "mate-threat",
        "the queen that would mate on f2 is exchanged",
        "rn1qk2r/pb1n1ppp/1p6/1BbpP3/3B4/2N2P2/PP4PP/R2QK1NR b KQkq - 2 11",
        "d8h4 g2g3 h4d4 d1d4 c5d4",
    ),
    FactCase(
        "not-at-once",
        "nothing takes back on b7",
        "6k1/1Q2qp1p/6p1/2r1P3/P7/8/6PP/2R3K1 b - - 0 28",
        "c5c1 g1f2 e7b7",
    ),
    FactCase("driven", "the same rook takes, without a check", *SKEWER),
    FactCase("skewer", "the bishop comes from elsewhere", *KING_DRIVEN_TO_H7),
    FactCase("clears", "the bishop's way was free", *KING_DRIVEN_TO_H7),
    FactCase("knight-check", "it becomes a queen", KNIGHT_MADE[0], "f2f1q"),
    FactCase(
        "tied-down",
        "the bishop is elsewhere, and defended",
        "r2n1nk1/6pp/1Rb1p3/3pP1P1/3P4/3BB2P/3N1K2/8 b - - 2 29",
        ROOK_TIED_DOWN[1],
    ),
    FactCase(
        "mate-in-two",
        "the pawn needs two moves to g6",
        "8/4K2k/2b4P/1p1p4/2p1p1P1/4B3/1P6/8 w - - 8 50",
        CHECKS_THREATENED[1],
    ),
    FactCase("stops-mate", "there is still mate on g7", MATE_STOPPED[0], "f8e8"),
    FactCase(
        "saves",
        "the pawn on h5 attacks nothing",
        "r1b2r1k/ppp3p1/2np1nq1/1Bb1p1Bp/4P3/5NNP/PPP2PP1/R2QR1K1 w - - 0 13",
        BISHOP_SAVED[1],
    ),
    FactCase(
        "other-answers",
        "it is the pawn on c5 that the queen on a7 would attack",
        "2r1kb1r/1p3ppp/pqn1p2n/2ppPb2/3P1P2/2P1BN2/PP1NB1PP/1R1Q1RK1 b k - 7 11",
        "h6g4 e3f2 f5b1",
    ),
    FactCase(
        "flights",
        "from c5, the queen can go to b6",
        "r1b2rk1/2p2pp1/p1nb1n1p/3qp3/1p6/2PP1N1P/PPB2PP1/RNBQR1K1 w - - 1 12",
        "c2b3 d5b3 a2b3",
    ),
    FactCase(
        "other-answers",
        "they allow what the solution does",
        "6r1/pp3p1k/3p3p/2pr4/4N2P/3P4/PPR2PP1/6K1 w - - 2 34",
        "e4f6 h7g7 f6d5",
    ),
    FactCase(
        "only-answer",
        "the bishop on d2 defends e1",
        "3rN2k/p4Q1p/1p2p1p1/4b3/P7/1P2R1P1/3B1P1P/1q4K1 w - - 3 32",
        "g1g2",
    ),
    FactCase("undefended", "a rook takes back", *QUEEN_FOR_BISHOP),
    FactCase("undefended", "the solver only takes back", *QUEEN_EXCHANGE),
    FactCase("outnumbered", "nothing defends it", *HANGING),
    FactCase("worth-more", "nothing takes back", *HANGING),
]  # fmt: skip
