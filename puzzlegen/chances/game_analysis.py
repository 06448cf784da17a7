"""Finding the chances of one game, and a puzzle or an exercise for each. Does not depend on the worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from db.models import Kind, Puzzle
from db.training.models import Chance
from engines.search_cache import CachedEngine
from puzzlegen.candidates.blunders import Triple, is_triple
from puzzlegen.games.pgn import PlayedGame
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game_job import GameResult, search_game
from puzzlegen.mining.game_search import GameSearch
from puzzlegen.rules import ExerciseRules, MiningRules
from puzzlegen.verify.ending import Ending, mates
from puzzlegen.verify.exercise import Exercise, find_exercise
from puzzlegen.verify.solution import Rejection, Solution, find_solution


@dataclass
class GameAnalysis(GameResult):
    """The result of analysing one game: that of mining it, with exercises among the puzzles, and chances."""

    chances: list[Chance] = field(default_factory=list)


def analyse_game(
    raw: RawGame, searcher: CachedEngine, rules: MiningRules, limits: ExerciseRules
) -> GameResult:
    """Return the chances of both sides of a game, or the game as skipped."""

    def analyse(game: PlayedGame) -> GameAnalysis:
        return searcher.engine.attempt(lambda: _Analyser(game, searcher, rules, limits).analyse(raw))

    return search_game(raw, searcher, analyse)


class _Analyser(GameSearch):
    def __init__(
        self, game: PlayedGame, searcher: CachedEngine, rules: MiningRules, limits: ExerciseRules
    ) -> None:
        super().__init__(game, searcher, rules)
        self.limits = limits

    def analyse(self, raw: RawGame) -> GameAnalysis:
        """Return the chances that were answered by a move. Raises `EngineFailedError`."""
        result = GameAnalysis(raw.number, raw.offset, raw.end, game=self.game.row())
        for candidate in self.triples():
            if candidate.ply + 1 == len(self.game.moves):
                continue
            result.candidates += 1
            triple = candidate if self.game.evaluated else self.decided(candidate)
            if not is_triple(triple, self.rules):
                result.rejected.setdefault(Rejection.UNDECIDED.value, []).append(triple.ply + 1)
                continue
            found = self.verify(self.boards[triple.ply + 1])
            result.chances.append(self.chance_row(triple, found))
            if isinstance(found, Rejection):
                result.rejected.setdefault(found.value, []).append(triple.ply + 1)
            else:
                result.puzzles.append(self.row(triple, found))
        return result

    def verify(self, position: chess.Board) -> Solution | Exercise | Rejection:
        """Return the puzzle of a position or else its exercise, or why it has neither."""
        solution = find_solution(position, self.searcher, self.rules)
        if isinstance(solution, Rejection):
            return find_exercise(position, self.searcher, self.rules, self.limits)
        return solution

    def row(self, triple: Triple, found: Solution | Exercise) -> Puzzle:
        """Return a puzzle or an exercise as a row."""
        if isinstance(found, Solution):
            return self.puzzle_row(triple, found)
        shown = Solution(found.moves, found.ending, found.gap, found.chance)
        exercise = self.puzzle_row(triple, shown)
        exercise.kind = Kind.EXERCISE.value
        exercise.accepted = " ".join(move.uci() for move in found.accepted)
        exercise.solver_found = self.game.moves[triple.ply + 1] in found.accepted
        is_forced = found.ending is Ending.MATE
        exercise.tags = " ".join(self.tags(triple.ply + 1, found.moves, is_forced=is_forced))
        exercise.nodes = {"line": self.limits.line_nodes, "confirm": self.limits.confirm_nodes}
        return exercise

    def chance_row(self, triple: Triple, found: Solution | Exercise | Rejection) -> Chance:
        """Return a chance as a row."""
        ply = triple.ply + 1
        before, position = self.boards[triple.ply : ply + 1]
        blunder, played = self.game.moves[triple.ply : ply + 1]
        assert triple.reply is not None
        if isinstance(found, Rejection):
            best = self.searcher.search(position, self.rules.decide_nodes)[0].moves
            moves: Sequence[chess.Move] = best[: len(best) - 1 + len(best) % 2]
            name, kind, reason = "", "", found.value
            right = moves[:1]
            tags = " ".join(self.tags(ply, moves, is_forced=False))
        else:
            moves, reason = found.moves, ""
            right = found.accepted if isinstance(found, Exercise) else found.moves[:1]
            row = self.row(triple, found)
            name, kind, tags = row.id, row.kind, row.tags
        return Chance(
            ply=ply,
            white=position.turn == chess.WHITE,
            fen=before.fen(),
            blunder=blunder.uci(),
            solution=" ".join(move.uci() for move in moves),
            played=played.uci(),
            taken=self.is_taken(triple, right),
            before=round(triple.before, 4),
            after=round(triple.after, 4),
            reply=round(triple.reply, 4),
            clock=self.game.clock(ply),
            tags=tags,
            puzzle_id=name,
            kind=kind,
            reason=reason,
        )

    def is_taken(self, triple: Triple, right: Sequence[chess.Move]) -> bool:
        """Return whether the reply in the game is one of the `right` moves, mates, or keeps the win."""
        position, played = self.boards[triple.ply + 1], self.game.moves[triple.ply + 1]
        assert triple.reply is not None
        keeps = triple.reply >= self.rules.won and triple.after - triple.reply < self.rules.drop
        return played in right or mates(position, played) or keeps
