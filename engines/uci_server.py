"""Offers a player written in Python as a UCI engine, to any chess program.

UCI commands go in; answers come out. The player chooses the moves; this module knows the protocol. There are
no threads: the player is asked at once, and after `go infinite` and `go ponder` the `bestmove` is held back
until the program asks for it. So a player should answer within a second.

Where the protocol leaves a choice:

- After a `position` that is refused (not a FEN, not standard chess, an illegal move), `go` answers
  `bestmove (none)` until the next accepted `position`. A move from any other position would be illegal in
  the program's position or, worse, legal and senseless.
- If the player fails, the answer is the first move allowed, and an `info string` says why.
- `go` while a `bestmove` is held back first sends that `bestmove`, so that each `go` is answered.
- `searchmoves` ignores illegal moves; if none is left, the answer is `bestmove (none)`.
- A comment on a move is an `info string` before the move's `info … pv`. With several variations the comment
  has the variation's number, as in `info multipv 2 string …`.

Every player has the options `MultiPV` and `UCI_ShowWDL` (wins, draws and losses per mille beside the score).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TextIO

import chess

from chess_motif.boards import mates
from chess_motif.errors import ChessMotifError, InputError, PositionError
from chess_motif.notation import parse_move, parse_position
from chess_motif.output import discard
from chess_motif.text import clean
from engines.winchance import centipawns_of_win_chance

# The most characters of a command. The longest possible game, of 17,697 plies, takes some 89,000.
LONGEST_COMMAND = 2**17

# The most characters of an `info string`, which may quote a command.
LONGEST_INFO = 1_000

# What an answer says instead of a move.
NO_MOVE = "(none)"

# How UCI writes the empty string as the value of an option.
EMPTY = "<empty>"


@dataclass(frozen=True)
class Check:
    """An option that is on or off."""

    name: str
    default: bool

    def declaration(self) -> str:
        """Return the type and the default in UCI notation."""
        return f"type check default {str(self.default).lower()}"

    def parse(self, text: str) -> bool:
        """Return the value that a text means. Raises `InputError` if it is not `true` or `false`."""
        if text.lower() not in ("true", "false"):
            raise InputError(f"{self.name} is true or false, not {text!r}")
        return text.lower() == "true"


@dataclass(frozen=True)
class Spin:
    """An option that is a whole number from `min` to `max`."""

    name: str
    default: int
    min: int
    max: int

    def declaration(self) -> str:
        """Return the type, the default and the range in UCI notation."""
        return f"type spin default {self.default} min {self.min} max {self.max}"

    def parse(self, text: str) -> int:
        """Return the number that a text means. Raises `InputError` for other text or numbers out of range."""
        with suppress(ValueError):
            if self.min <= int(text) <= self.max:
                return int(text)
        raise InputError(f"{self.name} is a whole number from {self.min} to {self.max}, not {text!r}")


@dataclass(frozen=True)
class Combo:
    """An option that is one of some texts."""

    name: str
    default: str
    choices: Sequence[str]

    def declaration(self) -> str:
        """Return the type, the default and the choices in UCI notation."""
        return " ".join([f"type combo default {self.default}", *(f"var {text}" for text in self.choices)])

    def parse(self, text: str) -> str:
        """Return the choice that a text means, in any case. Raises `InputError` if there is none."""
        for choice in self.choices:
            if choice.lower() == text.lower():
                return choice
        raise InputError(f"{self.name} is one of {', '.join(self.choices)}, not {text!r}")


@dataclass(frozen=True)
class String:
    """An option that is any text, such as the path of a file. It may be empty."""

    name: str
    default: str

    def declaration(self) -> str:
        """Return the type and the default in UCI notation."""
        return f"type string default {self.default or EMPTY}"

    def parse(self, text: str) -> str:
        """Return the value that a text means."""
        return "" if text == EMPTY else text


Option = Check | Spin | Combo | String


MULTIPV = Spin("MultiPV", 1, 1, 500)
SHOW_WDL = Check("UCI_ShowWDL", True)


@dataclass(frozen=True)
class Outcome:
    """How a game is expected to end for the side to move: the shares (0…1) of wins, draws and losses."""

    wins: float
    draws: float
    losses: float

    @property
    def value(self) -> float:
        """The expected result, from -1 (a loss) to 1 (a win)."""
        return self.wins - self.losses


@dataclass(frozen=True)
class Choice:
    """A move, its expected outcome (None: unknown), and a line of comment on the move."""

    move: chess.Move
    outcome: Outcome | None = None
    comment: str = ""


@dataclass(frozen=True)
class Answer:
    """The best moves, best first, and comments to show before those on the moves."""

    choices: Sequence[Choice]
    notes: Sequence[str] = ()


class Player(Protocol):
    """Chooses moves. Each method may raise a `ChessMotifError`, whose message the program shows."""

    @property
    def name(self) -> str:
        """The name of the engine."""

    @property
    def author(self) -> str:
        """The author of the engine."""

    @property
    def options(self) -> Sequence[Option]:
        """The options that the program may set."""

    def set_option(self, name: str, value: bool | int | str) -> None:
        """Set an option of `options`. The value has the option's type and is in its range."""

    def new_game(self) -> None:
        """Forget the game so far."""

    def prepare(self) -> None:
        """Load what is needed to choose moves.

        Called before every `readyok` and every choice, so it should return at once if everything is loaded.
        """

    def choose(self, board: chess.Board, moves: Sequence[chess.Move], count: int) -> Answer:
        """Return the `count` best of `moves`, best first: at least one choice, and no more than moves.

        `moves` are the legal moves, or those that the program allows. The board has its move stack, and may
        be changed.
        """


