"""The games of a text that have to be looked into; all between them as stretches, unparsed.

Text is looked at a block at a time, in arrays; only what is laid out oddly is looked at game by game.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from puzzlegen.blocks import Block
from puzzlegen.checkpoint import TAIL
from puzzlegen.evaluations import judge
from puzzlegen.pgn import Skip
from puzzlegen.scan import surely_without_candidates
from puzzlegen.settings import Settings
from puzzlegen.split import RawGame, split_section, whole_games

# Where a tag holds one of these, it may be more than one line to `pgn`: control characters, and the
# first bytes of the line separators of Unicode.
_CONTROL = 0x20
_SEPARATORS = (0xC2, 0xE2)


@dataclass(frozen=True)
class Stretch:
    """Games in a row that need no worker.

    `number` is that of the last one, `end` the byte after it in the archive's text, `tail` the text
    just before, as much as a checkpoint wants. `skipped` counts those that were not looked into.
    """

    number: int
    games: int
    end: int
    tail: bytes
    skipped: Counter[Skip] = field(default_factory=Counter)


class _Verdict(IntEnum):
    """What is known of a section. Whatever comes before `OPEN` is passed over."""

    RULED_OUT = 0
    OTHER_PLAYER = 1
    NO_EVALUATIONS = 2
    OPEN = 3
    ODD = 4


_SKIPS = {_Verdict.OTHER_PLAYER: Skip.OTHER_PLAYER, _Verdict.NO_EVALUATIONS: Skip.NO_EVALUATIONS}

_Verdicts = NDArray[np.uint8]


def sift(
    chunks: Iterable[bytes], settings: Settings, offset: int = 0, number: int = 0, most: int | None = None
) -> Iterator[RawGame | Stretch]:
    """Yield what has to be looked into and what has not, in order, `most` games in all.

    `offset` is where the text begins in the whole, `number` how many games came before it. What was
    read is yielded before an error of `chunks` passes through, except the last game.
    """
    left = sys.maxsize if most is None else most
    if not left:
        return
    for text in whole_games(chunks):
        for item in _sift_block(Block.of(text), settings, offset, number, left):
            done = item.number - number
            number, left = item.number, left - done
            yield item
        if not left:
            return
        offset += len(text)


def _sift_block(
    block: Block, settings: Settings, offset: int, number: int, most: int
) -> Iterator[RawGame | Stretch]:
    verdicts = _judge(block, settings)
    passed = _Passed(block, offset, number)
    last = number + most
    section = 0
    for stop in [*np.flatnonzero(verdicts >= _Verdict.OPEN).tolist(), len(block)]:
        # A section holds at least one game.
        upto = min(stop, section + last - passed.number)
        passed.add(verdicts[section:upto], int(block.bounds[upto]))
        if stop == len(block):
            break
        for text in split_section(block.section(stop)):
            if passed.number == last:
                break
            verdict = _verdict(text, settings) if verdicts[stop] == _Verdict.ODD else _Verdict.OPEN
            if verdict is _Verdict.OPEN:
                yield from passed.flush()
                raw = RawGame(passed.number + 1, offset + passed.end, text)
                passed = _Passed(block, offset, raw.number, raw.end - offset)
                yield raw
            else:
                passed.add(np.array([verdict], np.uint8), passed.end + len(text))
        section = stop + 1
    yield from passed.flush()


class _Passed:
    """Gathers what is passed over in a block, from byte `start` on, until something is not."""

    def __init__(self, block: Block, offset: int, number: int, start: int = 0) -> None:
        self.block, self.offset = block, offset
        self.start = self.end = start
        self.before = self.number = number
        self.skipped: Counter[Skip] = Counter()

    def add(self, verdicts: _Verdicts, end: int) -> None:
        if not len(verdicts):
            return
        self.number += len(verdicts)
        self.end = end
        for verdict, skip in _SKIPS.items():
            if count := int(np.count_nonzero(verdicts == verdict)):
                self.skipped[skip] += count

    def flush(self) -> Iterator[Stretch]:
        games = self.number - self.before
        if games:
            tail = self.block.text[max(self.start, self.end - TAIL) : self.end]
            yield Stretch(self.number, games, self.offset + self.end, tail, self.skipped)


def _judge(block: Block, settings: Settings) -> _Verdicts:
    """Return the verdict on each section; irregular ones are odd."""
    verdicts = np.full(len(block), _Verdict.OPEN, np.uint8)
    wanted = block.regular
    if settings.player is not None:
        if settings.player.isascii():
            verdicts[~block.naming(settings.player.lower().encode())] = _Verdict.OTHER_PLAYER
        if settings.evaluated_only:
            verdicts[~block.evaluated() & (verdicts == _Verdict.OPEN)] = _Verdict.NO_EVALUATIONS
    else:
        evaluated = block.evaluated()
        if settings.evaluated_only:
            verdicts[~evaluated] = _Verdict.NO_EVALUATIONS
        _judge_evaluated(block, np.flatnonzero(evaluated & wanted), settings, verdicts)
    verdicts[~wanted] = _Verdict.ODD
    return verdicts


def _judge_evaluated(
    block: Block, sections: NDArray[np.int64], settings: Settings, verdicts: _Verdicts
) -> None:
    if not len(sections):
        return
    begins, moves, ends = block.bounds[sections], block.moves[sections], block.ends[sections]
    lines = b"".join([block.text[a:b] for a, b in zip(moves.tolist(), ends.tolist(), strict=True)])
    found = judge(lines, np.cumsum(ends - moves), settings.rules)
    odd = found.odd | _with_odd_tags(block.text, begins, moves)
    verdicts[sections[found.ruled_out]] = _Verdict.RULED_OUT
    verdicts[sections[odd]] = _Verdict.ODD


def _with_odd_tags(text: bytes, begins: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.bool_]:
    tags = b"".join([text[a:b] for a, b in zip(begins.tolist(), moves.tolist(), strict=True)])
    characters = np.frombuffer(tags, np.uint8)
    odd = (characters < _CONTROL) ^ (characters == ord("\n"))
    for separator in _SEPARATORS:
        odd |= characters == separator
    games = np.zeros(len(begins), np.bool_)
    games[np.searchsorted(np.cumsum(moves - begins), np.flatnonzero(odd), "right")] = True
    return games


def _verdict(text: bytes, settings: Settings) -> _Verdict:
    """Return the verdict on one game, by all of its text."""
    player = settings.player
    if player and player.isascii() and player.lower().encode() not in text.lower():
        return _Verdict.OTHER_PLAYER
    if settings.evaluated_only and b"[%eval" not in text:
        return _Verdict.NO_EVALUATIONS
    if not player and surely_without_candidates(text, settings.rules):
        return _Verdict.RULED_OUT
    return _Verdict.OPEN
