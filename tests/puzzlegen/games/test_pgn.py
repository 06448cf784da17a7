from __future__ import annotations

import time

import pytest

from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, read_game
from puzzlegen.games.split import RawGame


def read(text: str | bytes) -> PlayedGame:
    return read_game(RawGame(1, 0, text.encode() if isinstance(text, str) else text))


def skipped(text: str | bytes) -> SkipGame:
    with pytest.raises(SkipGame) as caught:
        read(text)
    return caught.value


def moves(text: str | bytes) -> str:
    return " ".join(move.uci() for move in read(text).moves)


def test_headers_and_moves() -> None:
    game = read('[White "A. Player"]\n[Date "2020.??.??"]\n[Site "?"]\n\n1. e4 e5 2. Nf3 *')
    assert (game.header("White"), game.header("Site"), game.header("Date")) == ("A. Player", "", "2020.??.??")
    assert [move.uci() for move in game.moves] == ["e2e4", "e7e5", "g1f3"]


def test_evaluations_are_whites_win_chances_after_each_ply() -> None:
    game = read("1. e4 { [%eval 1.0] } 1... e5 { [%eval #-3] } 2. Nf3 { [%eval #2,18] } *")
    assert game.win_chances[1] == pytest.approx(0.182, abs=0.001)
    assert game.win_chances[2:] == (-1.0, 1.0)
    assert game.evaluated


def test_whole_numbers_with_depths_are_centipawns() -> None:
    pawns = read("1. e4 { [%eval 0.56,20] } 1... e5 { [%eval #-3,20] } 2. Nf3 { [%eval -1.00,9] } *")
    centipawns = read("1. e4 { [%eval 56,20] } 1... e5 { [%eval #-3,20] } 2. Nf3 { [%eval -100,9] } *")
    assert centipawns.win_chances == pawns.win_chances


@pytest.mark.parametrize("other", ["1.5,20", "0.25", "2"])
def test_fractions_or_no_depth_are_pawns(other: str) -> None:
    game = read(f"1. e4 {{ [%eval 1,20] }} 1... e5 {{ [%eval {other}] }} *")
    assert game.win_chances[1] == pytest.approx(0.182, abs=0.001)


def test_a_missing_evaluation_is_noticed() -> None:
    assert not read("1. e4 { [%eval 1.0] } 1... e5 2. Nf3 { [%eval 0.2] } *").evaluated


def test_mate_on_the_board_needs_no_evaluation() -> None:
    game = read("1. f3 { [%eval -0.7] } e5 { [%eval -0.6] } 2. g4 { [%eval #-1] } Qh4# 0-1")
    assert game.evaluated
    assert game.win_chances[-1] == -1.0


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1. e4 (1. d4 d5 (1... Nf6)) e5 2. Nf3 *", id="variations"),
        pytest.param("1. e4 { good } e5 ; rest of line\n2. Nf3 *", id="comments"),
        pytest.param("1. e4!? $1 e5 $14 2. Nf3?? *", id="glyphs"),
        pytest.param("1.e4 e5 2.Nf3", id="no result"),
        pytest.param(
            "1. e4 { e9 } e5 (1... Sf6 { (x } (z9)) 2. Nf3 N +- 1-0", id="no moves outside the line"
        ),
        pytest.param("\ufeff1. e4\n\n\ne5\n\n2. Nf3 *", id="byte order mark, blank lines"),
        pytest.param("1. e4 e5\0 2. N\0f3 *", id="NUL"),
        pytest.param("1. e4 e5\r\n2. Nf3 *\r\n", id="CRLF"),
        pytest.param("% escaped line\n1. e4 e5 2. Nf3 *", id="escaped line"),
    ],
)
def test_odd_but_usable(text: str) -> None:
    assert moves(text) == "e2e4 e7e5 g1f3"


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param("{" * 200_000, id="comments never closed"),
        pytest.param("(" * 100_000 + "e9" + ")" * 100_000, id="nested variations"),
        pytest.param("(" * 200_000, id="variations never closed"),
        pytest.param("{}" * 250_000, id="comments"),
        pytest.param("{[%eval " + " " * 200_000, id="an evaluation never closed"),
        pytest.param("; e9\n" * 40_000, id="comments to the end of the line"),
    ],
)
def test_a_long_game_is_read_in_seconds(rest: str) -> None:
    """With any of these, time that grows with the square of the length is many seconds or hours."""
    started = time.process_time()
    assert moves("1. e4 e5 " + rest) == "e2e4 e7e5"
    assert time.process_time() - started < 4


