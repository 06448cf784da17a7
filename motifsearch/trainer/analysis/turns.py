"""The opportunities in one game: what there was to find at each turn, and what the move played allowed.

A turn is examined if, by the win chances, the opponent's last move may have given an opportunity, or the move
played may have lost one. The position is then searched for a puzzle or an exercise. An opportunity is to
*win*, to *save* a lost game, or one that a move *allowed* the opponent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import chess

from chess_motif.boards import board_after, mates, passed
from chess_motif.material import capture_by, material_balance
from chess_motif.notation import uci_line
from db.analyses import Opportunity, OpportunityKind
from db.models import Kind, Puzzle
from engines.engine import Variation
from engines.human.model import TYPICAL_RATING, HumanModel, load_human_model
from engines.search_cache import CachedEngine
from motifsearch.trainer.analysis.defences import other_defences
from motifsearch.trainer.analysis.exercise import Choice, Task, find_exercise, gaining_part, won_line
from motifsearch.trainer.analysis.no_tactic import only_takes_back, saves_a_piece
from motifsearch.trainer.analysis.rules import ExerciseRules, OpportunityRules
from puzzlegen.candidates import Turn
from puzzlegen.games.pgn import PlayedGame
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult, SearchedGame
from puzzlegen.motifs.table import HOLDS_DRAW, WINS_PAWN
from puzzlegen.motifs.tags import has_motif, main_motif
from puzzlegen.reasons.explained import SolutionReasons
from puzzlegen.rules import MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection, find_solution, gap_of
from puzzlegen.verify.staged import Staged


@dataclass
class AnalysisResult(GameResult):
    """The result of analysing one game, with its `opportunities` as rows for the store."""

    opportunities: list[Opportunity] = field(default_factory=list)


@dataclass(frozen=True)
class OpportunityJob:
    """Look for the opportunities of both sides by these rules, and for exercises by these limits."""

    rules: MiningRules
    limits: ExerciseRules

    def __call__(self, raw: RawGame, game: PlayedGame, searcher: CachedEngine) -> AnalysisResult:
        """Return the opportunities of a game. Raises `EngineFailedError`, `HumanModelError`."""
        result = AnalysisResult(raw.number, raw.offset, raw.end, game=game.row())
        turns = _Turns(SearchedGame(game, searcher, self.rules), self, result)
        result.opportunities = turns.opportunities()
        result.puzzles = list(turns.puzzles.values())
        return result


def is_given(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether the opponent's last move was a blunder.

    A `share` below 1 relaxes the thresholds here and below, as in `puzzlegen.candidates.is_triple`.
    """
    return turn.now - turn.before >= rules.drop * share


