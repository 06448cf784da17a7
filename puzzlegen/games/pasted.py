"""A game that somebody pastes to search for one of its positions: as PGN, or its address on Lichess.

A text comes in; out comes the game with the position that is meant. That is the last one, unless the text
ends with `#` and a number of plies, as addresses on Lichess do. python-chess decides what a game is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from urllib.parse import unquote

import chess
import chess.pgn

from chess_motif.boards import board_after, solution_san
from chess_motif.errors import InputError
from chess_motif.notation import parse_position
from puzzlegen.games.lichess_game import download_game
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, read_game, read_tags
from puzzlegen.games.split import split_games

# The most variations of a game that are offered.
MOST_VARIATIONS = 20

_LICHESS = r"(?:https?://)?(?:www\.)?lichess\.org/"

# A position on the board for analyses, or on that for setting one up.
_ANALYSIS = re.compile(
    rf"{_LICHESS}(?:analysis|editor)/(?:(?:standard|fromPosition)/)?(?P<fen>[^?#]+/[^?#]+)(?:[?#].*)?"
)

# A study, mostly with a chapter.
_STUDY = re.compile(rf"{_LICHESS}study/(?P<path>\w{{8}}(?:/\w{{8}})?)(?:[?#].*?)?")

# A game. A player's own address of it has four more letters after its id.
LICHESS_GAME = re.compile(
    rf"{_LICHESS}(?!analysis|training)(?P<id>\w{{8}})(?:\w{{4}})?(?:/(?:white|black))?/?(?:#(?P<ply>\d+))?"
)

_PLY = re.compile(r"(?:\s|(?<=\w))#(\d{1,4})\s*$")


@dataclass(frozen=True)
class PastedGame:
    """A game that was pasted, and after how many plies the position is that is meant.

    `address` is where it is on Lichess, empty if the game itself was pasted. Each of the first
    `variations` is a game of its own, which is the same before the ply `branch`.
    """

    start: chess.Board
    moves: tuple[chess.Move, ...]
    ply: int
    address: str = ""
    variations: tuple[PastedGame, ...] = ()
    branch: int = 0

    @cached_property
    def board(self) -> chess.Board:
        """The position that is meant."""
        return board_after(self.start, self.moves[: self.ply])

    def at(self, ply: int) -> str:
        """Return a short text that means the position after some plies of the game."""
        start = "" if self.start == chess.Board() else f'[FEN "{self.start.fen()}"]\n\n'
        game = self.address or f"{start}{solution_san(self.start, self.moves)}"
        return f"{game}{'' if self.address else ' '}#{ply}" if self.moves else self.board.fen()


def is_address(text: str) -> bool:
    """Return whether `text` is meant as the address of a puzzle, a game or a position."""
    return "://" in text or re.match(_LICHESS, text) is not None


def is_pgn(text: str) -> bool:
    """Return whether `text` is meant as a game: it has tags, a comment or a numbered move, or many words."""
    first, *others = text.split() or [""]
    if re.match(r"[\[{;(]|\d+\.", first):
        return True
    return bool(others) and "/" not in first and not is_address(first)


def pasted_game(text: str) -> PastedGame | None:
    """Return the game or the position that `text` has or is the address of, None if it is anything else.

    Raises `InputError` if there is none that can be used, and `DownloadError` if Lichess cannot be asked for
    it.
    """
    text = text.strip()
    if analysis := _ANALYSIS.fullmatch(text):
        return PastedGame(parse_position(unquote(analysis["fen"]).replace("_", " ")), (), 0)
    chosen = _PLY.search(text)
    ply = int(chosen[1]) if chosen else None
    if is_pgn(text):
        return _read(text[: chosen.start()] if chosen else text, ply)
    if game := LICHESS_GAME.fullmatch(text):
        return _downloaded(f"/game/export/{game['id']}", f"https://lichess.org/{game['id']}", ply)
    if study := _STUDY.fullmatch(text):
        path = f"/study/{study['path']}"
        return _downloaded(f"/api{path}.pgn", f"https://lichess.org{path}", ply)
    return None


def _downloaded(path: str, address: str, ply: int | None) -> PastedGame:
    return _read(download_game(path).decode(errors="replace"), ply, address)


def _read(text: str, ply: int | None, address: str = "") -> PastedGame:
    """Return the first game of a PGN text. A game without moves has a position only."""
    # A field of one line takes the ends of lines away.
    lines = re.sub(r'"\]\s*', '"]\n', text)
    raw = next(split_games([f"{lines}\n".encode(errors="replace")]), None)
    if raw is None:
        raise InputError("no game and no position can be read in what was pasted")
    try:
        game = read_game(raw)
    except SkipGame as skip:
        if skip.reason is not Skip.NO_MOVES or "FEN" not in (tags := read_tags(raw)):
            raise InputError(f"the game that was pasted cannot be used: {skip}") from skip
        return PastedGame(parse_position(tags["FEN"]), (), 0)
    last = len(game.moves)
    shown = last if ply is None else min(ply, last)
    variations = tuple(islice(_variations(lines, game), MOST_VARIATIONS))
    return PastedGame(game.start, game.moves, shown, address, variations)


def _variations(text: str, game: PlayedGame) -> Iterator[PastedGame]:
    parsed = chess.pgn.read_game(io.StringIO(text))
    waiting: list[chess.pgn.GameNode] = [parsed] if parsed else []
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.variations)
        if node.is_end():
            moves = node.board().move_stack
            both = zip(game.moves, moves, strict=False)
            if others := [ply for ply, (one, other) in enumerate(both) if one != other]:
                yield PastedGame(game.start, tuple(moves), len(moves), branch=others[0])
