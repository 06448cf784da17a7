"""The games of a text that have to be looked into; all between them as stretches, unparsed.

Text is looked at a block at a time, in arrays; only what is laid out oddly is looked at game by game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlegen.ahead import work_ahead
from puzzlegen.blocks import Block
from puzzlegen.checkpoint import TAIL
from puzzlegen.judge import judge
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
    just before, as much as a checkpoint wants. `skipped` counts games that are not wanted.
    """

    number: int
    games: int
    end: int
    tail: bytes
    skipped: Mapping[Skip, int]


# Blocks of a file that are looked at side by side: arrays let other threads run meanwhile.
SIDE_BY_SIDE = 2

# What is known of a section; whatever comes before `_OPEN` is passed over.
_RULED_OUT, _OTHER_PLAYER, _NO_EVALUATIONS, _OPEN, _ODD = range(5)

_SKIPS = {_OTHER_PLAYER: Skip.OTHER_PLAYER, _NO_EVALUATIONS: Skip.NO_EVALUATIONS}

_Verdicts = NDArray[np.uint8]


def sift(
    chunks: Iterable[bytes],
    settings: Settings,
    offset: int = 0,
    number: int = 0,
    most: int | None = None,
    threads: int = 1,
) -> Iterator[RawGame | Stretch]:
    """Yield what has to be looked into and what has not, in order, `most` games in all.

    `offset` is where the text begins in the whole, `number` how many games came before it. What was
    read is yielded before an error of `chunks` passes through, except the last game. With `threads`,
    so many blocks are read before anything is yielded.
    """
    left = sys.maxsize if most is None else most
    if not left:
        return

    def look(text: bytes) -> tuple[Block, _Verdicts]:
        block = Block.of(text)
        return block, _judge(block, settings)

    with closing(work_ahead(look, whole_games(chunks), threads)) as blocks:
        for block, judged in blocks:
            for item in _sift_block(block, judged, settings, offset, number, left):
                done = item.number - number
                number, left = item.number, left - done
                yield item
            if not left:
                return
            offset += len(block.text)


def _sift_block(
    block: Block, judged: _Verdicts, settings: Settings, offset: int, number: int, most: int
) -> Iterator[RawGame | Stretch]:
    stops, verdicts, bounds = (
        np.flatnonzero(judged >= _OPEN).tolist(),
        judged.tobytes(),
        block.bounds.tolist(),
    )
    passed = _Passed(block.text, offset, number)
    last = number + most
    section = 0
    for stop in [*stops, len(block)]:
        # A section holds at least one game.
        upto = min(stop, section + last - passed.number)
        passed.add(verdicts[section:upto], bounds[upto])
        if upto == len(block) or passed.number == last:
            break
        text = block.text[bounds[stop] : bounds[stop + 1]]
        odd = verdicts[stop] == _ODD
        for game in split_section(text) if odd else (text,):
            if passed.number == last:
                break
            verdict = _verdict(game, settings) if odd else _OPEN
            if verdict == _OPEN:
                yield from passed.stretch()
                yield RawGame(passed.number + 1, offset + passed.end, game)
                passed = _Passed(block.text, offset, passed.number + 1, passed.end + len(game))
            else:
                passed.add(bytes([verdict]), passed.end + len(game))
        section = stop + 1
    yield from passed.stretch()


class _Passed:
    """Gathers what is passed over in a block, from byte `start` on, until something is not."""

    def __init__(self, text: bytes, offset: int, number: int, start: int = 0) -> None:
        self.text, self.offset, self.start, self.before = text, offset, start, number
        self.number, self.end = number, start
        self.verdicts = b""

    def add(self, verdicts: bytes, end: int) -> None:
        """Add games up to byte `end` of the block, each by its verdict."""
        if verdicts:
            self.number, self.end = self.number + len(verdicts), end
            self.verdicts += verdicts

    def stretch(self) -> Iterator[Stretch]:
        """Yield what was gathered, if anything."""
        if self.verdicts:
            skipped = {skip: self.verdicts.count(verdict) for verdict, skip in _SKIPS.items()}
            tail = self.text[max(self.start, self.end - TAIL) : self.end]
            yield Stretch(self.number, len(self.verdicts), self.offset + self.end, tail, skipped)


def _judge(block: Block, settings: Settings) -> _Verdicts:
    """Return the verdict on each section; irregular ones are odd."""
    verdicts = np.full(len(block), _OPEN, np.uint8)
    if settings.player is not None:
        if settings.player.isascii():
            verdicts[~block.naming(settings.player.lower().encode())] = _OTHER_PLAYER
        if settings.evaluated_only:
            verdicts[~block.evaluated() & (verdicts == _OPEN)] = _NO_EVALUATIONS
    else:
        evaluated = block.evaluated()
        if settings.evaluated_only:
            verdicts[~evaluated] = _NO_EVALUATIONS
        _judge_evaluated(block, np.flatnonzero(evaluated & block.regular), settings, verdicts)
    verdicts[~block.regular] = _ODD
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
    verdicts[sections[found.ruled_out]] = _RULED_OUT
    verdicts[sections[odd]] = _ODD


def _with_odd_tags(text: bytes, begins: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.bool_]:
    tags = b"".join([text[a:b] for a, b in zip(begins.tolist(), moves.tolist(), strict=True)])
    characters = np.frombuffer(tags, np.uint8)
    odd = (characters < _CONTROL) ^ (characters == ord("\n"))
    for separator in _SEPARATORS:
        odd |= characters == separator
    games = np.zeros(len(begins), np.bool_)
    games[np.searchsorted(np.cumsum(moves - begins), np.flatnonzero(odd), "right")] = True
    return games


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
