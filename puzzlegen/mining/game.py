"""Searching one game for puzzles: its text and an engine go in, and rows for the store come out.

Candidates are the game's blunders, by its evaluations or else by a quick search of each position. A candidate
with a verified solution becomes a puzzle. A `Job` says what to look for; unusable games are skipped with a
reason. Knows nothing of archives, the store, or where it runs. `mine_game` is the same for a game of
python-chess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import chess
import chess.pgn

from chess_motif.boards import board_after
from chess_motif.errors import EngineFailedError
from chess_motif.material import capture_by
from chess_motif.notation import uci_line
from chess_motif.search import Search
from db.models import Game, Puzzle
from db.puzzles import MINED, puzzle_id
from engines.engine import Engine
from engines.search_cache import CachedEngine
from puzzlegen.candidates import Turn, is_triple, turns_of
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, played_game, read_game
from puzzlegen.games.split import RawGame
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.rules import MiningRules, Pattern
from puzzlegen.solutions import set_difficulties
from puzzlegen.verify.solution import Rejection, Solution, Uniqueness, find_solution
from puzzlegen.verify.staged import Reached, Staged

# Seconds after which a game is given up and skipped. This is a last resort, since plies and nodes are
# limited: even at 50,000 nodes a second, it is 180 million nodes.
GAME_SECONDS = 3600.0


@dataclass
class GameResult:
    """The result of mining one game, whose text is between the bytes `offset` and `end`.

    If the game was skipped, `skipped` and `detail` say why. `game` and `puzzles` are rows for the store,
    without the numbers that the store assigns; `game` is None if there is nothing to store. `rejected` has,
    by reason, the plies after which a candidate was rejected. `evaluations` has the results of new searches,
    to be stored, which `searches` and `nodes` count; `reused` counts the results of earlier searches.
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

    def reject(self, reason: Rejection, ply: int) -> None:
        """Count the candidate after `ply` plies as rejected."""
        self.rejected.setdefault(reason.value, []).append(ply)


# Finds something in a game. If a job raises `SkipGame` or `EngineFailedError`, the game is skipped. Jobs are
# sent to the workers, and their `repr` has all their settings.
Job = Callable[[RawGame, PlayedGame, CachedEngine], GameResult]


def mine_game(
    game: chess.pgn.Game, engine: Engine, *, rules: MiningRules | None = None, player: str | None = None
) -> Iterator[Puzzle]:
    """Yield the puzzles in the main line of a game, in order, with tags and estimated difficulties.

    If the game has an `[%eval]` comment after each move, its candidates are found without a search. With
    `player` (words of a name, any case), only puzzles that this player could have solved are yielded. The
    puzzles can be stored and exported; `explain_solution(puzzle.board(), puzzle.moves())` says why they work.
    Raises `InputError` at once for an unusable game, such as one with an illegal move or of a variant of
    chess, and later `EngineError` and `HumanModelError`.
    """
    played = played_game(game)
    found = find_puzzles(played, CachedEngine(engine), rules or MiningRules(), solvers(played, player))
    return _finished(played, (puzzle for _, puzzle in found if isinstance(puzzle, Puzzle)))


