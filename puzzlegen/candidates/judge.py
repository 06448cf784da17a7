"""What a block of PGN text says of its games, in one compiled pass over its bytes. Needs numba.

Only what is laid out exactly as Lichess does is judged here: lines of tags, a blank line, one line of
moves, a blank line. With evaluations that is `1. e4 { [%eval 0.17] … } 1... e5 { … }`, one on every
move but a last one that mates, then the result. `scan` looks at everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from puzzlegen.games.pgn import FIRST_MOVE_CHANCE, eval_chance
from puzzlegen.rules import MiningRules, Pattern

# The verdicts on a section of text: no candidate among its evaluations, one at least, one game without
# evaluations, or text that has to be looked at in another way.
RULED_OUT, CANDIDATE, NO_EVALUATIONS, ODD = range(4)

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Chances = NDArray[np.float64]

F = TypeVar("F", bound=Callable[..., object])


def _compiled(function: F) -> F:
    """Compile a function, which takes seconds. Other threads run while it does."""
    try:
        return cast(F, numba.njit(function, nogil=True, cache=True))
    except RuntimeError:
        # Neither beside this file nor in the user's cache can the result be kept.
        return cast(F, numba.njit(function, nogil=True))


# Bytes that follow the text, so that looking a little ahead needs no check.
_PADDING = 32

# Beyond this many centipawns the win chance stays what it is.
_MOST_CENTIPAWNS = 10_000

# The place of what is not there.
_NOWHERE: Final = -1

# Move numbers of more digits could be null moves to python-chess.
_MOST_DIGITS: Final = 4


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text, "little"))


_FOUR, _SIX, _SEVEN = (_word(length * b"\xff") for length in (4, 6, 7))
_EVENT, _FEN, _VARIANT = (_word(tag) for tag in (b"[Event ", b"[FEN", b"[Variant"))
_EVAL, _EVALUATED = _word(b"[%eval"), _word(b"{ [%eval")
_WHITE_WINS, _BLACK_WINS, _OPEN_END = (_word(result) for result in (b" 1-0\n", b" 0-1\n", b" *\n"))
_DRAW = _word(b" 1/2-1/2")
_THREE, _FIVE = _word(3 * b"\xff"), _word(5 * b"\xff")
_CASTLES, _CASTLES_LONG = _word(b"O-O"), _word(b"O-O-O")
_ONES, _HIGHS = _word(8 * b"\x01"), _word(8 * b"\x80")
_LINE_BREAKS, _LETTERS_V = _word(8 * b"\n"), _word(8 * b"v")


def judge(block: bytes, rules: MiningRules) -> tuple[list[int], bytes]:
    """Return where the sections of a block end, and a verdict on each.

    A section goes from one `[Event ` at the beginning of a line to the next, the first one from the
    beginning of the block. All but `ODD` ones are one game.
    """
    text = np.frombuffer(block + bytes(_PADDING), np.uint8)
    words: Words = np.ndarray((len(text) - 7,), "<u8", text.data, strides=(1,))
    most = len(block) // len("[Event ") + 1
    ends, verdicts = np.empty(most, np.int64), np.empty(most, np.uint8)
    with_reply = rules.pattern is Pattern.BLUNDER_BLUNDER
    count = _judge_sections(text, words, _chances(), rules.drop, rules.won, with_reply, ends, verdicts)
    return ends[:count].tolist(), verdicts[:count].tobytes()


@cache
def _chances() -> Chances:
    """Return White's win chance for each number of centipawns, and before the first move as the last."""
    pawns = (f"{value / 100:.2f}" for value in range(-_MOST_CENTIPAWNS, _MOST_CENTIPAWNS + 1))
    return np.array([*(eval_chance("", number) for number in pawns), FIRST_MOVE_CHANCE])


@_compiled
def _break_after(words: Words, place: int) -> int:
    """Return the place of the next line break, or beyond the text."""
    while place < len(words):
        found = _with(words[place], _LINE_BREAKS)
        if found:
            return place + _first(found)
        place += 8
    return place


@_compiled
def _with(word: np.uint64, bytes_: np.uint64) -> np.uint64:
    """Return a number that is not 0 where one of eight bytes is as wanted; its first one marks it."""
    differing = word ^ bytes_
    return (differing - _ONES) & ~differing & _HIGHS


@_compiled
def _first(found: np.uint64) -> int:
    """Return the number of the first byte that is not 0."""
    index = 0
    while not found & np.uint64(0xFF):
        found >>= np.uint64(8)
        index += 1
    return index


@_compiled
def _next_event(words: Words, place: int, size: int) -> int:
    """Return where the next section begins, or the end of the text."""
    while place < size:
        place = _break_after(words, place) + 1
        if place < size and words[place] & _SEVEN == _EVENT:
            return place
    return size