def loses(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether the move that was played is a blunder."""
    return turn.now - turn.after >= rules.drop * share


def may_win(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether there may be a win to find, given by the opponent's last move or lost by this move."""
    was_given = is_given(turn, rules, share) and turn.before < rules.won * (2 - share)
    return turn.now >= rules.won * share and (was_given or loses(turn, rules, share))


def may_save(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether there may be a way to save a game that was lost, but not to win it."""
    was_lost = turn.before <= -rules.won * share
    is_drawn = abs(turn.now) < rules.won * (2 - share)
    return was_lost and is_drawn and (is_given(turn, rules, share) or throws_away(turn, rules, share))


def throws_away(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether the move that was played is a blunder that gives a win away, or the game."""
    is_won, is_lost_now = turn.now >= rules.won * share, turn.after <= -rules.won * share
    return loses(turn, rules, share) and (is_won or is_lost_now)


def is_of_interest(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether there may be an opportunity of any kind."""
    return any(test(turn, rules, share) for test in (may_win, may_save, throws_away))


@dataclass(frozen=True)
class _Tactic:
    """What there is to find in a position: the right moves, and a line that shows why they are right.

    `row` is the puzzle or exercise made from the position, or None; `reason` then says why.
    """

    right: tuple[chess.Move, ...]
    line: Sequence[chess.Move]
    tags: str
    row: Puzzle | None = None
    reason: str = ""


class _Turns:
    """The turns of a game. `puzzles` has the puzzles and exercises of opportunities, by id."""

    def __init__(self, searched: SearchedGame, job: OpportunityJob, result: GameResult) -> None:
        self.puzzles: dict[str, Puzzle] = {}
        self._searched, self._game, self._result = searched, searched.game, result
        self._rules, self._limits = job.rules, job.limits
        self._tactics: dict[tuple[int, Task], _Tactic | Rejection] = {}
        # The plies at which an earlier tactic goes on.
        self._going_on: set[int] = set()
        # The ply of the last opportunity and the right moves at recent ones, by side and by whether the
        # opportunity was allowed.
        self._blows: dict[tuple[bool, bool], tuple[int, set[chess.Move]]] = {}

    def opportunities(self) -> list[Opportunity]:
        """Return the opportunities of both sides, in the order of the game."""
        found = []
        for turn in self._turns_of_interest():
            self._result.candidates += 1
            decided: Opportunity | Rejection = Rejection.NOT_WINNING
            # An opportunity that the opponent's last move gave comes before one that this move allowed.
            given = [self._missed] if is_given(turn, self._rules) else []
            for stage in (self._had, *given, self._allowed, self._missed):
                if isinstance(decided, Rejection):
                    decided = stage(turn, decided)
            if isinstance(decided, Rejection):
                self._result.reject(decided, turn.ply)
            else:
                found.append(decided)
        return found

    def _turns_of_interest(self) -> Iterator[Turn]:
        """Yield the turns in which there may be an opportunity, with their final win chances."""
        rules = self._rules
        for turn in self._searched.turns():
            if math.isnan(turn.after):
                continue
            is_likely = is_of_interest(turn, rules, self._searched.share)
            decided = self._searched.turn(turn.ply) if is_likely else turn
            is_won = decided.now >= rules.won
            if is_of_interest(decided, rules) or (is_won and self._found_more(turn.ply)):
                yield decided

    def _found_more(self, ply: int) -> bool:
        """Return whether the move that was played in a won position seems to win more by a tactic."""
        played = self._game.moves[ply]
        if self._trivial(ply, (played,)) is not None:
            return False
        best = self._best(ply, self._rules.scan_nodes)
        line = gaining_part(self._searched.boards[ply], best, self._rules) if best.move == played else ()
        return bool(line) and not self._takes_back(ply, line)

    def _had(self, turn: Turn, _: Rejection) -> Opportunity | Rejection:
        """Return what the player to move could find, or why there is no opportunity."""
        rules, ply, played = self._rules, turn.ply, self._game.moves[turn.ply]
        task = Task.WIN if turn.now >= rules.won else Task.HOLD
        if task is Task.HOLD and not may_save(turn, rules):
            return Rejection.NOT_WINNING
        if not loses(turn, rules):
            trivial = self._trivial(ply, (played,))
            if trivial is not None or ply in self._going_on:
                return trivial or Rejection.REPEATED
        tactic = self._tactic(ply, task)
        if isinstance(tactic, Rejection):
            return tactic
        taken = played in tactic.right or mates(self._searched.boards[ply], played)
        if taken:
            trivial = self._trivial(ply, tactic.right)
            if trivial is not None:
                return trivial
            self._note_what_goes_on(ply, tactic.line)
        elif not loses(turn, rules) and turn.after >= (rules.won if task is Task.WIN else -rules.won):
            return Rejection.NOT_UNIQUE
        holds = tactic.row is not None and tactic.row.outcome == Ending.HELD
        return self._row(turn, OpportunityKind.SAVE if holds else OpportunityKind.WIN, tactic, taken=taken)

    def _note_what_goes_on(self, ply: int, solution: Sequence[chess.Move]) -> None:
        """Note the later plies at which the game followed a solution that begins after `ply` plies."""
        for length in range(2, len(solution), 2):
            if [*self._game.moves[ply : ply + length]] == [*solution[:length]]:
                self._going_on.add(ply + length)

    def _allowed(self, turn: Turn, reason: Rejection) -> Opportunity | Rejection:
        """Return the opportunity that the move played gave to the opponent, or why there is none."""
        rules, ply, after = self._rules, turn.ply, self._searched.boards[turn.ply + 1]
        if not throws_away(turn, rules):
            return reason
        if after.is_game_over():
            return Rejection.NOT_WINNING
        reply = self._best(ply + 1, rules.reply_nodes)
        trivial = self._trivial(ply + 1, (reply.move,))
        if trivial not in (None, Rejection.OBVIOUS):
            return trivial
        task = Task.WIN if -turn.after >= rules.won else Task.HOLD
        is_worth_much = bool(gaining_part(after, reply, rules))
        # An obvious reply is no exercise, but the move may have allowed much.
        tactic = trivial if trivial is not None and is_worth_much else self._tactic(ply + 1, task)
        if isinstance(tactic, Rejection) and is_worth_much:
            tactic = self._one_of_many(ply + 1, reply, tactic)
        elif isinstance(tactic, _Tactic) and task is Task.WIN and self._was_threatened(turn, tactic):
            parry = self._tactic(ply, Task.HOLD)
            tactic = replace(tactic, row=parry.row) if isinstance(parry, _Tactic) else tactic
        return self._row(turn, OpportunityKind.ALLOWED, tactic)

    def _missed(self, turn: Turn, reason: Rejection) -> Opportunity | Rejection:
        """Return a missed win even if too many moves win for an exercise, or else the `reason`."""
        rules = self._rules
        if not (may_win(turn, rules) and loses(turn, rules)) or reason is Rejection.ONLY_LEGAL:
            return reason
        best = self._best(turn.ply, rules.decide_nodes)
        if best.move == self._game.moves[turn.ply]:
            return reason
        return self._row(turn, OpportunityKind.WIN, self._one_of_many(turn.ply, best, reason))

    def _one_of_many(self, ply: int, best: Variation, reason: Rejection) -> _Tactic | Rejection:
        """Return the tactic of the best move after `ply` plies, with a line that shows its gain.

        `reason` says why there is no exercise, and is returned if the move wins too little: a pawn is enough
        only if there is a motif.
        """
        position, rules = self._searched.boards[ply], self._rules
        if not gaining_part(position, best, replace(rules, least_gain=self._limits.least_gain)):
            return reason
        line = won_line(position, best.move, self._searched.searcher, rules, self._limits)
        if line is None:
            return reason
        if self._takes_back(ply, line.moves):
            return Rejection.RECAPTURE
        tags = self._searched.tags(ply, line.moves, is_forced=best.mate_in is not None)
        if not has_motif(tags.split()):
            won = material_balance(board_after(position, line.moves), position.turn)
            wins_much = won - material_balance(position, position.turn) >= rules.least_gain
            if not wins_much or saves_a_piece(position, best.move):
                return reason
        return _Tactic((best.move,), line.moves, tags, reason=reason.value)

    def _best(self, ply: int, nodes: int) -> Variation:
        """Return the engine's variation in a position."""
        return self._searched.searcher.search(self._searched.boards[ply], nodes)[0]

    def _was_threatened(self, turn: Turn, tactic: _Tactic) -> bool:
        """Return whether the opponent already threatened a tactic before the player's move."""
        board = passed(self._searched.boards[turn.ply])
        if turn.now >= self._rules.won or board is None or board.is_game_over():
            return False
        threat = self._searched.searcher.search(board, OpportunityRules.threat_nodes)[0]
        return threat.move == tactic.right[0] and threat.chance >= self._rules.won

    def _tactic(self, ply: int, task: Task) -> _Tactic | Rejection:
        """Return what there is to find in the position after `ply` plies, or why there is nothing."""
        if (ply, task) not in self._tactics:
            self._tactics[ply, task] = self._verify(ply, task)
        return self._tactics[ply, task]

    def _verify(self, ply: int, task: Task) -> _Tactic | Rejection:
        position, searcher = self._searched.boards[ply], self._searched.searcher
        if position.legal_moves.count() == 1:
            return Rejection.ONLY_LEGAL
        look = Staged(self._limits.stages, Choice.of(task, self._rules, self._limits))
        variations = look.search(position, searcher, self._limits.lines)
        if self._takes_back(ply, variations[0].moves):
            return Rejection.RECAPTURE
        row = self._puzzle(ply, task, gap_of(variations)) or self._exercise(ply, task)
        if isinstance(row, Rejection):
            return row
        line, tags = row.moves(), row.tags.split()
        if self._takes_back(ply, line):
            return Rejection.RECAPTURE
        # A tactic without a motif must win something, and more than a pawn if it only saves the game.
        if not has_motif(tags):
            too_little = (None, HOLDS_DRAW, *(WINS_PAWN if task is Task.HOLD else ()))
            shows_nothing = main_motif(tags) in too_little or row.outcome == Ending.WON
            if shows_nothing or saves_a_piece(position, line[0]):
                return Rejection.NO_GAIN
        return _Tactic(tuple(row.accepted_moves()) or (line[0],), line, row.tags, row)

    def _puzzle(self, ply: int, task: Task, gap: float) -> Puzzle | None:
        """Return the puzzle of a position, or None; `gap` must be nearly large enough for a puzzle."""
        if task is not Task.WIN or gap < self._rules.gap - OpportunityRules.slack:
            return None
        solution = find_solution(self._searched.boards[ply], self._searched.searcher, self._rules)
        if isinstance(solution, Rejection):
            return None
        return self._searched.puzzle_row(self._searched.turn(ply), solution)

    def _exercise(self, ply: int, task: Task) -> Puzzle | Rejection:
        """Return the exercise of a position as a row, or why there is no exercise."""
        position, limits = self._searched.boards[ply], self._limits
        exercise = find_exercise(position, self._searched.searcher, self._rules, limits, task)
        if isinstance(exercise, Rejection):
            return exercise
        solution, ending = exercise.solution, exercise.solution.ending
        row = self._searched.puzzle_row(self._searched.turn(ply), solution)
        row.kind = Kind.EXERCISE.value
        row.accepted = uci_line(exercise.accepted)
        row.solver_found = ply < len(self._game.moves) and self._game.moves[ply] in exercise.accepted
        is_forced, holds = ending is Ending.MATE, ending is Ending.HELD
        row.tags = self._searched.tags(ply, solution.moves, is_forced=is_forced, holds=holds)
        row.nodes = {"line": limits.line.nodes, "confirm": limits.confirmation[-1].nodes}
        return row

    def _takes_back(self, ply: int, line: Sequence[chess.Move]) -> bool:
        """Return whether a line that begins after `ply` plies only takes material back."""
        return only_takes_back(self._searched.boards, self._game.moves, ply, line)

    def _trivial(self, ply: int, right: tuple[chess.Move, ...]) -> Rejection | None:
        """Return why the right moves of a position are too easy to be a tactic, or None."""
        position = self._searched.boards[ply]
        before = self._game.moves[ply - 1]
        if position.legal_moves.count() == 1:
            return Rejection.ONLY_LEGAL
        # Taking a piece that has just been promoted counts as a recapture, too.
        takes = before.promotion or capture_by(self._searched.boards[ply - 1], before)
        if takes and all(move.to_square == before.to_square for move in right):
            return Rejection.RECAPTURE
        is_obvious = sum(self._likely_moves(ply).get(move, 0.0) for move in right) >= OpportunityRules.obvious
        return Rejection.OBVIOUS if is_obvious else None

    def _likely_moves(self, ply: int) -> Mapping[chess.Move, float]:
        """Return how likely people of the player's rating are to play each move."""
        position, row = self._searched.boards[ply], self._result.game
        assert row is not None
        elo = row.white_elo if position.turn == chess.WHITE else row.black_elo
        (prediction,) = _human_model().predict([position], [elo or TYPICAL_RATING])
        return prediction.moves

    def _row(
        self, turn: Turn, kind: OpportunityKind, tactic: _Tactic | Rejection, *, taken: bool = False
    ) -> Opportunity | Rejection:
        """Return an opportunity as a row, or why there is none, for example because it is not new."""
        if isinstance(tactic, Rejection):
            return tactic
        ply, exercise, is_allowed = turn.ply, tactic.row, kind is OpportunityKind.ALLOWED
        turn, white = self._searched.turn(ply), self._searched.boards[ply].turn == chess.WHITE
        if self._is_known(white, is_allowed, ply, set(tactic.right)):
            return Rejection.KNOWN
        if exercise is not None:
            self.puzzles[exercise.id] = exercise
            exercise.other_defences = ",".join(map(uci_line, self._other_defences(exercise)))
        return Opportunity(
            opportunity_kind=kind.value,
            ply=ply,
            white=white,
            fen=self._searched.boards[ply - 1].fen(),
            blunder=self._game.moves[ply - 1].uci(),
            solution=uci_line([self._best(ply, self._rules.reply_nodes).move] if is_allowed else tactic.line),
            allowed_line=uci_line(tactic.line if is_allowed else ()),
            played=self._game.moves[ply].uci(),
            taken=taken,
            before=round(turn.before, 4),
            after=round(turn.now, 4),
            reply=round(turn.after, 4),
            clock=self._game.clock(ply),
            tags=tactic.tags,
            puzzle_id=exercise.id if exercise else "",
            kind=exercise.kind if exercise else "",
            reason=tactic.reason,
        )

    def _other_defences(self, exercise: Puzzle) -> list[tuple[chess.Move, ...]]:
        """Return lines against the replies that neither the solution nor its reasons answer well."""
        position, moves = exercise.position(), exercise.moves()
        holds = exercise.outcome == Ending.HELD
        answers = SolutionReasons.of(exercise).answers
        return other_defences(position, moves, self._searched.searcher, answers, holds=holds)

    def _is_known(self, white: bool, allowed: bool, ply: int, right: set[chess.Move]) -> bool:
        """Note an opportunity, and return whether it is the same as an earlier one of the same player."""
        last, earlier = self._blows.get((white, allowed), (-ply, set()))
        is_known = ply - last <= OpportunityRules.same_within and not right.isdisjoint(earlier)
        self._blows[white, allowed] = ply, right | earlier if is_known else right
        return is_known


@cache
def _human_model() -> HumanModel:
    return load_human_model()
