"""The opportunities in one game: what there was to find at each turn, and what the move played allowed.

A turn is looked at if the win chances say that there may be something: the opponent's last move gave it, or
the move that was played lost it. Then the position is searched for a puzzle or an exercise. An opportunity
is to *win*, to *save* a lost game, or one that a move *allowed* the opponent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import chess

from chess_motif.boards import board_after, mates
from chess_motif.material import capture_by, material_balance
from chess_motif.notation import uci_line
from db.models import Kind, Puzzle
from db.training import Opportunity, OpportunityKind
from engines.engine import Variation
from engines.human.model import TYPICAL_RATING, HumanModel, load_human_model
from engines.search_cache import CachedEngine
from puzzlegen.candidates import Triple
from puzzlegen.games.pgn import PlayedGame
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult, SearchedGame
from puzzlegen.mining.no_tactic import only_takes_back, saves_a_piece
from puzzlegen.motifs.table import HOLDS_DRAW, WINS_PAWN
from puzzlegen.motifs.tags import has_motif, main_motif
from puzzlegen.reasons.explained import SolutionReasons
from puzzlegen.rules import ExerciseRules, MiningRules, OpportunityRules
from puzzlegen.verify.defences import other_defences
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.exercise import (
    Choice,
    Exercise,
    Task,
    find_exercise,
    gaining_part,
    won_line,
)
from puzzlegen.verify.solution import Rejection, Solution, find_solution, gap_of


@dataclass(frozen=True)
class OpportunityJob:
    """Look for the opportunities of both sides by these rules, and for exercises by these limits."""

    rules: MiningRules
    limits: ExerciseRules
    opportunity_rules: OpportunityRules = OpportunityRules()  # noqa: RUF009 - it is frozen

    def __call__(self, raw: RawGame, game: PlayedGame, searcher: CachedEngine) -> GameResult:
        """Return the opportunities of a game. Raises `EngineFailedError`, `HumanModelError`."""
        result = GameResult(raw.number, raw.offset, raw.end, game=game.row())
        turns = _Turns(SearchedGame(game, searcher, self.rules), self.limits, self.opportunity_rules, result)
        result.opportunities = turns.opportunities()
        result.puzzles = list(turns.puzzles.values())
        return result


@dataclass(frozen=True)
class Turn:
    """What the win chances (-1…1) say of the turn after `ply` plies, from the side of the player to move.

    They are those `before` the opponent's last move, `now`, and `after` the move that was played.
    """

    ply: int
    before: float
    now: float
    after: float

    def is_given(self, rules: MiningRules, share: float = 1.0) -> bool:
        """Return whether the opponent's last move was a blunder.

        A `share` below 1 relaxes the thresholds here and below, as in `puzzlegen.candidates.is_triple`.
        """
        return self.now - self.before >= rules.drop * share

    def loses(self, rules: MiningRules, share: float = 1.0) -> bool:
        """Return whether the move that was played is a blunder."""
        return self.now - self.after >= rules.drop * share

    def may_win(self, rules: MiningRules, share: float = 1.0) -> bool:
        """Return whether there may be a win to find, which the opponent's last move gave or this one lost."""
        was_given = self.is_given(rules, share) and self.before < rules.won * (2 - share)
        return self.now >= rules.won * share and (was_given or self.loses(rules, share))

    def may_save(self, rules: MiningRules, share: float = 1.0) -> bool:
        """Return whether there may be a way to save a game that was lost, but not to win it."""
        was_lost = self.before <= -rules.won * share
        is_drawn = abs(self.now) < rules.won * (2 - share)
        return was_lost and is_drawn and (self.is_given(rules, share) or self.throws_away(rules, share))

    def throws_away(self, rules: MiningRules, share: float = 1.0) -> bool:
        """Return whether the move that was played is a blunder that gives a win away, or the game."""
        is_won, is_lost_now = self.now >= rules.won * share, self.after <= -rules.won * share
        return self.loses(rules, share) and (is_won or is_lost_now)

    def is_of_interest(self, rules: MiningRules, share: float = 1.0) -> bool:
        """Return whether there may be an opportunity of any kind."""
        return any(test(self, rules, share) for test in (Turn.may_win, Turn.may_save, Turn.throws_away))


