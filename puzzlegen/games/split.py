"""Splitting a stream of PGN text into games, without parsing the moves.

A game is what python-chess reads as one. Games in the format of a dump are split as bytes: tags on a line
each, from `Event` on, a blank line, lines of moves, and a blank line. Any other text is read line by line as
python-chess does, except where its reader is known to lose moves or tags:

- Blank lines before the result, or between tags and moves, do not end a game (python-chess #794, #1087),
unless
  a first move follows, or two blank lines and then a tag.
- A tag after moves begins the next game, and so does the line after a result (#773).
- Lines between tags that are not tags are skipped.
- A tag `Event` after a blank line ends an unclosed comment.

Text without a game is not counted. Memory use does not depend on the length of the text.
"""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from chess_motif.text import clean

# The most bytes of a game. Longer games are skipped, so that no game takes long to parse: this is enough for
# 20,000 plies with evaluations and clocks, or for a book of comments.
LONGEST_GAME = 1 << 20

# The number of bytes just before a place in a text that identify the place.
TAIL = 64

# A line that is not escaped, a comment to its end, or a tag; `_is_one_game` checks the rest.
_LINE_OF_MOVES = rb"[!-$&-:<-Z\\-~][^\n]*+"
_USUAL_GAME = re.compile(
    rb"\[Event \"[^\n]*+(?<=\"\])\n(?:\[[^\n]*+\n)*+\n(%b((?:\n%b)*+))\n\n(?=\[Event \")"
    % (_LINE_OF_MOVES, _LINE_OF_MOVES)
)
_RESULT = re.compile(rb"1-0|0-1|1/2-1/2|\*")
# A line, or many empty lines at once.
_LINE = re.compile(rb"[^\r\n]++(?:\r\n?|\n)?|[\r\n]{1,4096}+")

# python-chess's pattern for a tag, copied because importing its module takes long.
TAG = re.compile(r"^\[([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+\"([^\r]*)\"\]\s*$")
# A comment (possibly without an end), or a numeric annotation glyph.
_COMMENT = re.compile(r"\{[^}]*+\}?|;.*|\$\d+")
# A parenthesis, a result, or text that only occurs in moves.
_TOKEN = re.compile(r"([()])|(1-0|0-1|1/2-1/2|\*)|[a-h][1-8]|[O0]-[O0]")
_FIRST_NUMBER = re.compile(r"1\s*\.(?!\s*\.)")

# A game without a tag begins with a move, or has a numbered move somewhere.
_HALF_A_TAG = re.compile(r"\[[A-Za-z0-9_]++[ \t]++\"")
_FIRST_MOVE = re.compile(
    r"(?:\s++|\{[^}]*+\})*+(?:\d++\s++)?[KQRBNP]?[a-h]?[1-8]?[-x]?[a-h][1-8](?![A-Za-z0-9_])"
)
_NUMBERED_MOVE = re.compile(r"\d\s*+\.++\s*+[^\s.]{0,4}?[a-h][1-8]")


