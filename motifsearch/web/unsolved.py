"""A puzzle of a round that is being solved: what is asked, the hints, and what is said of a wrong move."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from markupsafe import Markup
from sqlalchemy.orm import Session

from chess_motif.boards import board_after, side_name, solution_san, to_move
from chess_motif.errors import InputError
from chess_motif.pages.boards import Arrow, Look, Role, label_of, piece_svg
from db.days import days_between
from db.models import utc_now
from motifsearch.trainer.repetition import card_of, due_after
from motifsearch.trainer.rounds import OpenRound
from motifsearch.trainer.solving import Grade
from motifsearch.web.shown import Shown, in_days
from puzzlegen.formats.answers import asks_for_mate
from puzzlegen.motifs.replay import WORTH, AttackMap

# How many hints there are.
HINTS = 3


class Unsolved(Shown):
    """A puzzle that is being solved, as `solve.html` shows it."""

    def __init__(
        self, session: Session, opened: OpenRound, *, ply: int | None, flip: bool, said: str
    ) -> None:
        """`ply` is how far the moves so far are stepped through, None to their end.

        `said` is what was said of text that is no move.
        """
        super().__init__(session, opened, flip=flip)
        self.said = said
        self._known = card_of(session, opened.solver, self.puzzle.id)
        self.now = len(self.solving.board.move_stack)
        self.first = 0 if self.card.blunder is None else -1
        self.last = self.now if self.solving.wrong is None else self.now + 1
        self.ply = self.last if ply is None else max(self.first, min(ply, self.last))

    @property
    def turn(self) -> str:
        """Who is to move."""
        return to_move(self.start)

    @property
    def king(self) -> Markup:
        """The king of the side to move."""
        return piece_svg(chess.Piece(chess.KING, self.start.turn))

    @property
    def asked(self) -> str:
        """What was just played, and what to find."""
        find = "Find the mate." if asks_for_mate(self.puzzle) else ""
        reply, before = self.solving.reply, self.solving.board.copy()
        if reply is not None:
            before.pop()
        elif opponents := self.puzzle.opponents_move():
            before, reply = opponents
        else:
            return find
        return f"{side_name(before.turn)} has just played {solution_san(before, [reply])}. {find}".strip()

    @property
    def comes_back(self) -> str:
        """When a review comes back if it is solved today; empty for what is new."""
        if self._known is None:
            return ""
        now = utc_now()
        return in_days(days_between(now, due_after(self._known, now)[Grade.GOOD]))

    @property
    def hints(self) -> list[tuple[str, str]]:
        """The hints that were given: what each is about, and what it says."""
        found = [("Motif", self.motif)] if self.round.state.shows_motif else []
        here = self.solving.state.hints_here
        if here:
            piece = self.solving.piece_to_move()
            found.append(("Piece", f"{piece[:1].upper()}{piece[1:]} moves."))
        if here > 1:
            found.append(("Move", self.solving.board.san(self.solving.best)))
        return found

    @property
    def hint_label(self) -> str:
        """What the button for a hint says."""
        given = len(self.hints)
        return f"Hint {given + 1}" if 0 < given < HINTS else "Hint"

    @property
    def legal(self) -> str:
        """The legal moves, for the page's script."""
        return " ".join(move.uci() for move in self.solving.board.legal_moves)

    @property
    def now_last(self) -> chess.Move | None:
        """The move before the position to be solved."""
        return self.solving.board.peek() if self.now else self.card.blunder

    def seen(self) -> tuple[chess.Board, Look]:
        """Return the position on the board: the one to be solved, one before, or that after a wrong move."""
        solving = self.solving
        if self.ply > self.now:
            return self._seen_wrong()
        if self.ply < self.now:
            return self._seen_before()
        here = solving.state.hints_here
        best = solving.best
        marked = frozenset({best.from_square} if here else ())
        drawn = (Arrow(best.from_square, best.to_square),) if here > 1 else ()
        label = f"{self.turn}{f'. {chess.square_name(best.from_square)} is marked' if here else ''}"
        return solving.board, self.look(label, self.now_last, drawn, marked, arriving=True)

    def _seen_wrong(self) -> tuple[chess.Board, Look]:
        wrong, refuted, board = self.solving.wrong, self.round.state.refuted, self.solving.board
        assert wrong is not None
        after = board_after(board, [wrong])
        if refuted is not None and refuted.also_wins:
            return after, self.look(f"After {solution_san(board, [wrong])}, which also wins", wrong)
        drawn = _refuting(after, refuted.line) if refuted else ()
        label = f"After {solution_san(board, [wrong])}, which is wrong"
        label += f": {label_of(drawn, after)}" if drawn else ""
        return after, self.look(label, wrong, drawn, crossed=wrong.to_square)

    def _seen_before(self) -> tuple[chess.Board, Look]:
        opponents, played = self.puzzle.opponents_move(), self.solving.board.move_stack[: max(self.ply, 0)]
        if self.ply < 0 and opponents is not None:
            return opponents[0], self.look(f"Before {solution_san(opponents[0], [opponents[1]])}", None)
        last = played[-1] if played else self.card.blunder
        return board_after(self.start, played), self.look(f"Before move {len(played) + 1}", last)

    @property
    def verdict(self) -> dict[str, str] | None:
        """What is said of the last move, if it was wrong or wins as well; the text may follow later."""
        refuted, wrong = self.round.state.refuted, self.solving.wrong
        if wrong is None:
            return None
        san = solution_san(self.solving.board, [wrong])
        if refuted is not None and refuted.also_wins:
            text = "There is something stronger. This does not count against you."
            return {"kind": "also", "sign": "≈", "title": f"{san} also wins", "text": text}
        text = "" if refuted is None else refuted.sentence or "Look for something better."
        return {"kind": "wrong", "sign": "✕", "title": f"{san} is wrong", "text": text}

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON, without the solution."""
        return super().data() | {"hints": dict(self.hints), "verdict": self.verdict, "said": self.said}


def _refuting(after: chess.Board, line: Sequence[str]) -> tuple[Arrow, ...]:
    """Return the opponent's answer as an arrow, and what it attacks that is worth more or undefended."""
    if not line:
        return ()
    move = chess.Move.from_uci(line[0])
    if not after.is_legal(move):
        raise InputError("the answer to a wrong move is damaged")
    position = AttackMap(board_after(after, [move]))
    pieces = position.board.occupied_co[position.board.turn]
    attacked = [
        square
        for square in chess.scan_forward(position.attacks[move.to_square] & pieces)
        if WORTH[position.kind(square)] > WORTH[position.kind(move.to_square)]
        or not position.is_defended(square)
    ]
    found = [Arrow(move.to_square, square, Role.ATTACK) for square in attacked[:2]]
    return (*found, Arrow(move.from_square, move.to_square, Role.REFUTE))
