"""The opportunities in a player's games: positions that a blunder has made won ones, and the replies to it.

Those of both sides are stored, each with the puzzle or else the exercise that its position makes. A game
that was analysed is not analysed again, whatever file it is in, so that the same command resumes after an
interruption, and later analyses the new games only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice

import chess

from chess_motif.boards import mates
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.models import Kind, Puzzle
from db.store import Store
from db.training import Opportunity, analysed_keys
from engines.search_cache import CachedEngine
from puzzlegen.candidates import Triple, may_name
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, read_game, skip_notice
from puzzlegen.games.split import RawGame, split_games
from puzzlegen.mining.game import GameResult, SearchedGame
from puzzlegen.mining.record import recorded_run
from puzzlegen.mining.report import OpportunityReport
from puzzlegen.mining.run import MinedItem, keep_result, save_results
from puzzlegen.mining.workers import LocalPool, Pool, WorkerConfig, results_of
from puzzlegen.rules import ExerciseRules, MiningRules, Pattern
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.exercise import Exercise, find_exercise
from puzzlegen.verify.solution import Rejection, Solution, find_solution


def find_opportunities(
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
    progress: Progress | None = None,
) -> OpportunityReport:
    """Find the opportunities that a player had or gave in the games of `archives`, and store them.

    The player goes by any of the names `players` (words of a name, any case). `limit` ends the run after
    that many of the player's games; `restart` analyses known games again. The other arguments are as in
    `puzzlegen.mine`. An archive that cannot be read is reported, and the next one is read. Raises
    `EngineError`, `HumanModelError`, `StoreError`.
    """
    progress = progress or Progress()
    rules, limits = rules or MiningRules(pattern=Pattern.BLUNDER), limits or ExerciseRules()
    config = WorkerConfig(engine_path, OpportunityJob(rules, limits), store.address)
    with closing(LocalPool(workers, config)) as pool:
        report = OpportunityReport(pool.engine_name())
        stored_rules = asdict(rules) | {"exercises": asdict(limits)}
        with recorded_run(store, report, stored_rules, progress) as record:
            record.summary = report.summary
            with store.reading() as session:
                known = set() if restart else analysed_keys(session)
            run = _OpportunityRun(store, record.number, players, known, report, progress)
            for path in archives:
                left = None if limit is None else limit - run.analysed
                if progress.stopping or left == 0:
                    break
                with report.keeping_damage(progress), open_archive(path) as archive:
                    run.analyse(archive, pool, left)
    return report


@dataclass
class _OpportunityRun:
    """A run over several archives, which has analysed `analysed` games so far, failed ones included.

    `known` are the keys of the games that are not to be analysed.
    """

    store: Store
    run_number: int
    players: Sequence[str]
    known: set[str]
    report: OpportunityReport
    progress: Progress
    analysed: int = 0

    def analyse(self, archive: Archive, pool: Pool, most: int | None) -> None:
        """Analyse the player's new games of an archive, at most so many.

        Raises `ArchiveError` where it is damaged, and `EngineFailedError` if the engine keeps failing.
        """
        games = islice(self._new_games(archive), most)
        with closing(results_of(pool, games, lambda: self.progress.stopping)) as results:
            save_results(results, lambda batch: self._save(archive, batch))
        archive.finish()
        self._show(archive)

    def _new_games(self, archive: Archive) -> Iterator[RawGame]:
        """Yield the games of the player that are not known."""
        for raw in split_games(archive.chunks()):
            if not any(may_name(raw.text, player) for player in self.players):
                self.report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
                continue
            try:
                game = read_game(raw)
            except SkipGame as skip:
                self._skip(archive, raw.number, raw.offset, skip.reason, skip.detail)
                continue
            if not any(game.is_played_by(name, side) for name in self.players for side in chess.COLORS):
                self.report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
            elif game.key in self.known:
                self.report.known_games += 1
            else:
                self.known.add(game.key)
                yield raw

    def _save(self, archive: Archive, batch: Sequence[MinedItem]) -> None:
        """Store the results of games in one transaction; those that were skipped are only counted."""
        with self.store.session() as session:
            for _, result in batch:
                assert isinstance(result, GameResult)
                self.analysed += 1
                if result.skipped is not None:
                    self._skip(archive, result.number, result.offset, result.skipped, result.detail)
                    continue
                stored = keep_result(session, result, self.run_number)
                self.report.summary.add_game(result, stored, archive.name)
                self.report.opportunities += len(result.opportunities or ())
                self.report.exercises += sum(bool(puzzle.accepted) for puzzle in result.puzzles)
        archive.finish_text(result.end)
        self._show(archive)

    def _skip(self, archive: Archive, number: int, offset: int, reason: Skip, detail: str) -> None:
        self.report.summary.skipped[reason.value] += 1
        self.progress.notice(skip_notice(archive.name, number, offset, reason, detail))

    def _show(self, archive: Archive) -> None:
        games, opportunities = self.report.summary.games, self.report.opportunities
        detail = f"{counted(games, 'game')}, {counted(opportunities, 'opportunity')}"
        self.progress.update(archive.name, archive.finished(), archive.size, "B", detail)


@dataclass(frozen=True)
class OpportunityJob:
    """Look for the opportunities of both sides by these rules, and for exercises by these limits."""

    rules: MiningRules
    limits: ExerciseRules

    def __call__(self, raw: RawGame, game: PlayedGame, searcher: CachedEngine) -> GameResult:
        """Return the opportunities of a game that were answered by a move. Raises `EngineFailedError`."""
        searched = SearchedGame(game, searcher, self.rules)
        opportunities: list[Opportunity] = []
        result = GameResult(raw.number, raw.offset, raw.end, game=game.row(), opportunities=opportunities)
        for candidate in searched.candidates():
            ply = candidate.ply + 1
            if ply == len(game.moves):
                continue
            result.candidates += 1
            triple = searched.decided(candidate)
            if triple is None:
                result.reject(Rejection.UNDECIDED, ply)
                continue
            found: Solution | Exercise | Rejection = find_solution(searched.boards[ply], searcher, self.rules)
            if isinstance(found, Rejection):
                found = find_exercise(searched.boards[ply], searcher, self.rules, self.limits)
            if isinstance(found, Rejection):
                result.reject(found, ply)
                opportunities.append(_without_puzzle(searched, triple, found))
                continue
            if isinstance(found, Exercise):
                row = self._exercise_row(searched, triple, found)
                solution, right = found.solution, found.accepted
            else:
                row = searched.puzzle_row(triple, found)
                solution, right = found, found.moves[:1]
            result.puzzles.append(row)
            opportunity = _opportunity(searched, triple, solution.moves, right)
            opportunity.puzzle_id, opportunity.kind, opportunity.tags = row.id, row.kind, row.tags
            opportunities.append(opportunity)
        return result

    def _exercise_row(self, searched: SearchedGame, triple: Triple, exercise: Exercise) -> Puzzle:
        """Return an exercise as a row."""
        ply, solution = triple.ply + 1, exercise.solution
        row = searched.puzzle_row(triple, solution)
        row.kind = Kind.EXERCISE.value
        row.accepted = " ".join(move.uci() for move in exercise.accepted)
        row.solver_found = searched.game.moves[ply] in exercise.accepted
        row.tags = searched.tags(ply, solution.moves, is_forced=solution.ending is Ending.MATE)
        row.nodes = {"line": self.limits.line_nodes, "confirm": self.limits.confirm_nodes}
        return row


def _without_puzzle(searched: SearchedGame, triple: Triple, reason: Rejection) -> Opportunity:
    """Return an opportunity that is neither a puzzle nor an exercise, with the engine's best line."""
    ply = triple.ply + 1
    best = searched.searcher.search(searched.boards[ply], searched.rules.decide_nodes)[0].moves
    # Up to a move of the solver.
    moves = best[: len(best) - 1 + len(best) % 2]
    opportunity = _opportunity(searched, triple, moves, moves[:1])
    opportunity.tags = searched.tags(ply, moves, is_forced=False)
    opportunity.reason = reason.value
    return opportunity


def _opportunity(
    searched: SearchedGame, triple: Triple, solution: Sequence[chess.Move], right: Sequence[chess.Move]
) -> Opportunity:
    """Return an opportunity, which the `right` moves take, as a row. What it became is not in it yet."""
    ply = triple.ply + 1
    before, position = searched.boards[triple.ply : ply + 1]
    blunder, played = searched.game.moves[triple.ply : ply + 1]
    assert triple.reply is not None
    rules = searched.rules
    keeps_win = triple.reply >= rules.won and triple.after - triple.reply < rules.drop
    return Opportunity(
        ply=ply,
        white=position.turn == chess.WHITE,
        fen=before.fen(),
        blunder=blunder.uci(),
        solution=" ".join(move.uci() for move in solution),
        played=played.uci(),
        taken=played in right or mates(position, played) or keeps_win,
        before=round(triple.before, 4),
        after=round(triple.after, 4),
        reply=round(triple.reply, 4),
        clock=searched.game.clock(ply),
        tags="",
    )
