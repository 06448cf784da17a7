"""Cutting a stream of PGN text into games, as bytes, without understanding the moves.

A game is its tag lines and the moves after them. Tag lines that follow moves begin a new game,
whatever blank lines or comments stand between; a result followed by a blank line ends a game
without tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# A longer run of text without a game's end is not a game (1 MiB is some 4,000 annotated moves).
LONGEST_GAME = 1 << 22

_EVENT = b"\n[Event "
# As Lichess writes it: tag lines, a blank line, one line of moves, a blank line.
_USUAL_GAME = re.compile(
    rb"\[[^\n]*+\n(?:\[(?!Event )[^\n]*+\n)*+\n[^\[\n][^\n]*+\n\n(?=\[Event |\Z)",
)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_TAG_LINE = re.compile(rb"\[[A-Za-z0-9_]+[ \t]+\".*\"[ \t]*\][ \t\r]*$")
_RESULT_AT_END = re.compile(rb"(?:1-0|0-1|1/2-1/2|\*)[ \t\r]*$")
_BRACES = re.compile(rb"[{}]")


class RawGame(NamedTuple):
    """The text of one game: `offset` is its first byte in the archive's text, `number` counts from 1."""

    number: int
    offset: int
    text: bytes

    @property
    def end(self) -> int:
        """The byte after the game."""
        return self.offset + len(self.text)


def split_games(chunks: Iterable[bytes], offset: int = 0, number: int = 0) -> Iterator[RawGame]:
    """Yield the games of a text that comes in pieces, in order.

    `offset` is where the text begins in the whole, `number` how many games came before it. Blank
    text between games belongs to the game before it. What was read is yielded before an error of
    `chunks` passes through, except the last game, which may be incomplete.
    """
    for block in whole_games(chunks):
        for text in split_block(block):
            number += 1
            yield RawGame(number, offset, text)
            offset += len(text)


def whole_games(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text that comes in pieces in other pieces, which end where a game does.

    The last game may go on in the next piece and is kept back until it comes.
    """
    rest = b""
    for chunk in chunks:
        rest += chunk
        cut = rest.rfind(_EVENT) + 1
        if not cut and len(rest) > LONGEST_GAME:
            cut = _last_start(rest)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
    if rest:
        yield rest


def split_block(block: bytes) -> Iterator[bytes]:
    """Yield the games of a block that ends where a game ends; their texts join to the block."""
    start = 0
    while start < len(block):
        # One match costs less than half of the searches for where a section ends and what is in it.
        if usual := _USUAL_GAME.match(block, start):
            yield usual[0]
            start = usual.end()
            continue
        end = block.find(_EVENT, start) + 1 or len(block)
        yield from split_section(block[start:end])
        start = end


def split_section(text: bytes) -> Iterator[bytes]:
    """Yield the games of a text in which `[Event ` begins no line but the first."""
    yield from [text] if _is_one_game(text) else _split_by_line(text)


def _is_one_game(text: bytes) -> bool:
    """Return whether all tags stand before the first blank line."""
    blank = _BLANK_LINE.search(text)
    return text.startswith(b"[") and blank is not None and text.rfind(b"\n[") < blank.start()


def _split_by_line(text: bytes) -> Iterator[bytes]:
    start = position = 0
    in_comment = in_moves = ended = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if not in_comment:
            is_tag = bare.startswith(b"[") and _TAG_LINE.match(bare) is not None
            if in_moves and (is_tag or (ended and bare)):
                yield text[start:position]
                start, in_moves, ended = position, False, False
            in_moves = in_moves or bool(bare and not is_tag and not bare.startswith(b"%"))
            if is_tag:
                position += len(line)
                continue
        for brace in _BRACES.findall(bare.split(b";")[0] if not in_comment else bare):
            in_comment = brace == b"{"
        if in_moves and not in_comment and _RESULT_AT_END.search(bare):
            ended = True
        position += len(line)
    if start < len(text):
        yield text[start:]


def _last_start(text: bytes) -> int:
    *_, last = _split_by_line(text)
    return len(text) - len(last) or len(text)
