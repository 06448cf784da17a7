"""Boards for web pages as SVG, with arrows and marked squares.

A page with boards begins with `sprite`, so that each shape is there only once. The colours of squares and
arrows are classes of `style.css`, so that boards follow the dark scheme and print well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import hypot
from typing import NamedTuple

import chess
import chess.svg
from markupsafe import Markup, escape

# The side of a square, as in `chess.svg`.
SQUARE = 45

# Arrows shorter than this begin and end nearer the centres of their squares, so that they can be seen.
_SHORT = 60

# The distance of an arrow's start and of its tip from the centres of their squares, for long and short
# arrows.
_LONG_ENDS, _SHORT_ENDS = (15.0, 5.0), (9.5, 2.0)

# How far the shaft reaches into the head.
_OVERLAP = 1.0


class Size(StrEnum):
    """The size of a board. The larger the board, the thinner its arrows are in proportion."""

    SMALL = "s"
    MEDIUM = "m"
    LARGE = "l"

    @property
    def scale(self) -> float:
        """The factor for the widths of arrows; the style sheet has the same factor (`--k`)."""
        return {Size.SMALL: 1.0, Size.MEDIUM: 0.84, Size.LARGE: 0.7}[self]


class Role(StrEnum):
    """What an arrow or a ring is drawn for; the style sheet has a colour for each."""

    MOVE = "move"
    LURED = "lured"
    DEFENDER = "defender"
    ATTACK = "attack"
    REFUTE = "refute"

    @property
    def head(self) -> float:
        """The length and the width of an arrow's head."""
        return 11.0 if self is Role.ATTACK else 13.0


class Arrow(NamedTuple):
    """An arrow from square to square, or a ring around a square if both are the same."""

    tail: chess.Square
    head: chess.Square
    role: Role = Role.MOVE


@dataclass(frozen=True)
class Look:
    """How a board is shown.

    `last` is the move that led to the position; with `arriving`, its piece is shown coming from where it
    stood. `marked` squares are tinted, and the one that is `crossed` has a ✕. `label` says in words what the
    board shows.
    """

    seen_by: chess.Color
    label: str
    size: Size = Size.SMALL
    last: chess.Move | None = None
    arriving: bool = False
    marked: frozenset[chess.Square] = frozenset()
    crossed: chess.Square | None = None
    arrows: tuple[Arrow, ...] = ()
    coordinates: bool = False


@cache
def sprite() -> Markup:
    """Return the shapes of the pieces and of the empty board, to which the boards of a page refer."""
    dark = "".join(
        f"M{x * SQUARE} {y * SQUARE}h{SQUARE}v{SQUARE}h-{SQUARE}z"
        for y in range(8)
        for x in range(8)
        if (x + y) % 2
    )
    shapes = "".join(map(_slim, chess.svg.PIECES.values()))
    squares = f'<path class="sq-light" d="M0 0h360v360H0z"/><path class="sq-dark" d="{dark}"/>'
    return Markup(
        '<svg width="0" height="0" class="sprite" aria-hidden="true" focusable="false"><defs>'
        f'{shapes}<g id="squares">{squares}</g></defs></svg>'
    )


def _slim(shape: str) -> str:
    """Return the drawing of a piece with colours as attributes, which a page's security policy allows."""
    styled = re.sub(r'style="([^"]*)"', lambda found: _attributes(found[1]), shape)
    return re.sub(r"\s+", " ", styled)


