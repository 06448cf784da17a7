"""Makes hostile inputs from good ones: a few random changes each."""

from __future__ import annotations

import bz2
import gzip
import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# What readers have stumbled over, one on each line with the escapes of Python: marks of the formats, numbers,
# encodings, and what a terminal obeys.
TOKENS = [
    line.encode().decode("unicode_escape").encode("utf-8", "surrogatepass")
    for line in Path(__file__).with_name("tokens.txt").read_text(encoding="utf-8").split("\n")
    if line
]

# Bytes that a repeated character or two fill: enough that what is quadratic takes more than the time allowed.
REPEATED = 80_000

# How often something longer is repeated, such as a whole game: thousands of games take seconds.
MOST_REPEATS = 3_000

# Bytes that are repeated at most: less than a packed file has, which may hold thousands of games itself.
LONGEST_PART = 20

# Bytes of an input at most: what a command does with more takes proportionally longer.
LONGEST = 100_000

_WORD = re.compile(rb"[^\s,;\"/]+")


def mutated(random: Random, text: bytes, other: bytes) -> bytes:
    """Return `text` after one to six random changes; `other` is a text to take parts from."""
    for change in random.choices(list(_CHANGES), list(_CHANGES.values()), k=random.randint(1, 6)):
        text = change(random, text, other)[:LONGEST]
    return text


def _flip_bit(random: Random, text: bytes, other: bytes) -> bytes:
    place = random.randint(0, len(text))
    flipped = bytes(byte ^ 1 << random.randrange(8) for byte in text[place : place + 1])
    return text[:place] + flipped + text[place + 1 :]


def _delete(random: Random, text: bytes, other: bytes) -> bytes:
    start, end = _span(random, text)
    return text[:start] + text[end:]


def _duplicate(random: Random, text: bytes, other: bytes) -> bytes:
    start, end = _span(random, text)
    return text[:end] + text[start:]


def _truncate(random: Random, text: bytes, other: bytes) -> bytes:
    return text[: random.randint(0, len(text))]


def _splice(random: Random, text: bytes, other: bytes) -> bytes:
    start, end = _span(random, other)
    place = random.randint(0, len(text))
    return text[:place] + (other[start:end] + text[place:] if random.random() < 0.5 else other[start:])


def _insert(random: Random, text: bytes, other: bytes) -> bytes:
    place = random.randint(0, len(text))
    return text[:place] + random.choice(TOKENS) + text[place:]


def _replace_word(random: Random, text: bytes, other: bytes) -> bytes:
    word = _WORD.search(text, random.randint(0, len(text)))
    return text if word is None else text[: word.start()] + random.choice(TOKENS) + text[word.end() :]


def _repeat(random: Random, text: bytes, other: bytes) -> bytes:
    start, end = _span(random, text)
    part = random.choice((random.choice(TOKENS), text[start:end]))[:LONGEST_PART]
    times = REPEATED // max(1, len(part)) if len(part) < 3 else MOST_REPEATS
    return text[:start] + part * times + text[end:]


def _change_lines(random: Random, text: bytes, other: bytes) -> bytes:
    return text.replace(b"\n", random.choice((b"\r", b"\r\n", b"\n\n", b"\n\r", b"\x0b", b" ")))


def _encode(random: Random, text: bytes, other: bytes) -> bytes:
    encoding = random.choice(("utf-16", "utf-16-be", "utf-8-sig", "cp037", "utf-7"))
    return text.decode("latin-1").encode(encoding, "replace")


def _pack(random: Random, text: bytes, other: bytes) -> bytes:
    return random.choice((zstd.compress, gzip.compress, bz2.compress))(text)


def _span(random: Random, text: bytes) -> tuple[int, int]:
    start = random.randint(0, len(text))
    return start, min(len(text), start + random.randint(1, 4 ** random.randint(0, 6)))


# Each takes a random generator, the text and another text. The numbers are how often they happen.
_CHANGES: dict[Callable[[Random, bytes, bytes], bytes], int] = {
    _flip_bit: 10,
    _delete: 10,
    _duplicate: 8,
    _truncate: 4,
    _splice: 10,
    _insert: 20,
    _replace_word: 20,
    _repeat: 1,
    _change_lines: 1,
    _encode: 1,
    _pack: 4,
}