@_compiled
def _after_tags(words: Words, place: int) -> int:
    """Return where the line after the blank one begins; nowhere if the tags are not the usual ones."""
    first = True
    while place < len(words) and words[place] & np.uint64(0xFF) == ord("["):
        line = words[place]
        if line & _FOUR == _FEN or line == _VARIANT or (not first and line & _SEVEN == _EVENT):
            return _NOWHERE
        first = False
        place = _break_after(words, place) + 1
    if place >= len(words) or first or words[place] & np.uint64(0xFF) != ord("\n"):
        return _NOWHERE
    return place + 1


@_compiled
def _are_odd(text: Bytes, place: int, end: int) -> bool:
    """Tell whether `pgn` may take a tag for more than one line.

    There are control characters, or first bytes of the line separators of Unicode.
    """
    odd = False
    for index in range(place, end):
        byte = text[index]
        odd |= ((byte < 0x20) & (byte != ord("\n"))) | (byte == 0xC2) | (byte == 0xE2)
    return odd


@_compiled
def _after_number(text: Bytes, place: int) -> int:
    """Return the place after `12. ` or `12... `."""
    begin = place
    while ord("0") <= text[place] <= ord("9"):
        place += 1
    if text[begin] == ord("0") or not 0 < place - begin <= _MOST_DIGITS or text[place] != ord("."):
        return _NOWHERE
    place += 3 if text[place + 1] == text[place + 2] == ord(".") else 1
    return place + 1 if text[place] == ord(" ") else _NOWHERE


@_compiled
def _after_move(text: Bytes, words: Words, place: int) -> int:
    """Return the place after a move with its signs and a space, as in `Qa1xb2+?! `."""
    end = place
    while (
        text[end] >= ord("A")
        or ord("1") <= text[end] <= ord("8")
        or text[end] == ord("=")
        or text[end] == ord("-")
    ):
        end += 1
    if not _is_move(text, words, place, end):
        return _NOWHERE
    if text[end] == ord("+") or text[end] == ord("#"):
        end += 1
    for _ in range(2):
        if text[end] == ord("!") or text[end] == ord("?"):
            end += 1
    return end + 1 if text[end] == ord(" ") else _NOWHERE


@_compiled
def _is_move(text: Bytes, words: Words, place: int, end: int) -> bool:
    """Tell whether a text is one move to python-chess, if perhaps an illegal one."""
    if text[place] == ord("O"):
        castles = end - place == 3 and words[place] & _THREE == _CASTLES
        return castles or (end - place == 5 and words[place] & _FIVE == _CASTLES_LONG)
    by_pawn = _is_file(text[place])
    if by_pawn and text[end - 2] == ord("=") and _is_piece(text[end - 1]) and text[end - 1] != ord("K"):
        end -= 2
    target = end - 2
    if target < place or not (_is_file(text[target]) and _is_rank(text[target + 1])):
        return False
    if by_pawn:
        return target == place or (target == place + 2 and text[place + 1] == ord("x"))
    if not _is_piece(text[place]):
        return False
    if target > place + 1 and text[target - 1] == ord("x"):
        target -= 1
    place += 1
    if place < target and _is_file(text[place]):
        place += 1
    if place < target and _is_rank(text[place]):
        place += 1
    return place == target


@_compiled
def _is_file(byte: int) -> bool:
    return ord("a") <= byte <= ord("h")


@_compiled
def _is_rank(byte: int) -> bool:
    return ord("1") <= byte <= ord("8")


@_compiled
def _is_piece(byte: int) -> bool:
    return byte == ord("K") or byte == ord("Q") or byte == ord("R") or byte == ord("B") or byte == ord("N")


@_compiled
def _after_comment(text: Bytes, place: int) -> int:
    """Return the place after the brace that closes a comment. Inside, `v` would be another evaluation."""
    while text[place] >= ord(" ") and text[place] != ord("}"):
        if text[place] == ord("{") or text[place] == ord("v"):
            return _NOWHERE
        place += 1
    return place + 1 if text[place] == ord("}") else _NOWHERE


@_compiled
def _evaluation(text: Bytes, place: int, chances: Chances) -> tuple[float, int]:
    """Return the win chance that `0.17]`, `-12.3]` or `#-3]` mean to White, and the place after it."""
    mate = text[place] == ord("#")
    place += mate
    negative = text[place] == ord("-")
    place += negative
    begin, value = place, 0
    while _is_digit(text[place]):
        value = min(10 * value + text[place] - ord("0"), _MOST_CENTIPAWNS)
        place += 1
    if place == begin:
        return 0.0, _NOWHERE
    sign = -1 if negative else 1
    if mate:
        return float(sign), place + 1 if text[place] == ord("]") else _NOWHERE
    if text[place] != ord(".") or not _is_digit(text[place + 1]):
        return 0.0, _NOWHERE
    value = 100 * value + 10 * (text[place + 1] - ord("0"))
    place += 2
    if _is_digit(text[place]):
        value += text[place] - ord("0")
        place += 1
    value = sign * min(value, _MOST_CENTIPAWNS)
    return chances[value + _MOST_CENTIPAWNS], place + 1 if text[place] == ord("]") else _NOWHERE


