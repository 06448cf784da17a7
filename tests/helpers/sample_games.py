"""Games to search for positions and opportunities, and positions in them."""

from __future__ import annotations

# Moves that last longer than what counts as opening.
RUY_LOPEZ = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O "
    "9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5"
)
SICILIAN = (
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6 8. f3 Be7 "
    "9. Qd2 O-O 10. O-O-O Nbd7 11. g4 b5 12. g5 b4 13. Ne2 Ne8 14. f4 a5 15. f5 a4"
)
# Starts from a position of its own, and so has no opening.
ENDGAME_START = "8/5pk1/6p1/8/3R4/6P1/r4PK1/8 w - - 0 40"
ENDGAME = "40. Rd7 Kf6 41. Rd6+ Kg7 42. g4 Ra4"

# The Ruy Lopez after its 13th move.
IN_RUY_LOPEZ = "r2qrbk1/1bpn1ppp/p2p1n2/1p2p3/3PP3/2P2N1P/PPB2PP1/R1BQRNK1 w - - 7 14"


def pgn(moves: str, result: str = "*", **headers: str) -> str:
    """Return a game as PGN."""
    tags = {"Event": "Club", "Result": result} | headers
    return "\n".join(
        [*(f'[{name} "{value}"]' for name, value in tags.items()), "", f"{moves} {result}", "", ""]
    )


PGN = "".join(
    [
        pgn(
            RUY_LOPEZ,
            "1/2-1/2",
            White="Anand, Viswanathan",
            Black="Carlsen, Magnus",
            WhiteElo="2770",
            BlackElo="2870",
            Date="2013.11.12",
            Site="https://example.org/1",
            Round="3",
            ECO="C95",
        ),
        pgn(
            SICILIAN,
            "0-1",
            White="Karjakin, Sergey",
            Black="Anand, Viswanathan",
            WhiteElo="2695",
            BlackElo="2790",
            Date="2006.01.14",
            Site="Wijk aan Zee",
            ECO="B90",
        ),
        pgn(ENDGAME, "1-0", White="Ann", Black="Bob", SetUp="1", FEN=ENDGAME_START),
    ]
)

# Ann misses mate in one, and Bob takes the queen that she leaves.
MISSED_MATE = """\
[White "Miller, Ann"]
[Black "Bob"]
[Site "https://lichess.org/abcdefgh"]
[Result "0-1"]

1. e4 { [%eval 0.3] [%clk 0:03:00] } 1... e5 { [%eval 0.3] [%clk 0:03:00] }
2. Qh5 { [%eval -0.3] [%clk 0:02:50] } 2... Nc6 { [%eval -0.2] [%clk 0:02:55] }
3. Bc4 { [%eval -0.2] [%clk 0:02:40.5] } 3... Nf6 { [%eval #1] [%clk 0:02:50] }
4. Nf3 { [%eval -4.5] [%clk 0:02:30] } 4... Nxh5 { [%eval -4.5] [%clk 0:02:45] }
5. d3 { [%eval -4.6] [%clk 0:02:20] } 0-1

"""

# Ann leaves a bishop, and Bob takes it.
HANGING_PIECE = """\
[White "Miller, Ann"]
[Black "Bob"]
[Site "https://lichess.org/mnopqrst"]
[Result "0-1"]

1. e4 { [%eval 0.3] } 1... e5 { [%eval 0.3] } 2. d3 { [%eval 0.0] } 2... d6 { [%eval 0.1] }
3. Bg5 { [%eval -5.5] } 3... Qxg5 { [%eval -5.5] } 4. Nf3 { [%eval -5.5] } 0-1

"""
