"""Why other replies do not help: pieces that cannot go away, and what other answers and defences allow."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Square

from chess_motif.boards import board_after, mating_moves, passed
from chess_motif.material import PIECE_VALUES, gained
from puzzlegen.motifs.replay import Ply
from puzzlegen.reasons.claim import Claim, Course, Kind
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.reason import newly_attacked
from puzzlegen.reasons.words import as_sentence, deed_of, joined, piece_name

_NO_SAFE_SQUARE = "which has no safe square"

# How many replies are named.
_MOST_NAMED = 3

# With more other answers to a check, or defences against a threat, nothing is said of them.
_MOST_OTHERS = 6


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
    common = set.intersection(*mating)
    course.spend()
    if common:
        return f"which has to guard against mate on {chess.square_name(min(common, key=course.place))}"
    return None


def other_answers(course: Course) -> Iterator[Claim]:
    """Find what all other answers to the first check allow, or all other defences against a first threat.

    That is mate if the solution mates, otherwise mate or a loss of material. What gives up the piece that
    moves, or allows what the solution does, needs no words. Or that there is no other answer to a check,
    where the offer must be taken.
    """
    ply, reply, follow_up = (course.replay.at(number) for number in range(3))
    if ply is None or reply is None or follow_up is None or (ply.captured and not ply.check):
        return
    replies = ply.after.legal_moves if ply.check else _defences(course, ply)
    others = course.in_order(move for move in replies if move != reply.move)
    if len(others) > _MOST_OTHERS:
        return
    answers: dict[str, list[str]] = {}
    for move in others:
        after = board_after(ply.after.board, [move])
        course.spend()
        answer = _answer(course, after, move.to_square)
        if answer is None or (course.replay.mates and not board_after(after, [answer]).is_checkmate()):
            return
        if answer.to_square != move.to_square and answer != follow_up.move:
            answers.setdefault(after.san(answer).rstrip("+"), []).append(ply.after.board.san(move))
    if answers:
        few = sum(map(len, answers.values())) <= _MOST_NAMED
        yield Claim(Kind.OTHER_ANSWERS, 0, f"{'' if few else 'Nothing else helps: '}{_allow(answers)}.")
    elif ply.check and reply.target == ply.target and not others:
        text = f"{ply.after.board.san(reply.move)} is the only answer to the check."
        yield Claim(Kind.OTHER_ANSWERS, 0, text)


def _defences(course: Course, ply: Ply) -> list[chess.Move]:
    """Return the replies after which nothing is left of what a move without check threatens; if it does."""
    waits = passed(ply.after.board)
    if waits is None or ply.after.board.is_game_over():
        return []
    forcing = [*waits.generate_legal_captures(), *mating_moves(waits)]
    threats = [move for move in forcing if course.threatens(waits, move)]
    found: list[chess.Move] = []
    for move in ply.after.legal_moves if threats else ():
        after = board_after(ply.after.board, [move])
        if not any(after.is_legal(threat) and course.threatens(after, threat) for threat in threats):
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
                    yield Claim(Kind.FLIGHTS, ply.number, _answered(course, ply, square, answers))


def _answers_to_flights(course: Course, ply: Ply, square: Square) -> dict[str, list[str]]:
    """Return the flights of an attacked piece to where it is safe, by the answer to them.

    None are returned if one has no answer, or, after a later move, one that was threatened before.
    """
    board, reply = ply.after.board, course.replay.at(ply.number + 1)
    answers: dict[str, list[str]] = {}
    for move in course.in_order(move for move in board.legal_moves if move.from_square == square):
        if (reply and move == reply.move) or _is_lost(course, board, move):
            continue
        after = board_after(board, [move])
        answer = _answer(course, after, move.to_square)
        before = ply.before.board
        if answer is None or (ply.number and before.is_legal(answer) and course.threatens(before, answer)):
            return {}
        answers.setdefault(after.san(answer).rstrip("+"), []).append(board.san(move))
    return answers


def _answer(course: Course, board: chess.Board, fled: Square) -> chess.Move | None:
    """Return a move that mates, or wins material at once or by attacking the piece that has fled again."""
    moves = course.in_order(board.legal_moves)
    forcing = [move for move in moves if board.is_capture(move) or move.promotion == chess.QUEEN]
    # What wins most is the plainest answer.
    forcing.sort(key=lambda move: -gained(board.piece_type_at(move.to_square), move.promotion))
    attacks = [move for move in moves if board_after(board, [move]).attacks_mask(move.to_square) >> fled & 1]
    return next(
        (
            move
            for move in (*course.in_order(mating_moves(board)), *forcing, *attacks)
            if course.threatens(board, move) or (move in attacks and course.costs(board_after(board, [move])))
        ),
        None,
    )


def _answered(course: Course, ply: Ply, square: Square, answers: dict[str, list[str]]) -> str:
    if sum(map(len, answers.values())) <= _MOST_NAMED:
        return f"{_allow(answers)}."
    reply = course.replay.at(ply.number + 1)
    wherever = "Wherever else" if reply and reply.origin == square else "Wherever"
    piece = piece_name(ply.after.kind(square), square)
    most = sorted(answers, key=lambda answer: -len(answers[answer]))
    if len(most) > 2:
        return f"{wherever} {piece} goes, something is lost, as by {most[0]} or {most[1]}."
    return f"{wherever} {piece} goes, {' or '.join(most)} follows."


def _allow(answers: dict[str, list[str]]) -> str:
    """Say which replies allow what; if they are many, only the two answers to most of them."""
    most = sorted(answers.items(), key=lambda item: -len(item[1]))
    if sum(map(len, answers.values())) > _MOST_NAMED:
        most = most[:2]
    return joined(
        [f"{joined(moves)} {'allows' if len(moves) == 1 else 'allow'} {one}" for one, moves in most]
    )


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
