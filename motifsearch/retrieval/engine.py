"""What Chesscone and ChessBERT share: their UCI options, the memory that these open, and the blunder check.

`MemoryEngine` is the UCI side of both (see `engines.uci_server`). It asks a `Decider` for the moves of a
position in order of preference, and says which games the chosen one comes from. Nothing is searched beyond
the opponent's next move.
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
from chess_motif.errors import IndexUnavailableError, StoreError
from chess_motif.material import material_balance
from db.games import GameFilter
from db.models import ArchivedGame
from engines.human.model import HumanModel, load_human_model
from engines.uci_server import Check, Choice, Option, Spin, String
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.memory import SAME, Memory, MemoryFilter, Neighbours, open_memory

# The names of the options.
MEMORY, PLAYER, OPENING = "Memory", "Player", "Opening"
MIN_ELO, MAX_ELO = "Memory Min Elo", "Memory Max Elo"
LIMIT, ELO, CAREFUL, VARIETY = "UCI_LimitStrength", "UCI_Elo", "Careful", "Variety"

# The Elo that the human-move model is asked about at least and at most, and the highest Elo of a filter.
WEAKEST, STRONGEST = 800, 2500
HIGHEST_ELO = 4000

# Options of both engines.
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

ALONE = "playing from the human-move model alone"

# The share of the votes that a move needs to be played for variety.
COMMON = 0.05

# Games that are named for a move.
NAMED_GAMES = 3

# Pawns ahead from which a draw is a game thrown away.
WINNING = 3

# Plies without a capture or a pawn move after which the winning side makes one: at 150 the game is drawn.
PATIENCE = 60

# The values of options by their names.
Values = Mapping[str, bool | int | str]


@dataclass(frozen=True)
class Decision:
    """All legal moves in order of preference, and what the memory had to say, None without one.

    `votes` are the shares (0…1) of the moves in similar positions, or in the position itself if it is
    `well_known`.
    """

    moves: Sequence[chess.Move]
    votes: Mapping[chess.Move, float]
    neighbours: Neighbours | None = None
    well_known: bool = False


class Decider(Protocol):
    """What chooses moves: Chesscone or ChessBERT."""

    def decide(self, board: chess.Board) -> Decision:
        """Return what it would play in a position with a legal move. Raises `StoreError`."""


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
        decider: Callable[[Memory | None, HumanModel, Values], Decider],
        database: str | None = None,
        memory: Path | None = None,
        *own_options: Option,
    ) -> None:
        """`database` is that of the games (default: the default one) unless there is a folder `memory`.

        `decider` makes what chooses the moves, of the memory (None without one), the human-move model, and
        the values of all options; `own_options` are those of this engine alone.
        """
        self.name = f"{name} {__version__}"
        self.options = (*OPTIONS, *own_options)
        self._make, self._database, self._folder = decider, database, memory
        self._values = {option.name: option.default for option in self.options}
        self._model: HumanModel | None = None
        self._memory: Memory | None = None
        self._decider: Decider | None = None
        self._notes: list[str] = []
        self._random = Random()

    def set_option(self, name: str, value: bool | int | str) -> None:
        """Set an option; see `engines.uci_server.Player`."""
        self._values[name] = value
        if name == MEMORY:
            self._memory = self._model = None
        self._decider = None

    def new_game(self) -> None:
        """Nothing is kept from game to game."""

    def prepare(self) -> None:
        """Open the memory and the model if that has not been done. Raises `HumanModelError`, `StoreError`."""
        if self._decider is not None:
            return
        self._notes = []
        if self._model is None:
            self._memory = self._open_memory()
            self._model = (self._memory and self._memory.model) or load_human_model()
        memory = self._memory
        if memory is not None and not memory.set_filter(self._filter()):
            self._notes.append(f"{ALONE}: no game passes the filters")
            memory = None
        self._decider = self._make(memory, self._model, self._values)

    def choose(self, board: chess.Board, moves: Sequence[chess.Move]) -> Choice:
        """Return the move to play and the games that it comes from; see `engines.uci_server.Player`."""
        assert self._decider is not None
        try:
            decision = self._decider.decide(board)
        except IndexUnavailableError as error:
            # The server of the memory is gone.
            self._memory = self._decider = None
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
        except (IndexUnavailableError, StoreError) as error:
            self._notes.append(f"{ALONE}: {error}")
            return None

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
        return self._random.choices([*votes], [*votes.values()])[0] if votes else None


def rating_of(values: Values) -> float:
    """Return the Elo of the people whose moves an engine with these options expects."""
    return float(values[ELO]) if values[LIMIT] else RATING


def sources(memory: Memory, decision: Decision, move: chess.Move) -> Iterator[str]:
    """Yield a line on each of some games in which the move was played, the nearest ones.

    Of those in which the position itself occurred, they are the games of the highest-rated players. Raises
    `StoreError`.
    """
    neighbours = decision.neighbours
    if neighbours is None:
        return
    rows = [row for row, played in enumerate(neighbours.moves()) if played == move]
    rows.sort(key=lambda row: (max(SAME, neighbours.distances[row]), -neighbours.rows["elo"][row]))
    rows = rows[:NAMED_GAMES]
    games = memory.games(neighbours.rows["game"][rows].tolist())
    for occurrence, distance in zip(neighbours.rows[rows], neighbours.distances[rows], strict=True):
        how = "the same position" if distance <= SAME else "a similar position"
        yield f"{_named(games[int(occurrence['game'])])}: {how} at move {occurrence['ply'] // 2 + 1}"


def _named(archived: ArchivedGame) -> str:
    """Return the players, the year and the result of a game."""
    game = archived.game
    year = game.date[:4] if game.date[:4].isdecimal() else ""
    words = [f"{game.white or '?'} – {game.black or '?'}", year, game.result]
    return ", ".join(word for word in words if word and word != "*")


def by_score(
    board: chess.Board, scores: Mapping[chess.Move, float], *, careful: bool = False
) -> list[chess.Move]:
    """Return all legal moves, those with the highest scores first and those without one last.

    Moves of the same score are in random order, always the same in a position. With `careful`, the blunder
    check comes first, see `blunders_last`.
    """
    moves = list(board.legal_moves)
    Random(board.epd()).shuffle(moves)
    moves.sort(key=lambda move: -scores.get(move, float("-inf")))
    return blunders_last(board, moves) if careful else moves


class Blunder(IntEnum):
    """How a move may throw a game away, worse ones later."""

    NONE = 0
    NO_PROGRESS = 1
    DRAWS = 2
    ALLOWS_MATE = 3


def blunders_last(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    """Return the moves with the worst blunders last, otherwise as they were; one that mates comes first."""
    return sorted(moves, key=lambda move: (not mates(board, move), blunder_of(board, move)))


def blunder_of(board: chess.Board, move: chess.Move) -> Blunder:
    """Return the worst thing that is wrong with a legal move.

    The opponent can mate at once; or the side to move is winning, and the move leads to a draw, a repetition
    or nowhere.
    """
    winning = material_balance(board, board.turn) >= WINNING
    progress = board.is_zeroing(move)
    impatient = winning and board.halfmove_clock >= PATIENCE and not progress
    board.push(move)
    try:
        if any(mates(board, reply) for reply in board.legal_moves):
            return Blunder.ALLOWS_MATE
        if winning and (is_drawn(board) or board.is_repetition(2)):
            return Blunder.DRAWS
        return Blunder.NO_PROGRESS if impatient else Blunder.NONE
    finally:
        board.pop()


def is_drawn(board: chess.Board) -> bool:
    """Return whether a game ends here in a draw, whatever came before."""
    return board.is_stalemate() or board.is_insufficient_material()
