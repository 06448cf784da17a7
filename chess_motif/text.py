"""Text: cleaning text from outside (files, engines, file names), suggestions for misspelt names, and plurals.

Some characters change how the text around them is shown: control characters move the cursor of a terminal,
and bidirectional characters reverse the text after them. Every reader of outside text cleans it once.
"""

from __future__ import annotations

import difflib
import re
import shlex
import textwrap
import unicodedata
from collections.abc import Iterable
from datetime import timedelta

# What separates the words of a player's name besides spaces: `Carlsen, M.`, `Stockfish (level 4)`.
BETWEEN_WORDS = ",.()"

_NAME_WORD = re.compile(rf"[^\s{re.escape(BETWEEN_WORDS)}]+")

# C0 and C1 control characters, line and paragraph separators, bidirectional controls, and surrogates, which
# cannot be encoded.
_UNWANTED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

# The number before a move, and the space after it.
_MOVE_NUMBER = re.compile(r"(\b\d+\.) (?=\S)")


def folded(text: str, width: int) -> str:
    """Return a text in lines of at most `width` columns, broken between words only.

    A move number stays with its move, as in `7. f3`. Existing line breaks stay.
    """
    together = _MOVE_NUMBER.sub("\\1\u00a0", text)
    lines = [
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in together.split("\n")
    ]
    return "\n".join(lines).replace("\u00a0", " ")


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, such as "1 puzzle" or "2,000 puzzles"."""
    return f"1 {noun}" if number == 1 else f"{number:,} {plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun: games, days, searches, queries."""
    if noun.endswith("y") and not noun.endswith("ay"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def clean(text: str) -> str:
    """Return a text on one line, without control characters.

    Tabs and line breaks become spaces. Surrogates, as in names of files that are not UTF-8, become the
    replacement character.
    """
    return _UNWANTED.sub(_replacement, text)


def clean_name(name: str) -> str:
    """Return a name without invisible characters, with single spaces and with composed accents.

    Names that look the same are then nearly always equal.
    """
    seen = "".join(
        letter for letter in unicodedata.normalize("NFC", clean(name)) if unicodedata.category(letter) != "Cf"
    )
    return " ".join(seen.split())


def shell_word(text: str) -> str:
    """Return a text as one word of a shell. Control characters become escapes (`$'\\x1b'`)."""
    if clean(text) == text:
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_UNWANTED.sub(_escape, plain)}'"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    # A surrogate stands for a byte that is not UTF-8.
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    elif code > 0x7F:
        return f"\\u{code:04x}"
    return f"\\x{code:02x}"


def _replacement(match: re.Match[str]) -> str:
    character = match[0]
    if character.isspace():
        return " "
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def name_words(name: str) -> list[str]:
    """Return the words of a player's name, in lower case: `carlsen` and `m` for `Carlsen, M.`"""
    return _NAME_WORD.findall(name.lower())


def has_name_words(name: str, words: str) -> bool:
    """Return whether all `words` are whole words of a player's name, in any order and any case."""
    return set(name_words(words)) <= set(name_words(name))


def name_key(name: str) -> tuple[str, ...]:
    """Return a key that is the same for `Carlsen, Magnus` and `Magnus Carlsen`."""
    return tuple(sorted(name_words(name)))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'fork'?` with the known names most like `name`; empty if none is like it."""
    by_key = {other.lower(): other for other in sorted(known)}
    nearest = [repr(by_key[key]) for key in difflib.get_close_matches(name.lower(), by_key)]
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""


def clock(span: timedelta) -> str:
    """Return a time as a clock shows it, such as `1:07` or `1:02:30`."""
    minutes, seconds = divmod(round(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
