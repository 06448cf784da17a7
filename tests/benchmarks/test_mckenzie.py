"""The methods of McKenzie (1994), with the two examples that he works out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2

import chess
import numpy as np
import pytest
from hypothesis import given

from benchmarks.mckenzie import (
    BoardState,
    Differential,
    StateModel,
    Symbolwise,
    code_deltas,
    code_squares,
    greedy_order,
    index_driven,
    sym1,
    sym2,
)
from db.packed.coder import Coder, EntropyReader, EntropyWriter, Symbols, Weights
from db.packed.models import contents_of
from db.packed.position import CONTENTS
from tests.helpers.random_games import games

# Figure 6.1: Black's king on a8 and pawns on a7 and b7, White's king on c7.
FIGURE_6_1 = "k7/ppK5/8/8/8/8/8/8 w - - 0 1"

# Figure 6.2 moves both kings of such a position, Black's first.
BEFORE, AFTER = "k7/ppK5/8/8/8/8/8/8 w - - 0 1", "1k6/pp6/1K6/8/8/8/8/8 w - - 0 1"

Coding = Callable[[Coder, Sequence[chess.Board] | None], list[chess.Board]]


class BitCounter(Coder):
    """Counts the bits that symbols take with an ideal coder."""

    bits = 0.0

    def code(self, weights: Weights, symbols: Symbols | None) -> Symbols:
        assert symbols is not None
        chosen = np.take_along_axis(weights, symbols[:, None], 1)[:, 0].astype(np.float64)
        self.bits += float(np.log2(weights.sum(1, dtype=np.float64) / chosen).sum())
        return symbols


def material_of(boards: Sequence[chess.Board]) -> list[int]:
    contents: list[int] = np.bincount(contents_of(boards)[0], minlength=CONTENTS).tolist()
    return contents


def test_the_index_driven_example_takes_22_47_bits() -> None:
    boards = [chess.Board(FIGURE_6_1)]
    counter = BitCounter({})
    code_squares(counter, index_driven(material_of(boards)), 1, contents_of(boards))
    assert counter.bits == pytest.approx(22.47, abs=0.005)


def test_the_differential_example_takes_17_10_bits_if_there_are_four_numbers_of_deltas() -> None:
    # He prints the factors 1/5, 1/3, 1/63, 1/3 and 1/62, which come to 17.42 bits. The 17.10 bits that he
    # prints as their sum take 1/4 for 1/5: two deltas out of one to four, and not out of none to four.
    before, after = contents_of([chess.Board(BEFORE), chess.Board(AFTER)])
    printed, summed = BitCounter({}), BitCounter({})
    code_deltas(printed, before, 0, 4, after)
    code_deltas(summed, before, 1, 4, after)
    assert printed.bits == pytest.approx(log2(5 * 3 * 63 * 3 * 62))
    assert printed.bits == pytest.approx(17.42, abs=0.005)
    assert summed.bits == pytest.approx(17.10, abs=0.005)


def test_a_third_knight_is_rare_but_possible() -> None:
    boards = [chess.Board(), chess.Board("4k3/8/8/8/8/8/8/NNN1K3 w - - 0 1")]
    method = sym2(boards)
    seen = np.zeros((1, CONTENTS), np.int64)
    seen[0, 2] = 2
    weights = method.squares(60, seen)[0]
    assert weights[2] / weights.sum() == pytest.approx(1e-4, rel=0.01)


@pytest.mark.parametrize(("square", "possible"), [(0, False), (63, False), (8, True), (55, True)])
def test_no_pawn_is_on_the_first_or_last_rank(square: int, possible: bool) -> None:
    boards = [chess.Board()]
    nothing = np.zeros((1, CONTENTS), np.int64)
    for model in (sym2(boards).squares, index_driven(material_of(boards))):
        weights = model(square, nothing)[0]
        assert bool(weights[1] > 0) is bool(weights[7] > 0) is possible


def round_trip(code: Coding, boards: Sequence[chess.Board]) -> list[chess.Board]:
    writer = EntropyWriter({})
    code(writer, boards)
    return code(EntropyReader({}, writer.written()), None)


def fens(boards: Sequence[chess.Board]) -> list[str]:
    return sorted(board.epd() for board in boards)


@given(boards=games())
@pytest.mark.parametrize("method", [sym1, sym2])
def test_methods_without_an_index(
    method: Callable[[Sequence[chess.Board]], Symbolwise], boards: list[chess.Board]
) -> None:
    model = method(boards)
    read = round_trip(lambda coder, given: model.code(coder, len(boards), given), boards)
    assert fens(read) == fens(boards)


@given(boards=games())
@pytest.mark.parametrize("at_home", [False, True])
def test_methods_with_an_index(at_home: bool, boards: list[chess.Board]) -> None:
    alike = [board for board in boards if material_of([board]) == material_of(boards)]
    state = StateModel.of(BoardState.of(alike), contents_of(alike), at_home=at_home)
    by_index = Symbolwise(index_driven(material_of(alike)), state)
    assert fens(round_trip(lambda coder, given: by_index.code(coder, len(alike), given), alike)) == fens(
        alike
    )
    differential, material = Differential(state), material_of(alike)
    read = round_trip(lambda coder, given: differential.code(coder, material, len(alike), given), alike)
    assert fens(read) == fens(alike)


def test_the_next_position_is_the_one_with_the_fewest_deltas() -> None:
    first = "k7/8/8/8/8/8/8/K6R w - - 0 1"
    both, rook, king = "k7/8/8/8/8/8/8/1K5R b", "k7/8/8/8/8/8/8/K5R1 b", "1k6/8/8/8/8/8/8/1K4R1 w"
    boards = [chess.Board(first), *(chess.Board(f"{epd} - - 0 1") for epd in (king, both, rook))]
    assert greedy_order(contents_of(boards))[:2] == [0, 2]
    assert sorted(greedy_order(contents_of(boards))) == [0, 1, 2, 3]
