"""Candidates for puzzles: blunders, which are found in evaluated games without parsing the moves.

Blunder–blunder triples (Bizjak & Guid, ACG 2021) are three consecutive evaluations, before a move, after it
and after the reply, where both moves lose much and each changes the theoretical value (won, drawn, lost).

The prefilter decides from the bytes of a PGN text which games a worker has to mine. A game with evaluations
is skipped if the evaluations contain no triple and the text is laid out exactly as by Lichess: tag lines, a
blank line, and one line of moves, each followed by a comment that begins with the evaluation (except a last
move marked as mate). Any other game with evaluations is left to a worker. All evaluations of a block of text
are read at once, as arrays.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import chess
import numpy as np
from numpy.typing import NDArray

from engines.winchance import MOST_CENTIPAWNS
from puzzlegen.games.archive import fingerprint
from puzzlegen.games.pgn import FIRST_MOVE_WIN_CHANCE, Skip, eval_win_chance
from puzzlegen.games.players import may_name
from puzzlegen.games.split import TAIL, RawGame, split_blocks
from puzzlegen.rules import MiningRules, Pattern

# Centipawns beyond which the win chance no longer changes.
_MOST = int(MOST_CENTIPAWNS)

# Reading a number looks this many bytes ahead, possibly beyond the end of the text.
_PADDING = b"\0" * 16

# Without control characters, U+0085, U+2028 and U+2029, which `pgn` drops or takes for line breaks; without
# `%` and `}`, which would be counted as evaluations and comments; without `[`, which may begin a second tag.
_TAGS = rb"(?:\[(?!FEN|Variant)[^\x00-\x1f\x7f\xc2\xe2%}\[]*+\n)++\n"
# Anything that python-chess reads as one move, legal or not. The common forms come first.
_MOVE = (
    rb"(?:[KQRBN]?+(?:[a-h][1-8]|x[a-h][1-8]|[a-h]x?[a-h][1-8]|[1-8]x?[a-h][1-8]|[a-h][1-8]x?[a-h][1-8])"
    rb"|O-O(?:-O)?+)[=QRBN+#!?]*+"
)
_EVALUATED = _MOVE + rb" \{ \[%eval (?:-?\d{1,3}+\.\d\d?+|#-?\d{1,3}+)\][^}]*+\} "
_WHITE, _BLACK = rb"\d++\. ", rb"\d++\.\.\. "
_LAYOUT = re.compile(
    _TAGS + rb"(?:" + _WHITE + _EVALUATED + _BLACK + _EVALUATED + rb")*+(?:" + _WHITE + _EVALUATED + rb")?+"
    rb"(?:(?:" + _WHITE + rb"|" + _BLACK + rb")" + _MOVE + rb"(?<=#) (\{[^{}]*\} )?)?"
    rb"(?:1-0|0-1|1/2-1/2|\*)\s*"
)

C = TypeVar("C", float, "NDArray[np.float64]")


@dataclass(frozen=True)
class Turn:
    """The turn after `ply` plies of a game, with win chances (-1…1) for the player to move.

    The win chances are `before` the opponent's last move, `now`, and `after` the move played (NaN: unknown).
    """

    ply: int
    before: float
    now: float
    after: float


def turns_of(win_chances: Sequence[float | None], first: chess.Color) -> Iterator[Turn]:
    """Yield the turns of a game in order, except those with unknown win chances.

    `win_chances[i]` is White's win chance (-1…1) after i plies, None if it is not known; `first` is the side
    that moves first.
    """
    chances = [*win_chances, None]
    for ply in range(1, len(win_chances)):
        before, now, after = chances[ply - 1 : ply + 2]
        if before is not None and now is not None:
            sign = 1 if (ply % 2 == 0) == (first == chess.WHITE) else -1
            yield Turn(ply, sign * before, sign * now, math.nan if after is None else sign * after)


def is_triple(turn: Turn, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether the win chances of a turn fit the pattern and thresholds of `rules`.

    A `share` below 1 relaxes all thresholds, for searches of few nodes: the drops may be smaller, and win
    chances may be on the wrong side of the bound for a won position by some margin.
    """
    return bool(fits_pattern(turn.before, turn.now, turn.after, rules, share))


def fits_pattern(before: C, now: C, after: C, rules: MiningRules, share: float = 1.0) -> Any:
    """Return what `is_triple` returns, for three win chances or, element by element, for three arrays.

    Unknown win chances are NaN.
    """
    drop, won, not_won = rules.drop * share, rules.won * share, rules.won * (2 - share)
    blundered = (now - before >= drop) & (before < not_won) & (now >= won)
    if rules.pattern is Pattern.BLUNDER:
        return blundered
    return blundered & (now - after >= drop) & (after < not_won)


@dataclass(frozen=True)
class Settings:
    """All that the results of mining an archive depend on: the engine's name, the rules, and which games.

    With `player` (words of a name, any case), only games of that player are mined; with `evaluated_only`,
    only games with `[%eval]` comments.
    """

    engine: str
    rules: MiningRules
    player: str | None = None
    evaluated_only: bool = False

    def fingerprint(self) -> str:
        """Return a digest that changes when a setting does."""
        settings = (self.engine, asdict(self.rules), self.player, self.evaluated_only)
        return fingerprint(repr(settings).encode())


