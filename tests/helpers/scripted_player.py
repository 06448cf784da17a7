"""A player whose choices and failures are written down in the test; as a program, a UCI engine.

python -m tests.helpers.scripted_player
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from engines.uci_server import Check, Choice, Combo, Option, Spin, String, serve_stdio


@dataclass
class ScriptedPlayer:
    """Plays `move` if it may, else the last move in UCI's order; `log` has the calls and their arguments.

    Calls named in `failures` raise the error given there.
    """

    move: str = ""
    comments: Sequence[str] = ()
    score: int | None = None
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

    def choose(self, board: chess.Board, moves: Sequence[chess.Move]) -> Choice:
        self._called("choose")
        self.board = board.copy()
        # A player may change its board.
        board.clear()
        last = max(moves, key=lambda move: move.uci())
        return Choice(chess.Move.from_uci(self.move) if self.move else last, self.comments, self.score)

    def _called(self, name: str, *arguments: object) -> None:
        self.log.append((name, *arguments))
        if name in self.failures:
            raise self.failures[name]


class RatedPlayer(ScriptedPlayer):
    """Its score is the rating that it is set to."""

    def set_option(self, name: str, value: bool | int | str) -> None:
        self.score = int(value)


if __name__ == "__main__":
    serve_stdio(RatedPlayer())
