"""Games as PGN: from the text of one game to its headers, moves and evaluations, or why it is skipped.

python-chess parses the notation; this module decides which games are usable.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

import chess
import chess.pgn

from chess_motif.errors import InputError, PositionError
from chess_motif.notation import parse_position
from chess_motif.text import clean, has_name_words
from db.models import Game
from engines.winchance import win_chance_of_centipawns
from puzzlegen.games.split import LONGEST_GAME, GameLines, RawGame, is_too_long

_EVAL = re.compile(r"\[%eval\s+(#?)([-+]?\d+(?:\.\d+)?)(,\d+|)\s*\]")
_CLOCK = re.compile(r"\[%clk\s+(\d{1,3}):(\d{1,2}):(\d{1,2}(?:\.\d{1,3})?)\s*\]")
_STANDARD_VARIANTS = {"", "standard", "from position", "chess", "normal"}

# The standard first position, and White's win chance there, for which games have no comment.
_START = chess.Board()
FIRST_MOVE_WIN_CHANCE = win_chance_of_centipawns(20)

# The most plies of a game. The longest tournament game had 538, the longest games of engines about a
# thousand.
MOST_PLIES = 2_000

# The most characters of a line that is parsed without being split.
_LONGEST_LINE = 1 << 16

# A tag, of which a line may have several: python-chess would read these as one tag.
_TAG = re.compile(r"\[[A-Za-z0-9][A-Za-z0-9_+#=:-]*\s+\"(?:[^\"\\]|\\.)*+\"\]\s*")
_TAGS = re.compile(rf"(?:{_TAG.pattern}){{2,}}")

# A parenthesis, a comment (possibly without an end), or other text.
_MOVETEXT = re.compile(r"([()])|\{[^}]*+\}?|;[^\n]*|[^{;()]++")
# Text that is meant as a move, and text that python-chess reads as a move. python-chess ignores all other
# text.
_LOOKS_LIKE_MOVE = re.compile(
    r"(?:^|(?<=[\s.]))([^\W\d_]{0,3}\d?[x:-]?[^\W\dA-Z_]\d(?:=?[^\W\d_])?)(?=[\s+#!?]|$)"
)
_READABLE_MOVE = re.compile(r"[NBKRQP]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])?")

# The letters for figurines of both colours, without the variation selectors that may follow these.
_FIGURINES = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", "\ufe0e\ufe0f")


class Skip(StrEnum):
    """Why a game is skipped, in the words of the summary of a mining run."""

    NOT_A_GAME = "not a game"
    NO_MOVES = "no moves"
    TOO_LONG = "too long"
    VARIANT = "variant"
    BAD_POSITION = "illegal set-up position"
    ILLEGAL_MOVE = "illegal move"
    OTHER_PLAYER = "other players"
    LOWER_RATED = "rating too low or unknown"
    OTHER_SPEED = "other speed"
    NO_EVALUATIONS = "no evaluations"
    ENGINE = "engine failed"
    OVERTIME = "took too long"
    WORKER = "worker died"


class SkipGame(Exception):  # noqa: N818 - not an error: games are skipped all the time
    """Raised for a game that is skipped, with the reason and its details."""

    def __init__(self, reason: Skip, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason.value


def skip_notice(archive: str, number: int, offset: int, reason: str, detail: str) -> str:
    """Return a line that says which game of an archive was skipped (by number and first byte), and why."""
    return f"{archive}: game {number} (byte {offset}): {reason}" + (f": {detail}" if detail else "")


@dataclass(frozen=True)
class PlayedGame:
    """A game as it was played.

    `win_chances[i]` is White's win chance (-1…1) in the position after i plies, None without an evaluation
    unless the game is over. `clocks[i]` is the time in seconds left to the player after `moves[i]`, None if
    not known.
    """

    headers: dict[str, str]
    start: chess.Board
    moves: tuple[chess.Move, ...]
    win_chances: tuple[float | None, ...]
    clocks: tuple[float | None, ...] = ()

    @property
    def evaluated(self) -> bool:
        """Whether every position after a move has an evaluation."""
        return None not in self.win_chances[1:]

    def clock(self, ply: int) -> float | None:
        """Return the seconds left to the player to move after `ply` plies, None if that is not known."""
        return self.clocks[ply - 2] if 2 <= ply < len(self.clocks) + 2 else None

    def header(self, name: str) -> str:
        """Return a header, empty where it is missing or unknown (`?`)."""
        value = self.headers.get(name, "")
        return "" if value.strip("?.-") == "" else value

    def is_played_by(self, name: str, side: chess.Color) -> bool:
        """Return whether all words of `name` are whole words of this side's player's name, in any case."""
        return has_name_words(self.header("White" if side else "Black"), name)

    @property
    def players(self) -> tuple[str, str]:
        """The names of White and Black, empty if not known."""
        return self.header("White"), self.header("Black")

    @property
    def url(self) -> str:
        """The address of the game, empty if no header has one."""
        for name in ("Site", "Link", "GameURL"):
            if self.header(name).startswith(("https://", "http://")):
                return self.header(name)
        return ""

    @property
    def key(self) -> str:
        """A digest that identifies this game, the same on every computer."""
        values = [self.header(name) for name in ("White", "Black", "Date", "Site", "Round")]
        values += [self.start.fen(), *(move.uci() for move in self.moves)]
        return hashlib.sha256("\n".join(values).encode()).hexdigest()[:16]

    def positions(self) -> Iterator[chess.Board]:
        """Yield the positions of the game, including the first and the last one, without move stacks."""
        board = self.start.copy(stack=False)
        yield board.copy(stack=False)
        for move in self.moves:
            board.push(move)
            yield board.copy(stack=False)

    def row(self) -> Game:
        """Return the game as a row to be stored, without its moves."""
        return Game(
            key=self.key,
            white=self.header("White"),
            black=self.header("Black"),
            white_elo=_number(self.header("WhiteElo")),
            black_elo=_number(self.header("BlackElo")),
            event=self.header("Event"),
            site=self.header("Site"),
            date=self.header("UTCDate") or self.headers.get("Date", ""),
            round=self.header("Round"),
            result=self.headers.get("Result", ""),
            eco=self.header("ECO"),
            opening=self.header("Opening"),
            time_control=self.header("TimeControl"),
            url=self.url,
        )


def usable_games(games: Iterable[RawGame]) -> Iterator[PlayedGame]:
    """Yield the usable games, and leave out the others."""
    for raw in games:
        try:
            game = read_game(raw)
        except SkipGame:
            continue
        yield game


def read_game(raw: RawGame) -> PlayedGame:
    """Return the game of a text. Raises `SkipGame` if it cannot be used.

    The time is proportional to the length of the text, which is limited.
    """
    if is_too_long(raw.text):
        raise SkipGame(Skip.TOO_LONG, f"more than {LONGEST_GAME} bytes")
    visitor = _Collector()
    lines = GameLines(raw.text)
    main_line = _main_line(line.translate(_FIGURINES) for line in lines.moves)
    _visit(visitor, lines.tags, main_line)
    if visitor.skipped is None or visitor.skipped.reason is Skip.ILLEGAL_MOVE:
        parts = (part for part in main_line if not part.startswith("{"))
        for word in chain.from_iterable(map(_LOOKS_LIKE_MOVE.findall, parts)):
            if not _READABLE_MOVE.fullmatch(word):
                raise SkipGame(Skip.ILLEGAL_MOVE, f"{word!r} is not a move")
    if not visitor.moves and not visitor.headers:
        raise SkipGame(Skip.NOT_A_GAME)
    return visitor.game()


def played_game(game: chess.pgn.Game) -> PlayedGame:
    """Return the main line of a game of python-chess. Raises `InputError` for an unusable game."""
    visitor = _Collector()
    try:
        game.accept(visitor)
        if game.errors:
            raise SkipGame(Skip.ILLEGAL_MOVE, str(game.errors[0]))
        return visitor.game()
    except SkipGame as skip:
        raise InputError(f"the game cannot be used: {skip}") from skip


def read_tags(raw: RawGame) -> dict[str, str]:
    """Return the tags of a game, usable or not, without reading its moves."""
    visitor = _Collector()
    if not is_too_long(raw.text):
        _visit(visitor, GameLines(raw.text).tags, [])
    return dict(visitor.headers)


def read_players(raw: RawGame) -> tuple[str, str]:
    """Return the names of White and Black, empty if not known, without reading the moves."""
    return PlayedGame(read_tags(raw), _START, (), ()).players


def eval_win_chance(mate_sign: str, number: str, unit: int = 100) -> float:
    """Return White's win chance (-1…1) by an `[%eval]` comment.

    `number` is in units of `unit` centipawns or, if `mate_sign` is `#`, in moves to mate.
    """
    if mate_sign:
        return -1.0 if number.startswith("-") else 1.0
    return win_chance_of_centipawns(float(number) * unit)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _visit(visitor: _Collector, tags: Iterable[str], main_line: Sequence[str]) -> None:
    """Let python-chess read a game with these tag lines and parts of its main line.

    A very long line is split, because python-chess copies the rest of a line at each comment. The parts begin
    with a space, so that none is read as a tag or an escaped line.
    """
    between = "\n " if sum(map(len, main_line)) > _LONGEST_LINE else " "
    lines = chain.from_iterable(_TAG.findall(line) if _TAGS.fullmatch(line) else [line] for line in tags)
    text = "\n".join([*lines, "", f" {between.join(main_line)}"])
    chess.pgn.read_game(io.StringIO(text), Visitor=lambda: visitor)


def _main_line(lines: Iterable[str]) -> list[str]:
    """Return the text outside variations in parts of one line: comments in braces, and other text.

    python-chess skips variations, too, but takes a variation before the first move for the main line.
    """
    parts, depth = [], 0
    for match in _MOVETEXT.finditer("\n".join(lines)):
        text = match[0].replace("\n", " ").strip()
        if match[1]:
            depth = depth + 1 if text == "(" else max(0, depth - 1)
        elif text and not depth and not text.startswith(";"):
            parts.append(text)
    return parts


@dataclass
class _Collector(chess.pgn.BaseVisitor[None]):
    """Collects the main line; variations are skipped unread."""

    headers: chess.pgn.Headers = field(default_factory=lambda: chess.pgn.Headers({}))
    start: chess.Board = field(default_factory=chess.Board)
    moves: list[chess.Move] = field(default_factory=list)
    win_chances: list[float | None] = field(default_factory=list)
    clocks: list[float | None] = field(default_factory=list)
    evaluations: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    skipped: SkipGame | None = None

    def game(self) -> PlayedGame:
        """Return the game. Raises `SkipGame` for an unusable game."""
        if self.skipped is not None:
            raise self.skipped
        if not self.moves:
            raise SkipGame(Skip.NO_MOVES)
        # Some tools write `[%eval 23,24]` in centipawns; evaluations in pawns have fractions.
        in_centipawns = all(
            depth and "." not in number
            for mate_sign, number, depth in self.evaluations.values()
            if not mate_sign
        )
        for ply, (mate_sign, number, _) in self.evaluations.items():
            self.win_chances[ply] = eval_win_chance(mate_sign, number, 1 if in_centipawns else 100)
        return PlayedGame(
            dict(self.headers),
            self.start,
            tuple(self.moves),
            (FIRST_MOVE_WIN_CHANCE if self.start == _START else None, *self.win_chances),
            tuple(self.clocks),
        )

    def begin_headers(self) -> chess.pgn.Headers:
        """Return the headers, in which python-chess looks for the variant and the position."""
        return self.headers

    def visit_header(self, name: str, value: str) -> None:
        value = clean(value).replace('\\"', '"').replace("\\\\", "\\").strip()
        if value.strip("?"):
            self.headers[name] = value

    def end_headers(self) -> chess.pgn.SkipType | None:
        variant = self.headers.get("Variant", "")
        if variant.lower() not in _STANDARD_VARIANTS:
            self.skipped = SkipGame(Skip.VARIANT, variant)
            return chess.pgn.SKIP
        fen = self.headers.get("FEN")
        if fen:
            try:
                self.start = parse_position(fen)
            except PositionError as error:
                self.skipped = SkipGame(Skip.BAD_POSITION, str(error))
                return chess.pgn.SKIP
        return None

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        if not move:
            self.handle_error(ValueError("null move"))
            return
        if len(self.moves) == MOST_PLIES:
            raise SkipGame(Skip.TOO_LONG, f"more than {MOST_PLIES} plies")
        self.moves.append(move)
        self.win_chances.append(None)
        self.clocks.append(None)

    def visit_board(self, board: chess.Board) -> None:
        if self.moves and not any(board.generate_legal_moves()):
            mated = board.is_check()
            self.win_chances[-1] = (1.0 if board.turn == chess.BLACK else -1.0) if mated else 0.0

    def visit_comment(self, comment: str) -> None:
        evaluation = _EVAL.search(comment)
        if evaluation and self.moves:
            self.evaluations[len(self.moves) - 1] = (evaluation[1], evaluation[2], evaluation[3])
        clock = _CLOCK.search(comment)
        if clock and self.moves:
            hours, minutes, seconds = clock.groups()
            self.clocks[-1] = 3600 * int(hours) + 60 * int(minutes) + float(seconds)

    def handle_error(self, error: Exception) -> None:
        if self.skipped is None:
            ply = len(self.moves) + 1
            self.skipped = SkipGame(Skip.ILLEGAL_MOVE, f"{error} (ply {ply})")

    def result(self) -> None:
        return None