def _attributes(style: str) -> str:
    pairs = (part.split(":") for part in style.split(";") if part.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


def board_svg(board: chess.Board, look: Look) -> Markup:
    """Return a position as SVG."""
    parts = ['<use href="#squares"/>']
    if look.last is not None:
        for square in (look.last.from_square, look.last.to_square):
            shade = "light" if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES else "dark"
            parts.append(_square(square, f"last {shade}", look))
    parts += [_square(square, "mark picked", look) for square in sorted(look.marked)]
    if look.coordinates:
        parts.append(_coordinates(look))
    parts += [_piece(square, piece, look) for square, piece in sorted(board.piece_map().items())]
    drawn = sorted(look.arrows, key=lambda arrow: arrow.role is Role.MOVE)
    parts += [_arrow(arrow, look) for arrow in drawn]
    if look.crossed is not None:
        parts.append(_cross(look.crossed, look))
    return Markup(
        f'<svg class="board {look.size}" viewBox="0 0 360 360" role="img" aria-label="{escape(look.label)}">'
        f"{''.join(parts)}</svg>"
    )


def piece_svg(piece: chess.Piece) -> Markup:
    """Return a piece on a square, which says whose move it is."""
    return Markup(
        '<svg class="turn" viewBox="0 0 45 45" aria-hidden="true"><path class="sq-dark" d="M0 0h45v45H0z"/>'
        f'<use href="#{_name(piece)}"/></svg>'
    )


def swatch(role: Role) -> Markup:
    """Return a small arrow for the legend of a board."""
    return Markup(
        f'<svg class="swatch" viewBox="0 0 26 12" aria-hidden="true"><g class="arrow {role}">'
        '<path class="shaft" d="M2 6H15"/><path class="tip" d="M24 6L14 1.2V10.8Z"/></g></svg>'
    )


def _corner(square: chess.Square, look: Look) -> tuple[int, int]:
    file, rank = chess.square_file(square), chess.square_rank(square)
    x, y = (file, 7 - rank) if look.seen_by else (7 - file, rank)
    return x * SQUARE, y * SQUARE


def _square(square: chess.Square, classes: str, look: Look) -> str:
    x, y = _corner(square, look)
    return f'<path class="{classes}" d="M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z"/>'


def _piece(square: chess.Square, piece: chess.Piece, look: Look) -> str:
    x, y = _corner(square, look)
    arriving = ""
    if look.arriving and look.last is not None and square == look.last.to_square:
        from_x, from_y = _corner(look.last.from_square, look)
        arriving = f' class="arriving" style="--dx:{from_x - x}px;--dy:{from_y - y}px"'
    return f'<use href="#{_name(piece)}" x="{x}" y="{y}"{arriving}/>'


def _name(piece: chess.Piece) -> str:
    return f"{chess.COLOR_NAMES[piece.color]}-{chess.piece_name(piece.piece_type)}"


def _coordinates(look: Look) -> str:
    """Return the names of files and ranks, which stand inside the squares at the edge."""
    texts = []
    near, left = (0, 0) if look.seen_by else (7, 7)
    for index in range(8):
        x, y = _corner(chess.square(index, near), look)
        texts.append(_letter(chess.FILE_NAMES[index], chess.square(index, near), x + 42, y + 42, "end"))
    for index in range(8):
        x, y = _corner(chess.square(left, index), look)
        texts.append(_letter(chess.RANK_NAMES[index], chess.square(left, index), x + 2.5, y + 8, "start"))
    return f'<g class="coords">{"".join(texts)}</g>'


def _letter(text: str, square: chess.Square, x: float, y: float, anchor: str) -> str:
    shade = "on-light" if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES else "on-dark"
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{shade}">{text}</text>'


def _cross(square: chess.Square, look: Look) -> str:
    x, y = _corner(square, look)
    lines = f"M{x + 34} {y + 5}l6 6M{x + 40} {y + 5}l-6 6"
    return f'<g class="cross"><circle cx="{x + 37}" cy="{y + 8}" r="8"/><path d="{lines}"/></g>'


def _arrow(arrow: Arrow, look: Look) -> str:
    x, y = (corner + SQUARE / 2 for corner in _corner(arrow.tail, look))
    if arrow.tail == arrow.head:
        return f'<circle class="ring {arrow.role}" cx="{x:g}" cy="{y:g}" r="19.5"/>'
    to_x, to_y = (corner + SQUARE / 2 for corner in _corner(arrow.head, look))
    length = hypot(to_x - x, to_y - y)
    along = (to_x - x) / length, (to_y - y) / length
    start, before = _SHORT_ENDS if length <= _SHORT else _LONG_ENDS
    head = arrow.role.head * look.size.scale
    tip = length - before

    def at(distance: float, aside: float = 0.0) -> str:
        return (
            f"{x + along[0] * distance - along[1] * aside:.1f} "
            f"{y + along[1] * distance + along[0] * aside:.1f}"
        )

    shaft = f"M{at(start)}L{at(tip - head + _OVERLAP)}"
    point = f"M{at(tip)}L{at(tip - head, head / 2)}L{at(tip - head, -head / 2)}Z"
    return (
        f'<g class="arrow {arrow.role}"><path class="halo" d="{shaft}{point}"/>'
        f'<path class="shaft" d="{shaft}"/><path class="tip" d="{point}"/></g>'
    )


def label_of(arrows: Iterable[Arrow], board: chess.Board) -> str:
    """Return arrows in words, such as `queen c5 to f2; pawn h7`."""
    words = []
    for arrow in arrows:
        kind = board.piece_type_at(arrow.tail)
        name = f"{chess.piece_name(kind)} " if kind else ""
        target = "" if arrow.tail == arrow.head else f" to {chess.square_name(arrow.head)}"
        words.append(f"{name}{chess.square_name(arrow.tail)}{target}")
    return "; ".join(words)
