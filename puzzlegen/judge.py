"""Many evaluated games at a time ruled out by the bytes of their moves, as arrays.

What is not exactly as Lichess writes it is not judged here: `1. e4 { [%eval 0.17] … } 1... e5 { … }`,
an evaluation on every move but a last one that mates, then the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engines.winchance import win_chance_of_centipawns
from puzzlegen.pgn import FIRST_MOVE_CHANCE
from puzzlegen.rules import MiningRules, Pattern
from puzzlegen.scan import MOVE

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Chances = NDArray[np.float64]

# Win chances that differ by less are the same here; a game that only this lets through is parsed.
_ROUNDING = 1e-9

# Move numbers that are known, and so the longest game that is judged.
_MOST_PLIES = 1998

# Beyond this many centipawns the win chance stays what it is.
_MOST_CENTIPAWNS = 10_000

# The longest move with its signs, and what follows it: `Qa1xb2+?! {`.
_MOVE_WINDOW = 12

# A mate as the last move without any comment, and the result.
_BARE_MATE = re.compile(rb" [1-9]\d{0,2}\.(?:\.\.)? " + MOVE + rb"#[!?]{0,2} (?:1-0|0-1)\n")


def word(text: bytes) -> np.uint64:
    """Return up to eight bytes as the number that `words` gives for them, zeros after them."""
    return np.uint64(int.from_bytes(text, "little"))


def words(text: Bytes, places: Places) -> Words:
    """Return the eight bytes at each place as a number. The text goes on seven bytes after the last."""
    overlapping: Words = np.ndarray((len(text) - 7,), "<u8", text.data, strides=(1,))
    return overlapping[places]


@dataclass(frozen=True)
class Verdicts:
    """For each game: whether it holds no candidate, and whether the bytes tell at all."""

    ruled_out: Flags
    odd: Flags


def judge(lines: bytes, ends: Places, rules: MiningRules) -> Verdicts:
    """Return the verdicts on games of which `lines` holds the moves, each on a line of its own.

    `ends` are the places after the line breaks. The games start from the usual position.
    """
    # Whatever is looked up begins less than so many bytes after a brace.
    text = np.frombuffer(lines + bytes(2 * _MOVE_WINDOW), np.uint8)
    starts = np.concatenate(([0], ends[:-1]))
    opens, closes = _braces(text)
    counts = np.diff(np.searchsorted(opens, ends), prepend=0)
    closing = np.diff(np.searchsorted(closes, ends), prepend=0)
    odd = (counts == 0) | (counts != closing) | (counts > _MOST_PLIES)
    if odd.any():
        opens = opens[np.repeat(~odd, counts)]
        closes = closes[np.repeat(~odd, closing)]
        counts = np.where(odd, 0, counts)
    games = np.repeat(np.arange(len(ends)), counts)
    firsts = (np.cumsum(counts) - counts)[~odd]
    lasts = firsts + counts[~odd] - 1
    plies = np.arange(len(games)) - np.repeat(firsts, counts[~odd])

    begins = np.empty_like(closes)
    begins[1:] = closes[:-1] + 2
    begins[firsts] = starts[~odd]
    regular = (opens < closes) & _are_moves(text, begins, plies)
    regular[1:] &= (text[begins[1:] - 1] == ord(" ")) | (plies[1:] == 0)

    chances, evaluated = _chances(text, opens)
    mates_last = np.zeros_like(evaluated)
    mates_last[lasts] = text[opens[lasts] - 2] == ord("#")
    regular &= evaluated | mates_last
    odd[games[~regular]] = True
    judged = np.flatnonzero(counts)
    odd[judged] |= ~_are_ends(lines, text, closes[lasts] + 1, ends[judged])

    ruled_out = ~odd
    ruled_out[games[_are_candidates(chances, plies, firsts, lasts, rules)]] = False
    return Verdicts(ruled_out, odd)


def _braces(text: Bytes) -> tuple[Places, Places]:
    # Hardly any characters are beyond the opening one: one search finds both.
    places = np.flatnonzero(text >= ord("{"))
    found = text[places]
    return places.compress(found == ord("{")), places.compress(found == ord("}"))


def _are_moves(text: Bytes, begins: Places, plies: Places) -> Flags:
    """Tell where a move of this ply with its number stands, and then a space and an opening brace."""
    numbers, masks, lengths = _move_numbers()
    right: Flags = (words(text, begins) ^ numbers[plies]) & masks[plies] == 0
    moves = begins + lengths[plies]
    windows = np.ndarray((len(text) - _MOVE_WINDOW + 1,), f"V{_MOVE_WINDOW}", text.data, strides=(1,))
    classes = _CLASS_OF_BYTE.take(windows[moves].view(np.uint8).reshape(-1, _MOVE_WINDOW))
    state = np.zeros(len(moves), np.int64)
    for column in range(_MOVE_WINDOW):
        state = _NEXT_STATE.take(state + classes[:, column])
    return right & np.equal(state, _STATES["done"])


def _are_ends(lines: bytes, text: Bytes, places: Places, ends: Places) -> Flags:
    """Tell which texts from `places` to `ends` are a result and a line break, or a mate before them."""
    rest = words(text, places)
    right = np.zeros(len(places), np.bool_)
    for result in (b" 1-0\n", b" 0-1\n", b" 1/2-1/2", b" *\n"):
        length = len(result.rstrip(b"\n")) + 1
        mask = word(b"\xff" * len(result))
        right |= (rest & mask == word(result)) & (places + length == ends)
    for index in np.flatnonzero(~right):
        right[index] = _BARE_MATE.fullmatch(lines, places[index], ends[index]) is not None
    return right


def _chances(text: Bytes, opens: Places) -> tuple[Chances, Flags]:
    """Return White's win chances in the comments at `opens`, and which comments begin with one.

    NaN where there is none.
    """
    places = opens + len(b"{ [%eval ")
    number = words(text, places)
    negative = number & np.uint64(0xFF) == ord("-")
    number >>= negative.astype(np.uint64) << np.uint64(3)
    centipawns, evaluated = _centipawns(number)
    chances = _chance_table().take(centipawns)
    np.negative(chances, out=chances, where=negative)
    others = np.flatnonzero(~evaluated)
    chances[others], evaluated[others] = _mates(words(text, places[others]))
    evaluated &= (words(text, opens) == word(b"{ [%eval")) & (text[places - 1] == ord(" "))
    chances[~evaluated] = np.nan
    return chances, evaluated


def _centipawns(number: Words) -> tuple[Places, Flags]:
    """Read pawns such as `0.17]` and `12.3]`; return centipawns, and which were such a number."""
    # Zeros in front bring every point to the fourth byte.
    for point, zeros in ((1, b"00"), (2, b"0")):
        here = (number >> np.uint64(8 * point)) & np.uint64(0xFF) == ord(".")
        shifted = number << np.uint64(8 * len(zeros)) | word(zeros)
        np.copyto(number, shifted, where=here)
    characters = np.ascontiguousarray(number).view(np.uint8).reshape(-1, 8)
    digits = characters - np.uint8(ord("0"))
    are_digits = digits < 10
    two_places = are_digits[:, 5] & (characters[:, 6] == ord("]"))
    right = are_digits[:, 0] & are_digits[:, 1] & are_digits[:, 2] & are_digits[:, 4]
    right &= (characters[:, 3] == ord(".")) & (two_places | (characters[:, 5] == ord("]")))
    centipawns = digits[:, 2].astype(np.int64) * 100 + digits[:, 4] * np.int64(10)
    centipawns += digits[:, 1] * np.int64(1000) + digits[:, 0] * np.int64(10_000)
    centipawns += np.where(two_places, digits[:, 5], 0)
    return np.minimum(centipawns, _MOST_CENTIPAWNS), right


def _mates(number: Words) -> tuple[Chances, Flags]:
    """Read mates such as `#3]` and `#-12]`; return win chances, and which were a mate."""
    signs = number & np.uint64(0xFFFF)
    negative = signs == word(b"#-")
    number = np.where(negative, number >> np.uint64(16), number >> np.uint64(8))
    characters = np.ascontiguousarray(number).view(np.uint8).reshape(-1, 8)
    are_digits = characters - np.uint8(ord("0")) < 10
    closed = characters == ord("]")
    two = are_digits[:, 1] & (closed[:, 2] | (are_digits[:, 2] & closed[:, 3]))
    right: Flags = (signs & np.uint64(0xFF) == ord("#")) & are_digits[:, 0] & (closed[:, 1] | two)
    return np.where(negative, -1.0, 1.0), right


def _are_candidates(
    chances: Chances, plies: Places, firsts: Places, lasts: Places, rules: MiningRules
) -> Flags:
    """Tell after which plies `triples.find_triples` would find a triple, at least."""
    # Seen by the player to move, who may punish: what is left to him after his own move is minus
    # the next value, and what he had before the blunder minus the one before.
    after = np.where(plies % 2 == 1, chances, -chances)
    before = np.empty_like(after)
    before[1:] = -after[:-1]
    before[firsts] = -FIRST_MOVE_CHANCE
    drop, won = rules.drop - _ROUNDING, rules.won
    found: Flags = (after - before >= drop) & (before < won + _ROUNDING) & (after >= won - _ROUNDING)
    if rules.pattern is Pattern.BLUNDER:
        return found
    reply = np.empty_like(after)
    reply[:-1] = -after[1:]
    reply[lasts] = np.nan
    return found & (after - reply >= drop) & (reply < won + _ROUNDING)


@cache
def _chance_table() -> Chances:
    """Return the win chance of each number of centipawns that is not negative."""
    return np.array([win_chance_of_centipawns(value) for value in range(_MOST_CENTIPAWNS + 1)])


@cache
def _move_numbers() -> tuple[Words, Words, Places]:
    """Return for each ply what stands before its move (`12. `, `12... `), a mask for it, its length."""
    texts = [b"%d%s " % (ply // 2 + 1, b"..." if ply % 2 else b".") for ply in range(_MOST_PLIES)]
    return (
        np.array([word(text) for text in texts]),
        np.array([word(b"\xff" * len(text)) for text in texts]),
        np.array([len(text) for text in texts]),
    )


# What a move may look like, as the state after each class of characters. A move that this accepts is
# one move to python-chess, too, if perhaps an illegal one.
_CLASSES: Final = {
    "piece": b"KQRBN", "file": b"abcdefgh", "rank": b"12345678", "x": b"x", "=": b"=", "check": b"+#",
    "sign": b"!?", "O": b"O", "-": b"-", "space": b" ", "{": b"{",
}  # fmt: skip
_AFTER: Final[dict[str, dict[str, str]]] = {
    "start": {"piece": "piece", "file": "pawn", "O": "O"},
    "piece": {"file": "piece file", "rank": "piece rank", "x": "takes"},
    "piece file": {"rank": "piece square", "file": "piece target", "x": "takes"},
    "piece rank": {"file": "piece target", "x": "takes"},
    "piece square": {"file": "piece target", "x": "takes", "check": "check", "sign": "sign", "space": "end"},
    "takes": {"file": "piece target"},
    "piece target": {"rank": "complete"},
    "pawn": {"rank": "pawn square", "x": "pawn takes"},
    "pawn takes": {"file": "pawn target"},
    "pawn target": {"rank": "pawn square"},
    "pawn square": {"=": "promotes", "check": "check", "sign": "sign", "space": "end"},
    "promotes": {"piece": "complete"},
    "O": {"-": "O-"},
    "O-": {"O": "O-O"},
    "O-O": {"-": "O-O-", "check": "check", "sign": "sign", "space": "end"},
    "O-O-": {"O": "complete"},
    "complete": {"check": "check", "sign": "sign", "space": "end"},
    "check": {"sign": "sign", "space": "end"},
    "sign": {"sign": "signs", "space": "end"},
    "signs": {"space": "end"},
    "end": {"{": "done"},
    "done": {},
    "wrong": {},
}

# States and classes as numbers; a state is a multiple of 16, so that state + class is a place in the
# table of the next states. Class 0 are all other characters.
_STATES: Final = {name: 16 * number for number, name in enumerate(_AFTER)}
_CLASS_OF_BYTE: Final = np.zeros(256, np.uint8)
for _number, _characters in enumerate(_CLASSES.values(), 1):
    _CLASS_OF_BYTE[list(_characters)] = _number
_NEXT_STATE: Final = np.full(16 * len(_AFTER), _STATES["wrong"], np.int64)
for _state, _steps in _AFTER.items():
    for _class, _next in _steps.items():
        _NEXT_STATE[_STATES[_state] + 1 + list(_CLASSES).index(_class)] = _STATES[_next]
_NEXT_STATE[_STATES["done"] : _STATES["done"] + 16] = _STATES["done"]
