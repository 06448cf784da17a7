"""Finding the chances of a player's games, and storing them with their puzzles and exercises.

Each game is stored in one transaction. A game that was analysed is not analysed again, whatever file it is
in, so that the same command resumes after an interruption, and later analyses the new games only.

Finding the chances of one game, and a puzzle or an exercise for each. Does not depend on the worker.

A worker that finds chances. Does not depend on where it runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import chess

from chess_motif.boards import mates
from chess_motif.errors import ArchiveError, EngineFailedError
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.evaluations import keep_evaluations
from db.games import game_number
from db.models import Kind, Puzzle
from db.store import Store
from db.training import AnalysedGame, Opportunity, analysed_keys, keep_analysis
from engines.human.model import load_human_model
from engines.search_cache import CachedEngine
from puzzlegen.candidates import Triple, is_triple, may_name
from puzzlegen.difficulty.rating import RatingModel, load_rating_model
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, read_game, skip_notice
from puzzlegen.games.split import RawGame, split_games
from puzzlegen.mining.game import GameResult, GameSearch, search_game
from puzzlegen.mining.local import LocalPool
from puzzlegen.mining.run import FAILURES_IN_A_ROW, store_puzzles, stored_run
from puzzlegen.mining.summary import MiningSummary
from puzzlegen.mining.worker import GameWorker, Pool, WorkerConfig
from puzzlegen.rules import ExerciseRules, MiningRules, Pattern
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.exercise import Exercise, find_exercise
from puzzlegen.verify.solution import Rejection, Solution, find_solution


@dataclass
class GameAnalysis(GameResult):
    """The result of analysing one game: that of mining it, with exercises among the puzzles, and chances."""

    chances: list[Opportunity] = field(default_factory=list)


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

    def chance_row(self, triple: Triple, found: Solution | Exercise | Rejection) -> Opportunity:
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
        return Opportunity(
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


@dataclass(frozen=True)
class AnalysisConfig(WorkerConfig):
    """The configuration of a worker that analyses games, with the thresholds of exercises."""

    limits: ExerciseRules = ExerciseRules()  # noqa: RUF009 - it is frozen

    def worker(self) -> AnalysisWorker:
        """Return a worker with this configuration. Raises `EngineError`, `StoreError`."""
        return AnalysisWorker(self)


class AnalysisWorker(GameWorker):
    """Analyses one game at a time."""

    def __init__(self, config: AnalysisConfig) -> None:
        super().__init__(config)
        self._limits = config.limits

    def mine(self, raw: RawGame) -> GameResult:
        """Return the chances of a game. Raises `StoreError`."""
        return analyse_game(raw, self.searcher, self.config.rules, self._limits)


@dataclass
class ChancesReport:
    """The result of a run: its counts, and messages for archives that could not be read to their end.

    `summary` counts the games of the player that were new; `known` ones were analysed before. `chances` and
    `puzzles` count what was found, `exercises` those of the puzzles that are exercises.
    """

    engine: str
    summary: MiningSummary = field(default_factory=MiningSummary)
    known: int = 0
    chances: int = 0
    exercises: int = 0
    damaged: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return self.summary.as_dict() | {
            "known_games": self.known,
            "chances": self.chances,
            "exercises": self.exercises,
            "damaged": self.damaged,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
            "engine": self.engine,
        }


def find_chances(
    archives: Sequence[str],
    store: Store,
    players: Sequence[str],
    engine_path: str | None = None,
    *,
    rules: MiningRules | None = None,
    limits: ExerciseRules | None = None,
    workers: int = 1,
    limit: int | None = None,
    restart: bool = False,
    memory: Path | None = None,
    progress: Progress | None = None,
) -> ChancesReport:
    """Find the chances that a player had or gave in the games of `archives` (paths, or `-`), and store them.

    The player goes by any of the names `players` (words of a name, any case). `limit` ends the run after
    that many of the player's games; `restart` analyses known games again. The other arguments are as in
    `puzzlegen.mine`. An archive that cannot be read is reported, and the next one is read. Raises
    `EngineError`, `HumanModelError`, `StoreError`.
    """
    progress = progress or Progress()
    started = time.monotonic()
    rules, limits = rules or MiningRules(pattern=Pattern.BLUNDER), limits or ExerciseRules()
    config = AnalysisConfig(engine_path, rules, None, store.address, memory, limits)
    with LocalPool(workers, config) as pool:
        report = ChancesReport(pool.engine_name())
        stored_rules = rules.as_dict() | {"exercises": limits.as_dict()}
        with stored_run(store, report.engine, stored_rules) as number:
            chances_run = _Run(store, number, players, report, progress, limit, restart=restart)
            for path in archives:
                if progress.stopping or chances_run.left == 0:
                    break
                try:
                    with open_archive(path) as archive:
                        chances_run.analyse(archive, pool)
                except ArchiveError as error:
                    report.damaged.append(str(error))
                    progress.notice(str(error))
    report.interrupted = progress.stopping
    report.seconds = time.monotonic() - started
    return report


class _Run:
    """A run over several archives. `left` is how many games it may still analyse, None: any number."""

    def __init__(
        self,
        store: Store,
        number: int,
        players: Sequence[str],
        report: ChancesReport,
        progress: Progress,
        limit: int | None,
        *,
        restart: bool,
    ) -> None:
        self.left = limit
        self._store = store
        self._number = number
        self._players = players
        self._report = report
        self._progress = progress
        self._rating_model: RatingModel = load_rating_model(load_human_model())
        self._failures = 0
        with store.reading() as session:
            self._known = set() if restart else analysed_keys(session)

    def analyse(self, archive: Archive, pool: Pool) -> None:
        """Analyse the player's games of an archive.

        Raises `ArchiveError` where it is damaged, and `EngineFailedError` if the engine keeps failing.
        """
        games = islice(self._new_games(archive), self.left)
        with closing(pool.results(games, lambda: self._progress.stopping)) as results:
            for _, result in results:
                assert isinstance(result, GameResult)
                self._save(archive, result)
        archive.finish()
        self._show(archive)

    def _new_games(self, archive: Archive) -> Iterator[RawGame]:
        """Yield the games of the player that are not known."""
        for raw in split_games(archive.chunks()):
            if not any(may_name(raw.text, player) for player in self._players):
                self._report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
                continue
            try:
                game = read_game(raw)
            except SkipGame as skip:
                self._skip(archive, raw.number, raw.offset, skip.reason, skip.detail)
                continue
            if not any(game.is_played_by(name, side) for name in self._players for side in chess.COLORS):
                self._report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
            elif game.key in self._known:
                self._report.known += 1
            else:
                self._known.add(game.key)
                yield raw

    def _save(self, archive: Archive, result: GameResult) -> None:
        """Store the result of a game in one transaction."""
        if self.left is not None:
            self.left -= 1
        if not isinstance(result, GameAnalysis) or result.game is None:
            assert result.skipped is not None
            self._failures += 1
            self._skip(archive, result.number, result.offset, result.skipped, result.detail)
            if self._failures == FAILURES_IN_A_ROW:
                raise EngineFailedError(f"{result.detail}; {FAILURES_IN_A_ROW} games in a row, giving up")
            return
        self._failures = 0
        with self._store.session() as session:
            number = game_number(session, result.game)
            stored = store_puzzles(session, result.puzzles, number, self._number, self._rating_model)
            analysed = AnalysedGame(
                game_number=number, run_number=self._number, searches=result.searches, nodes=result.nodes
            )
            keep_analysis(session, analysed, result.chances)
            keep_evaluations(session, result.evaluations)
        self._report.summary.add_game(result, stored, archive.name)
        self._report.chances += len(result.chances)
        self._report.exercises += sum(bool(puzzle.accepted) for puzzle in result.puzzles)
        archive.finish_text(result.end)
        self._show(archive)

    def _skip(self, archive: Archive, number: int, offset: int, reason: Skip, detail: str) -> None:
        self._report.summary.skipped[reason.value] += 1
        self._progress.notice(skip_notice(archive.name, number, offset, reason, detail))

    def _show(self, archive: Archive) -> None:
        report = self._report
        numbers = {"game": report.summary.games, "chance": report.chances}
        detail = ", ".join(counted(number, noun) for noun, number in numbers.items())
        self._progress.update(archive.name, archive.finished(), archive.size, "B", detail)
