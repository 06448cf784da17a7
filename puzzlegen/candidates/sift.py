"""The games of a text that have to be looked into; all between them as stretches, unparsed.

With numba (the extra `dump`) text is looked at a block at a time, at the speed of memory; only what is
laid out oddly is looked at game by game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import NamedTuple

from puzzlegen.candidates.scan import surely_without_candidates
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame, split_block, whole_games
from puzzlegen.games.walk import TAIL
from puzzlegen.mining.settings import Settings

# Whether whole blocks can be judged, which takes ten times less time than game by game.
COMPILED = find_spec("numba") is not None

# What is known of a game; all but `_OPEN` are passed over.
_RULED_OUT, _OTHER_PLAYER, _NO_EVALUATIONS, _OPEN = range(4)

_SKIPS = {_OTHER_PLAYER: Skip.OTHER_PLAYER, _NO_EVALUATIONS: Skip.NO_EVALUATIONS}


class SkippedSpan(NamedTuple):
    """Games in a row that need no worker.

    `number` is that of the last one, `end` the byte after it in the archive's text, `tail` the text
    just before, as much as a checkpoint wants. `skipped` counts games that are not wanted.
    """

    number: int
    games: int
    end: int
    tail: bytes
    skipped: Mapping[Skip, int]


class _Judged(NamedTuple):
    """A block of text, where each of its games ends, and what is known of each."""

    text: bytes
    ends: list[int]
    verdicts: bytes


def sift(
    chunks: Iterable[bytes],
    settings: Settings,
    offset: int = 0,
    number: int = 0,
    most: int | None = None,
) -> Iterator[RawGame | SkippedSpan]:
    """Yield what has to be looked into and what has not, in order, `most` games in all.

    `offset` is where the text begins in the whole, `number` how many games came before it. What was
    read is yielded before an error of `chunks` passes through, except the last game.
    """
    last = sys.maxsize if most is None else number + most
    if number == last:
        return
    # A player is looked for by all of a game's text.
    whole = COMPILED and settings.player is None
    look = _judge_block if whole else _judge_games
    for text in whole_games(chunks):
        block = look(text, settings)
        yield from _parted(block, offset, number, last - number)
        number += len(block.ends)
        if number >= last:
            return
        offset += len(block.text)


def _parted(block: _Judged, offset: int, number: int, most: int) -> Iterator[RawGame | SkippedSpan]:
    """Yield the games and the stretches of a block; `offset` and `number` say what came before it."""
    text, ends, verdicts = block
    count = min(len(ends), most)
    game = begin = 0
    while game < count:
        stop = verdicts.find(_OPEN, game, count)
        if stop < 0:
            stop = count
        if stop > game:
            end = ends[stop - 1]
            skipped = {skip: verdicts.count(verdict, game, stop) for verdict, skip in _SKIPS.items()}
            tail = text[max(begin, end - TAIL) : end]
            yield SkippedSpan(number + stop, stop - game, offset + end, tail, skipped)
            begin = end
        if stop < count:
            end = ends[stop]
            yield RawGame(number + stop + 1, offset + begin, text[begin:end])
            begin = end
        game = stop + 1


def _judge_block(text: bytes, settings: Settings) -> _Judged:
    from puzzlegen.candidates import judge

    sections, verdicts = judge.judge(text, settings.rules)
    meanings = {
        judge.RULED_OUT: _RULED_OUT,
        judge.CANDIDATE: _OPEN,
        judge.NO_EVALUATIONS: _NO_EVALUATIONS if settings.evaluated_only else _OPEN,
    }
    known = verdicts.translate(bytes(meanings.get(verdict, 0) for verdict in range(256)))
    if judge.ODD not in verdicts:
        return _Judged(text, sections, known)
    ends, found = [], bytearray()
    begin = 0
    for end, verdict, meaning in zip(sections, verdicts, known, strict=True):
        if verdict == judge.ODD:
            judged = _judge_games(text[begin:end], settings)
            ends += [begin + place for place in judged.ends]
            found += judged.verdicts
        else:
            ends.append(end)
            found.append(meaning)
        begin = end
    return _Judged(text, ends, bytes(found))


def _judge_games(text: bytes, settings: Settings) -> _Judged:
    ends, found = [], bytearray()
    end = 0
    for game in split_block(text):
        end += len(game)
        ends.append(end)
        found.append(_verdict(game, settings))
    return _Judged(text, ends, bytes(found))


def _verdict(text: bytes, settings: Settings) -> int:
    """Return the verdict on one game, by all of its text."""
    player = settings.player
    if player and player.isascii() and player.lower().encode() not in text.lower():
        return _OTHER_PLAYER
    if settings.evaluated_only and b"[%eval" not in text:
        return _NO_EVALUATIONS
    if not player and surely_without_candidates(text, settings.rules):
        return _RULED_OUT
    return _OPEN