@dataclass(frozen=True)
class _Tactic:
    """What there is to find in a position: a puzzle or an exercise as a row, and the moves that are right."""

    row: Puzzle
    right: tuple[chess.Move, ...]


class _Turns:
    """The turns of a game. `puzzles` has those that opportunities were made of, by id."""

    def __init__(
        self, searched: SearchedGame, limits: ExerciseRules, choice: OpportunityRules, result: GameResult
    ) -> None:
        self.puzzles: dict[str, Puzzle] = {}
        self._searched, self._game, self._rules = searched, searched.game, searched.rules
        self._limits, self._choice, self._result = limits, choice, result
        self._tactics: dict[tuple[int, Task], _Tactic | Rejection] = {}
        # The plies at which a tactic goes on that was found before.
        self._going_on: set[int] = set()
        # The moves that were right at earlier opportunities, with the ply, by whose opportunity it was and of
        # which kind.
        self._blows: dict[tuple[bool, bool], tuple[int, set[chess.Move]]] = {}

    def opportunities(self) -> list[Opportunity]:
        """Return the opportunities of both sides, in the order of the game."""
        found = []
        for turn in self._turns_of_interest():
            self._result.candidates += 1
            opportunity = self._had(turn)
            if isinstance(opportunity, Rejection) and turn.throws_away(self._rules):
                opportunity = self._allowed(turn)
                if isinstance(opportunity, Rejection):
                    opportunity = self._missed_one_of_many(turn, opportunity)
            if isinstance(opportunity, Rejection):
                self._result.reject(opportunity, turn.ply)
            else:
                found.append(opportunity)
        return found

    def _turns_of_interest(self) -> Iterator[Turn]:
        """Yield the turns in which there may be an opportunity, with their final win chances."""
        win_chances, rules = self._searched.win_chances(), self._rules
        for ply in range(1, len(self._game.moves)):
            around = win_chances[ply - 1 : ply + 2]
            if None in around:
                continue
            sign = 1 if self._searched.boards[ply].turn == chess.WHITE else -1
            turn = Turn(ply, *(sign * one for one in around if one is not None))
            share = 1.0 if self._game.evaluated else rules.scan_share
            if turn.is_of_interest(rules, share):
                turn = self._decided(ply)
            if turn.is_of_interest(rules) or (turn.now >= rules.won and self._found_more(ply)):
                yield turn

    def _decided(self, ply: int) -> Turn:
        """Return the turn after `ply` plies with its final win chances."""
        triple = self._triple(ply)
        assert triple.reply is not None
        return Turn(ply, triple.before, triple.after, triple.reply)

    def _found_more(self, ply: int) -> bool:
        """Return whether the move that was played in a won position seems to win more by a tactic."""
        position, played = self._searched.boards[ply], self._game.moves[ply]
        if self._trivial(ply, (played,)) is not None:
            return False
        best = self._searched.searcher.search(position, self._rules.scan_nodes)[0]
        line = gaining_part(position, best, self._rules) if best.move == played else ()
        return bool(line) and not self._takes_back(ply, line)

    def _had(self, turn: Turn) -> Opportunity | Rejection:
        """Return what the player to move had to find, whether she found it or not, or why it is none."""
        rules = self._rules
        if turn.now >= rules.won:
            task = Task.WIN
        elif turn.may_save(rules):
            task = Task.HOLD
        else:
            return Rejection.NOT_WINNING
        if not turn.loses(rules):
            trivial = self._trivial(turn.ply, (self._game.moves[turn.ply],))
            if turn.ply in self._going_on or trivial is not None:
                return trivial or Rejection.REPEATED
        tactic = self._tactic(turn.ply, task)
        if isinstance(tactic, Rejection):
            return self._missed_one_of_many(turn, tactic) if turn.is_given(rules) else tactic
        played, position = self._game.moves[turn.ply], self._searched.boards[turn.ply]
        taken = played in tactic.right or mates(position, played)
        least = rules.won if task is Task.WIN else -rules.won
        if not taken and turn.after >= least and not turn.loses(rules):
            return Rejection.NOT_UNIQUE
        trivial = self._trivial(turn.ply, tactic.right) if taken else None
        if trivial is not None:
            return trivial
        if taken:
            self._note_what_goes_on(turn.ply, tactic.row.moves())
        kind = OpportunityKind.SAVE if tactic.row.outcome == Ending.HELD else OpportunityKind.WIN
        return self._row(turn, kind, tactic.right, tactic.row, taken=taken)

    def _note_what_goes_on(self, ply: int, solution: Sequence[chess.Move]) -> None:
        """Note at which further moves of a solution, which begins after `ply` plies, the game followed it."""
        for length in range(2, len(solution), 2):
            if list(self._game.moves[ply : ply + length]) == list(solution[:length]):
                self._going_on.add(ply + length)

    def _missed_one_of_many(self, turn: Turn, reason: Rejection) -> Opportunity | Rejection:
        """Return a win that was missed although too many moves win for an exercise, or else `reason`.

        A line must show what was to be won.
        """
        rules = self._rules
        if not (turn.may_win(rules) and turn.loses(rules)) or reason is Rejection.ONLY_LEGAL:
            return reason
        position = self._searched.boards[turn.ply]
        best = self._searched.searcher.search(position, rules.decide_nodes)[0]
        if best.move == self._game.moves[turn.ply]:
            return reason
        return self._one_of_many(turn, OpportunityKind.WIN, turn.ply, best, reason)

    def _one_of_many(
        self, turn: Turn, kind: OpportunityKind, ply: int, best: Variation, reason: Rejection
    ) -> Opportunity | Rejection:
        """Return an opportunity without an exercise: what the best move after `ply` plies wins.

        `reason` says why there is none, and is returned if the move wins too little: a pawn is enough only if
        there is a motif.
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
        won = material_balance(board_after(position, line.moves), position.turn)
        wins_much = won - material_balance(position, position.turn) >= rules.least_gain
        is_safe_move = saves_a_piece(position, best.move)
        if not (has_motif(tags.split()) or (wins_much and not is_safe_move)):
            return reason
        is_allowed = kind is OpportunityKind.ALLOWED
        solution = (self._best(turn.ply),) if is_allowed else line.moves
        allowed = line.moves if is_allowed else ()
        found = self._row(turn, kind, (best.move,), solution=solution, allowed=allowed)
        if isinstance(found, Opportunity):
            found.reason, found.tags = reason.value, tags
        return found

    def _allowed(self, turn: Turn) -> Opportunity | Rejection:
        """Return the opportunity that the move that was played gave to the opponent, or why it is none."""
        rules, ply = self._rules, turn.ply
        after = self._searched.boards[ply + 1]
        if after.is_game_over():
            return Rejection.NOT_WINNING
        reply = self._searched.searcher.search(after, rules.reply_nodes)[0]
        trivial = self._trivial(ply + 1, (reply.move,))
        if trivial in (Rejection.ONLY_LEGAL, Rejection.RECAPTURE):
            return trivial
        task = Task.WIN if -turn.after >= rules.won else Task.HOLD
        is_worth_much = bool(gaining_part(after, reply, rules))
        # There is nothing to find for an exercise, but much was allowed.
        tactic = trivial if trivial is not None and is_worth_much else self._tactic(ply + 1, task)
        if isinstance(tactic, Rejection):
            if not is_worth_much:
                return tactic
            return self._one_of_many(turn, OpportunityKind.ALLOWED, ply + 1, reply, tactic)
        exercise, best = tactic.row, (self._best(ply),)
        if task is Task.WIN and turn.now < rules.won and self._was_threatened(ply, tactic.right[0]):
            parry = self._tactic(ply, Task.HOLD)
            if isinstance(parry, _Tactic):
                exercise = parry.row
        found = self._row(
            turn,
            OpportunityKind.ALLOWED,
            tactic.right,
            exercise,
            solution=best,
            allowed=tactic.row.moves(),
        )
        if isinstance(found, Opportunity):
            found.tags = tactic.row.tags
        return found

    def _best(self, ply: int) -> chess.Move:
        """Return the engine's move in a position."""
        return self._searched.searcher.search(self._searched.boards[ply], self._rules.reply_nodes)[0].move

    def _was_threatened(self, ply: int, move: chess.Move) -> bool:
        """Return whether the opponent threatened a winning move already in the position after `ply` plies."""
        board = self._searched.boards[ply].copy(stack=False)
        if board.is_check():
            return False
        board.push(chess.Move.null())
        if board.is_game_over():
            return False
        threat = self._searched.searcher.search(board.copy(stack=False), self._choice.threat_nodes)[0]
        return threat.move == move and threat.chance >= self._rules.won

    def _tactic(self, ply: int, task: Task) -> _Tactic | Rejection:
        """Return what there is to find in the position after `ply` plies, or why there is nothing."""
        if (ply, task) not in self._tactics:
            self._tactics[ply, task] = self._verify(ply, task)
        return self._tactics[ply, task]

    def _verify(self, ply: int, task: Task) -> _Tactic | Rejection:
        position, searcher = self._searched.boards[ply], self._searched.searcher
        if position.is_game_over():
            return Rejection.NOT_WINNING
        if position.legal_moves.count() == 1:
            return Rejection.ONLY_LEGAL
        choice = Choice.of(task, self._rules, self._limits)
        variations = choice.search(position, searcher, self._limits.lines)
        if self._takes_back(ply, variations[0].moves):
            return Rejection.RECAPTURE
        tactic = self._puzzle_or_exercise(ply, task, gap_of(variations))
        if isinstance(tactic, Rejection):
            return tactic
        moves, tags = tactic.row.moves(), tactic.row.tags.split()
        if self._takes_back(ply, moves):
            return Rejection.RECAPTURE
        if has_motif(tags):
            return tactic
        # Without a motif it must win something, more than a pawn if it only saves the game, or have a name.
        shows_nothing = main_motif(tags) in (None, HOLDS_DRAW, *(WINS_PAWN if task is Task.HOLD else ()))
        shows_nothing = shows_nothing or tactic.row.outcome == Ending.WON
        if shows_nothing or saves_a_piece(position, moves[0]):
            return Rejection.NO_GAIN
        return tactic

    def _puzzle_or_exercise(self, ply: int, task: Task, gap: float) -> _Tactic | Rejection:
        """Return the puzzle of a position, if its first look has about the gap of one, or its exercise."""
        position, searcher = self._searched.boards[ply], self._searched.searcher
        if task is Task.WIN and gap >= self._rules.gap - self._choice.slack:
            solution = find_solution(position, searcher, self._rules)
            if isinstance(solution, Solution):
                return _Tactic(self._searched.puzzle_row(self._triple(ply), solution), solution.moves[:1])
        exercise = find_exercise(position, searcher, self._rules, self._limits, task)
        if isinstance(exercise, Rejection):
            return exercise
        return _Tactic(self._exercise_row(self._triple(ply), exercise), exercise.accepted)

    def _takes_back(self, ply: int, line: Sequence[chess.Move]) -> bool:
        """Return whether a line, which begins after `ply` plies, only takes back."""
        return only_takes_back(self._searched.boards, self._game.moves, ply, line)

    def _triple(self, ply: int) -> Triple:
        """Return the final win chances around the position after `ply` plies."""
        if not self._game.evaluated:
            return self._searched.triple(ply - 1, self._rules.decide_nodes)
        sign = 1 if self._searched.boards[ply].turn == chess.WHITE else -1
        before, after, *reply = (sign * (one or 0.0) for one in self._game.win_chances[ply - 1 : ply + 2])
        return Triple(ply - 1, before, after, reply[0] if reply else None)

    def _exercise_row(self, triple: Triple, exercise: Exercise) -> Puzzle:
        """Return an exercise as a row."""
        ply, solution = triple.ply + 1, exercise.solution
        row = self._searched.puzzle_row(triple, solution)
        row.kind = Kind.EXERCISE.value
        row.accepted = uci_line(exercise.accepted)
        row.solver_found = ply < len(self._game.moves) and self._game.moves[ply] in exercise.accepted
        row.tags = self._searched.tags(
            ply,
            solution.moves,
            is_forced=solution.ending is Ending.MATE,
            holds=solution.ending is Ending.HELD,
        )
        row.nodes = {"line": self._limits.line.nodes, "confirm": self._limits.confirmation[-1].nodes}
        return row

    def _trivial(self, ply: int, right: tuple[chess.Move, ...]) -> Rejection | None:
        """Return why the right moves of a position are nothing that has to be found, None if they are."""
        position = self._searched.boards[ply]
        before = self._game.moves[ply - 1]
        if position.legal_moves.count() == 1:
            return Rejection.ONLY_LEGAL
        # A pawn that has just been promoted is taken like a piece that has just captured.
        takes = before.promotion or capture_by(self._searched.boards[ply - 1], before)
        if takes and all(move.to_square == before.to_square for move in right):
            return Rejection.RECAPTURE
        is_obvious = sum(self._likely_moves(ply).get(move, 0.0) for move in right) >= self._choice.obvious
        return Rejection.OBVIOUS if is_obvious else None

    def _likely_moves(self, ply: int) -> Mapping[chess.Move, float]:
        """Return how likely people of the player's rating are to play each move."""
        position, row = self._searched.boards[ply], self._result.game
        assert row is not None
        elo = row.white_elo if position.turn == chess.WHITE else row.black_elo
        (prediction,) = _human_model().predict([position], [elo or TYPICAL_RATING])
        return prediction.moves

    def _row(
        self,
        turn: Turn,
        kind: OpportunityKind,
        right: Iterable[chess.Move],
        exercise: Puzzle | None = None,
        *,
        solution: Iterable[chess.Move] = (),
        allowed: Iterable[chess.Move] = (),
        taken: bool = False,
    ) -> Opportunity | Rejection:
        """Return an opportunity as a row, or that it is the same as an earlier one.

        `right` are the moves that take it, by whoever had it. The default solution is that of the exercise.
        `allowed` is the tactic that the move played allowed.
        """
        turn = self._decided(turn.ply)
        ply = turn.ply
        white = self._searched.boards[ply].turn == chess.WHITE
        if self._is_known(white, kind, ply, set(right)):
            return Rejection.KNOWN
        row = Opportunity(
            opportunity_kind=kind.value,
            ply=ply,
            white=white,
            fen=self._searched.boards[ply - 1].fen(),
            blunder=self._game.moves[ply - 1].uci(),
            solution=uci_line(solution),
            allowed_line=uci_line(allowed),
            played=self._game.moves[ply].uci(),
            taken=taken,
            before=round(turn.before, 4),
            after=round(turn.now, 4),
            reply=round(turn.after, 4),
            clock=self._game.clock(ply),
            tags="",
        )
        if exercise is not None:
            self.puzzles[exercise.id] = exercise
            exercise.other_defences = ",".join(map(uci_line, self._other_defences(exercise)))
            row.puzzle_id, row.kind, row.tags = exercise.id, exercise.kind, exercise.tags
            row.solution = row.solution or exercise.solution
        return row

    def _other_defences(self, exercise: Puzzle) -> list[tuple[chess.Move, ...]]:
        """Return lines against the replies that neither the solution nor its reasons answer rightly."""
        position, moves, told = exercise.position(), exercise.moves(), SolutionReasons.of(exercise).told
        holds = exercise.outcome == Ending.HELD
        return other_defences(position, moves, self._searched.searcher, told, holds=holds)

    def _is_known(self, white: bool, kind: OpportunityKind, ply: int, right: set[chess.Move]) -> bool:
        """Return whether an opportunity is the same as an earlier one of that player, and note it."""
        key = white, kind is OpportunityKind.ALLOWED
        last, earlier = self._blows.get(key, (-ply, set()))
        is_known = ply - last <= self._choice.same_within and not right.isdisjoint(earlier)
        self._blows[key] = ply, right | earlier if is_known else right
        return is_known


@cache
def _human_model() -> HumanModel:
    return load_human_model()
