"""Why other replies do not help: pieces that cannot go away, and what other answers and defences allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import chess
from chess import Square

from chess_motif.boards import board_after, mating_moves, passed
from chess_motif.captures import settles_at_least
from chess_motif.material import PIECE_VALUES, gained, material_balance
from puzzlegen.motifs.exchange import winnings
from puzzlegen.motifs.replay import Ply, Replay
from puzzlegen.motifs.tags import tag_words
from puzzlegen.motifs.threats import mates_in_two
from puzzlegen.reasons.claim import Claim, Course, Kind
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.reason import newly_attacked
from puzzlegen.reasons.words import as_sentence, deed_of, joined, piece_name, pieces_named

_NO_SAFE_SQUARE = "which has no safe square"

# How many replies are named.
_MOST_NAMED = 3

# With more other answers to a check, or defences against a threat, nothing is said of them.
_MOST_OTHERS = 6

# What the notation of a move says of what it does.
_MARKS = {"is mate": "#", "follows": ""}
_WINS = "wins "


def trapped(course: Course) -> Iterator[Claim]:
    """Find pieces that a move attacks and that are lost: no square is safe, or something else falls.

    The solver takes such a piece next, or wins something after every reply.
    """
    for ply in course.replay.solver_plies:
        board = passed(ply.after.board)
        if board is None or ply.after.board.is_game_over():
            continue
        attacked = newly_attacked(ply) & ply.after.attacks[ply.target]
        for square in course.by_worth(ply.after, attacked):
            if ply.after.board.is_pinned(not course.solver, square):
                continue
            if not course.pays_on(board, square, course.least):
                continue
            text = _fate(course, ply, square)
            if text is None or not (_is_taken_next(course, ply, square) or course.costs(ply.after.board)):
                continue
            kind = Kind.TRAPPED if text == _NO_SAFE_SQUARE else Kind.TIED_DOWN
            drawing = None
            if course.unmoved(ply.number + 1, square):
                drawing = Drawing(Role.ATTACK, squares=(square,))
            victim = piece_name(ply.after.kind(square), square)
            text = f"{deed_of(ply)} and attacks {victim}, {text}"
            yield Claim(kind, ply.number, as_sentence(text), drawing)


def _fate(course: Course, ply: Ply, square: Square) -> str | None:
    """Return why an attacked piece cannot go away for nothing, in words; None if it can."""
    board = ply.after.board
    moves = [move for move in board.legal_moves if move.from_square == square]
    safe = [move for move in moves if not _is_lost(course, board, move)]
    if not safe:
        return _NO_SAFE_SQUARE
    # What it has to keep defending: a piece, or a square on which there is mate.
    afterwards = [board_after(board, [move]) for move in safe]
    own = board.occupied_co[not course.solver] & ~board.kings
    for duty in course.by_worth(ply.after, ply.after.attacks[square] & own):
        if PIECE_VALUES[ply.after.kind(duty)] < course.least:
            continue
        # What falls although it is defended.
        if (waits := passed(board)) is not None and course.pays_on(waits, duty, course.least):
            continue
        if all(
            after.piece_type_at(duty) and course.pays_on(after, duty, course.least) for after in afterwards
        ):
            return f"which has to defend {piece_name(ply.after.kind(duty), duty)}"
    mating = [{move.to_square for move in mating_moves(after)} for after in afterwards]
    # It does not guard against a mate that there is if it stays.
    waits = passed(board)
    stays = {move.to_square for move in mating_moves(waits)} if waits is not None else set[Square]()
    common = set.intersection(*mating) - stays
    course.spend()
    if common:
        return f"which has to guard against mate on {chess.square_name(min(common, key=course.place))}"
    return None


class _Answers:
    """Replies in a position by the answers to them, in words."""

    def __init__(self, board: chess.Board) -> None:
        """Start without any reply in a position."""
        self._board = board
        self.by_reply: dict[chess.Move, chess.Move] = {}
        # By the answer and what it does.
        self._replies: dict[tuple[str, str], list[str]] = {}

    def add(self, reply: chess.Move, answer: chess.Move) -> None:
        """Add a reply with its answer."""
        self.by_reply[reply] = answer
        after = board_after(self._board, [reply])
        # A capture may check only after some of the replies.
        name = after.san(answer).rstrip("+#" if after.is_capture(answer) else "#")
        effect = _effect(after, answer)
        if effect == "attacks it" and self._board.is_attacked_by(not self._board.turn, reply.from_square):
            effect += " again"
        known = next((known for answered, known in self._replies if answered == name), effect)
        if known != effect and known.startswith(_WINS) and effect.startswith(_WINS):
            # Of one reply a knight, of another one its price.
            effect = f"{_WINS}material"
            self._replies[name, effect] = self._replies.pop((name, known))
        self._replies.setdefault((name, effect), []).append(self._board.san(reply))

    def __len__(self) -> int:
        """Return how many replies there are."""
        return len(self.by_reply)

    def most(self) -> list[tuple[str, str]]:
        """Return the answers and what they do: those to most replies first, and two if replies are many."""
        most = sorted(self._replies, key=lambda answer: -len(self._replies[answer]))
        return most if len(self) <= _MOST_NAMED else most[:2]

    def __str__(self) -> str:
        """Say which replies allow what."""
        parts = []
        for name, effect in self.most():
            replies = self._replies[name, effect]
            what = name + _MARKS[effect] if effect in _MARKS else f"{name}, which {effect}"
            parts.append(f"{joined(replies)} {'allows' if len(replies) == 1 else 'allow'} {what}")
        return "; ".join(parts)


def _effect(board: chess.Board, answer: chess.Move) -> str:
    """Say what an answer does."""
    after, captured = board_after(board, [answer]), board.piece_type_at(answer.to_square)
    if after.is_checkmate():
        return "is mate"
    if after.is_check() and mates_in_two(board, answer):
        return "leads to mate"
    if captured and captured != chess.PAWN and _is_won(board, answer):
        return f"{_WINS}the {chess.piece_name(captured)}"
    if answer.promotion:
        return "follows"
    # A pawn alone would not be enough.
    if board.is_capture(answer):
        return f"{_WINS}material"
    return "follows" if after.is_check() else "attacks it"


def _is_won(board: chess.Board, capture: chess.Move) -> bool:
    """Return whether a capture wins a piece, perhaps for a pawn, and for a lesser piece that captures it."""
    worth, paid = (
        PIECE_VALUES[board.piece_type_at(square) or chess.PAWN]
        for square in (capture.to_square, capture.from_square)
    )
    after = board_after(board, [capture])
    can_be_taken = any(move.to_square == capture.to_square for move in after.legal_moves)
    price = paid if can_be_taken else 0
    least = material_balance(board, board.turn) + worth - price - PIECE_VALUES[chess.PAWN]
    return price < worth and settles_at_least(after, board.turn, least)


def other_answers(course: Course) -> Iterator[Claim]:
    """Find what all other answers to the first check allow, or all other defences against a first threat.

    That is mate if the solution mates, otherwise mate or a loss of material. What gives up the piece that
    moves, or allows what the solution does, needs no words. Or that there is no other answer to a check,
    where the offer must be taken.
    """
    ply, reply, follow_up = (course.replay.at(number) for number in range(3))
    if ply is None or reply is None or follow_up is None or (ply.captured and not ply.check):
        return
    board, answers = ply.after.board, _Answers(ply.after.board)
    for move, answer in _others(course, ply, reply):
        if answer.to_square != move.to_square and answer != follow_up.move:
            answers.add(move, answer)
    if answers:
        text = f"{'Nothing else helps: ' if len(answers) > _MOST_NAMED else ''}{answers}."
        yield Claim(Kind.OTHER_ANSWERS, 0, text, answered=answers.by_reply)
    elif ply.check and reply.target == ply.target and len(ply.after.legal_moves) == 1:
        yield Claim(Kind.OTHER_ANSWERS, 0, f"{board.san(reply.move)} is the only answer to the check.")


def _others(course: Course, ply: Ply, reply: Ply) -> list[tuple[chess.Move, chess.Move]]:
    """Return all other answers to a first check, or defences against a first threat, with what they allow.

    None if they are many, or if one allows nothing.
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
    """Return the replies after which nothing is left of what a move without check threatens; if it does."""
    waits = passed(ply.after.board)
    if waits is None or ply.after.board.is_game_over():
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