def test_a_very_long_line_is_read_like_a_short_one() -> None:
    comment = "{ 1. d4 (1. c4 } "
    assert moves(f"1. e4 {comment * 10_000} e5 {comment} 2. Nf3 *") == "e2e4 e7e5 g1f3"


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("1. e4 e5 2. Ke3 *", Skip.ILLEGAL_MOVE, "ply 3"),
        ("1. e4 Qh9 2. Nf3 *", Skip.ILLEGAL_MOVE, ""),
        ("1. e4 e9 2. Nf3 *", Skip.ILLEGAL_MOVE, "'e9' is not a move"),
        ("1. e4 e5 2. Sf3 *", Skip.ILLEGAL_MOVE, "'Sf3' is not a move"),
        ("1. e4 -- 2. Nf3 *", Skip.ILLEGAL_MOVE, "null move (ply 2)"),
        ('[Variant "Atomic"]\n\n1. e4 *', Skip.VARIANT, "Atomic"),
        (
            '[Variant "Chess960"]\n\n1. e4 *',
            Skip.VARIANT,
            "960",
        ),
        ('[FEN "no position"]\n\n1. e4 *', Skip.BAD_POSITION, ""),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', Skip.BAD_POSITION, "8/8"),
        ('[White "x"]\n\n*', Skip.NO_MOVES, ""),
        ("what is this\n", Skip.NOT_A_GAME, ""),
        ("", Skip.NOT_A_GAME, ""),
        (b"\xff\xfe\x00\x01" * 50, Skip.NOT_A_GAME, ""),
        ("Play well -- and win\n", Skip.NOT_A_GAME, ""),
        ("1. e4 " + "{ a comment } " * 100_000, Skip.TOO_LONG, "1048576 bytes"),
        ("Nf3 Nf6 Ng1 Ng8 " * 600, Skip.TOO_LONG, "2000 plies"),
    ],
)
def test_unusable_games(text: str | bytes, reason: Skip, detail: str) -> None:
    skip = skipped(text)
    assert skip.reason is reason
    assert detail in skip.detail


def test_a_set_up_position() -> None:
    game = read('[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *')
    assert game.start.fen() == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    assert game.win_chances[0] is None


def test_the_key_of_a_game_depends_on_its_moves() -> None:
    assert read("1. e4 *").key != read("1. d4 *").key


@pytest.mark.parametrize(
    ("name", "read_as"),
    [
        pytest.param(b"A\xe2\x80\xaeB\xc2\x9b31m\x1bC", "AB31mC", id="what a terminal or a page obeys"),
        pytest.param(b"D\x0cE\xc2\x85F", "D E F", id="other ends of lines"),
        pytest.param(b"H\xfcbner", "H\u00fcbner", id="an old encoding"),
        pytest.param(b'a [b] \\"c\\" <script>', 'a [b] "c" <script>', id="anything"),
    ],
)
def test_what_a_header_is_read_as(name: bytes, read_as: str) -> None:
    assert read(b'[White "' + name + b'"]\n\n1. e4 *').header("White") == read_as


@pytest.mark.parametrize(
    ("site", "url"),
    [
        ("https://lichess.org/abcdefgh", "https://lichess.org/abcdefgh"),
        ("http://example.org/1", "http://example.org/1"),
        ("javascript:alert(1)", ""),
    ],
)
def test_the_address_of_a_game(site: str, url: str) -> None:
    assert read(f'[Site "{site}"]\n\n1. e4 *').url == url
