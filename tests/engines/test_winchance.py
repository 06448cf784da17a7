from __future__ import annotations

import pytest
from chess.engine import Cp, Mate, MateGiven
from hypothesis import given
from hypothesis import strategies as st

from engines.winchance import (
    SUREST,
    centipawn_scale,
    centipawns_of_win_chance,
    win_chance,
    win_chance_of_centipawns,
)


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("Stockfish 14", 1.0),
        ("Stockfish 15", 1.0),
        ("Stockfish 15.1", 361 / 208),
        ("Stockfish 16", 361 / 208),
        ("Stockfish 17.1", 361 / 208),
        ("Stockfish dev-20250101-abcdef", 361 / 208),
        ("Stockfish 18 WASM", 361 / 208),
        ("Stockfish 14.1 64 POPCNT WASM Multithreaded", 1.0),
        ("Stockfish 20250101", 361 / 208),
        ("Lc0 v0.30.0", 1.0),
        ("Fake 1.0", 1.0),
    ],
)
def test_scale_of_an_engine(name: str, scale: float) -> None:
    assert centipawn_scale(name) == scale


@pytest.mark.parametrize(("name", "scale"), [("Lc0 v0.31.2", 361 / 208), ("Stockfish 14", 1.0)])
def test_scale_of_an_engine_that_shows_wdl(name: str, scale: float) -> None:
    assert centipawn_scale(name, shows_wdl=True) == scale


def test_a_pawn_on_the_scale_of_lichess() -> None:
    # 50 + 50 * (2 / (1 + exp(-0.00368208 * 100)) - 1) is 59.1 % on Lichess' accuracy page.
    assert 50 + 50 * win_chance(Cp(100)) == pytest.approx(59.1, abs=0.05)


def test_a_pawn_of_stockfish_15_1_is_worth_more() -> None:
    assert win_chance(Cp(100), centipawn_scale("Stockfish 15.1")) == pytest.approx(
        win_chance_of_centipawns(173.5577)
    )


@pytest.mark.parametrize(
    ("score", "chance"), [(Mate(3), 1.0), (Mate(-2), -1.0), (Mate(0), -1.0), (MateGiven, 1.0)]
)
def test_mates_are_certain(score: Mate, chance: float) -> None:
    assert win_chance(score) == chance


@given(st.integers(-20_000, 20_000), st.floats(0.5, 2.0))
def test_the_other_side_has_the_opposite_chance(centipawns: int, scale: float) -> None:
    assert win_chance(Cp(centipawns), scale) == pytest.approx(-win_chance(-Cp(centipawns), scale))


@given(st.integers(-5_000, 5_000), st.integers(-5_000, 5_000))
def test_more_centipawns_are_never_worse(one: int, other: int) -> None:
    assert (one <= other) == (win_chance(Cp(one)) <= win_chance(Cp(other)))


@given(st.floats(-SUREST, SUREST))
def test_centipawns_become_the_win_chance_that_they_are_made_of(chance: float) -> None:
    assert win_chance_of_centipawns(centipawns_of_win_chance(chance)) == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize("chance", [-1.0, 1.0])
def test_no_win_chance_has_endless_centipawns(chance: float) -> None:
    assert centipawns_of_win_chance(chance) == pytest.approx(chance * 2690, abs=1)