def _finished(game: PlayedGame, puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
    """Yield the puzzles of a game, with the game and the difficulties added."""
    row = game.row()
    for puzzle in puzzles:
        puzzle.game = row
        set_difficulties([puzzle])
        yield puzzle


def game_result(raw: RawGame, searcher: CachedEngine, job: Job) -> GameResult:
    """Return the result of a job for a game, with the cost of the searches.

    An unusable game, or one on which the engine fails, is returned as skipped.
    """
    engine = searcher.engine
    searches, nodes = engine.searches, engine.nodes
    searcher.begin()
    try:
        game = read_game(raw)
        result = job(raw, game, searcher)
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


@dataclass(frozen=True)
class PuzzleJob:
    """Look for puzzles by these rules.

    With `player` (words of a name, any case), games without this player are skipped, and only puzzles that
    the player could have solved are looked for.
    """

    rules: MiningRules
    player: str | None = None

    def __call__(self, raw: RawGame, game: PlayedGame, searcher: CachedEngine) -> GameResult:
        """Return the puzzles of a game. Raises `SkipGame`, `EngineFailedError`."""
        sides = solvers(game, self.player)
        if not sides:
            raise SkipGame(Skip.OTHER_PLAYER)
        result = GameResult(raw.number, raw.offset, raw.end)
        for ply, found in find_puzzles(game, searcher, self.rules, sides):
            result.candidates += 1
            if isinstance(found, Rejection):
                result.reject(found, ply)
            else:
                result.puzzles.append(found)
        if result.puzzles:
            result.game = game.row()
        return result


def solvers(game: PlayedGame, player: str | None) -> set[chess.Color]:
    """Return the colours of `player` (words of a name, any case), both without a player."""
    return {side for side in chess.COLORS if player is None or game.is_played_by(player, side)}


def find_puzzles(
    game: PlayedGame, searcher: CachedEngine, rules: MiningRules, sides: Collection[chess.Color]
) -> Iterator[tuple[int, Puzzle | Rejection]]:
    """Yield each candidate that one of `sides` solves: the plies before, and the puzzle or the rejection.

    The puzzles are rows, without the numbers of the game and of the mining run. Raises `EngineFailedError`.
    """
    searched = SearchedGame(game, searcher, rules)
    # The positions (EPD) of the puzzles found so far with the solver to move.
    solved: set[str] = set()
    for turn in searched.turns():
        position = searched.boards[turn.ply]
        if position.turn not in sides or not is_triple(turn, rules, searched.share):
            continue
        verified = Rejection.REPEATED if position.epd() in solved else searched.verify(turn)
        if isinstance(verified, Rejection):
            yield turn.ply, verified
        else:
            decided, solution = verified
            yield turn.ply, searched.puzzle_row(decided, solution)
            solved |= _positions_to_solve(position, solution)


class SearchedGame:
    """A game whose positions are searched by the thresholds of `rules`.

    `boards[i]` is the position after i plies. `share` is the factor for the thresholds of the game's `turns`.
    """

    def __init__(self, game: PlayedGame, searcher: CachedEngine, rules: MiningRules) -> None:
        self.game = game
        self.searcher = searcher
        self.rules = rules
        self.share = 1.0 if game.evaluated else rules.scan_share
        self.boards = [game.start.copy()]
        for move in game.moves:
            board = self.boards[-1].copy()
            board.push(move)
            self.boards.append(board)

    def turns(self) -> Iterator[Turn]:
        """Return the turns, by the evaluations of the game or by a quick search of each position."""
        win_chances, nodes = self.game.win_chances, self.rules.scan_nodes
        if not self.game.evaluated:
            self.searcher.look_up(self.boards, nodes)
            win_chances = tuple(self._white_win_chance(board, nodes) for board in self.boards)
        return turns_of(win_chances, self.game.start.turn)

    def verify(self, candidate: Turn) -> tuple[Turn, Solution] | Rejection:
        """Return a candidate with its final win chances and its solution, or why it is not a puzzle.

        Results that somebody else claims to have found are checked before a puzzle is accepted.
        """
        verified = self._verified(candidate)
        if isinstance(verified, Rejection) or not self.searcher.has_claims:
            return verified
        with self.searcher.checking_claims():
            return self._verified(candidate)

    def _verified(self, candidate: Turn) -> tuple[Turn, Solution] | Rejection:
        solution = find_solution(self.boards[candidate.ply], self.searcher, self.rules)
        if isinstance(solution, Rejection):
            return solution
        # Done last, because few candidates get this far.
        decided = self.decided(candidate)
        return Rejection.UNDECIDED if decided is None else (decided, solution)

    def decided(self, candidate: Turn) -> Turn | None:
        """Return a candidate with a solution and its final win chances, None if they do not fit the pattern.

        Win chances are the game's evaluations or else results of searches, which end once it is clear whether
        the position before the blunder is won. The position after the move played is only searched if it
        matters.
        """
        rules, ply = self.rules, candidate.ply
        if self.game.evaluated:
            return candidate
        unique = Staged(rules.stages, Uniqueness(rules.gap, rules.winning))
        now = unique.search(self.boards[ply], self.searcher, rules.lines)[0].chance
        reached = Staged(rules.decision, Reached(min(rules.won, now - rules.drop)))
        before, after = -reached.search(self.boards[ply - 1], self.searcher)[0].chance, candidate.after
        if rules.pattern is Pattern.BLUNDER_BLUNDER and not self.boards[ply + 1].is_game_over():
            after = -reached.search(self.boards[ply + 1], self.searcher)[0].chance
        turn = Turn(ply, before, now, after)
        return turn if is_triple(turn, rules) else None

    def turn(self, ply: int) -> Turn:
        """Return the turn after `ply` plies with final win chances, from the game or else from searches."""
        boards, chances = self.boards[ply - 1 : ply + 2], self.game.win_chances[ply - 1 : ply + 2]
        sign = 1 if boards[1].turn == chess.WHITE else -1
        if not self.game.evaluated:
            chances = tuple(self._white_win_chance(board, self.rules.decide_nodes) for board in boards)
        before, now, *after = (sign * (chance or 0.0) for chance in chances)
        return Turn(ply, before, now, *(after or [math.nan]))

    def tags(
        self, ply: int, moves: Sequence[chess.Move], *, is_forced: bool = True, holds: bool = False
    ) -> str:
        """Return the tags of a line that begins after `ply` plies, see `solution_tags`."""
        capture = capture_by(self.boards[ply - 1], self.game.moves[ply - 1])
        return " ".join(solution_tags(self.boards[ply], moves, capture, is_forced=is_forced, holds=holds))

    def puzzle_row(self, turn: Turn, solution: Solution) -> Puzzle:
        """Return a puzzle as a row, without the numbers of its game and of the mining run."""
        ply = turn.ply
        before, position = self.boards[ply - 1 : ply + 1]
        blunder = self.game.moves[ply - 1]
        played = self.game.moves[ply] if ply < len(self.game.moves) else None
        fen = position.fen()
        return Puzzle(
            id=puzzle_id(fen, solution.moves[0]),
            fen=before.fen(),
            blunder=blunder.uci(),
            puzzle_fen=fen,
            solution=uci_line(solution.moves),
            outcome=solution.ending.value,
            solver_found=played == solution.moves[0],
            gap=round(solution.gap, 4),
            evaluations={
                "before": round(turn.before, 4),
                "after": round(turn.now, 4),
                "reply": None if math.isnan(turn.after) else round(turn.after, 4),
                "end": round(solution.win_chance, 4),
            },
            nodes={"line": self.rules.stages[-1].nodes, "confirm": self.rules.confirmation[-1].nodes},
            engine=self.searcher.engine.name,
            tags=self.tags(ply, solution.moves),
            source=MINED,
            game_url=_puzzle_url(self.game.url, position.turn, ply),
            ply=ply,
        )

    def _white_win_chance(self, board: chess.Board, nodes: int) -> float:
        """Return White's win chance (-1…1)."""
        if board.is_checkmate():
            return -1.0 if board.turn == chess.WHITE else 1.0
        if board.is_game_over():
            return 0.0
        win_chance = self.searcher.search(board, nodes)[0].chance
        return win_chance if board.turn == chess.WHITE else -win_chance


def _positions_to_solve(position: chess.Board, solution: Solution) -> set[str]:
    """Return the positions (EPD) of a solution in which the solver is to move."""
    moves = solution.moves
    return {board_after(position, moves[:ply]).epd() for ply in range(0, len(moves), 2)}


def _puzzle_url(url: str, solver: chess.Color, ply: int) -> str:
    """Return the address of a game or, on Lichess, of the puzzle position seen from the solver's side."""
    if not url.startswith("https://lichess.org/"):
        return url
    return f"{url}{'' if solver == chess.WHITE else '/black'}#{ply}"
