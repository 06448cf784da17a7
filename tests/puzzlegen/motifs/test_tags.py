"""Tags: what a person filters by."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

import chess
import pytest

from chess_motif.material import capture_by
from puzzlegen.motifs.table import OPENING_MOVES, TAGS, TagGroup
from puzzlegen.motifs.tags import NO_MOTIF, main_motif, main_words, motif_tags, phase_tags, solution_tags
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.solutions import Solution, colours_swapped, parsed
from tests.helpers.tactics import SOLUTIONS, Expected, expected


def tags(fen: str, *solution: str, blunder: str = "") -> set[str]:
    position, taken = chess.Board(fen), None
    if blunder:
        move = chess.Move.from_uci(blunder)
        taken = capture_by(position, move)
        position.push(move)
    return set(solution_tags(position, [chess.Move.from_uci(move) for move in solution], taken))


@pytest.mark.parametrize("one", [*expected("tag"), *expected("unforced-tag")], ids=str)
def test_a_tag(one: Expected) -> None:
    found = solution_tags(*one.solution, is_forced=one.kind == "tag")
    assert (one.name in found) is one.holds


@pytest.mark.parametrize("one", [*expected("main"), *expected("unforced-main")], ids=str)
def test_the_tag_that_says_most(one: Expected) -> None:
    found = solution_tags(*one.solution, is_forced=one.kind == "main")
    assert ((main_motif(found) or "none") == one.name) is one.holds


def test_a_mate_that_is_not_forced_is_no_tag() -> None:
    position, moves = parsed("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8")
    found = set(solution_tags(position, moves, is_forced=False))
    assert {"mate", "mateIn1"}.isdisjoint(found)
    assert "backRankMate" in found


def test_a_recapture_that_is_put_off() -> None:
    # Black has just taken on c3; White takes on h7 with check before taking back.
    fen = "r1bq1rk1/ppp2ppp/8/8/1b6/2NB4/PPP2PPP/R1BQ1RK1 b - - 0 1"
    assert "intermezzo" in tags(fen, "d3h7", "g8h7", "b2c3", blunder="b4c3")


def test_a_capture_elsewhere_is_no_recapture() -> None:
    # The bishop stood on c3 before; what was taken is a pawn on a7.
    fen = "r1bq1rk1/Ppp2ppp/8/8/8/2bB4/PPP2PPP/R1BQ1RK1 b - - 0 1"
    assert "intermezzo" not in tags(fen, "d3h7", "g8h7", "b2c3", blunder="a8a7")


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


def test_every_tag_has_a_definition() -> None:
    assert {tag for solution in SOLUTIONS for tag in solution_tags(*solution)} <= TAGS.keys()


def test_tags_are_listed_group_by_group() -> None:
    assert [group for group, _ in groupby(tag.group for tag in TAGS.values())] == list(TagGroup)


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
    assert {tag for tag in found if TAGS[tag].group is TagGroup.GAIN} == ({gain} if gain else set())


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


def test_nothing_is_said_of_a_middlegame_that_is_held_by_a_quiet_move() -> None:
    position, moves = parsed(chess.STARTING_FEN, "h2h3")
    assert main_motif(solution_tags(position, moves, holds=True)) is None


def test_the_main_motif_in_words() -> None:
    given = ["hangingPiece", "short"], ["winsExchange", "short"], ["short"]
    assert [*map(main_words, given)] == ["hanging piece", "wins the exchange", NO_MOTIF]


# After 1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5.
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4"

PHASES = [
    ("8/5k2/5p2/8/8/2P5/2K5/8 w - - 0 40", "endgame pawnEndgame", "kings and pawns"),
    ("8/5k2/5p2/8/8/2P1N3/2K5/8 w - - 0 40", "endgame knightEndgame", "a knight"),
    ("8/3b1k2/5p2/8/8/2P1B3/2K5/8 w - - 0 40", "endgame bishopEndgame", "bishops"),
    ("8/3r1k2/5p2/8/8/2P1R3/2K5/8 w - - 0 40", "endgame rookEndgame", "rooks"),
    ("8/3q1k2/5p2/8/8/2P1Q3/2K5/8 w - - 0 40", "endgame queenEndgame", "queens"),
    ("8/3q1k2/5p2/8/8/2P1R3/2K5/8 w - - 0 40", "endgame queenRookEndgame", "a queen, a rook"),
    ("8/3qrk2/5p2/8/8/2P1RQ2/2K5/8 w - - 0 40", "endgame queenRookEndgame", "queens and rooks"),
    ("8/3b1k2/5p2/8/8/2P1N3/2K5/8 w - - 0 40", "endgame", "a bishop, a knight"),
    ("8/3b1k2/5p2/8/8/2P1R3/2K5/8 w - - 0 40", "endgame", "a bishop, a rook"),
    ("r3r1k1/5ppp/4b3/8/8/4B3/5PPP/R3R1K1 w - - 0 20", "endgame", "six pieces"),
    ("r3r1k1/5ppp/4b3/8/8/4B3/3N1PPP/R3R1K1 w - - 0 20", "middlegame", "seven pieces"),
    (f"{ITALIAN} 4", "opening", "early"),
    (f"{ITALIAN} {OPENING_MOVES + 1}", "middlegame", "late"),
    ("r3k2r/pppp1ppp/2n5/4p3/4P3/2N5/PPPP1PPP/R1BQKB1R w KQkq - 0 10", "middlegame", "ten pieces"),
    ("r4rk1/ppp1qppp/2npbn2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQ - 0 9", "middlegame", "developed"),
]  # fmt: skip


@pytest.mark.parametrize(("fen", "phase", "what"), PHASES, ids=[what for *_, what in PHASES])
def test_the_phase(fen: str, phase: str, what: str) -> None:
    assert {*phase_tags(chess.Board(fen))} == {*phase.split()}


@pytest.mark.parametrize("swap", [lambda solution: solution, colours_swapped])
def test_tags_are_those_of_the_line_with_colours_reversed(swap: Callable[[Solution], Solution]) -> None:
    for solution in map(swap, SOLUTIONS):
        reversed_ = Tactics(*solution).with_white_to_move()
        assert reversed_.position.turn == chess.WHITE
        assert reversed_.tags() == solution_tags(*solution)
