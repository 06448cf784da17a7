"""Splitting a stream of PGN text into games, as bytes, without parsing the moves.

A game is its tag lines and the moves after them. Tag lines that follow moves begin a new game, whatever
blank lines or comments are in between. Where the next game has no tags, a result at the end of a line ends
the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Bytes of text without an `[Event ` tag after which it is split by line (1 MiB: some 4,000 annotated moves).
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
    """The text of one game, which begins at byte `offset` of the archive's text; `number` counts from 1."""

    number: int
    offset: int
    text: bytes

    @property
    def end(self) -> int:
        """The byte after the game."""
        return self.offset + len(self.text)


def split_games(chunks: Iterable[bytes], offset: int = 0, number: int = 0) -> Iterator[RawGame]:
    """Yield the games of a text that comes in chunks, in order.

    `offset` is the byte of the archive's text at which `chunks` begin, `number` how many games came before
    it. Blank lines between games belong to the game before them. An error that `chunks` raise is raised
    after the games before it, except the last one, which may be incomplete.
    """
    for block in whole_games(chunks):
        for text in split_block(block):
            number += 1
            yield RawGame(number, offset, text)
            offset += len(text)


def whole_games(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text that comes in chunks as blocks of whole games.

    The last game of a chunk may continue in the next one, and is kept for the next block.
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
    """Yield the games of a block of whole games. Their texts joined are the block."""
    start = 0
    while start < len(block):
        # One match takes less than half the time of finding a section's end and splitting it.
        if usual := _USUAL_GAME.match(block, start):
            yield usual[0]
            start = usual.end()
            continue
        end = block.find(_EVENT, start) + 1 or len(block)
        yield from _split_section(block[start:end])
        start = end


def _split_section(text: bytes) -> Iterator[bytes]:
    """Yield the games of a text in which only the first line may begin with `[Event `."""
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
    """Return where the last game of a text starts, or the end of the text if there is only one."""
    *_, last = _split_by_line(text)
    return len(text) - len(last) or len(text)
