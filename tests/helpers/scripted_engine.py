"""An engine whose evaluations are written down in the test."""

from __future__ import annotations

from collections.abc import Callable

import chess
from chess.engine import Cp, Mate, Score

from engines.engine import Until, Variation
from engines.winchance import win_chance

# Moves in UCI with a score from the mover's side: centipawns, or `#n` for mate.
Opinion = dict[str, int | str]


class ScriptedEngine:
    """Answers by position; `by_nodes` gives other answers after so many nodes. Unknown positions are even.

    A search with stages may end after any of them.
    """

    name = "Scripted"

    def __init__(
        self, opinions: dict[str, Opinion], by_nodes: dict[int, dict[str, Opinion]] | None = None
    ) -> None:
        self.opinions = {key(fen): opinion for fen, opinion in opinions.items()}
        self.by_nodes = {
            nodes: {key(fen): opinion for fen, opinion in others.items()}
            for nodes, others in (by_nodes or {}).items()
        }
        self.searches = self.nodes = 0
        self.asked: list[tuple[str, int]] = []

    def search(
        self,
        board: chess.Board,
        nodes: int,
        lines: int = 1,
        depth: int | None = None,
        until: Until | None = None,
    ) -> list[Variation]:
        for reached in [*(stage.nodes for stage in getattr(until, "stages", ())), nodes]:
            variations = self._variations(board, reached, lines)
            if reached == nodes or (until is not None and until(reached, variations)):
                break
        self.searches += 1
        self.nodes += reached
        self.asked.append((board.epd(), reached))
        return variations

    def _variations(self, board: chess.Board, nodes: int, lines: int) -> list[Variation]:
        known = self.by_nodes.get(nodes, {}).get(board.epd()) or self.opinions.get(board.epd())
        opinion = known or {move.uci(): 0 for move in board.legal_moves}
        variations = [
            Variation((board.parse_uci(move),), score(value), win_chance(score(value)))
            for move, value in opinion.items()
        ]
        variations.sort(key=lambda variation: -variation.chance)
        return variations[:lines]

    def attempt(self, work: Callable[[], None]) -> None:
        work()


def key(fen: str) -> str:
    return chess.Board(fen).epd()


def score(value: int | str) -> Score:
    return Cp(value) if isinstance(value, int) else Mate(int(value.removeprefix("#")))


def after(fen: str, *moves: str) -> str:
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return board.fen()
