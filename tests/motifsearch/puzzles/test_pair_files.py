"""Files of pairs: how pairs are formed, what is not usable is named, and missing kings are put in."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path

import chess
import pytest
from backports import zstd

from chess_motif.errors import InputError, TableError
from motifsearch.puzzles.pair_files import PairFile, Skipped, read_pairs

MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
SMALL = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
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
        ("2,base,8/8/8/8/8/8/8/R7 w - - 0 1,a1a2", "Black has no king"),
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
        (game("2", "base", "1. Ra2", "8/8/8/8/8/8/8/R7 w - - 0 1"), "no king"),
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


def plain(fen: str, moves: str = "1. Ra8#", **tags: str) -> str:
    """Return a game of a course, which has no tags of ours."""
    own = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f'{own}[SetUp "1"]\n[FEN "{fen}"]\n\n{moves} *\n\n'


def places(found: PairFile) -> list[tuple[str, str]]:
    return [pair.places for pair in found.pairs]


def test_neighbours_are_pairs_where_nothing_names_any(tmp_path: Path) -> None:
    found = read(tmp_path, plain(MATE) + plain(SMALL) + plain(MATE), "course.pgn")
    assert places(found) == [("game 1", "game 2")]
    assert found.notes == [
        "1 pair from neighbouring positions, the first of two is the base (guessed)",
    ]
    assert found.skipped == [Skipped("game 3", "has no partner")]


def test_a_game_that_cannot_be_used_does_not_shift_those_after_it(tmp_path: Path) -> None:
    games = [plain(MATE, "1. Ra9"), plain(SMALL), plain(MATE), plain(SMALL)]
    assert places(read(tmp_path, "".join(games), "course.pgn")) == [("game 3", "game 4")]


def test_neighbours_are_pairs_where_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "pairs.pgn"
    file.write_text(game("1", "simplified", "1. Ra8#") + game("1", "base", "1. Ra8#"))
    found = read_pairs(file, neighbours=True)
    assert places(found) == [("game 1", "game 2")]
    assert "guessed" not in found.notes[0]


def test_games_with_the_same_tag_are_pairs(tmp_path: Path) -> None:
    games = [plain(MATE, White="A"), plain(MATE, White="B"), plain(SMALL, White="A"), plain(SMALL, White="B")]
    found = read(tmp_path, "".join(games), "course.pgn")
    assert places(found) == [("game 1", "game 3"), ("game 2", "game 4")]
    assert found.notes == ["2 pairs by the same value of White (guessed)"]


def test_games_that_a_tag_pairs_with_no_other_are_left_over(tmp_path: Path) -> None:
    games = [
        game
        for number in range(5)
        for game in (plain(MATE, White=f"{number}"), plain(SMALL, White=f"{number}"))
    ]
    found = read(tmp_path, "".join([*games, plain(MATE, White="9"), plain(MATE)]), "course.pgn")
    assert [pair.id for pair in found.pairs] == ["0", "1", "2", "3", "4"]
    assert found.skipped == [
        Skipped("game 12", "has no White"),
        Skipped("White '9'", "is in 1 game: game 11"),
    ]


def test_two_files_are_paired_in_order(tmp_path: Path) -> None:
    bases, simplified = tmp_path / "bases.pgn", tmp_path / "simplified.csv"
    bases.write_text(plain(MATE) + plain(MATE))
    simplified.write_text(f"fen,moves\n{SMALL},1. Ra8#\n")
    found = read_pairs(bases, simplified)
    assert places(found) == [("game 1", "line 2")]
    assert found.skipped == [Skipped("game 2", "has no partner")]


def test_rows_without_ids_are_neighbours_with_solutions_as_people_write_them(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, f"FEN,Moves\n{MATE},1. Ra8#\n{SMALL},a1a8\n").pairs
    assert [move.uci() for each in pair.both for move in each.moves] == ["a1a8", "a1a8"]


@pytest.mark.parametrize(
    ("ending", "pack"), [("zst", zstd.compress), ("gz", gzip.compress), ("bz2", bz2.compress)]
)
def test_compressed_files(tmp_path: Path, ending: str, pack: type) -> None:
    file = tmp_path / f"course.pgn.{ending}"
    file.write_bytes(pack((plain(MATE) + plain(SMALL)).encode()))
    assert len(read_pairs(file).pairs) == 1


def test_a_database_of_chessbase_is_refused_with_the_way_to_convert_it(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="PGN"):
        read(tmp_path, "", "course.cbh")


def test_larger_simplified_positions_are_noticed(tmp_path: Path) -> None:
    (_, note) = read(tmp_path, plain(SMALL) + plain(MATE), "course.pgn").notes
    assert note.startswith("in 1 of 1 pair the simplified position has more pieces")


@pytest.mark.parametrize("role", ["base", "simplified"])
@pytest.mark.parametrize("fen", ["6k1/5ppp/8/8/8/8/8/R7 w - - 0 1", "k7/2K5/8/8/8/8/8/7R w - - 0 1"])
def test_a_king_that_no_piece_reaches_is_put_where_one_is_missing(
    tmp_path: Path, fen: str, role: str
) -> None:
    moves = "1. Ra8#" if fen.startswith("6k1") else "1. Ra1#"
    games = [plain(MATE), plain(fen, moves)][:: 1 if role == "simplified" else -1]
    found = read(tmp_path, "".join(games), "course.pgn")
    (pair,) = found.pairs
    board = getattr(pair, role).board
    assert board.is_valid()
    assert (getattr(pair, role).added is None) == ("K" in fen)
    if "K" not in fen:
        assert "1 with a missing king, put where it takes no part: 1" in found.notes
        king = board.king(chess.WHITE)
        assert not board.attackers(chess.BLACK, king)
        assert not chess.SquareSet(chess.BB_KING_ATTACKS[king]) & board.occupied


def test_a_king_that_would_take_part_anywhere_is_refused(tmp_path: Path) -> None:
    queens = "qqqqqqqq/8/qqqqqqqq/8/8/qqqqqqqq/8/k6R w - - 0 1"
    found = read(tmp_path, plain(MATE) + plain(queens, "1. Rg1"), "course.pgn")
    assert [each.reason for each in found.skipped] == [
        "White has no king, and a king would take part anywhere"
    ]