def flights(course: Course) -> Iterator[Claim]:
    """Find an attacked piece that leaves something behind wherever it goes: each flight has an answer.

    Those on which it is captured itself count as answered, and the one that the opponent chooses is answered
    by the solution.
    """
    for ply in course.replay.solver_plies[:2]:
        waits = passed(ply.after.board)
        # What a capture wins besides needs no more words.
        if waits is None or ply.captured or ply.after.board.is_game_over():
            continue
        pieces = newly_attacked(ply) & ~(waits.pawns | waits.kings)
        for square in course.by_worth(ply.after, pieces):
            if course.pays_on(waits, square, course.least):
                answers = _answers_to_flights(course, ply, square)
                if answers:
                    text = _wherever(course, ply, square, answers)
                    yield Claim(Kind.FLIGHTS, ply.number, text, answered=answers.by_reply)


def _answers_to_flights(course: Course, ply: Ply, square: Square) -> _Answers | None:
    """Return the flights of an attacked piece to where it is safe, with the answers to them.

    None if one has no answer, or, after a later move, one that was threatened before.
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
    """Return a move that mates, or wins enough at once or by attacking the piece, no pawn, that has fled."""
    mating = course.in_order(mating_moves(board))
    if mating:
        return mating[0]
    moves = course.in_order(board.legal_moves)
    forcing = [move for move in moves if board.is_capture(move) or move.promotion == chess.QUEEN]
    quiet = [move for move in moves if move not in forcing]
    # What wins most is the plainest answer.
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
        return f"{answers}."
    reply = course.replay.at(ply.number + 1)
    shown = f", except to {chess.square_name(reply.target)}" if reply and reply.origin == square else ""
    piece = piece_name(ply.after.kind(square), square)
    follows = " or ".join(f"{name} {effect}" for name, effect in answers.most())
    return f"Wherever {piece} goes{shown}, {follows}."


def deviation(replay: Replay, line: Sequence[chess.Move]) -> int:
    """Return the number of the ply at which a line that begins after the first move leaves the solution."""
    for shown, move in zip(replay.plies[1:], line, strict=False):
        if move != shown.move:
            return shown.number
    return len(replay.plies)


def against_others(replay: Replay, lines: Iterable[tuple[int, Sequence[chess.Move]]]) -> str:
    """Say what the first move threatens, and what follows other replies than those of the solution.

    Each line begins after the first move, and comes with its `deviation`; a null move as reply shows the
    threat.
    """
    threats, others = list[str](), list[str]()
    for number, line in lines:
        board, (reply, *answers) = replay.plies[number - 1].after.board, line[number - 1 :]
        if reply:
            shown = Replay(replay.start.board, [replay.plies[0].move, *line])
            others.append(board.variation_san([reply, *answers]) + _outcome(shown))
        else:
            board = board_after(board, [reply])
            threats.append(f"The threat is {board.variation_san(answers)}{_outcome(Replay(board, answers))}.")
    if others:
        name = "Another defence" if len(others) == 1 else "Other defences"
        threats.append(f"{name}: {'; '.join(others)}.")
    return " ".join(threats)


def _outcome(shown: Replay) -> str:
    """Say what a line wins that ends with a capture, or what its last move attacks."""
    ply = shown.plies[-1]
    if shown.mates or any(each.move.promotion for each in shown.plies[1:]):
        return ""
    if ply.captured is None:
        return _attack(ply)
    # Where the opponent may take back, what is won is not what was captured.
    if any(move.to_square == ply.target for move in ply.after.legal_moves):
        return ""
    won = winnings(shown)
    return f", which {tag_words(won)}" if won else ""


def _attack(ply: Ply) -> str:
    """Say that a move threatens mate, or which pieces hang since."""
    waits = passed(ply.after.board)
    if waits is not None and next(mating_moves(waits), None):
        return ", which threatens mate"
    squares = chess.SquareSet(newly_attacked(ply) & ~ply.after.board.kings)
    worth = sorted(squares, key=lambda at: (-PIECE_VALUES[ply.after.kind(at)], chess.square_file(at)))
    return f", which attacks {joined(pieces_named(ply.after, worth[:2]))}" if worth else ""


def _is_taken_next(course: Course, ply: Ply, square: Square) -> bool:
    """Return whether the solver's next move takes the piece on a square, or the solution ends."""
    follow_up = course.replay.at(ply.number + 2)
    if follow_up is None or follow_up.captured is None:
        return False
    if not follow_up.before.board.occupied >> follow_up.target & 1:
        return False
    if course.replay.plies[ply.number + 1].target == ply.target:
        return False
    pieces = course.reasons.pieces
    return pieces.on(follow_up.number, follow_up.target) == pieces.on(ply.number + 1, square)


def _is_lost(course: Course, board: chess.Board, move: chess.Move) -> bool:
    """Return whether a piece is lost for too little on the square that it moves to."""
    after = board_after(board, [move])
    captures = after.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square])
    return any(
        course.settles_at(board_after(after, [one]), course.balance + course.least) for one in captures
    )
