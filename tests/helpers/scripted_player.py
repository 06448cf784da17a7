"""A player whose choices and failures are written down in the test; as a program, a UCI engine.

python -m tests.helpers.scripted_player
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from engines.uci_server import Answer, Check, Choice, Combo, Option, Outcome, Spin, String, serve_stdio


@dataclass
class ScriptedPlayer:
    """Plays `move` if it may, else the last moves in UCI's order; `log` has the calls and their arguments.

    It says `notes`, and of each move its `comment` and `outcome`. Calls named in `failures` raise the error
    given there.
    """

    move: str = ""
    notes: Sequence[str] = ()
    comment: str = ""
    outcome: Outcome | None = None
    failures: dict[str, Exception] = field(default_factory=dict)
    log: list[tuple[object, ...]] = field(default_factory=list)
    board: chess.Board = field(default_factory=chess.Board)

    name = "Scripted 1.0"
    author = "the tests"
    options: Sequence[Option] = (
        Check("Book Moves", default=True),
        Spin("Rating", 1500, 600, 2600),
        Combo("Style", "Calm", ["Calm", "Very Sharp"]),
        String("Data File", ""),
    )

    def set_option(self, name: str, value: bool | int | str) -> None:
        self._called("set_option", name, value)

    def new_game(self) -> None:
        self._called("new_game")

    def prepare(self) -> None:
        self._called("prepare")

    def choose(self, board: chess.Board, moves: Sequence[chess.Move], count: int) -> Answer:
        self._called("choose", count)
        self.board = board.copy()
        # A player may change its board.
        board.clear()
        best = sorted(moves, key=chess.Move.uci, reverse=True)[:count]
        chosen = [chess.Move.from_uci(self.move)] if self.move else best
        return Answer([Choice(move, self.outcome, self.comment) for move in chosen], self.notes)

    def _called(self, name: str, *arguments: object) -> None:
        self.log.append((name, *arguments))
        if name in self.failures:
            raise self.failures[name]


class RatedPlayer(ScriptedPlayer):
    """It says the rating that it is set to."""

    def set_option(self, name: str, value: bool | int | str) -> None:
        self.comment = f"rated {value}"
        self.outcome = Outcome(0.5, 0.2, 0.3)


if __name__ == "__main__":
    serve_stdio(RatedPlayer())
