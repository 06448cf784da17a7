"""What is removed from text that comes from outside, and what a misspelt name meant."""

from __future__ import annotations

import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.text import (
    clean,
    clean_name,
    counted,
    did_you_mean,
    folded,
    has_name_words,
    name_key,
    shell_word,
)
from tests.helpers.systems import UNIX

KNOWN = ["pin", "fork", "backRankMate"]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x9b31mred\x7f\0", "31mred"),
        ("abc\u202ecba\u2069\u200f\u061c", "abccba"),
        ("one\ttwo\r\nthree\x85four\u2028five", "one two  three four five"),
        ("games\udcff.pgn", "games\ufffd.pgn"),
        ("Ćwiek – Müller, 何 🏆 \u0645\u0647\u0631\u200c\u062f\u0627\u062f", None),
    ],
)
def test_what_remains(text: str, cleaned: str | None) -> None:
    assert clean(text) == (text if cleaned is None else cleaned)


@given(st.text(st.characters(blacklist_categories=())))
def test_clean_text_can_be_shown_and_encoded(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in cleaned)
    directions = {unicodedata.bidirectional(character) for character in cleaned}
    assert directions.isdisjoint({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("frok", "; did you mean 'fork'?"),
        ("BACKRANKMATE", "; did you mean 'backRankMate'?"),
        ("zugzwang", ""),
    ],
)
def test_the_nearest_names(name: str, suggestion: str) -> None:
    assert did_you_mean(name, KNOWN) == suggestion


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (1, "game", "1 game"),
        (2_000, "game", "2,000 games"),
        (0, "query", "0 queries"),
        (2, "search", "2 searches"),
    ],
)
def test_numbers_with_their_nouns(number: int, noun: str, words: str) -> None:
    assert counted(number, noun) == words


@pytest.mark.parametrize(
    ("name", "words", "has"),
    [
        ("Carlsen, Magnus", "magnus CARLSEN", True),
        ("Carlsen,M.", "carlsen, m", True),
        ("Carlsen, Magnus", "carl", False),
        ("Maxwell, Ann", "x", False),
        ("Wei Yi", "Yi", True),
        ("O'Nym, Ann", "o'nym", True),
        ("Carlsen", "Carlsen, Magnus", False),
    ],
)
def test_words_of_a_name_are_whole(name: str, words: str, has: bool) -> None:
    assert has_name_words(name, words) is has


def test_the_order_of_a_name_does_not_matter() -> None:
    assert name_key("Carlsen, Magnus") == name_key("Magnus CARLSEN") != name_key("Carlsen, M.")


@given(st.text("ab 1.-\n", max_size=200), st.integers(10, 80))
def test_folded_text_keeps_its_words(text: str, width: int) -> None:
    assert folded(text, width).split() == text.split()


def test_a_move_stays_with_its_number() -> None:
    assert folded("Solution: 7. f3 O-O 8. fxe4", 14).splitlines() == ["Solution:", "7. f3 O-O", "8. fxe4"]


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("  Carlsen,\u2003Magnus ", "Carlsen, Magnus"),
        ("An\u200bn\u2060\ufeff \u00ad", "Ann"),
        ("Jose\u0301", "Jos\u00e9"),
        ("\x1b[31mred\u202e", "[31mred"),
    ],
)
def test_names_that_look_the_same_are_the_same(name: str, seen: str) -> None:
    assert clean_name(name) == clean_name(seen) == seen


@UNIX
@pytest.mark.parametrize(
    "text", ["games.pgn", "two words", "it's", "\x1b[31m it's \\ \u202e\u2028\x9b", "a\udcff"]
)
def test_a_word_of_a_shell_is_safe_to_print_and_to_paste(text: str) -> None:
    word = shell_word(text)
    assert clean(word) == word
    printed = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout
    assert printed == text.encode(errors="surrogateescape")