def serve(player: Player, commands: Iterable[str], out: TextIO) -> None:
    """Answer UCI commands, one per line, until `quit`, the last command or Ctrl-C.

    Each answer is flushed. Returns quietly, too, if nobody reads `out` any more. Raises `OSError` if `out`
    cannot be written for another reason, and any exception of the player other than `ChessMotifError`.
    """
    server = _Server(player, out)
    with suppress(BrokenPipeError, KeyboardInterrupt):
        for line in commands:
            if not server.obey(line):
                return


def serve_stdio(player: Player) -> None:
    """Be a UCI engine: `serve` on standard input and output, in UTF-8.

    Invalid bytes are read as the replacement character. Raises what `serve` raises.
    """
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    serve(player, sys.stdin, sys.stdout)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


class _Server:
    """The state of a conversation: the position, and the `bestmove` that is held back."""

    def __init__(self, player: Player, out: TextIO) -> None:
        self._player, self._out = player, out
        # None after a position that was refused.
        self._board: chess.Board | None = chess.Board()
        # The answer that is held back, and the commands that release it.
        self._held, self._awaited = "", frozenset[str]()
        self._variations, self._shows_wdl = MULTIPV.default, SHOW_WDL.default
        self._handlers: dict[str, Callable[[str], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "setoption": self._setoption,
            "ucinewgame": lambda _: self._player.new_game(),
            "position": self._position,
            "go": self._go,
            "stop": lambda _: self._release("stop"),
            "ponderhit": lambda _: self._release("ponderhit"),
            # There is nothing to debug or to register.
            "debug": lambda _: None,
            "register": lambda _: None,
        }

    def obey(self, line: str) -> bool:
        """Answer a line, which may have unknown words before the command. Return False for `quit`."""
        if len(line) > LONGEST_COMMAND:
            self._inform(f"a command of {len(line):,} characters (at most {LONGEST_COMMAND:,})")
            # Only `position` commands are that long.
            self._board = None
            return True
        line = clean(line).strip()
        for word in re.finditer(r"\S+", line):
            if word[0] == "quit":
                return False
            if handler := self._handlers.get(word[0]):
                try:
                    handler(line[word.end() :].strip())
                except ChessMotifError as error:
                    self._inform(str(error))
                return True
        if line:
            self._inform(f"unknown command: {line}")
        return True

    def _uci(self, _: str) -> None:
        self._send(f"id name {self._player.name}")
        self._send(f"id author {self._player.author}")
        for option in (MULTIPV, SHOW_WDL, *self._player.options):
            self._send(f"option name {option.name} {option.declaration()}")
        self._send("uciok")

    def _isready(self, _: str) -> None:
        # Answered in any case: the program waits for `readyok`.
        try:
            self._player.prepare()
        except ChessMotifError as error:
            self._inform(str(error))
        self._send("readyok")

    def _setoption(self, arguments: str) -> None:
        # All spaces in the value are kept, since it may be a path.
        before, _, value = f"{arguments} ".partition(" value ")
        word, *name = before.split() or [""]
        if word != "name":
            raise InputError("setoption needs `name NAME value VALUE`")
        option = self._option(" ".join(name))
        parsed = option.parse(value.strip())
        if option is MULTIPV:
            self._variations = int(parsed)
        elif option is SHOW_WDL:
            self._shows_wdl = bool(parsed)
        else:
            self._player.set_option(option.name, parsed)

    def _option(self, name: str) -> Option:
        for option in (MULTIPV, SHOW_WDL, *self._player.options):
            if option.name.lower() == name.lower():
                return option
        raise InputError(f"there is no option {name!r}")

    def _position(self, arguments: str) -> None:
        self._board = None
        setup, _, moves = f"{arguments} ".partition(" moves ")
        board = _set_up(setup)
        for uci in moves.split():
            board.push(parse_move(board, uci))
        self._board = board

    def _go(self, arguments: str) -> None:
        self._send_held()
        words = arguments.split()
        self._held = f"bestmove {self._best(words)}"
        if "infinite" in words:
            self._awaited = frozenset({"stop"})
        elif "ponder" in words:
            self._awaited = frozenset({"stop", "ponderhit"})
        else:
            self._send_held()

    def _best(self, words: list[str]) -> str:
        if self._board is None:
            self._inform("there is no position: the last one was refused")
            return NO_MOVE
        moves = _allowed_moves(self._board, words)
        if not moves:
            return NO_MOVE
        answer = self._answer(self._board.copy(), moves)
        for note in answer.notes:
            self._inform(note)
        several = self._variations > 1
        numbered = [(choice, f"multipv {n} " * several) for n, choice in enumerate(answer.choices, 1)]
        for choice, number in numbered:
            self._show(choice, number)
        # The scores come last: XBoard shows as many of the last lines as there are variations.
        for choice, number in numbered:
            if choice.comment:
                self._inform(choice.comment, number)
        return answer.choices[0].move.uci()

    def _show(self, choice: Choice, number: str) -> None:
        """Send a move with its score; `number` says which variation this is, if there are several."""
        assert self._board is not None
        score = ""
        if choice.outcome is not None:
            is_mate = mates(self._board, choice.move)
            value = "mate 1" if is_mate else f"cp {round(centipawns_of_win_chance(choice.outcome.value))}"
            score = f"score {value} {_wdl(choice.outcome) if self._shows_wdl else ''}"
        self._send(f"info depth 1 {number}{score}pv {choice.move.uci()}")

    def _answer(self, board: chess.Board, moves: Sequence[chess.Move]) -> Answer:
        try:
            self._player.prepare()
            answer = self._player.choose(board, moves, self._variations)
            wrong = [choice.move.uci() for choice in answer.choices if choice.move not in moves]
            if not wrong:
                return answer
            reason = f"{self._player.name} chose {wrong[0]}, which is not allowed here"
        except ChessMotifError as error:
            reason = str(error)
        return Answer([Choice(moves[0])], [reason, "this is only the first move allowed"])

    def _release(self, command: str) -> None:
        if command in self._awaited:
            self._send_held()

    def _send_held(self) -> None:
        if self._held:
            self._send(self._held)
        self._held, self._awaited = "", frozenset()

    def _inform(self, text: str, number: str = "") -> None:
        self._send(f"info {number}string {clean(text)[:LONGEST_INFO]}")

    def _send(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def _set_up(setup: str) -> chess.Board:
    """Return the board of `startpos` or `fen FEN`. Raises `PositionError`."""
    match setup.split():
        case ["startpos"]:
            return chess.Board()
        case ["fen", *fields]:
            return parse_position(" ".join(fields))
    raise PositionError("position needs `startpos` or `fen FEN`, and then `moves` if there are any")


def _wdl(outcome: Outcome) -> str:
    """Return the outcome as the wins, draws and losses of a `score`, which add up to 1000."""
    wins, losses = round(1000 * outcome.wins), round(1000 * outcome.losses)
    return f"wdl {wins} {max(0, 1000 - wins - losses)} {losses} "


def _allowed_moves(board: chess.Board, words: Sequence[str]) -> list[chess.Move]:
    """Return the legal moves, or only those that are listed after `searchmoves`."""
    legal = list(board.legal_moves)
    named = words[words.index("searchmoves") + 1 :] if "searchmoves" in words else []
    return [move for move in legal if move.uci() in named] if named else legal
