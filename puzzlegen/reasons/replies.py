"""Facts about other replies: pieces that cannot move away, and what other answers and defences allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import chess
from chess import Square

from chess_motif.boards import board_after, has_mate, mating_moves
from chess_motif.material import PIECE_VALUES, gained
from puzzlegen.motifs.exchange import winnings
from puzzlegen.motifs.replay import Ply, Replay
from puzzlegen.motifs.tags import tag_words
from puzzlegen.motifs.threats import mates_in_two
from puzzlegen.motifs.worth import wins
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint, Relation, Role, Verb, captures_on, related
from puzzlegen.reasons.reason import newly_attacked
from puzzlegen.reasons.words import joined, named, pieces_named

# The most replies that are named.
_MOST_NAMED = 3

# The most other answers to a check, or defences against a threat: of more, nothing is told.
_MOST_OTHERS = 6

_WINS_MATERIAL = ", which wins material"


def trapped(course: Course) -> Iterator[Fact]:
    """Find attacked pieces that are lost, because no square is safe, or because they must defend something.

    The solver takes such a piece next, or wins something after every reply.
    """
    for ply in course.replay.solver_plies:
        board = ply.after.passed
        if board is None:
            continue
        attacked = newly_attacked(ply) & ply.after.attacks[ply.target]
        for square in course.by_worth(ply.after, attacked):
            if square in ply.after.pinners[not course.solver]:
                continue
            if not course.pays_on(board, square, course.least):
                continue
            moves = [move for move in ply.after.legal_moves if move.from_square == square]
            safe = [move for move in moves if not _is_lost(course, ply.after.board, move)]
            why = _duty(course, ply, square, board, safe) if safe else "has no safe square"
            if why is None or not (course.replay.takes_next(ply, square) or course.costs(ply.after.board)):
                continue
            yield Fact(
                FactKind.TIED_DOWN if safe else FactKind.TRAPPED,
                ply.number,
                f"attacks {named(ply.after, square)}, which {why}",
                relations=frozenset({Relation(Verb.ATTACKED, square), Relation(Verb.HELD, square)}),
                drawing=course.draws(Role.ATTACK, ply.number + 1, squares=[square]),
            )


def _duty(
    course: Course, ply: Ply, square: Square, waits: chess.Board, safe: Sequence[chess.Move]
) -> str | None:
    """Return in words what an attacked piece has to defend, if it cannot do so from any safe square."""
    afterwards = [board_after(ply.after.board, [move]) for move in safe]
    own = ply.after.board.occupied_co[not course.solver] & ~ply.after.board.kings
    for duty in course.by_worth(ply.after, ply.after.attacks[square] & own):
        # A piece that falls although it is defended is no duty.
        if PIECE_VALUES[ply.after.kind(duty)] < course.least or course.pays_on(waits, duty, course.least):
            continue
        if all(
            after.piece_type_at(duty) and course.pays_on(after, duty, course.least) for after in afterwards
        ):
            return f"has to defend {named(ply.after, duty)}"
    return None


class _Answers:
    """Replies in a position, grouped by the answers to them."""

    def __init__(self, board: chess.Board) -> None:
        """Start without any reply in a position."""
        self._board = board
        self.by_reply: dict[chess.Move, chess.Move] = {}
        # By the answer's notation: the effect of the answer, and the replies to which it is the answer.
        self._found: dict[str, tuple[str, list[str]]] = {}

    def add(self, reply: chess.Move, answer: chess.Move) -> None:
        """Add a reply with its answer."""
        self.by_reply[reply] = answer
        after = board_after(self._board, [reply])
        # The same capture may give check only after some of the replies.
        name = after.san(answer).rstrip("+" if after.is_capture(answer) else "")
        effect = _effect(after, answer)
        known, replies = self._found.get(name, (effect, []))
        # The same capture may win a knight after one reply, and only some material after another.
        merged = effect if known == effect else _WINS_MATERIAL
        self._found[name] = merged, [*replies, self._board.san(reply)]

    def __len__(self) -> int:
        """Return how many replies there are."""
        return len(self.by_reply)

    def most(self) -> list[tuple[str, list[str]]]:
        """Return the answers in words, each with its replies, those to most replies first.

        If there are many replies, only the first two answers are returned.
        """
        found = [(name + effect, replies) for name, (effect, replies) in self._found.items()]
        most = sorted(found, key=lambda answer: -len(answer[1]))
        return most if len(self) <= _MOST_NAMED else most[:2]

    def __str__(self) -> str:
        """Say which replies allow which answers."""
        return "; ".join(
            f"{joined(replies)} {'allows' if len(replies) == 1 else 'allow'} {answer}"
            for answer, replies in self.most()
        )


def _effect(board: chess.Board, answer: chess.Move) -> str:
    """Say what an answer does, except mate, check and promotion, which its notation shows."""
    after, captured = board_after(board, [answer]), board.piece_type_at(answer.to_square)
    if after.is_checkmate():
        return ""
    if after.is_check() and mates_in_two(board, answer):
        return ", which leads to mate"
    # A piece counts as won if winning it costs at most about half its value.
    if captured and captured != chess.PAWN and wins(board, answer, PIECE_VALUES[captured] // 2):
        return f", which wins the {chess.piece_name(captured)}"
    # A pawn alone would not be enough.
    if board.is_capture(answer) and not answer.promotion:
        return _WINS_MATERIAL
    return "" if answer.promotion or after.is_check() else ", which attacks it"


def other_answers(course: Course) -> Iterator[Fact]:
    """Find what the other answers to the first check allow, or other defences against the first threat.

    Each must allow mate or, unless the solution mates, at least a loss of material. Replies that give up the
    moving piece, or allow the solution's own next move, are not named. If taking the checking piece is the
    only answer to the check, this is told.
    """
    ply, reply, follow_up = (course.replay.at(number) for number in range(3))
    if ply is None or reply is None or follow_up is None or (ply.captured and not ply.check):
        return
    board, answers = ply.after.board, _Answers(ply.after.board)
    for move, answer in _others(course, ply, reply):
        if answer.to_square != move.to_square and answer != follow_up.move:
            answers.add(move, answer)
    if answers:
        text = f"{'Nothing else helps: ' if len(answers) > _MOST_NAMED else ''}{answers}"
        yield Fact(FactKind.OTHER_ANSWERS, 0, text, Joint.ALONE, answers=answers.by_reply)
    elif ply.check and reply.target == ply.target and len(ply.after.legal_moves) == 1:
        text = f"{board.san(reply.move)} is the only answer to the check"
        yield Fact(FactKind.OTHER_ANSWERS, 0, text, Joint.ALONE)


def _others(course: Course, ply: Ply, reply: Ply) -> list[tuple[chess.Move, chess.Move]]:
    """Return the other answers to a first check, or defences against a first threat, with what each allows.

    Empty if there are too many of them, or if one allows nothing.
    """
    replies = ply.after.legal_moves if ply.check else _defences(course, ply)
    others = course.in_order(move for move in replies if move != reply.move)
    enough = course.enough(ply.after.board)
    found: list[tuple[chess.Move, chess.Move]] = []
    for move in others if len(others) <= _MOST_OTHERS else ():
        after = board_after(ply.after.board, [move])
        course.spend()
        answer = _answer(course, after, move.to_square, enough)
        if answer is None or (course.replay.mates and not board_after(after, [answer]).is_checkmate()):
            return []
        found.append((move, answer))
    return found


def _defences(course: Course, ply: Ply) -> list[chess.Move]:
    """Return the replies that parry all threats of a move without check; empty if there is no threat."""
    waits = ply.after.passed
    if waits is None:
        return []
    enough = course.enough(waits)
    forcing = [*waits.generate_legal_captures(), *mating_moves(waits)]
    threats = [move for move in forcing if course.reaches(waits, move, enough)]
    found: list[chess.Move] = []
    for move in ply.after.legal_moves if threats else ():
        after = board_after(ply.after.board, [move])
        if not any(after.is_legal(threat) and course.reaches(after, threat, enough) for threat in threats):
            found.append(move)
            if len(found) > _MOST_OTHERS + 1:
                break
    return found


def flights(course: Course) -> Iterator[Fact]:
    """Find an attacked piece that cannot flee well, because each flight has an answer.

    Flights to squares where the piece is captured need no other answer, and the solution answers the flight
    that the opponent chooses.
    """
    for ply in course.replay.solver_plies[:2]:
        waits = ply.after.passed
        # If the move captures, its gain says enough.
        if waits is None or ply.captured:
            continue
        pieces = newly_attacked(ply) & ~(waits.pawns | waits.kings)
        for square in course.by_worth(ply.after, pieces):
            if course.pays_on(waits, square, course.least):
                answers = _answers_to_flights(course, ply, square)
                if answers:
                    text, held = _wherever(course, ply, square, answers), related(Verb.HELD, [square])
                    yield Fact(
                        FactKind.FLIGHTS, ply.number, text, Joint.ALONE, held, answers=answers.by_reply
                    )


def _answers_to_flights(course: Course, ply: Ply, square: Square) -> _Answers | None:
    """Return the flights of an attacked piece to safe squares, with the answers to them.

    None if a flight has no answer, or if, after a later move, an answer was already threatened before.
    """
    board, before, reply = ply.after.board, ply.before.board, course.replay.at(ply.number + 1)
    answers, enough = _Answers(board), course.enough(board)
    for move in course.in_order(move for move in board.legal_moves if move.from_square == square):
        if (reply and move == reply.move) or _is_lost(course, board, move):
            continue
        answer = _answer(course, board_after(board, [move]), move.to_square, enough)
        if answer is None:
            return None
        if ply.number and before.is_legal(answer) and course.reaches(before, answer, course.enough(before)):
            return None
        answers.add(move, answer)
    return answers


def _answer(course: Course, board: chess.Board, fled: Square, enough: int) -> chess.Move | None:
    """Return a move that mates, wins enough at once, or wins enough by attacking the fled piece (no pawn)."""
    if mate := course.mate(board):
        return mate
    moves = course.in_order(board.legal_moves)
    forcing = [move for move in moves if board.is_capture(move) or move.promotion == chess.QUEEN]
    quiet = [move for move in moves if move not in forcing]
    # The answer that wins most is the clearest.
    forcing.sort(key=lambda move: -gained(board.piece_type_at(move.to_square), move.promotion))
    is_pawn = board.piece_type_at(fled) == chess.PAWN
    for move in (*forcing, *quiet):
        after = board_after(board, [move])
        attacks = not is_pawn and after.attacks_mask(move.to_square) >> fled & 1
        if (attacks or move in forcing) and course.reaches(board, move, enough):
            return move
        if attacks and course.costs(after, enough):
            return move
    return None


def _wherever(course: Course, ply: Ply, square: Square, answers: _Answers) -> str:
    """Say what the flights of the piece on a square allow."""
    if len(answers) <= _MOST_NAMED:
        return str(answers)
    reply = course.replay.at(ply.number + 1)
    shown = f" except {chess.square_name(reply.target)}" if reply and reply.origin == square else ""
    allowed = ", or ".join(answer for answer, _ in answers.most())
    return f"On every safe square{shown}, {named(ply.after, square)} allows {allowed}"


def deviation(replay: Replay, line: Sequence[chess.Move]) -> int:
    """Return the number of the ply at which a line that begins after the first move leaves the solution."""
    for shown, move in zip(replay.plies[1:], line, strict=False):
        if move != shown.move:
            return shown.number
    return len(replay.plies)


def against_others(course: Course, lines: Iterable[tuple[int, Sequence[chess.Move]]]) -> str:
    """Say what the first move threatens, and what follows replies that are not in the solution.

    Each line begins after the first move, and comes with its `deviation`. A null move as the reply shows the
    threat.
    """
    replay, threats, others = course.replay, list[str](), list[str]()
    for number, line in lines:
        board, (reply, *answers) = replay.plies[number - 1].after.board, line[number - 1 :]
        if reply:
            shown = Replay(replay.start.board, [replay.plies[0].move, *line])
            others.append(board.variation_san([reply, *answers]) + _outcome(course, shown))
        else:
            board = board_after(board, [reply])
            outcome = _outcome(course, Replay(board, answers))
            threats.append(f"The threat is {board.variation_san(answers)}{outcome}.")
    if others:
        name = "Another defence" if len(others) == 1 else "Other defences"
        threats.append(f"{name}: {'; '.join(others)}.")
    return " ".join(threats)


def _outcome(course: Course, shown: Replay) -> str:
    """Say what a line wins if it ends with a capture, or else what its last move attacks."""
    ply = shown.plies[-1]
    if shown.mates or any(each.move.promotion for each in shown.plies[1:]):
        return ""
    if ply.captured is None:
        return _attack(course, ply)
    # If the opponent can take back, the gain is not what was captured.
    if any(move.to_square == ply.target for move in ply.after.legal_moves):
        return ""
    won = winnings(shown)
    return f", which {tag_words(won)}" if won else ""


def _attack(course: Course, ply: Ply) -> str:
    """Say that a move threatens mate, or which pieces it newly attacks."""
    if ply.after.passed and has_mate(ply.after.passed):
        return ", which threatens mate"
    squares = course.by_worth(ply.after, newly_attacked(ply) & ~ply.after.board.kings)[:2]
    return f", which attacks {joined(pieces_named(ply.after, squares))}" if squares else ""


def _is_lost(course: Course, board: chess.Board, move: chess.Move) -> bool:
    """Return whether a piece is lost on the square that it moves to, without enough in return."""
    after = board_after(board, [move])
    return any(
        course.settles_at(board_after(after, [one]), course.balance + course.least)
        for one in captures_on(after, move.to_square)
    )
