"""A puzzle of a round that is being solved: what is asked, the hints, and what is said of a wrong move."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from markupsafe import Markup

from chess_motif.boards import board_after, side_name, solution_san, to_move
from chess_motif.errors import InputError
from chess_motif.pages.boards import Arrow, Look, Role, label_of, piece_svg
from db.store import Store
from motifsearch.trainer.rounds import OpenRound
from motifsearch.web.shown import Shown
from puzzlegen.formats.answers import asks_for_mate
from puzzlegen.motifs.replay import WORTH, AttackMap


class Unsolved(Shown):
    """A puzzle that is being solved, as `solve.html` shows it."""

    def __init__(self, store: Store, opened: OpenRound, *, flip: bool, said: str) -> None:
        """`said` is what was said of text that is no move."""
        super().__init__(store, opened, flip=flip)
        self.said = said

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
        """What to find, and what was just played."""
        find = "Find the mate." if asks_for_mate(self.puzzle) else ""
        opponents = self.puzzle.opponents_move()
        if self.solving.reply is not None:
            before = self.solving.board.copy()
            before.pop()
            return f"Right. {side_name(before.turn)} replies {solution_san(before, [self.solving.reply])}."
        if opponents is None:
            return find
        before, move = opponents
        return f"{side_name(before.turn)} has just played {solution_san(before, [move])}. {find}".strip()

    @property
    def hints(self) -> list[tuple[str, str]]:
        """The hints that were given: what each is about, and what it says."""
        found = [("Motif", self.motif.lower())] if self.round.state.shows_motif else []
        here = self.solving.state.hints_here
        if here:
            found.append(("Piece", self.solving.piece_to_move()))
        if here > 1:
            found.append(("Move", self.solving.board.san(self.solving.best)))
        return found

    @property
    def hint_label(self) -> str:
        """What the button for a hint says."""
        given = len(self.hints)
        return f"Hint {given + 1} of 3" if given else "Hint"

    @property
    def legal(self) -> str:
        """The legal moves, by which the page's script knows what can be played; none after a wrong one."""
        if self.verdict is not None:
            return ""
        return " ".join(move.uci() for move in self.solving.board.legal_moves)

    def seen(self) -> tuple[chess.Board, Look]:
        """Return the position on the board, after a wrong move if there was one."""
        solving, refuted = self.solving, self.round.state.refuted
        board = solving.board
        if solving.wrong is not None and refuted is not None:
            after = board_after(board, [solving.wrong])
            drawn = () if refuted.also_wins else _refuting(after, refuted.line)
            label = f"After {solution_san(board, [solving.wrong])}"
            label += f": {label_of(drawn, after)}" if drawn else ""
            return after, self.look(label, solving.wrong, drawn)
        here = solving.state.hints_here
        best = solving.best
        marked = frozenset({best.from_square} if here else ())
        drawn = (Arrow(best.from_square, best.to_square),) if here > 1 else ()
        last = board.peek() if board.move_stack else self.card.blunder
        label = f"{self.turn}{f'. {chess.square_name(best.from_square)} is marked' if here else ''}"
        return board, self.look(label, last, drawn, marked, arriving=True)

    @property
    def verdict(self) -> dict[str, str] | None:
        """What is said of the last move, if it was wrong or wins as well."""
        refuted, wrong = self.round.state.refuted, self.solving.wrong
        if refuted is None or wrong is None:
            return None
        san = solution_san(self.solving.board, [wrong])
        if refuted.also_wins:
            text = "There is something stronger. This does not count against you."
            return {"kind": "also", "sign": "≈", "title": f"{san} also wins", "text": text}
        text = refuted.sentence or "Look for something better."
        return {"kind": "wrong", "sign": "✕", "title": f"{san} {refuted.outcome}", "text": text}

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
