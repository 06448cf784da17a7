"""The tactics of `tactics.txt`: lines, and what is expected of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.helpers.solutions import Solution, parsed


class Expected(NamedTuple):
    """Something that a line has, or lacks although it nearly has it."""

    fen: str
    moves: str
    holds: bool
    kind: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{'' if self.holds else 'no '}{self.name}: {self.text}"

    @property
    def solution(self) -> Solution:
        return parsed(self.fen, self.moves)


def _read() -> Iterator[Expected]:
    fen = moves = ""
    for row in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if row.startswith("  "):
            words, _, text = row.partition(" -- ")
            sign, kind, *name = words.split(maxsplit=2)
            yield Expected(fen, moves, sign == "+", kind, "".join(name), text)
        elif row and not row.startswith("#"):
            fen, moves = row.split(" | ")


TACTICS = list(_read())

SOLUTIONS = [parsed(fen, moves) for fen, moves in dict.fromkeys((one.fen, one.moves) for one in TACTICS)]


def expected(kind: str) -> list[Expected]:
    """Return what is expected of this kind."""
    return [one for one in TACTICS if one.kind == kind]


def names(kind: str, *, holds: bool) -> set[str]:
    """Return the names of what is expected of this kind."""
    return {one.name for one in TACTICS if one.kind == kind and one.holds is holds}
