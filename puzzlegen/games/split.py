"""Splitting a stream of PGN text into games, as bytes, without parsing the moves.

A game is its tag lines and the moves after them. Tag lines that follow moves begin a new game, whatever
blank lines or comments are in between. Where the next game has no tags, a result at the end of a line ends
the game. Text that holds no game is not counted, and memory stays flat however much there is of it.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Most bytes of a game. A longer one is skipped, so that no game takes long to parse: this is room for 20,000
# plies with evaluations and clocks, or for a book of comments.
LONGEST_GAME = 1 << 20

# Bytes of text just before a place that identify it.
TAIL = 64

# Bytes at the end of a text in which a tag line may begin that the next chunk completes.
_TAG_BEGINS = 256

_EVENT = b"\n[Event "
# As Lichess writes it: tag lines, a blank line, one line of moves, a blank line.
_USUAL_GAME = re.compile(
    rb"\[[A-Za-z0-9_]++ \"[^\n]*+\n(?:\[(?!Event )[^\n]*+\n)*+\n[^\[\n][^\n]*+\n\n(?=\[Event |\Z)",
)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_LINE = re.compile(rb"\S[^\r\n]*+")
_TAG_LINE = re.compile(rb"\[[A-Za-z0-9_]+[ \t]+\".*\"[ \t]*\]$")
_RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")
_BRACES = re.compile(rb"[{}]")

# How a game begins that has tags; one without has a move first, or somewhere a numbered one.
_TAG = re.compile(rb"\[[A-Za-z0-9_]++[ \t]++\"")
_FIRST_TAG = re.compile(rb"(?:%b)?\s*+%b" % (BOM_UTF8, _TAG.pattern))
_NEXT_TAG = re.compile(rb"\n%b" % _TAG.pattern)
_FIRST_MOVE = re.compile(
    rb"(?:\s++|\{[^}]*+\})*+(?:\d++\s++)?[KQRBNP]?[a-h]?[1-8]?[-x]?[a-h][1-8](?![A-Za-z0-9_])"
)
_NUMBERED_MOVE = re.compile(rb"\d\s*+\.++\s*+[^\s.]{0,4}?[a-h][1-8]")


class RawGame(NamedTuple):
    """The text of one game, which begins at byte `offset` of the archive's text; `number` counts from 1.

    `before` has the last bytes, at most `TAIL`, of the text between it and the game before it.
    """

    number: int
    offset: int
    text: bytes
    before: bytes = b""

    @property
    def end(self) -> int:
        """The byte after the game."""
        return self.offset + len(self.text)

    @property
    def tail(self) -> bytes:
        """The text just before `end`: `TAIL` bytes, or everything since the game before it."""
        return (self.before + self.text[-TAIL:])[-TAIL:]


class TextBlock(NamedTuple):
    """A text of whole games, or one that holds none: no game at all, or the rest of one that is too long."""

    text: bytes
    holds_games: bool


def split_games(chunks: Iterable[bytes], offset: int = 0, number: int = 0) -> Iterator[RawGame]:
    """Yield the games of a text that comes in chunks, in order.

    `offset` is the byte of the archive's text at which `chunks` begin, `number` how many games came before
    it. Blank lines between games belong to the game before them. An error that `chunks` raise is raised
    after the games before it, except the last one, which may be incomplete.
    """
    before = b""
    for block in whole_games(chunks):
        for text, is_game in split_block(block):
            if is_game:
                number += 1
                yield RawGame(number, offset, text, before)
                before = b""
            else:
                before = (before + text[-TAIL:])[-TAIL:]
            offset += len(text)


def whole_games(chunks: Iterable[bytes]) -> Iterator[TextBlock]:
    """Yield a text that comes in chunks as blocks. Their texts joined are the text.

    The last game of a chunk may continue in the next one, and is kept for the next block. Of a game that is
    too long, a block has the beginning; the next ones, up to a tag line, have the rest.
    """
    rest, too_long = b"", False
    for chunk in chunks:
        searched = max(0, len(rest) - len(_EVENT))
        rest += chunk
        if too_long:
            tag = _NEXT_TAG.search(rest)
            cut = tag.start() + 1 if tag else _before_next_tag(rest)
            yield TextBlock(rest[:cut], False)
            rest, searched, too_long = rest[cut:], 0, tag is None
        if cut := rest.rfind(_EVENT, searched) + 1:
            yield TextBlock(rest[:cut], True)
            rest = rest[cut:]
        if len(rest) > LONGEST_GAME + _TAG_BEGINS:
            is_game = holds_game(rest)
            if is_game and (cut := _last_start(rest)):
                yield TextBlock(rest[:cut], True)
            else:
                cut = _before_next_tag(rest)
                yield TextBlock(rest[:cut], is_game)
                too_long = is_game and is_too_long(rest[:cut])
            rest = rest[cut:]
    if rest:
        yield TextBlock(rest, not too_long)


def split_block(block: TextBlock) -> Iterator[tuple[bytes, bool]]:
    """Yield the games of a block, and any other text between them; the flag says which is a game.

    The texts joined are the block's.
    """
    if not block.holds_games:
        yield block.text, False
        return
    start = 0
    while start < len(block.text):
        # One match takes less than half the time of finding a section's end and splitting it.
        if usual := _USUAL_GAME.match(block.text, start):
            text = usual[0]
            yield text, True
        elif _is_one_game(text := block.text[start : block.text.find(_EVENT, start) + 1 or len(block.text)]):
            yield text, True
        else:
            for part in _split_by_line(text):
                yield part, holds_game(part)
        start += len(text)


def holds_game(text: bytes) -> bool:
    """Return whether a text has a tag line or, without one, begins with a move or has a numbered one.

    This is quick where there is nothing of the kind; that the moves can be played is not checked.
    """
    return not text.isspace() and (
        _FIRST_TAG.match(text) is not None
        or _NEXT_TAG.search(text) is not None
        or _FIRST_MOVE.match(text) is not None
        or (b"." in text and _NUMBERED_MOVE.search(text) is not None)
    )


def is_too_long(text: bytes) -> bool:
    """Return whether a game is longer than `LONGEST_GAME`, without padding after it."""
    return len(text) > LONGEST_GAME and len(text.rstrip(b"\0\t\n\r ")) > LONGEST_GAME


def _is_one_game(text: bytes) -> bool:
    """Return whether a text begins with a tag, and has all of its tags before the first blank line."""
    blank = _BLANK_LINE.search(text)
    return _TAG.match(text) is not None and blank is not None and text.rfind(b"\n[") < blank.start()


def _split_by_line(text: bytes) -> Iterator[bytes]:
    start = 0
    in_comment = in_moves = ended = False
    for match in _LINE.finditer(text):
        line = match[0].rstrip().removeprefix(BOM_UTF8)
        if not in_comment:
            is_tag = line.startswith(b"[") and _TAG_LINE.match(line) is not None
            if in_moves and (is_tag or ended):
                yield text[start : match.start()]
                start, in_moves, ended = match.start(), False, False
            in_moves = in_moves or not (is_tag or line.startswith(b"%"))
            if is_tag:
                continue
        for brace in _BRACES.findall(line.split(b";")[0] if not in_comment else line):
            in_comment = brace == b"{"
        if in_moves and not in_comment and line.endswith(_RESULTS):
            ended = True
    if start < len(text):
        yield text[start:]


def _last_start(text: bytes) -> int:
    """Return where the last game of a text starts."""
    *_, last = _split_by_line(text)
    return len(text) - len(last)


def _before_next_tag(text: bytes) -> int:
    """Return how much of a text comes before a line, at its very end, that the next chunk may make a tag."""
    line = text.rfind(b"\n", max(0, len(text) - _TAG_BEGINS))
    return line if line != -1 else len(text)
