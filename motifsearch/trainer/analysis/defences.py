"""Lines against the defences that a solution does not show, and the threat of its first move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import chess

from chess_motif.boards import board_after, passed
from chess_motif.captures import settled_balance, settles_at_least
from chess_motif.material import capture_by, gained, material_balance
from engines.engine import Variation
from engines.search_cache import Searcher, chance_reached, searched
from motifsearch.trainer.analysis.rules import DefenceRules
from puzzlegen.motifs.worth import most_won
from puzzlegen.verify.won_line import until_won

# For each ply, replies with their known answers.
Answers = Mapping[int, Mapping[chess.Move, chess.Move]]


def other_defences(
    position: chess.Board,
    moves: Sequence[chess.Move],
    engine: Searcher,
    answers: Answers | None = None,
    *,
    holds: bool = False,
    rules: DefenceRules | None = None,
) -> list[tuple[chess.Move, ...]]:
    """Return lines against other replies of the opponent than in `moves`, the solution of `position`.

    A line begins after the first move, and has another reply to the solver's first or second move. It ends
    when the solver mates or has won material. After natural replies it may also end with an answer that keeps
    the win, or the draw if the moves only hold. In a line that shows what a quiet first move threatens, a
    null move stands for the reply. A reply with a known answer in `answers` has a line only if the engine
    refutes this answer. Raises `EngineFailedError`.
    """
    rules = rules or DefenceRules()
    if board_after(position, moves[:1]).is_game_over():
        return []
    defences = _Defences(position, tuple(moves), engine, answers or {}, holds, rules)
    threat = defences.threat()
    lines = defences.against_replies(1, rules.most - 1, threat[1:2])
    later = defences.against_replies(3, rules.most - len(lines)) if len(moves) > 3 else []
    return [*([threat] if threat else []), *lines, *later]


@dataclass(frozen=True)
class _Defences:
    """The defences against a solution."""

    position: chess.Board
    moves: tuple[chess.Move, ...]
    engine: Searcher
    answers: Answers
    holds: bool
    rules: DefenceRules

    @cached_property
    def _least(self) -> int:
        """The solver's material balance from which something is won."""
        return material_balance(self.position, self.position.turn) + self.rules.gain.least_gain

    @cached_property
    def _nearly(self) -> int:
        """The solver's material balance from which nearly as much is won as by the solution."""
        end = settled_balance(board_after(self.position, self.moves), self.position.turn)
        return max(self._least, end - self.rules.nearly)

    @property
    def _least_chance(self) -> float:
        return -self.rules.gain.won if self.holds else self.rules.gain.winning

    def threat(self) -> tuple[chess.Move, ...]:
        """Return the line that a quiet first move threatens, unless the solution goes on in the same way."""
        first, none = self.moves[0], chess.Move.null()
        waits = passed(board_after(self.position, [first]))
        if waits is None or waits.is_game_over() or not _is_quiet(self.position, first):
            return ()
        threat = self._plainest_answer(waits).move
        return () if threat in self.moves[2:3] else self._line(1, [first, none, threat])

    def against_replies(
        self, ply: int, most: int, threat: Sequence[chess.Move] = ()
    ) -> list[tuple[chess.Move, ...]]:
        """Return up to `most` lines against other replies after `ply` plies.

        Replies that take the piece that moved, or a hanging piece, come first, then replies that save a piece
        from the `threat`, then the best replies. After natural replies (captures, rescues, answers to a
        check, and the two best), the answer is shown even if it wins nothing soon.
        """
        before = self.moves[:ply]
        board, known_answers = board_after(self.position, before), self.answers.get(ply, {})
        found = []
        for reply, wrong in known_answers.items():
            if not self._wins(board, reply, wrong):
                right = self._plainest_answer(board_after(board, [reply])).move
                found.append(self._line(ply, [*before, reply, right], always=True))
        known = {*self.moves[ply + 1 : ply + 2], *known_answers.values()}
        answered = {*self.moves[ply : ply + 1], *known_answers}
        others = [move for move in self._best(board) if move not in answered]
        legal = [move for move in board.legal_moves if move not in answered]
        taking = self._taking(board, before[-1].to_square, [*others, *legal])
        saving = [move for move in others if move.from_square in {capture.to_square for capture in threat}]
        natural = {*taking, *saving, *(others if board.is_check() else others[:2])}
        for reply in dict.fromkeys([*taking, *saving, *others]):
            if len(found) >= most:
                break
            if not self._asks_for_answer(ply, board, reply):
                continue
            after = board_after(board, [reply])
            answer = self._plainest_answer(after)
            if answer.move in known and reply not in taking:
                continue
            # Once something is won, a quiet answer to a quiet reply is not worth showing.
            is_quiet = _is_quiet(board, reply) and _is_quiet(after, answer.move)
            if is_quiet and self._has_won(board, self._least):
                continue
            always = reply in natural and answer.chance >= self._least_chance
            line = self._line(ply, [*before, reply, answer.move], always=always)
            if line:
                found.append(line if self._has_won(board, self._nearly) else self._to_capture(line))
                known.add(answer.move)
        return found

    def _to_capture(self, line: tuple[chess.Move, ...]) -> tuple[chess.Move, ...]:
        """Return a line; if it ends with a quiet move and a capture comes next, extend it to the capture."""
        before = board_after(self.position, [self.moves[0], *line[:-1]])
        board = board_after(before, line[-1:])
        if board.is_game_over() or before.is_capture(line[-1]) or line[-1].promotion:
            return line
        reply = searched(self.engine, board, self.rules.line.reply_nodes)[0].move
        after = board_after(board, [reply])
        if after.is_game_over():
            return line
        answer = self._plainest_answer(after).move
        return (*line, reply, answer) if after.is_capture(answer) else line

    def _best(self, board: chess.Board) -> list[chess.Move]:
        """Return the best replies, without promotions to a rook or bishop, which few players think of."""
        found = self.engine.search(board, self.rules.nodes, self.rules.searched)
        return [one.move for one in found if one.move.promotion not in (chess.ROOK, chess.BISHOP)]

    def _taking(
        self, board: chess.Board, target: chess.Square, replies: Sequence[chess.Move]
    ) -> list[chess.Move]:
        """Return the first reply that captures on `target`, and the first that wins the most material."""
        captures = [move for move in replies if board.is_capture(move)]
        won = {move.to_square: most_won(board, move.to_square) for move in captures}
        hangs = max(won, key=won.__getitem__, default=target)
        squares = [target, *([hangs] if won.get(hangs, 0) >= self.rules.most_given_up else [])]
        first = {move.to_square: move for move in reversed(captures)}
        return [first[square] for square in squares if square in first]

    def _asks_for_answer(self, ply: int, board: chess.Board, reply: chess.Move) -> bool:
        """Return whether a reply does more than give up a piece, or wait when the solver is ahead."""
        after = board_after(board, [reply])
        if after.is_game_over() or self._only_gives_up(board, reply, self.moves[ply + 1 : ply + 2]):
            return False
        if not _is_quiet(board, reply):
            return True
        if self._has_won(board, self._nearly):
            # A quiet reply may threaten to win the material back.
            return not self._has_won(board_after(after, [chess.Move.null()]), self._nearly)
        return material_balance(board, self.position.turn) < self._nearly + self.rules.most_given_up

    def _only_gives_up(self, board: chess.Board, reply: chess.Move, follow_up: Sequence[chess.Move]) -> bool:
        """Return whether a reply loses the piece that moves, and does not help by blocking a check."""
        if _given_up(board, reply) < self.rules.most_given_up:
            return False
        after = board_after(board, [reply])
        if not board.is_check() or board.is_capture(reply) or after.is_check():
            return True
        return all(
            after.is_legal(move) and self._has_won(board_after(after, [move]), self._least)
            for move in follow_up
        )

    def _has_won(self, board: chess.Board, balance: int) -> bool:
        return settles_at_least(board, self.position.turn, balance)

    def _plainest_answer(self, board: chess.Board) -> Variation:
        """Return the best move, or a capture that wins enough at once and is about as good."""
        best, *others = searched(self.engine, board, self.rules.line.nodes, self.rules.answers)
        if best.mate_in is not None:
            return best
        for one in (best, *others):
            is_as_good = one.chance >= best.chance - self.rules.gain.as_good
            after = board_after(board, [one.move])
            if is_as_good and board.is_capture(one.move) and self._has_won(after, self._least):
                return one
        return best

    def _wins(self, board: chess.Board, reply: chess.Move, answer: chess.Move) -> bool:
        """Return whether an answer to a reply wins, or holds the draw."""
        answered = board_after(board, [reply, answer])
        chance = chance_reached(self.engine, answered, self.rules.line.nodes)
        return chance >= self._least_chance - self.rules.line.margin

    def _line(self, ply: int, moves: Sequence[chess.Move], *, always: bool = False) -> tuple[chess.Move, ...]:
        """Return `moves` without the first move, continued until the solver has won.

        `ply` is the ply at which the moves leave the solution. Moves that do not win soon are returned as
        they are if `always`; otherwise the line is empty.
        """
        limits = replace(self.rules.line, most_moves=self.rules.line.most_moves + ply // 2)
        line = until_won(self.position, moves, self.engine, limits, self.rules.gain)
        return line.moves[1:] if line else tuple(moves[1:] if always else ())


def _given_up(board: chess.Board, move: chess.Move) -> int:
    """Return what a move loses on its target square, minus what it captures, in pawns."""
    capture = capture_by(board, move)
    won = gained(capture.kind if capture else None, move.promotion)
    return most_won(board_after(board, [move]), move.to_square) - won


def _is_quiet(board: chess.Board, move: chess.Move) -> bool:
    return not (board.is_capture(move) or board.gives_check(move))
