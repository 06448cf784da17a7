"""Reading pairs: what is usable is read, what is not is named."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from chess_motif.errors import InputError, TableError
from motifsearch.evaluation.pairs import PairFile, Skipped, read_pairs, write_pairs

MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
HEADER = "pair_id,role,fen,moves\n"
GOOD = f"1,base,{MATE},a1a8\n1,simplified,{MATE},a1a8\n"


def read(tmp_path: Path, text: str, name: str = "pairs.csv") -> PairFile:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_pairs(file)


def game(pair: str, role: str, moves: str, fen: str = MATE) -> str:
    return f'[SetUp "1"]\n[FEN "{fen}"]\n[PairId "{pair}"]\n[Role "{role}"]\n\n{moves} *\n\n'


def test_csv(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, HEADER + GOOD).pairs
    assert (pair.id, pair.base.board.fen(), [move.uci() for move in pair.base.moves]) == ("1", MATE, ["a1a8"])


def test_pgn(tmp_path: Path) -> None:
    text = game("7", "base", "1. Ra8#") + game("7", "simplified", "1. Ra8#")
    (pair,) = read(tmp_path, text, "pairs.pgn").pairs
    assert (pair.id, [move.uci() for move in pair.simplified.moves]) == ("7", ["a1a8"])


def test_columns_in_any_order_with_others_between(tmp_path: Path) -> None:
    text = f"note,moves,fen,role,pair_id\nx,a1a8,{MATE},base,1\nx,a1a8,{MATE},simplified,1\n"
    assert len(read(tmp_path, text).pairs) == 1


def test_a_pair_made_by_people_has_no_facts_of_generation(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, HEADER + GOOD).pairs
    assert (pair.generated, pair.removed, pair.moved) == (False, None, False)


def test_generated_pairs_come_back_as_they_were_written(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, HEADER + GOOD).pairs
    pairs = [replace(pair, removed=3, moved=True), replace(pair, id="2", removed=1)]
    write_pairs(tmp_path / "out.csv", pairs)
    assert read_pairs(tmp_path / "out.csv") == PairFile(pairs)


def test_a_number_of_removed_pieces_of_any_length_is_read(tmp_path: Path) -> None:
    rows = GOOD.replace("\n", f",{'9' * 5000},yes\n")
    (pair,) = read(tmp_path, f"{HEADER.strip()},removed,moved\n{rows}").pairs
    assert pair.removed is None


def test_pairs_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_pairs(tmp_path / "nowhere" / "out.csv", [])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("2,base,8/8/8/8/8/8/8/K7 w - - 0 1,a1a2", "Black has no king"),
        (f"2,base,{MATE},a1b3", "a1b3 is not legal"),
        (f"2,base,{MATE},", "at least one move"),
        (f"2,query,{MATE},a1a8", "'query'"),
        (f",base,{MATE},a1a8", "no pair id"),
        (f"1,base,{MATE},a1a8", "already has a base position"),
        (f"2,base,{MATE}", "3 columns"),
        ("2,base,\0,a1a8", "not a FEN"),
        (f'2,"base,{MATE},a1a8', "not CSV"),
    ],
)
def test_a_bad_row_is_named_and_the_rest_is_read(tmp_path: Path, bad: str, reason: str) -> None:
    more = GOOD.replace("1,base", "3,base").replace("1,simplified", "3,simplified")
    found = read(tmp_path, f"{HEADER}{GOOD}{bad}\n{more}")
    assert [pair.id for pair in found.pairs] == ["1", "3"]
    (skipped,) = found.skipped
    assert skipped.place == "line 4"
    assert re.search(reason, skipped.reason)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (game("2", "base", "1. Rb3"), "illegal san"),
        (game("2", "base", ""), "no moves"),
        ("b2)--\n\n", "not a game"),
        (game("2", "base", "1. Ra8#", "8/8/8/8/8/8/8/K7 w - - 0 1"), "Black has no king"),
        (game("2", "base", "1. Ra8#", "nonsense"), "not a FEN"),
        ('[PairId "2"]\n[Role "base"]\n\n1. e4 *\n\n', "no set-up position"),
    ],
)
def test_a_bad_game_is_named_and_the_rest_is_read(
    tmp_path: Path, bad: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    good = game("1", "base", "1. Ra8#"), game("1", "simplified", "1. Ra8#")
    found = read(tmp_path, good[0] + bad + good[1], "pairs.pgn")
    assert [pair.id for pair in found.pairs] == ["1"]
    (skipped,) = found.skipped
    assert skipped.place == "game 2"
    assert re.search(reason, skipped.reason)
    assert capfd.readouterr().err == ""


def test_half_a_pair_is_named(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEADER}{GOOD}2,base,{MATE},a1a8\n")
    assert found.skipped == [Skipped("pair 2", "has no usable simplified position")]


@pytest.mark.parametrize("text", ["", "id,fen\n1,x\n", "\n"])
def test_a_file_without_the_columns(tmp_path: Path, text: str) -> None:
    with pytest.raises(TableError, match="no column"):
        read(tmp_path, text)


def test_a_pgn_without_games(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no game"):
        read(tmp_path, "", "pairs.pgn")


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"\.csv or \.pgn"):
        read(tmp_path, "", "pairs.txt")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_pairs(tmp_path / "none.csv")
