"""Pairs: what is usable is read, what is not is named, and ranks of hand-made pairs are known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chess_motif.errors import InputError, TableError
from motifsearch.puzzles.pairs import Pair, PairFile, Skipped, measure_pairs, read_pairs
from motifsearch.puzzles.ranking import By
from tests.helpers.sample_pairs import GOOD, MOVED, OTHER, line_of, solution_line

MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
HEADER = "pair_id,role,fen,moves\n"
ROWS = f"1,base,{MATE},a1a8\n1,simplified,{MATE},a1a8\n"


def read(tmp_path: Path, text: str, name: str = "pairs.csv") -> PairFile:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_pairs(file)


def game(pair: str, role: str, moves: str, fen: str = MATE) -> str:
    return f'[SetUp "1"]\n[FEN "{fen}"]\n[PairId "{pair}"]\n[Role "{role}"]\n\n{moves} *\n\n'


def test_csv(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, HEADER + ROWS).pairs
    assert (pair.id, pair.base.board.fen(), [move.uci() for move in pair.base.moves]) == ("1", MATE, ["a1a8"])


def test_pgn(tmp_path: Path) -> None:
    text = game("7", "base", "1. Ra8#") + game("7", "simplified", "1. Ra8#")
    (pair,) = read(tmp_path, text, "pairs.pgn").pairs
    assert (pair.id, [move.uci() for move in pair.simplified.moves]) == ("7", ["a1a8"])


def test_columns_in_any_order_with_others_between(tmp_path: Path) -> None:
    text = f"note,moves,fen,role,pair_id\nx,a1a8,{MATE},base,1\nx,a1a8,{MATE},simplified,1\n"
    assert len(read(tmp_path, text).pairs) == 1


def test_a_pair_made_by_people_has_no_facts_of_generation(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, HEADER + ROWS).pairs
    assert (pair.generated, pair.removed, pair.moved) == (False, None, False)


def test_generated_pairs_say_what_was_removed_and_whether_the_rest_was_moved(tmp_path: Path) -> None:
    text = f"{HEADER.strip()},removed, Moved\n1,base,{MATE},a1a8,,\n1,simplified,{MATE},a1a8,3,yes\n"
    (pair,) = read(tmp_path, text).pairs
    assert (pair.generated, pair.removed, pair.moved) == (True, 3, True)


def test_a_number_of_removed_pieces_of_any_length_is_read(tmp_path: Path) -> None:
    rows = ROWS.replace("\n", f",{'9' * 5000},yes\n")
    (pair,) = read(tmp_path, f"{HEADER.strip()},removed,moved\n{rows}").pairs
    assert pair.removed is None


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
    more = ROWS.replace("1,base", "3,base").replace("1,simplified", "3,simplified")
    found = read(tmp_path, f"{HEADER}{ROWS}{bad}\n{more}")
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
    found = read(tmp_path, f"{HEADER}{ROWS}2,base,{MATE},a1a8\n")
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


# Its query is nothing like its partner, and exactly like another pair's.
MISS = Pair("miss", solution_line("fork"), line_of("8/8/4k3/8/8/2q5/8/K7 b - - 0 1", "e6f6"))


def ranks(*pairs: Pair, by: By = By.COMBINED, mode: str = "default") -> list[int]:
    return list(measure_pairs(PairFile(list(pairs))).ranks[mode][by])


def test_partners_that_are_the_same_are_first() -> None:
    assert ranks(GOOD, OTHER) == [1, 1]


def test_a_partner_behind_another_document() -> None:
    swapped = [Pair("a", solution_line("fork"), OTHER.base), Pair("b", solution_line("smothered"), GOOD.base)]
    assert ranks(*swapped) == [2, 2]


def test_a_partner_that_shares_no_term_is_last() -> None:
    assert ranks(GOOD, MISS, OTHER, by=By.DYNAMIC) == [1, 3, 1]


def test_ties_count_against() -> None:
    twin = Pair("twin", GOOD.base, GOOD.simplified)
    assert ranks(GOOD, twin, OTHER) == [2, 2, 1]


def test_shares_and_mean_reciprocal_rank() -> None:
    found = measure_pairs(PairFile([GOOD, MISS, OTHER])).accuracy("default", By.DYNAMIC)
    assert (found.top1, found.top5, found.top10) == pytest.approx((2 / 3, 1, 1))
    assert found.mrr == pytest.approx((1 + 1 / 3 + 1) / 3)


def test_the_worst_pair_is_listed_first() -> None:
    report = measure_pairs(PairFile([GOOD, MISS, OTHER]))
    assert [pair.id for pair, _ in report.worst_first()] == ["miss", "good", "other"]


def test_the_document_has_figures_ranks_and_what_was_skipped() -> None:
    document = measure_pairs(PairFile([GOOD, OTHER], [Skipped("line 9", "bad")])).as_dict()
    assert document["accuracy"]["paper"]["static"] == {"top1": 1, "top5": 1, "top10": 1, "mrr": 1}
    assert document["paper"]["all"] == {"top1": 0.481, "top5": 0.736, "top10": 0.814}
    assert document["ranks"][0]["default"] == {"static": 1, "dynamic": 1, "all": 1}
    assert document["skipped"] == [{"place": "line 9", "reason": "bad"}]


def test_moved_pairs_have_figures_of_their_own() -> None:
    report = measure_pairs(PairFile([GOOD, MISS, MOVED]))
    assert report.accuracy("default", By.DYNAMIC, moved=True).top1 == 1
    assert report.accuracy("default", By.DYNAMIC).top1 == pytest.approx(2 / 3)
    document = report.as_dict()
    assert document["moved_pairs"] == 1
    assert {rank["pair_id"]: (rank["removed"], rank["moved"]) for rank in document["ranks"]} == {
        "good": (None, False),
        "miss": (None, False),
        "other": (2, True),
    }
    assert document["moved_accuracy"]["default"]["dynamic"]["top1"] == 1


def test_without_moved_pairs_there_are_no_figures_of_them() -> None:
    assert measure_pairs(PairFile([GOOD])).as_dict()["moved_accuracy"] is None


def test_other_positions_stand_before_a_partner_that_is_less_like_the_query() -> None:
    others = [GOOD.base, GOOD.base, OTHER.base]
    report = measure_pairs(PairFile([Pair("a", GOOD.base, solution_line("smothered"))]), others)
    assert report.documents == 4
    assert report.ranks["default"][By.COMBINED] == [4]


def test_without_pairs_there_is_nothing_to_measure() -> None:
    with pytest.raises(TableError, match="line 2: bad"):
        measure_pairs(PairFile([], [Skipped("line 2", "bad")]))