class RawGame(NamedTuple):
    """The text of one game, which begins at byte `offset` of the archive's text; `number` counts from 1.

    `before` has the last bytes, at most `TAIL`, of the text between this game and the game before.
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


def split_games(chunks: Iterable[bytes], offset: int = 0, number: int = 0) -> Iterator[RawGame]:
    """Yield the games of a text that comes in chunks, in order.

    `offset` is the byte of the archive's text at which `chunks` begin, `number` the number of games before.
    Blank lines between games belong to the earlier game. An error that `chunks` raise is raised after all
    games before it, except the last one, which may be incomplete.
    """
    before = b""
    for text, is_game in chain.from_iterable(split_blocks(chunks)):
        if is_game:
            number += 1
            yield RawGame(number, offset, text, before)
            before = b""
        else:
            before = (before + text[-TAIL:])[-TAIL:]
        offset += len(text)


def split_blocks(chunks: Iterable[bytes]) -> Iterator[list[tuple[bytes, bool]]]:
    """Yield the pieces of a text that comes in chunks, many at a time; a flag says which pieces are games.

    All pieces together are the text. A game that may continue in the next chunk is kept for later. A game
    that is too long is split into its beginning and further pieces that are not games.
    """
    rest, is_begun = b"", False
    lines, place = GameLines(), 0
    for chunk, is_end in chain(((chunk, False) for chunk in chunks), [(b"", True)]):
        rest += chunk
        # Only a line feed ends a line in the shape of a dump.
        is_usual = b"\r" not in rest
        start, pieces = 0, []
        while start < len(rest):
            usual = _USUAL_GAME.match(rest, start) if is_usual and not is_begun else None
            if usual is not None and _is_one_game(usual):
                # Lines of a game that continues from an earlier chunk have been read already.
                lines = GameLines() if place > start else lines
                place, is_game, is_whole = usual.end(), True, True
            else:
                place = lines.read(rest, place, is_end or len(rest) - place > LONGEST_GAME)
                is_whole = lines.is_whole or (is_end and place == len(rest))
                if not is_whole and place - start <= LONGEST_GAME:
                    break
                is_game = not is_begun and lines.are_a_game
                lines = GameLines() if is_whole else lines.rest()
            pieces.append((rest[start:place], is_game))
            start, is_begun = place, not is_whole
        if pieces:
            yield pieces
            rest = rest[start:]
            place -= start


def is_too_long(text: bytes) -> bool:
    """Return whether a game is longer than `LONGEST_GAME`, without padding at its end."""
    return len(text) > LONGEST_GAME and len(text.rstrip(b"\0\t\n\r ")) > LONGEST_GAME


class GameLines:
    """The lines of a game, cleaned for python-chess.

    `tags` are the lines with tags, `moves` the lines with moves and comments. Blank and escaped lines, and
    other lines among the tags, are left out. `is_whole` says whether the next game was found.
    """

    def __init__(self, text: bytes = b"") -> None:
        self.tags: list[str] = []
        self.moves: list[str] = []
        self.is_whole = False
        self._has_half_a_tag = self._has_moves = self._ended = self._in_comment = False
        self._depth = 0
        # Blank lines just before the next line; blank lines before the first line do not matter.
        self._blank = -sys.maxsize
        self.read(text)

    def read(self, text: bytes, start: int = 0, is_last_whole: bool = True) -> int:
        """Read on from byte `start`; return where the next game or else the unread rest begins.

        `is_last_whole` says whether the last line is complete although it has no line feed.
        """
        for match in _LINE.finditer(text, start):
            if match.end() == len(text) and not is_last_whole and not match[0].endswith(b"\n"):
                return match.start()
            line = _decoded(match[0])
            if not line or line.isspace():
                self._blank += max(1, match[0].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n"))
            elif line.startswith(("%", ";")) and not self._in_comment:
                continue
            elif self._begins_next_game(line):
                self.is_whole = True
                return match.start()
            else:
                self._add(line)
        return len(text)

    @property
    def are_a_game(self) -> bool:
        """Whether there is a tag (or the beginning of one), a move at the beginning, or a numbered move."""
        if self.tags or self._has_half_a_tag:
            return True
        text = "\n".join(self.moves)
        return _FIRST_MOVE.match(text) is not None or _NUMBERED_MOVE.search(text) is not None

    def rest(self) -> GameLines:
        """Return this game without most of the lines read so far."""
        del self.tags[1:], self.moves[1:]
        return self

    def _add(self, line: str) -> None:
        self._blank = 0
        if TAG.match(line) and not self._has_moves and not self._in_comment:
            self.tags.append(line)
            self.moves.clear()
            self._depth = 0
        elif self.moves or not line.startswith("["):
            self.moves.append(line)
            self._follow(line)
        elif _HALF_A_TAG.match(line):
            self._has_half_a_tag = True

    def _begins_next_game(self, line: str) -> bool:
        if self._in_comment:
            return self._blank > 0 and line.startswith("[Event ")
        if not line.startswith("["):
            is_first = self._blank > 0 and _FIRST_NUMBER.match(line) is not None
            return self._has_moves and (self._ended or is_first)
        is_tag = TAG.match(line) is not None
        if self._has_moves:
            return self._ended or self._blank > 0 or is_tag
        if self.moves:
            return self._blank > 0 or (is_tag and not self.tags)
        return self._blank > 1

    def _follow(self, line: str) -> None:
        """Keep track of the moves, results and variations in a line of moves."""
        if self._in_comment:
            _, closed, line = line.partition("}")
            if not closed:
                return
            self._in_comment = False
        if comments := _COMMENT.findall(line):
            self._in_comment = comments[-1].startswith("{") and not comments[-1].endswith("}")
            line = _COMMENT.sub(" ", line)
        for parenthesis, result in _TOKEN.findall(line):
            if parenthesis:
                self._depth = self._depth + 1 if parenthesis == "(" else max(0, self._depth - 1)
            elif not self._depth:
                self._has_moves, self._ended = True, bool(result)


def _is_one_game(usual: re.Match[bytes]) -> bool:
    """Return whether the lines of moves have no open comment, and no result before the last line."""
    text, (start, end) = usual.string, usual.span(1)
    return text.rfind(b"{", start, end) <= text.rfind(b"}", start, end) and not (
        usual[2] and _RESULT.search(text, start, text.rfind(b"\n", start, end))
    )


def _decoded(line: bytes) -> str:
    """Return a line as clean text, from UTF-8 or else from Windows-1252, which old databases use."""
    # Some files have megabytes of zeros.
    line = line.rstrip(b"\r\n").replace(b"\0", b"").removeprefix(BOM_UTF8)
    try:
        return clean(line.decode())
    except UnicodeDecodeError:
        return clean(line.decode("cp1252", errors="replace"))