@_compiled
def _is_digit(byte: int) -> bool:
    return ord("0") <= byte <= ord("9")


@_compiled
def _after_result(words: Words, place: int) -> int:
    """Return the place after a result and a line break."""
    here = words[place]
    if here & _FIVE == _WHITE_WINS or here & _FIVE == _BLACK_WINS:
        return place + 5
    if here & _THREE == _OPEN_END:
        return place + 3
    if here == _DRAW and words[place + 8] & np.uint64(0xFF) == ord("\n"):
        return place + 9
    return _NOWHERE


@_compiled
def _evaluated_move(text: Bytes, words: Words, place: int, chances: Chances) -> tuple[float, int]:
    """Return White's chance after the move at `place`, and the place after its comment.

    Not a number where a mate ends the game without an evaluation.
    """
    move = _after_number(text, place)
    comment = _NOWHERE if move == _NOWHERE else _after_move(text, words, move)
    if comment == _NOWHERE:
        return 0.0, _NOWHERE
    if words[comment] == _EVALUATED and text[comment + 8] == ord(" "):
        chance, end = _evaluation(text, comment + 9, chances)
        return chance, _NOWHERE if end == _NOWHERE else _after_comment(text, end)
    end = _after_comment(text, comment + 1) if text[comment] == ord("{") else comment - 1
    mates = text[comment - 2] == ord("#")
    return np.nan, end if mates and end != _NOWHERE and _after_result(words, end) != _NOWHERE else _NOWHERE


@_compiled
def _is_triple(before: float, after: float, drop: float, won: float) -> bool:
    """Tell what `triples.is_triple` does, of the solver's chances around one move."""
    return after - before >= drop and before < won and after >= won


@_compiled
def _judge_moves(
    text: Bytes, words: Words, place: int, chances: Chances, drop: float, won: float, with_reply: bool
) -> tuple[int, int]:
    """Return the verdict on a line of moves and the place after it."""
    begin, plies, found = place, 0, False
    # White's chances before the last three moves, and after them.
    earlier = before = after = chances[-1]
    while True:
        chance, place = _evaluated_move(text, words, place, chances)
        if place == _NOWHERE:
            return (ODD, _NOWHERE) if plies else _without_evaluations(words, begin)
        plies += 1
        earlier, before, after = before, after, chance
        mover = 1.0 if plies % 2 else -1.0
        if with_reply:
            # The mover is the solver, who gave back what the opponent's move before had given.
            found |= (
                plies > 1
                and _is_triple(mover * earlier, mover * before, drop, won)
                and _is_triple(mover * after, mover * before, drop, won)
            )
        else:
            found |= _is_triple(-mover * before, -mover * after, drop, won)
        end = _after_result(words, place)
        if end != _NOWHERE:
            return CANDIDATE if found else RULED_OUT, end
        if text[place] != ord(" "):
            return ODD, _NOWHERE
        place += 1


@_compiled
def _without_evaluations(words: Words, place: int) -> tuple[int, int]:
    """Return the verdict on a line that does not begin with an evaluated move, and the place after it."""
    if words[place] & np.uint64(0xFF) == ord("[") or words[place] & np.uint64(0xFF) == ord("\n"):
        return ODD, _NOWHERE
    while place < len(words):
        # No other letter is as rare in games without evaluations.
        found = _with(words[place], _LINE_BREAKS) | _with(words[place], _LETTERS_V)
        if not found:
            place += 8
            continue
        place += _first(found)
        if words[place] & np.uint64(0xFF) == ord("\n"):
            return NO_EVALUATIONS, place + 1
        if words[place - 3] & _SIX == _EVAL:
            return ODD, _NOWHERE
        place += 1
    return ODD, _NOWHERE


@_compiled
def _judge_sections(
    text: Bytes, words: Words, chances: Chances, drop: float, won: float, with_reply: bool,
    ends: NDArray[np.int64], verdicts: Bytes,
) -> int:  # fmt: skip
    """Fill in `ends` and `verdicts`; return how many."""
    size = len(text) - _PADDING
    place = count = 0
    while place < size:
        verdict, end = ODD, _NOWHERE
        moves = _after_tags(words, place) if words[place] & _SEVEN == _EVENT else _NOWHERE
        if moves != _NOWHERE:
            verdict, end = _judge_moves(text, words, moves, chances, drop, won, with_reply)
            if verdict != NO_EVALUATIONS and _are_odd(text, place, moves):
                verdict = ODD
        # A blank line, and nothing else before the next game.
        if end != _NOWHERE and end < size and text[end] == ord("\n"):
            end += 1
        else:
            end = _NOWHERE
        if end == _NOWHERE or not (end == size or words[end] & _SEVEN == _EVENT):
            verdict, end = ODD, _next_event(words, place, size)
        ends[count], verdicts[count] = end, verdict
        count += 1
        place = end
    return count
