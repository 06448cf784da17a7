"""Looking up searches in a packed file."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chess_motif.search import Search
from db.packed.file import PackedFile, write_packed
from db.packed.verdicts import Entry, Verdict
from puzzlegen.cache import first_of, packed_lookup

BOARD = chess.Board()
WANTED = Search.of(BOARD, "Fish", 10_000, 2)

SMALL = Verdict(0, "Fish", 1_000, 2, None, "1 e2e4;0 d2d4")
EXACT = Verdict(0, "Fish", 10_000, 2, None, "2 e2e4;1 d2d4")
LARGE = Verdict(0, "Fish", 200_000, 3, None, "3 e2e4;2 d2d4;1 c2c4")
HUGE = Verdict(0, "Fish", 1_000_000, 2, None, "4 e2e4;3 d2d4")
NARROW = Verdict(0, "Fish", 1_000_000, 1, None, "5 e2e4")


def found(folder: Path, verdicts: list[Verdict], search: Search = WANTED) -> str | None:
    write_packed(folder / "x.pos", [Entry(BOARD, verdicts)], workers=1)
    with PackedFile(folder / "x.pos") as packed:
        return packed_lookup(packed)([search]).get(search)


def test_the_same_search_counts_even_if_there_is_a_larger_one(tmp_path: Path) -> None:
    assert found(tmp_path, [HUGE, LARGE, EXACT, SMALL]) == EXACT.found


def test_the_smallest_that_is_sufficient_counts(tmp_path: Path) -> None:
    assert found(tmp_path, [HUGE, LARGE, NARROW, SMALL]) == LARGE.found


@pytest.mark.parametrize(
    "verdict",
    [
        SMALL,
        NARROW,
        LARGE._replace(settings="Other"),
        LARGE._replace(clock=5),
        LARGE._replace(depth=12),
    ],
    ids=["fewer nodes", "fewer lines", "another engine", "another clock", "limited depth"],
)
def test_what_is_not_sufficient(tmp_path: Path, verdict: Verdict) -> None:
    assert found(tmp_path, [verdict]) is None


def test_with_a_depth_only_the_same_search_counts(tmp_path: Path) -> None:
    deep = WANTED._replace(depth=12)
    assert found(tmp_path, [EXACT._replace(depth=12)], deep) == EXACT.found
    assert found(tmp_path, [LARGE._replace(depth=12), EXACT], deep) is None


def test_a_position_that_is_not_there_and_one_in_a_damaged_block(tmp_path: Path) -> None:
    assert (
        found(tmp_path, [EXACT], Search.of(chess.Board("8/8/8/8/8/8/8/K1k5 w - - 0 1"), "Fish", 1, 1)) is None
    )
    data = bytearray((tmp_path / "x.pos").read_bytes())
    with PackedFile(tmp_path / "x.pos") as packed:
        data[packed.slots[0].end - 1] ^= 1
    (tmp_path / "x.pos").write_bytes(data)
    with PackedFile(tmp_path / "x.pos") as packed:
        assert packed_lookup(packed)([WANTED]) == {}


@pytest.mark.parametrize("text", ["", "nonsense", "1 e2e5", "1 e2e4;0 d2d4 d2d4", "1 e2e4;x d2d4"])
def test_a_result_that_cannot_be_one_is_not_found(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, [EXACT._replace(found=text)]) is None


def test_the_first_that_knows_is_asked_first() -> None:
    other = WANTED._replace(nodes=1)
    asked: list[list[Search]] = []

    def second(searches: object) -> dict[Search, str]:
        asked.append(list(searches))  # type: ignore[call-overload]
        return {other: "second"}

    known = first_of(lambda searches: {WANTED: "first"}, second)
    assert known([WANTED, other]) == {WANTED: "first", other: "second"}
    assert asked == [[other]]
