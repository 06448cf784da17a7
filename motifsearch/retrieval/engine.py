"""The players of this room as UCI engines, see `engines.uci_server`.

Rules of thumb by which no game is thrown away. Nothing is searched beyond the opponent's next move.

What a player of this room decides: the moves in order of preference, and the games that they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from random import Random
from typing import Protocol

import chess

from chess_motif import __version__
from chess_motif.boards import mates
from chess_motif.errors import IndexUnavailableError
from chess_motif.material import material_balance
from db.games import GameFilter
from db.models import ArchivedGame
from engines.human.model import HumanModel, load_human_model
from engines.uci_server import Check, Choice, Combo, Option, Spin, String
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.memory import SAME, Memory, MemoryFilter, Recollection, open_memory

# Pawns ahead from which a draw is a game thrown away.
WINNING = 3

# Plies without a capture or a pawn move after which the winning side makes one: at 150 the game is drawn.
PATIENCE = 60


class Concern(IntEnum):
    """What is wrong with a move, worse ones later."""

    NONE = 0
    NO_PROGRESS = 1
    DRAWS = 2
    ALLOWS_MATE = 3


def cautious(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    """Return the moves in order of concern, and otherwise as they were; one that mates comes first.

    A move is of concern if the opponent can mate at once, or if it leads to a draw, a repetition or nowhere
    while the side to move is winning.
    """
    return sorted(moves, key=lambda move: (not mates(board, move), concern(board, move)))


def concern(board: chess.Board, move: chess.Move) -> Concern:
    """Return the gravest thing that is wrong with a legal move."""
    winning = material_balance(board, board.turn) >= WINNING
    progress = board.is_zeroing(move)
    impatient = winning and board.halfmove_clock >= PATIENCE and not progress
    board.push(move)
    try:
        if any(mates(board, reply) for reply in board.legal_moves):
            return Concern.ALLOWS_MATE
        if winning and (is_drawn(board) or board.is_repetition(2)):
            return Concern.DRAWS
        return Concern.NO_PROGRESS if impatient else Concern.NONE
    finally:
        board.pop()


def is_drawn(board: chess.Board) -> bool:
    """Return whether a game ends here in a draw, whatever came before."""
    return board.is_stalemate() or board.is_insufficient_material()


# Games that are named for a move.
NAMED_GAMES = 3


@dataclass(frozen=True)
class Decision:
    """All legal moves in order of preference, and what the memory had to say, None without one.

    `votes` are the shares (0…1) of the moves in similar positions, or in the position itself if it is
    `well_known`.
    """

    moves: Sequence[chess.Move]
    votes: Mapping[chess.Move, float]
    recollection: Recollection | None = None
    well_known: bool = False


class Decider(Protocol):
    """A player."""

    def decide(self, board: chess.Board) -> Decision:
        """Return what it would play in a position with a legal move. Raises `StoreError`."""


def by_score(board: chess.Board, scores: Mapping[chess.Move, float]) -> list[chess.Move]:
    """Return all legal moves, those with the highest scores first and those without one last.

    Moves of the same score are in random order, always the same in a position.
    """
    moves = list(board.legal_moves)
    Random(board.epd()).shuffle(moves)
    return sorted(moves, key=lambda move: -scores.get(move, float("-inf")))


def sources(memory: Memory, decision: Decision, move: chess.Move) -> Iterator[str]:
    """Yield a line on each of some games in which the move was played, the nearest ones.

    Of those in which the position itself occurred, they are the games of the highest-rated players. Raises
    `StoreError`.
    """
    recollection = decision.recollection
    if recollection is None:
        return
    rows = [row for row, played in enumerate(recollection.moves()) if played == move]
    rows.sort(key=lambda row: (max(SAME, recollection.distances[row]), -recollection.rows["elo"][row]))
    nearest = recollection.rows[rows[:NAMED_GAMES]]
    games = memory.games(nearest["game"].tolist())
    for row, occurrence in zip(rows, nearest, strict=False):
        how = "the same position" if recollection.distances[row] <= SAME else "a similar position"
        yield f"{_named(games[int(occurrence['game'])])}: {how} at move {occurrence['ply'] // 2 + 1}"


def _named(archived: ArchivedGame) -> str:
    """Return the players, the year and the result of a game."""
    game = archived.game
    year = game.date[:4] if game.date[:4].isdecimal() else ""
    words = [f"{game.white or '?'} – {game.black or '?'}", year, game.result]
    return ", ".join(word for word in words if word and word != "*")


# Elo that the human-move model is asked about at least and at most.
WEAKEST, STRONGEST = 800, 2500

MEMORY, PLAYER, OPENING = "Memory", "Player", "Opening"
MIN_ELO, MAX_ELO = "Memory Min Elo", "Memory Max Elo"
LIMIT, ELO, CAREFUL, VARIETY = "UCI_LimitStrength", "UCI_Elo", "Careful", "Variety"
FORM = "Form"
HIGHEST_ELO = 4000

ALONE = "playing from the human-move model alone"

# The share of the votes that a move needs to be played for variety.
COMMON = 0.05

# Options of every engine of this room.
OPTIONS: tuple[Option, ...] = (
    String(MEMORY, ""),
    String(PLAYER, ""),
    String(OPENING, ""),
    Spin(MIN_ELO, 0, 0, HIGHEST_ELO),
    Spin(MAX_ELO, HIGHEST_ELO, 0, HIGHEST_ELO),
    Check(LIMIT, False),
    Spin(ELO, 1500, WEAKEST, STRONGEST),
    Check(CAREFUL, True),
    Check(VARIETY, True),
)


@dataclass(frozen=True)
class Style:
    """How an engine is to play.

    `rating` is the Elo of the people whose moves the human-move model expects, `careful` whether it avoids
    throwing games away, `form` the value of the engine's own option, if it has one.
    """

    rating: float
    careful: bool
    form: str = ""


# Makes a player that has a memory, or none.
Maker = Callable[[Memory | None, HumanModel, Style], Decider]


class MemoryEngine:
    """A UCI engine that plays from the memory beside a database, or in a folder.

    Its options choose the memory, the games in it that count (`Player`: only moves of this player; `Opening`:
    an ECO code or its beginning; the Elo of both players), and how it plays: like people of which Elo,
    whether it avoids throwing games away, and whether it varies its moves in positions that are well known.
    """

    author = "the chess-motif developers"

    def __init__(
        self,
        name: str,
        make: Maker,
        database: str | None = None,
        memory: Path | None = None,
        form: Combo | None = None,
    ) -> None:
        """`database` is that of the games (default: the default one) unless there is a folder `memory`.

        `form` is an option of this engine alone.
        """
        self.name = f"{name} {__version__}"
        self.options: Sequence[Option] = OPTIONS if form is None else (*OPTIONS, form)
        self._make, self._database, self._folder = make, database, memory
        self._values: dict[str, bool | int | str] = {option.name: option.default for option in self.options}
        self._model: HumanModel | None = None
        self._memory: Memory | None = None
        self._player: Decider | None = None
        self._notes: list[str] = []
        self._chance = Random()

    def set_option(self, name: str, value: bool | int | str) -> None:
        """Set an option; see `engines.uci_server.Player`."""
        self._values[name] = value
        if name == MEMORY:
            self._memory = self._model = None
        self._player = None

    def new_game(self) -> None:
        """Nothing is kept from game to game."""

    def prepare(self) -> None:
        """Open the memory and the model if that has not been done. Raises `HumanModelError`, `StoreError`."""
        if self._player is not None:
            return
        self._notes = []
        if self._model is None:
            self._memory = self._open_memory()
            self._model = (self._memory and self._memory.model) or load_human_model()
        rating = float(self._values[ELO]) if self._values[LIMIT] else RATING
        style = Style(rating, bool(self._values[CAREFUL]), str(self._values.get(FORM, "")))
        self._player = self._make(self._filtered(), self._model, style)

    def choose(self, board: chess.Board, moves: Sequence[chess.Move]) -> Choice:
        """Return the move to play and the games that it comes from; see `engines.uci_server.Player`."""
        assert self._player is not None
        try:
            decision = self._player.decide(board)
        except IndexUnavailableError as error:
            # The server of the memory is gone.
            self._memory = self._player = None
            self.prepare()
            self._notes.append(f"{ALONE}: {error}")
            return self.choose(board, moves)
        move = self._varied(decision, moves) or next(one for one in decision.moves if one in moves)
        comments = [*self._notes, *(sources(self._memory, decision, move) if self._memory else ())]
        self._notes = []
        return Choice(move, comments)

    def _open_memory(self) -> Memory | None:
        folder = Path(str(self._values[MEMORY])) if self._values[MEMORY] else self._folder
        try:
            return open_memory(self._database, folder)
        except IndexUnavailableError as error:
            self._notes.append(f"{ALONE}: {error}")
            return None

    def _filtered(self) -> Memory | None:
        """Return the memory with the filters set, None if nothing passes them."""
        if self._memory is not None and not self._memory.set_filter(self._filter()):
            self._notes.append(f"{ALONE}: no game passes the filters")
            return None
        return self._memory

    def _filter(self) -> MemoryFilter:
        lowest, highest = int(self._values[MIN_ELO]), int(self._values[MAX_ELO])
        games = GameFilter(
            elo=(lowest or None, highest if highest < HIGHEST_ELO else None),
            eco=str(self._values[OPENING]) or None,
        )
        return MemoryFilter(games, str(self._values[PLAYER]) or None)

    def _varied(self, decision: Decision, moves: Sequence[chess.Move]) -> chess.Move | None:
        """Return a common move of a well-known position, drawn by its votes, None in any other position."""
        if not self._values[VARIETY] or not decision.well_known:
            return None
        votes = {move: share for move, share in decision.votes.items() if share >= COMMON and move in moves}
        return self._chance.choices([*votes], [*votes.values()])[0] if votes else None
