"""Every motif, where it shows and where it nearly does; and how it looks when the board is turned."""

from __future__ import annotations

from collections.abc import Callable

import chess
import pytest
from hypothesis import given, settings

from puzzlegen.motifs.mates import PATTERNS
from puzzlegen.motifs.replay import Motif, Replay
from puzzlegen.motifs.table import TAGS
from puzzlegen.motifs.tags import motifs_of
from tests.helpers.solutions import Solution, colours_swapped, left_and_right_swapped, random_lines
from tests.helpers.tactics import SOLUTIONS, Expected, expected, names

# A wing has no mirror image: two files make the one, three the other.
OF_ONE_WING = {"kingsideAttack", "queensideAttack", "attackingF2F7"}


def shown(solution: Solution) -> set[str]:
    return {motif.name for motif in motifs_of(Replay(*solution))}


def written(motif: Motif) -> str:
    symbol = chess.piece_symbol
    square = "" if motif.square is None else f"@{chess.square_name(motif.square)}"
    return f"{motif.ply}:{symbol(motif.by)}{'>' if motif.to else ''}{''.join(map(symbol, motif.to))}{square}"


@pytest.mark.parametrize("one", expected("motif"), ids=str)
def test_it_shows_or_nearly_does(one: Expected) -> None:
    assert (one.name in shown(one.solution)) is one.holds


@pytest.mark.parametrize("one", expected("actors"), ids=str)
def test_who_does_what_to_whom(one: Expected) -> None:
    found = motifs_of(Replay(*one.solution))
    assert one.text in [written(motif) for motif in found if motif.name == one.name]


MATES = [one for one in expected("motif") if one.holds and one.name in PATTERNS]


@pytest.mark.parametrize("mate", MATES, ids=str)
def test_a_mate_is_of_no_other_pattern(mate: Expected) -> None:
    patterns = {one.name for one in MATES if one.fen == mate.fen}
    assert shown(mate.solution) & set(PATTERNS) == patterns


@pytest.mark.parametrize("holds", [True, False])
def test_no_motif_is_left_out(holds: bool) -> None:
    assert names("motif", holds=holds) == {name for name, tag in TAGS.items() if tag.find}


def seen(solution: Solution, *left_out: str) -> list[tuple[object, ...]]:
    """What a solution shows, wherever on the board."""
    motifs = motifs_of(Replay(*solution))
    return sorted((m.name, m.ply, m.by, m.to) for m in motifs if m.name not in left_out)


def with_squares(
    solution: Solution, turned: Callable[[chess.Square], chess.Square]
) -> set[tuple[object, ...]]:
    return {
        (motif.name, motif.ply, motif.by, motif.to, None if motif.square is None else turned(motif.square))
        for motif in motifs_of(Replay(*solution))
    }


def is_the_same_for_both_colours(solution: Solution) -> bool:
    swapped = with_squares(colours_swapped(solution), chess.square_mirror)
    return swapped == with_squares(solution, lambda square: square)


def is_the_same_left_and_right(solution: Solution) -> bool:
    mirrored = left_and_right_swapped(solution)
    # A line that castles has no mirror image.
    return mirrored is None or seen(mirrored, *OF_ONE_WING) == seen(solution, *OF_ONE_WING)


@pytest.mark.parametrize("holds", [is_the_same_for_both_colours, is_the_same_left_and_right])
def test_sides_do_not_matter(holds: Callable[[Solution], bool]) -> None:
    assert [(board.fen(), moves) for board, moves in SOLUTIONS if not holds((board, moves))] == []


@settings(max_examples=100)
@given(random_lines())
def test_colours_do_not_matter_in_any_line(solution: Solution) -> None:
    assert is_the_same_for_both_colours(solution)


@settings(max_examples=100)
@given(random_lines())
def test_left_and_right_do_not_matter_in_any_line(solution: Solution) -> None:
    assert is_the_same_left_and_right(solution)
