"""The search of one game: its evaluations, and the solutions of positions in it."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from chess_motif.material import capture_by
from db.models import Puzzle
from db.puzzles import MINED, puzzle_id
from engines.search_cache import CachedEngine
from puzzlegen.candidates.blunders import Triple, find_triples
from puzzlegen.games.pgn import PlayedGame
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.rules import MiningRules
from puzzlegen.verify.solution import Solution


class GameSearch:
    """Searches the positions of one game by the thresholds of `rules`.

    `boards[i]` is the position after i plies.
    """

    def __init__(self, game: PlayedGame, searcher: CachedEngine, rules: MiningRules) -> None:
        self.game = game
        self.searcher = searcher
        self.rules = rules
        self.boards = [game.start.copy()]
        for move in game.moves:
            board = self.boards[-1].copy()
            board.push(move)
            self.boards.append(board)

    def triples(self) -> list[Triple]:
        """Return the candidates, by the evaluations of the game or by a quick search of each position."""
        if self.game.evaluated:
            return find_triples(self.game.chances, self.game.start.turn, self.rules)
        nodes = self.rules.scan_nodes
        self.searcher.look_up(self.boards, nodes)
        chances = [self.white_chance(board, nodes) for board in self.boards]
        return find_triples(chances, self.game.start.turn, self.rules, self.rules.scan_share)

    def decided(self, triple: Triple) -> Triple:
        """Return the triple with evaluations by `decide_nodes` nodes."""
        boards = self.boards[triple.ply : triple.ply + 3]
        sign = 1 if boards[1].turn == chess.WHITE else -1
        before, after, *reply = (sign * self.white_chance(board, self.rules.decide_nodes) for board in boards)
        return Triple(triple.ply, before, after, reply[0] if reply else None)

    def tags(self, ply: int, moves: Sequence[chess.Move], *, is_forced: bool = True) -> list[str]:
        """Return the tags of a line that begins after `ply` plies, see `solution_tags`."""
        capture = capture_by(self.boards[ply - 1], self.game.moves[ply - 1])
        return solution_tags(self.boards[ply], moves, capture, is_forced=is_forced)

    def white_chance(self, board: chess.Board, nodes: int) -> float:
        """Return White's win chance (-1…1)."""
        if board.is_checkmate():
            return -1.0 if board.turn == chess.WHITE else 1.0
        if board.is_game_over():
            return 0.0
        chance = self.searcher.search(board, nodes)[0].chance
        return chance if board.turn == chess.WHITE else -chance

    def puzzle_row(self, triple: Triple, solution: Solution) -> Puzzle:
        """Return a puzzle as a row, without the numbers of its game and of the mining run."""
        ply = triple.ply + 1
        before, position = self.boards[triple.ply : ply + 1]
        blunder = self.game.moves[triple.ply]
        played = self.game.moves[ply] if ply < len(self.game.moves) else None
        confirmations = (confirmation.nodes for confirmation in self.rules.confirmations)
        fen = position.fen()
        return Puzzle(
            id=puzzle_id(fen, solution.moves[0]),
            fen=before.fen(),
            blunder=blunder.uci(),
            puzzle_fen=fen,
            solution=" ".join(move.uci() for move in solution.moves),
            outcome=solution.ending.value,
            solver_found=played == solution.moves[0],
            gap=round(solution.gap, 4),
            evaluations={
                "before": round(triple.before, 4),
                "after": round(triple.after, 4),
                "reply": None if triple.reply is None else round(triple.reply, 4),
                "end": round(solution.chance, 4),
            },
            nodes={"line": self.rules.stages[-1].nodes, "confirm": max(confirmations, default=0)},
            engine=self.searcher.engine.name,
            tags=" ".join(self.tags(ply, solution.moves)),
            source=MINED,
            game_url=_puzzle_url(self.game.url, position.turn, ply),
            ply=ply,
        )


def _puzzle_url(url: str, solver: chess.Color, ply: int) -> str:
    """Return the address of a game; on Lichess, that of the puzzle position seen from the solver's side."""
    if not url.startswith("https://lichess.org/"):
        return url
    return f"{url}{'' if solver == chess.WHITE else '/black'}#{ply}"
