"""The verdicts on the positions of a block."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import StoreError
from db.packed.verdicts import MOST_BYTES, Verdict, compress, read_verdicts, write_verdicts

NUMBERS = st.integers(0, 2**40)
VERDICTS = st.builds(
    Verdict,
    clock=st.integers(0, 150),
    settings=st.sampled_from(["Stockfish 15.1, Threads 1", "Fish"]),
    nodes=NUMBERS,
    lines=st.integers(1, 5),
    depth=st.none() | st.integers(1, 60),
    found=st.sampled_from(["31 e2e4 e7e5", "#-3 g8f6", "0 d2d4;-5 c2c4 c7c5"]),
)
ROW = [[1], [0], ["Fish"], [100], [1], [None], ["31 e2e4"]]


@given(verdicts=st.lists(st.lists(VERDICTS, max_size=4), min_size=1, max_size=20))
def test_they_come_back_with_their_positions(verdicts: list[list[Verdict]]) -> None:
    assert read_verdicts(write_verdicts(verdicts), len(verdicts)) == verdicts


def test_none_take_no_bytes() -> None:
    assert write_verdicts([[], [], []]) == b""


@given(damage=st.binary(max_size=100))
def test_other_bytes_are_an_error(damage: bytes) -> None:
    if damage:
        with pytest.raises(StoreError):
            read_verdicts(damage, 1)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((0, value) for value in (2, -1, "x")),
        *((1, value) for value in ("0", True)),
        (2, 5),
        *((3, value) for value in (1.5, -1, 2**64)),
        (5, []),
        *((5, value) for value in (False, "")),
        (6, None),
    ],
)
def test_fields_of_another_kind_are_an_error(column: int, value: object) -> None:
    columns = [*ROW[:column], [value], *ROW[column + 1 :]]
    assert len(read_verdicts(compress(json.dumps(ROW).encode()), 1)) == 1
    with pytest.raises(StoreError, match="not the verdicts"):
        read_verdicts(compress(json.dumps(columns).encode()), 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "not the verdicts") for text in (b"[" * 100_000, b"{}", b"[]", b"5", b"[[1]]")),
        (b" " * (MOST_BYTES + 1), "too long"),
    ],
    ids=range(6),
)
def test_other_text_is_an_error(text: bytes, said: str) -> None:
    with pytest.raises(StoreError, match=said):
        read_verdicts(compress(text), 1)


def test_what_would_move_the_cursor_is_removed() -> None:
    rows = [*ROW[:2], ["Fi\x1b[2Jsh"], *ROW[3:]]
    ((verdict,),) = read_verdicts(compress(json.dumps(rows).encode()), 1)
    assert verdict.settings == "Fi[2Jsh"
