from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.games.split import LONGEST_GAME, TAIL, is_too_long, split_games

ONE = b'[Event "A"]\n[White "x"]\n\n1. e4 e5 { a comment } 2. Nf3 1-0\n\n'
TWO = b'[Event "B"]\n\n1. d4 *\n\n'


def texts(text: bytes, size: int = 10_000) -> list[bytes]:
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    return [game.text for game in split_games(chunks)]


def test_games_are_cut_at_their_tags() -> None:
    assert texts(ONE + TWO + ONE) == [ONE, TWO, ONE]


@given(st.lists(st.sampled_from([ONE, TWO]), max_size=12), st.integers(1, 200))
def test_the_size_of_the_pieces_does_not_matter(games: list[bytes], size: int) -> None:
    assert texts(b"".join(games), size) == games


@given(st.binary(max_size=400), st.integers(1, 50))
def test_nothing_is_lost_whatever_comes(text: bytes, size: int) -> None:
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    games = list(split_games(chunks))
    place = 0
    for number, game in enumerate(games, 1):
        assert not texts(text[place : game.offset])
        assert (game.number, game.text) == (number, text[game.offset : game.end])
        assert text[: game.end].endswith(game.tail)
        place = game.end
    assert not texts(text[place:])


def test_a_text_in_the_middle_keeps_its_place() -> None:
    games = list(split_games([ONE, TWO], offset=1000, number=7))
    assert [(game.number, game.offset) for game in games] == [(8, 1000), (9, 1000 + len(ONE))]


def test_garbage_between_games_does_not_hurt_them() -> None:
    found = texts(ONE + b"\x00\xff garbage { without end\n\n" + TWO)
    assert found[-1] == TWO
    assert found[0].startswith(ONE)


@pytest.mark.parametrize(
    ("text", "games"),
    [
        pytest.param(b"", 0, id="empty"),
        pytest.param(b"\n \r\n", 0, id="blank"),
        pytest.param(b"# Read me\n\nPlay well -- and *win*.\n", 0, id="prose"),
        pytest.param(b"\n" + ONE, 1, id="a blank line before the tags"),
        pytest.param(b"A collection.\n" + ONE, 1, id="a title"),
        pytest.param(ONE + b"1-0\nThat was all.\n", 1, id="prose at the end"),
        pytest.param(b"\xef\xbb\xbf" + ONE, 1, id="byte order mark"),
        pytest.param(b"e4 e5 Nf3 *", 1, id="no move numbers"),
        pytest.param(b"{ My best game } e4 e5 *", 1, id="a comment first"),
        pytest.param(b"1.Sf3 Sf6 *", 1, id="German letters"),
        pytest.param(b'[White "x"]\n', 1, id="no moves"),
        pytest.param(b'[White "a"]\r\n\r\n1. e4 *\r\n\r\n[White "b"]\r\n\r\n1. d4 *\r\n', 2, id="CRLF"),
        pytest.param(b'[Event "A"]\n\n1. e4 { 1-0\n\n } e5 *\n', 1, id="result in a comment"),
    ],
)
def test_only_games_are_counted(text: bytes, games: int) -> None:
    assert len(texts(text)) == games


@pytest.mark.parametrize("junk", [b"\0", b" ", b"\n", b"x"], ids=["zeros", "spaces", "newlines", "letters"])
def test_any_amount_of_junk_is_skipped_between_games(junk: bytes) -> None:
    tracemalloc.start()
    games = list(split_games([ONE, *[junk * (1 << 20)] * 20, b"\n" + TWO]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [game.number for game in games] == [1, 2]
    assert games[0].text.startswith(ONE)
    assert games[1].text.strip() == TWO.strip()
    assert peak < 12 << 20


@pytest.mark.parametrize("size", [1 << 16, 1 << 20])
def test_a_game_without_end_is_one_game_and_cut_off(size: int) -> None:
    text = ONE + b'[Event "X"]\n\n1. e4 ' + b"{ and so on }\n" * 400_000 + TWO
    first, endless, last = split_games([text[start : start + size] for start in range(0, len(text), size)])
    assert (first.text, last.text) == (ONE, TWO)
    assert is_too_long(endless.text)
    assert len(endless.text) < LONGEST_GAME + 2 * size
    assert text.endswith(last.tail)
    assert len(last.tail) == TAIL


def test_padding_does_not_make_a_game_too_long() -> None:
    assert not is_too_long(ONE + b"\0\n " * LONGEST_GAME)


def test_an_unfinished_last_game_is_kept_back_when_the_text_breaks_off() -> None:
    def broken() -> Iterator[bytes]:
        yield ONE + b'[Event "B"]\n\n1. d4 '
        raise OSError

    got: list[bytes] = []
    with pytest.raises(OSError):  # noqa: PT011 - the one raised above
        got.extend(game.text for game in split_games(broken()))
    assert got == [ONE]
