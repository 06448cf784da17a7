"""The games of a text as python-chess's own reader finds them: what ours has to find, too.

`chess.pgn.read_game` asks for the next line when it has understood the one before. Here the lines come from
`_Lines`, which knows what the reader has found so far and keeps from it what it is known to stumble over.
These are all the differences between our reading and python-chess's:

- Text is cleaned: bytes that are not UTF-8 are Windows-1252, control characters are dropped, a carriage
  return ends a line, figurines are letters, a byte order mark may begin any line.
- Blank lines neither end a game without a result (#1087), nor come between its tags and its moves (#794),
  unless a tag or move 1 follows.
- A tag after moves begins a game (#773), and so does the line after a result.
- A title before the first tag is no part of a game. Lines between tags that are no tags, and hold no move,
  are skipped. Several tags on a line are several tags.
- A tag `Event` after a blank line ends a comment that was never closed.
- A variation before the first move is a variation.
- Empty tags (`""`, `"?"`) are none.
- Text without tags that neither begins with a move nor has a numbered one is no game.
- What looks like a move and is none is refused, and `[%eval a,b]` may be in centipawns: see
  `puzzlegen.games.pgn`.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TextIO, cast

import chess
import chess.pgn

from chess_motif.errors import PositionError
from chess_motif.notation import parse_position
from chess_motif.text import clean
from puzzlegen.games.pgn import MOST_PLIES, PlayedGame, Skip, SkipGame, read_game, read_players
from puzzlegen.games.split import LONGEST_GAME, GameLines, RawGame, split_games

_TAG = r'\[[A-Za-z0-9][A-Za-z0-9_+#=:-]*\s+"(?:[^"\\]|\\.)*"\]\s*'
_TOKEN = re.compile(r"[{}();\n]|\$\d+|[a-h][1-8]|[O0]-[O0]|1-0|0-1|1/2-1/2|\*")
_ILLEGAL = "0000"
_MOVE_1 = re.compile(r"1\s*\.(?!\s*\.)")
_LETTERS = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", strict=True))


@dataclass
class GameRead(chess.pgn.BaseVisitor["GameRead"]):
    """What python-chess reads of a game: its tags, its main line, and whether that has an error."""

    text: bytes = b""
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    has_tags: bool = False
    faulty: bool = False
    in_moves: bool = False
    headers: chess.pgn.Headers = field(default_factory=lambda: chess.pgn.Headers({}))
    begun: bool = False
    ended: bool = False

    def begin_headers(self) -> chess.pgn.Headers:
        return self.headers

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.has_tags = True
        value = tagvalue.replace('\\"', '"').replace("\\\\", "\\").strip()
        if value.strip("?"):
            self.tags[tagname] = value

    def end_headers(self) -> None:
        self.in_moves = True
        # With any other position or variant, python-chess would not look for the end of the game as usual.
        with suppress(PositionError):
            self.headers["FEN"] = parse_position(self.tags.get("FEN", chess.STARTING_FEN)).fen()

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        if san not in ("--", "Z0", "0000", "@@@@"):
            self.begun, self.ended = True, False
        try:
            return board.parse_san(san)
        except ValueError:
            self.faulty = True
            return chess.Move.from_uci(_ILLEGAL)

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self.moves.append(move.uci())

    def visit_result(self, result: str) -> None:
        self.begun = self.ended = True

    def result(self) -> GameRead:
        return self


def difference(text: bytes) -> str:
    """Return how the first game that we read otherwise than python-chess differs, empty if there is none."""
    ours = list(split_games([text]))
    theirs = [game for game in games_by_python_chess(text) if game.has_tags or _are_a_game(game.text)]
    if len(ours) != len(theirs):
        return f"{len(ours)} games instead of {len(theirs)}"
    for raw, read in zip(ours, theirs, strict=True):
        try:
            game = read_game(raw)
        except SkipGame as skip:
            what, expected = _expected_of_a_skipped_game(raw, skip, read)
        else:
            what, expected = (game.headers, [move.uci() for move in game.moves]), (read.tags, read.moves)
        if what != expected:
            return f"game {raw.number}: {what} instead of {expected}"
    return ""


def _are_a_game(text: bytes) -> bool:
    return GameLines(text).are_a_game


def _expected_of_a_skipped_game(raw: RawGame, skip: SkipGame, read: GameRead) -> tuple[object, object]:
    """Return the reason and the players of a skipped game, and those that python-chess allows."""
    players = PlayedGame(read.tags, chess.Board(), (), ()).players
    played = [move for move in read.moves[:1] if move != _ILLEGAL]
    is_right = {
        Skip.NOT_A_GAME: not read.tags and not played,
        Skip.NO_MOVES: not read.moves,
        Skip.ILLEGAL_MOVE: read.faulty or _ILLEGAL in read.moves or "not a move" in skip.detail,
        Skip.VARIANT: read.tags.get("Variant") == skip.detail,
        Skip.BAD_POSITION: "FEN" in read.tags and "FEN" not in read.headers,
        Skip.TOO_LONG: len(raw.text) > LONGEST_GAME or len(read.moves) > MOST_PLIES,
    }[skip.reason]
    return (skip.reason, read_players(raw)), (skip.reason if is_right else read.moves, players)


def games_by_python_chess(text: bytes) -> list[GameRead]:
    """Return the games of a text, and text between them that python-chess takes for games."""
    lines = _Lines(text)
    games = []
    while not lines.at_end():
        lines.reading = GameRead()
        lines.in_comment, lines.depth, lines.stopped, lines.next_tag = False, 0, False, (0, False)
        game = chess.pgn.read_game(cast("TextIO", lines), Visitor=lambda: lines.reading)
        if game is not None:
            games.append(game)
    return games


class _Lines:
    """The lines of a text, as `read_game` asks for them. `reading` is what it has read of the game."""

    def __init__(self, text: bytes) -> None:
        self._lines: list[str] = []
        self._raw: list[bytes] = []
        for raw in re.findall(rb"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$", text):
            line = raw.rstrip(b"\r\n").replace(b"\0", b"").removeprefix(BOM_UTF8)
            try:
                decoded = clean(line.decode())
            except UnicodeDecodeError:
                decoded = clean(line.decode("cp1252", errors="replace"))
            tags = re.findall(_TAG, decoded) if re.fullmatch(rf"(?:{_TAG}){{2,}}", decoded) else [decoded]
            self._lines += [f"{tag}\n" for tag in tags]
            self._raw += [raw, *[b""] * (len(tags) - 1)]
        # For each line, the next one from there on that is neither blank nor escaped.
        self._next = [len(self._lines)] * (len(self._lines) + 1)
        for place in reversed(range(len(self._lines))):
            skipped = self._lines[place].isspace() or self._lines[place].startswith(("%", ";"))
            self._next[place] = self._next[place + 1] if skipped else place
        # The next place of a tag, and whether what comes before is to be skipped.
        self.next_tag = (0, False)
        self._place = 0
        self.reading = GameRead()
        self.in_comment = False
        self.depth = 0
        self.stopped = False

    def at_end(self) -> bool:
        return self._place >= len(self._lines)

    def readline(self) -> str:
        """Return the next line that the reader is to see, nothing where it is to end the game."""
        while not (self.stopped or self.at_end() or self._ends()):
            line = self._lines[self._place]
            self._place += 1
            self.reading.text += self._raw[self._place - 1]
            if line.isspace() and not self.in_comment:
                if self._is_read_as_blank():
                    return line
                continue
            in_moves = self.in_comment or not line.startswith(("[", "%", ";"))
            if in_moves and not (self.in_comment or self.reading.begun) and self._is_between_tags():
                self.reading.text += b"".join(self._raw[self._place : self.next_tag[0]])
                self._place = self.next_tag[0]
                continue
            if line.startswith(("%", ";")) and not self.in_comment:
                return line
            if not in_moves and not self.reading.in_moves:
                self.depth = 0
                return line
            return self._outside_variations(line)
        self.stopped = True
        return ""

    def _ends(self) -> bool:
        """Return whether the game ends before the next line although no blank line says so."""
        line, game = self._lines[self._place], self.reading
        if self.in_comment:
            return self._place > 0 and self._lines[self._place - 1].isspace() and line.startswith("[Event ")
        if line.isspace() or line.startswith(("%", ";")):
            return False
        if line.startswith("["):
            is_tag = chess.pgn.TAG_REGEX.match(line) is not None
            return (self.reading.begun and (game.ended or is_tag)) or (
                game.in_moves and is_tag and not game.has_tags
            )
        return game.ended

    def _is_read_as_blank(self) -> bool:
        """Return whether the reader is to see a blank line; otherwise those that follow are skipped, too."""
        place, game = self._next[self._place], self.reading
        following = self._lines[place] if place < len(self._lines) else "["
        if following.startswith("[") or (
            game.in_moves and (game.ended or (game.begun and _MOVE_1.match(following) is not None))
        ):
            return True
        game.text += b"".join(self._raw[self._place : place])
        self._place = place
        return False

    def _is_between_tags(self) -> bool:
        """Return whether a line is of a text without moves directly before a tag, and after others."""
        if self._place > self.next_tag[0]:
            self.next_tag = self._look_for_a_tag(self._place - 1)
        return self.reading.has_tags and self.next_tag[1]

    def _look_for_a_tag(self, place: int) -> tuple[int, bool]:
        """Return the place of the next tag, or of a move before it, and whether it is a tag."""
        opened, depth, is_after_blank = "", 0, False
        while place < len(self._lines):
            line = self._lines[place]
            if not opened and line.startswith("["):
                if is_after_blank:
                    return place, False
                if chess.pgn.TAG_REGEX.match(line):
                    return place, True
            for token in _TOKEN.findall(line if opened or not line.startswith(("%", ";")) else ""):
                if opened:
                    opened = "" if token == ("}" if opened == "{" else "\n") else opened
                elif token in "{;":
                    opened = token
                elif token in "()":
                    depth = depth + 1 if token == "(" else max(0, depth - 1)
                elif token not in "}\n" and not token.startswith("$") and not depth:
                    return place, False
            if not line.startswith(("%", ";")):
                is_after_blank = line.isspace()
            place += 1
        return place, False

    def _outside_variations(self, line: str) -> str:
        """Return a line with letters for figurines and, before the first move, without variations."""
        seen, before = [], not self.reading.begun
        for place, character in enumerate(line):
            is_seen = True
            if self.in_comment:
                self.in_comment = character != "}"
            elif character == ";":
                seen.append("" if self.depth else line[place:-1])
                break
            elif character == "{":
                self.in_comment = True
            elif character in "()" and (before or self.depth):
                is_seen = False
                self.depth = self.depth + 1 if character == "(" else max(0, self.depth - 1)
            if not is_seen:
                seen.append(" ")
            elif character != "\n" and (self.in_comment or character == "}" or not self.depth):
                seen.append(_LETTERS.get(character, character))
        # The point keeps the reader from taking the line for blank.
        return f".{''.join(seen)} \n".replace("\ufe0e", "").replace("\ufe0f", "")
