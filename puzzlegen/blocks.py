"""A block of PGN text as arrays: where its games begin, and which are laid out as Lichess does.

Nothing here costs a Python object per game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from puzzlegen.judge import Bytes, Flags, Places, word, words

_EVENT = word(b"[Event ")
_EVENT_MASK = word(b"\xff" * len(b"[Event "))
_FEN = word(b"[FEN")
_FEN_MASK = word(b"\xff" * len(b"[FEN"))
_VARIANT = word(b"[Variant")
_EVAL = word(b"[%eval")
_EVALUATED = word(b"{ [%eval")
_EVAL_MASK = word(b"\xff" * len(b"[%eval"))

# So many line breaks follow the last tag of a regular game: those of the blank line, of the moves,
# and of the blank line after them.
_AFTER_TAGS = 3


@dataclass(frozen=True)
class Block:
    """A text that begins and ends where a game does, cut into sections before each `[Event `.

    `bounds` are the beginnings of the sections and the end of the text. A section is `regular` when
    it is one game from the usual position: lines of tags, a blank line, one line of moves, a blank
    line. Of regular sections only, `moves` is where that line begins and `ends` the place after it.
    """

    text: bytes
    bounds: Places
    regular: Flags
    moves: Places
    ends: Places
    _padded: Bytes

    @classmethod
    def of(cls, text: bytes) -> Self:
        """Return the block of a text that is not empty."""
        # Room for a word after the end.
        padded = np.frombuffer(text + bytes(8), np.uint8)
        breaks = np.flatnonzero(padded == ord("\n"))
        lines = words(padded, breaks + 1)
        begins = np.flatnonzero(lines & _EVENT_MASK == _EVENT)
        bounds = np.concatenate(([0], breaks[begins] + 1, [len(text)]))
        # The line breaks of a section are those from `first` up to, not including, `last`.
        first = np.concatenate(([0], begins + 1))
        last = np.concatenate((begins + 1, [len(breaks)]))

        tags = np.concatenate(([0], np.cumsum(lines & np.uint64(0xFF) == ord("["))))
        long_enough = last - first > _AFTER_TAGS
        last_tag = np.where(long_enough, last - _AFTER_TAGS - 1, 0)
        blank = np.minimum(last_tag + 1, len(breaks) - 1)
        regular = long_enough & (tags[last_tag] - tags[np.minimum(first, last_tag)] == last_tag - first)
        if len(breaks):
            moves, ends = breaks[blank] + 1, breaks[np.minimum(blank + 1, len(breaks) - 1)] + 1
            regular &= (breaks[blank] == breaks[last_tag] + 1) & (ends + 1 == bounds[1:])
            regular &= (ends - moves > 1) & (padded[moves] != ord("["))
        else:
            moves = ends = bounds[1:]
        regular[0] &= text.startswith(b"[Event ")
        special = np.flatnonzero((lines & _FEN_MASK == _FEN) | (lines == _VARIANT))
        regular[np.searchsorted(last, special, "right")] = False
        return cls(text, bounds, regular, moves, ends, padded)

    def __len__(self) -> int:
        return len(self.regular)

    def evaluated(self) -> Flags:
        """Tell which regular sections hold an `[%eval` anywhere."""
        if self._begin_evaluated():
            return self.regular
        # Few other letters are as rare in games without evaluations.
        letters = np.flatnonzero(self._padded == ord("v"))
        places = np.maximum(letters - 3, 0)
        return self._with(places.compress(words(self._padded, places) & _EVAL_MASK == _EVAL))

    def _begin_evaluated(self) -> bool:
        """Tell whether all regular sections have one after the first move, of two or three letters."""
        comments = self.moves[self.regular] + len(b"1. e4 ")
        room = len(self._padded) - 16
        short, long = (words(self._padded, np.minimum(comments + more, room)) for more in (0, 1))
        return bool(np.all((short == _EVALUATED) | (long == _EVALUATED)))

    def naming(self, name: bytes) -> Flags:
        """Tell which sections hold a name, given in lower case, in any case."""
        text = self.text.lower()
        places = []
        place = text.find(name)
        while place >= 0:
            places.append(place)
            place = text.find(name, self.bounds[np.searchsorted(self.bounds, place, "right")])
        return self._with(np.array(places, np.int64))

    def _with(self, places: Places) -> Flags:
        found: Flags = np.diff(np.searchsorted(places, self.bounds)) > 0
        return found
