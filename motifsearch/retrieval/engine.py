"""The code that Chesscone and ChessBERT share: UCI options, opening the memory, and comments on moves.

`MemoryEngine` is the UCI side of both engines (see `engines.uci_server`). It asks a `Decider` for the moves
of a position in order of preference, and reports the games that each move comes from and the expected
outcome. If the memory cannot be used, the engine plays on with the human-move model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import chess

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, IndexUnavailableError
from db.games import GameFilter
from engines.human.model import SHIPPED_MODEL, HumanModel, load_human_model
from engines.uci_server import Answer, Check, Choice, Option, Spin, String
from motifsearch.retrieval.decision import Decider, Decision
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.evidence import MoveEvidence, comment_on
from motifsearch.retrieval.memory import Memory, MemoryFilter, open_memory
from motifsearch.retrieval.policy import PolicyPlayer, evidence_for

# The names of the options.
MEMORY, PLAYER, OPENING = "Memory", "Player", "Opening"
MIN_ELO = "Memory Min Elo"
LIMIT, ELO, CAREFUL, VARIETY = "UCI_LimitStrength", "UCI_Elo", "Careful", "Variety"

# The lowest and the highest Elo for the human-move model, and the highest Elo of the filter.
WEAKEST, STRONGEST = 800, 2500
HIGHEST_ELO = 4000

# Options of both engines.
OPTIONS: tuple[Option, ...] = (
    String(MEMORY, ""),
    String(PLAYER, ""),
    String(OPENING, ""),
    Spin(MIN_ELO, 0, 0, HIGHEST_ELO),
    Check(LIMIT, False),
    Spin(ELO, 1500, WEAKEST, STRONGEST),
    Check(CAREFUL, True),
    Check(VARIETY, True),
)

ALONE = "playing from the human-move model alone"

# The share of the votes that a move needs to be played for variety.
COMMON = 0.05

# The values of options by their names.
Values = Mapping[str, bool | int | str]


class MemoryEngine:
    """A UCI engine that plays from the memory beside a database, or in a folder.

    Its options choose the memory, the games that count (`Player`: only moves of this player; `Opening`: an
    ECO code or its beginning; the least Elo of both players), and the style of play: like people of which
    Elo, with or without a blunder check, with or without variety in well-known positions.
    """

    author = "the chess-motif developers"

    def __init__(
        self,
        name: str,
        decider: Callable[[Memory, HumanModel, Values], Decider],
        database: str | None = None,
        memory: Path | None = None,
        *own_options: Option,
    ) -> None:
        """`database` is the database of the games, unless a folder `memory` with its own games is given.

        `decider` makes a `Decider` of the memory, the human-move model, and the values of all options;
        `own_options` are the options of this engine alone.
        """
        self.name = f"{name} {__version__}"
        self.options = (*OPTIONS, *own_options)
        self._make, self._database, self._folder = decider, database, memory
        self._values = {option.name: option.default for option in self.options}
        self._model: HumanModel | None = None
        self._memory: Memory | None = None
        self._decider: Decider | None = None
        # Why the engine plays without the memory, if it does, and the last reason that it reported.
        self._alone = self._said = ""
        # Other messages for the next move.
        self._notes: list[str] = []
        self._random = Random()

    def set_option(self, name: str, value: bool | int | str) -> None:
        """Set an option; see `engines.uci_server.Player`."""
        self._values[name] = value
        if name == MEMORY:
            self._memory = self._model = None
        self._decider = None

    def new_game(self) -> None:
        """Do nothing, since nothing is kept from game to game."""

    def prepare(self) -> None:
        """Open the memory and the model if they are not open. Raises `HumanModelError`."""
        if self._decider is not None:
            return
        try:
            self._decider = self._with_memory()
            self._alone = ""
        except ChessMotifError as error:
            self._play_alone(str(error))

    def choose(self, board: chess.Board, moves: Sequence[chess.Move], count: int) -> Answer:
        """Return the moves to play and the games that they come from; see `engines.uci_server.Player`."""
        try:
            return self._answer(board, moves, count)
        except ChessMotifError as error:
            # The database of the memory is gone.
            self._play_alone(str(error))
            return self._answer(board, moves, count)

    def _with_memory(self) -> Decider:
        if self._memory is None:
            folder = Path(str(self._values[MEMORY])) if self._values[MEMORY] else self._folder
            memory = open_memory(self._database, folder)
            self._model = memory.model or self._own_model()
            self._memory = memory
        if not self._memory.set_filter(self._filter()):
            raise IndexUnavailableError("no game passes the filters")
        assert self._model is not None
        return self._make(self._memory, self._model, self._values)

    def _play_alone(self, reason: str) -> None:
        self._alone = reason
        self._model = self._model or self._own_model()
        self._decider = PolicyPlayer(self._model, rating_of(self._values), bool(self._values[CAREFUL]))

    def _own_model(self) -> HumanModel:
        try:
            return load_human_model()
        except ChessMotifError as error:
            self._notes.append(f"playing with the human-move model of this package: {error}")
            return load_human_model(SHIPPED_MODEL)

    def _answer(self, board: chess.Board, moves: Sequence[chess.Move], count: int) -> Answer:
        assert self._decider is not None
        assert self._model is not None
        decision = self._decider.decide(board)
        varied = self._varied(decision, moves) if count == 1 else None
        shown = [varied] if varied else [move for move in decision.moves if move in moves][:count]
        rating = rating_of(self._values)
        memory = self._memory if decision.voters is not None else None
        choices = [
            Choice(one.move, one.outcome, _comment(board, one) if memory else "")
            for one in evidence_for(board, shown, decision.voters, memory, self._model, rating)
        ]
        return Answer(choices, self._unsaid())

    def _unsaid(self) -> list[str]:
        """Return the messages for the next move, without those that were reported before."""
        alone = [] if self._alone in ("", self._said) else [f"{ALONE}: {self._alone}"]
        notes, self._notes, self._said = [*alone, *self._notes], [], self._alone
        return notes

    def _filter(self) -> MemoryFilter:
        lowest = int(self._values[MIN_ELO])
        games = GameFilter(elo=(lowest or None, None), eco=str(self._values[OPENING]) or None)
        return MemoryFilter(games, str(self._values[PLAYER]) or None)

    def _varied(self, decision: Decision, moves: Sequence[chess.Move]) -> chess.Move | None:
        """Return a common move of a well-known position, drawn by its votes, or None in other positions."""
        if not self._values[VARIETY] or not decision.well_known:
            return None
        votes = {move: share for move, share in decision.votes.items() if share >= COMMON and move in moves}
        return self._random.choices([*votes], [*votes.values()])[0] if votes else None


def _comment(board: chess.Board, seen: MoveEvidence) -> str:
    """Return the comment on a move."""
    san = board.san(seen.move)
    if seen.record is None or seen.game is None:
        return f"{san} no games"
    return comment_on(san, seen.record, seen.game)


def rating_of(values: Values) -> float:
    """Return the Elo of the people whose moves an engine with these options expects."""
    return float(values[ELO]) if values[LIMIT] else RATING