class SkippedSpan(NamedTuple):
    """Consecutive games that need no worker, none if the text has no game.

    `number` is the number of the last game so far, `end` the byte of the archive's text after the span, and
    `tail` the text just before `end`, as much as a checkpoint needs. `skipped` counts, by reason, the games
    that the summary reports as skipped.
    """

    number: int
    games: int
    end: int
    tail: bytes
    skipped: Mapping[Skip, int]


def prefilter(
    chunks: Iterable[bytes],
    settings: Settings,
    offset: int = 0,
    number: int = 0,
    most: int | None = None,
) -> Iterator[RawGame | SkippedSpan]:
    """Yield the games that a worker has to mine and the skipped spans between them, up to `most` games.

    `offset` is the byte of the archive's text at which `chunks` begin, `number` the number of games before.
    An error that `chunks` raise is raised after all games before it, except the last one.
    """
    last = sys.maxsize if most is None else number + most
    if number == last:
        return
    for pieces in split_blocks(chunks):
        block = b"".join(text for text, _ in pieces)
        begin = end = 0
        reasons: list[Skip | None] = []
        readings = _read_evaluations(block, [len(text) for text, _ in pieces], settings.rules)
        for (text, is_game), (evaluations, triple) in zip(pieces, readings, strict=True):
            if is_game:
                if number == last:
                    break
                needed, reason = _decide(text, evaluations, triple, settings)
                if needed:
                    if begin < end:
                        yield _span(block, begin, end, offset, number, reasons)
                        reasons = []
                    begin = end + len(text)
                    yield RawGame(number + 1, offset + end, text)
                else:
                    reasons.append(reason)
                number += 1
            end += len(text)
        if begin < end:
            yield _span(block, begin, end, offset, number, reasons)
        if number == last:
            return
        offset += len(block)


def _span(
    block: bytes, begin: int, end: int, offset: int, number: int, reasons: list[Skip | None]
) -> SkippedSpan:
    skipped = Counter(reason for reason in reasons if reason is not None)
    return SkippedSpan(number, len(reasons), offset + end, block[max(begin, end - TAIL) : end], skipped)


def _decide(game: bytes, evaluations: int, triple: bool, settings: Settings) -> tuple[bool, Skip | None]:
    """Return whether a game needs a worker, and if not, why it is skipped (None: without a triple)."""
    if settings.player and not may_name(game, settings.player):
        return False, Skip.OTHER_PLAYER
    if not evaluations:
        return not settings.evaluated_only, Skip.NO_EVALUATIONS
    if settings.player or triple:
        return True, None
    layout = _LAYOUT.fullmatch(game)
    # Each comment must have exactly one evaluation, at its beginning. The braces are counted as comments.
    return layout is None or game.count(b"}") != evaluations + (layout[1] is not None), None


def _read_evaluations(block: bytes, lengths: list[int], rules: MiningRules) -> Iterable[tuple[int, bool]]:
    """Return for each piece of a block how many evaluations it has, and whether these contain a triple.

    `lengths` are the lengths of the pieces. Evaluations count as those of consecutive plies from the standard
    starting position.
    """
    places, win_chances = _evaluations(np.frombuffer(block + _PADDING, np.uint8))
    ends = np.searchsorted(places, list(accumulate(lengths)))
    counts = np.diff(ends, prepend=0)
    # Each game begins with the win chance before the first move, and ends with none.
    around = np.tile((FIRST_MOVE_WIN_CHANCE, np.nan), len(lengths))
    win_chances = np.insert(win_chances[: ends[-1]], np.stack((ends - counts, ends), 1).ravel(), around)
    begins = np.cumsum(counts + 2) - (counts + 2)
    plies = np.arange(len(win_chances)) - np.repeat(begins, counts + 2)
    signs = 2.0 * (plies[:-2] & 1) - 1
    fits = fits_pattern(signs * win_chances[:-2], signs * win_chances[1:-1], signs * win_chances[2:], rules)
    triples = np.zeros(len(lengths), np.bool_)
    triples[np.searchsorted(begins, np.flatnonzero(fits), "right") - 1] = True
    return zip(counts.tolist(), triples.tolist(), strict=True)


def _evaluations(text: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the indices of the evaluations in a text, and White's win chances (-1…1).

    Evaluations that are not written as by Lichess come out wrong; the check of the layout rules them out.
    """
    places = np.flatnonzero(text[: -len(_PADDING)] == ord("v"))
    places = places[text[places - 2] == ord("%")]
    place = places + len("val ")
    mate = text[place] == ord("#")
    place += mate
    negative = text[place] == ord("-")
    place += negative
    value = np.zeros(len(place), np.int32)
    for _ in range(3):
        digit = text[place] - ord("0")
        more = digit < 10
        value = np.where(more, 10 * value + digit, value)
        place += more
    tenths, hundredths = text[place + 1] - ord("0"), text[place + 2] - ord("0")
    value = 100 * value + np.int32(10) * tenths + np.where(hundredths < 10, hundredths, 0)
    value = np.where(mate, _MOST + 1, np.minimum(value, _MOST))
    return places, _win_chances()[np.where(negative, -value, value)]


@cache
def _win_chances() -> NDArray[np.float64]:
    """Return White's win chances for 0 to `_MOST` centipawns, a mate by either side, and -`_MOST` to -1."""
    pawns = [f"{value / 100:.2f}" for value in range(-_MOST, _MOST + 1)]
    win_chances = [eval_win_chance("", number) for number in pawns]
    return np.array([*win_chances[_MOST:], 1.0, -1.0, *win_chances[:_MOST]])
