"""Mining one game: from its text to its puzzles. Does not depend on where the worker runs.

The search of one game: its evaluations, and the solutions of positions in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import chess

from chess_motif.errors import EngineFailedError
from chess_motif.material import capture_by
from chess_motif.search import Search
from db.models import Game, Puzzle
from db.puzzles import MINED, puzzle_id
from engines.search_cache import CachedEngine
from puzzlegen.candidates import Triple, find_triples, is_triple
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, read_game
from puzzlegen.games.split import RawGame
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.rules import MiningRules
from puzzlegen.verify.solution import Rejection, Solution, find_solution


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


# Seconds after which a game is given up and skipped. What a game costs is bounded by its plies and by the
# nodes of a search, so that this is a last resort: even at 50,000 nodes a second it is 180 million nodes.
GAME_SECONDS = 3600.0

R = TypeVar("R", bound="GameResult")


@dataclass
class GameResult:
    """The result of mining one game, the text of which lies between the bytes `offset` and `end`.

    `skipped` and `detail` say why it was skipped, if so. `game` and `puzzles` are rows for the store, without
    the numbers that the store assigns; `game` is None if there are no puzzles. `rejected` has, by reason,
    the plies after which a candidate was rejected. `evaluations` has the results of new searches, to be
    stored; `searches` and `nodes` count these, `reused` the searches that were not necessary.
    """

    number: int
    offset: int
    end: int
    skipped: Skip | None = None
    detail: str = ""
    game: Game | None = None
    puzzles: list[Puzzle] = field(default_factory=list)
    candidates: int = 0
    rejected: dict[str, list[int]] = field(default_factory=dict)
    evaluations: dict[Search, str] = field(default_factory=dict)
    searches: int = 0
    reused: int = 0
    nodes: int = 0


def mine_game(
    raw: RawGame, searcher: CachedEngine, rules: MiningRules, player: str | None = None
) -> GameResult:
    """Return the puzzles of a game and the cost of finding them.

    With `player` (words of a name, any case), games of other players are skipped, and only puzzles that this
    player could have solved are looked for. A game that cannot be used, or that the engine fails on, is
    returned as skipped.
    """

    def mine(game: PlayedGame) -> GameResult:
        sides = _sides(game, player)
        return searcher.engine.attempt(lambda: _GameMiner(game, searcher, rules).mine(raw, sides))

    return search_game(raw, searcher, mine)


def search_game(raw: RawGame, searcher: CachedEngine, work: Callable[[PlayedGame], R]) -> R | GameResult:
    """Return what `work` returns for a game, with the cost of its searches.

    A game that `work` raises `SkipGame` or `EngineFailedError` for is returned as skipped.
    """
    engine = searcher.engine
    searches, nodes = engine.searches, engine.nodes
    searcher.begin()
    result: R | GameResult
    try:
        result = work(read_game(raw))
    except SkipGame as skip:
        result = skipped_game(raw, skip.reason, skip.detail)
    except EngineFailedError as error:
        result = skipped_game(raw, Skip.ENGINE, str(error))
    result.evaluations, result.reused = searcher.found, searcher.reused
    result.searches, result.nodes = engine.searches - searches, engine.nodes - nodes
    return result


def skipped_game(raw: RawGame, reason: Skip, detail: str) -> GameResult:
    """Return the result of a game that is skipped."""
    return GameResult(raw.number, raw.offset, raw.end, reason, detail)


def _sides(game: PlayedGame, player: str | None) -> set[chess.Color]:
    """Return the sides that `player` played, or both if it is None. Raises `SkipGame` if there are none."""
    if player is None:
        return {chess.WHITE, chess.BLACK}
    sides = {side for side in chess.COLORS if game.is_played_by(player, side)}
    if not sides:
        raise SkipGame(Skip.OTHER_PLAYER)
    return sides


class _GameMiner(GameSearch):
    """Looks for the puzzles of one game: finds candidates, and verifies each."""

    def __init__(self, game: PlayedGame, searcher: CachedEngine, rules: MiningRules) -> None:
        super().__init__(game, searcher, rules)
        # Positions (EPD) with the solver to move in the puzzles found so far.
        self.solved: set[str] = set()

    def mine(self, raw: RawGame, sides: set[chess.Color]) -> GameResult:
        """Return the puzzles for the solvers `sides`. Raises `EngineFailedError`."""
        result = GameResult(raw.number, raw.offset, raw.end)
        for triple in self.triples():
            ply = triple.ply + 1
            if self.boards[ply].turn not in sides:
                continue
            result.candidates += 1
            verified = self.verify(triple)
            if isinstance(verified, Rejection):
                result.rejected.setdefault(verified.value, []).append(ply)
            else:
                final_triple, solution = verified
                result.puzzles.append(self.puzzle_row(final_triple, solution))
                self.mark_solved(self.boards[ply], solution)
        if result.puzzles:
            result.game = self.game.row()
        return result

    def verify(self, triple: Triple) -> tuple[Triple, Solution] | Rejection:
        """Return a candidate with its final evaluations, and its solution, or why it is not a puzzle."""
        position = self.boards[triple.ply + 1]
        if position.epd() in self.solved:
            return Rejection.REPEATED
        solution = find_solution(position, self.searcher, self.rules)
        if isinstance(solution, Rejection):
            return solution
        # Left until last: few candidates get this far, and this costs as much as most solutions.
        if not self.game.evaluated:
            triple = self.decided(triple)
            if not is_triple(triple, self.rules):
                return Rejection.UNDECIDED
        return triple, solution

    def mark_solved(self, position: chess.Board, solution: Solution) -> None:
        """Add the positions of a solution with the solver to move to `solved`."""
        board = position.copy(stack=False)
        for number, move in enumerate(solution.moves):
            if number % 2 == 0:
                self.solved.add(board.epd())
            board.push(move)
