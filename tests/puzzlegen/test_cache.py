"""Packing positions, joining packed files, and looking searches up in them."""

from __future__ import annotations

import gzip
from pathlib import Path

import chess
import pytest

from chess_motif.errors import InputError
from chess_motif.search import Search
from db.evaluations import keep_evaluations
from db.packed.file import PackedFile, write_packed
from db.packed.verdicts import PackedEntry, Verdict
from db.store import Store
from puzzlegen.cache import (
    VerdictCount,
    contents_of,
    merge_packed,
    pack_archives,
    pack_store,
    packed_lookup,
)
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.sample_games import ENDGAME, ENDGAME_START, PGN, pgn

BOARD = chess.Board()
ENDING = chess.Board(f"{' '.join(ENDGAME_START.split()[:4])} 12 40")


def packed(folder: Path, name: str, text: str) -> Path:
    """Pack the positions of a file; `name` says which kind it is."""
    (folder / name).write_text(text)
    out = (folder / name).with_suffix(".pos")
    pack_archives(out, [str(folder / name)])
    return out


def damage(path: Path) -> None:
    """Change a byte of the first block."""
    data = bytearray(path.read_bytes())
    with PackedFile(path) as file:
        data[file.slots[0].end - 1] ^= 1
    path.write_bytes(data)


def positions_in(path: Path) -> set[str]:
    with PackedFile(path) as file:
        return {entry.board.epd() for entry in file.entries()}


def test_the_searches_of_a_store_are_packed_with_their_positions(sqlite_store: Store, tmp_path: Path) -> None:
    first, second = Search.of(BOARD, "Fish", 100, 1), Search.of(ENDING, "Fish", 1_000, 2, 8)
    with sqlite_store.session() as session:
        keep_evaluations(session, {first: "31 e2e4", second: "0 f6e6;-5 f6g7"})
        keep_evaluations(session, {first._replace(nodes=200): "28 d2d4"})
    report = pack_store(tmp_path / "all.pos", sqlite_store)
    assert (report.positions, report.verdicts, report.left_out) == (2, 3, 0)
    assert report.bytes == (tmp_path / "all.pos").stat().st_size
    with PackedFile(tmp_path / "all.pos") as file:
        found = file.get(ENDING)
        assert found is not None
        assert found.verdicts == [Verdict(12, "Fish", 1_000, 2, 8, "0 f6e6;-5 f6g7")]
        assert set(contents_of(file).searches) == {
            VerdictCount("Fish", 100, 1, None, 1),
            VerdictCount("Fish", 200, 1, None, 1),
            VerdictCount("Fish", 1_000, 2, 8, 1),
        }


def test_a_store_without_searches_has_nothing_to_pack(sqlite_store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no search is stored with its position"):
        pack_store(tmp_path / "all.pos", sqlite_store)
    assert [*tmp_path.glob("*.pos")] == []


def test_all_positions_of_games_are_packed_once(tmp_path: Path) -> None:
    archive = tmp_path / "games.pgn"
    archive.write_text(PGN + pgn(ENDGAME, SetUp="1", FEN=ENDGAME_START))
    report = pack_archives(tmp_path / "games.pos", [str(archive)])
    # Two games of 30 and 29 moves from the first position on, and one of five positions.
    assert report.positions == len(positions_in(tmp_path / "games.pos"))
    assert {BOARD.epd(), ENDING.epd()} <= positions_in(tmp_path / "games.pos")
    assert report.left_out == report.verdicts == 0


def test_a_game_that_cannot_be_used_is_reported_and_left_out(tmp_path: Path) -> None:
    archive, progress = tmp_path / "games.pgn", RecordingProgress()
    archive.write_text(pgn("1. e4 e5 2. Ke3") + pgn("1. d4 d5"))
    report = pack_archives(tmp_path / "games.pos", [str(archive)], progress)
    assert (report.positions, report.left_out) == (3, 1)
    assert [notice.split(" (")[0] for notice in progress.notices] == [f"{archive}: game 1"]


def test_a_line_that_is_no_position_is_reported_and_left_out(tmp_path: Path) -> None:
    file, progress = tmp_path / "positions.epd.gz", RecordingProgress()
    file.write_bytes(gzip.compress(f'{BOARD.epd()} bm e4; id "x";\nno FEN\n{ENDING.fen()}\n'.encode()))
    report = pack_archives(tmp_path / "positions.pos", [str(file)], progress)
    assert (report.positions, report.left_out) == (2, 1)
    assert positions_in(tmp_path / "positions.pos") == {BOARD.epd(), ENDING.epd()}
    assert progress.notices[0].startswith(f"{file}: line 2: ")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.epd", b"", r"empty\.epd: no position that can be packed"),
        ("damaged.pgn.gz", gzip.compress(b"", mtime=0)[:5], r"damaged\.pgn\.gz: cut off"),
    ],
)
def test_a_file_without_positions_makes_none(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        pack_archives(tmp_path / "none.pos", [str(tmp_path / name)])
    assert [*tmp_path.glob("*.pos")] == []


def test_what_comes_before_damage_is_packed(tmp_path: Path) -> None:
    text = gzip.compress(pgn("1. d4 d5").encode() * 2000)
    (tmp_path / "games.pgn.gz").write_bytes(text[: len(text) // 2])
    report = pack_archives(tmp_path / "games.pos", [str(tmp_path / "games.pgn.gz")])
    assert report.positions == 3
    assert "games.pgn.gz: " in report.damage


def test_joined_files_have_the_positions_of_all_but_damaged_blocks(tmp_path: Path) -> None:
    both = [packed(tmp_path, "games.pgn", PGN), packed(tmp_path, "one.epd", "8/8/8/8/8/8/8/K1k5 w - -\n")]
    report = merge_packed(tmp_path / "both.pos", both)
    assert positions_in(tmp_path / "both.pos") == positions_in(both[0]) | positions_in(both[1])

    progress = RecordingProgress()
    damage(both[1])
    assert merge_packed(tmp_path / "less.pos", both, progress).positions == report.positions - 1
    assert [notice for notice in progress.notices if "damaged" in notice] == progress.notices
    with pytest.raises(InputError, match="no position that can be packed"):
        merge_packed(tmp_path / "nothing.pos", both[1:])


def test_no_other_file_is_replaced_by_joined_ones(tmp_path: Path) -> None:
    one, two = (packed(tmp_path, f"{n}.epd", f"8/8/8/8/8/8/8/K1k4{n} w - -\n") for n in "NB")
    before = one.read_bytes()
    with pytest.raises(InputError, match="already exists; to add to it"):
        merge_packed(one, [two])
    assert one.read_bytes() == before
    assert merge_packed(one, [one, two]).positions == 2


@pytest.mark.usefixtures("windows_files")
def test_a_file_can_be_joined_into_itself(tmp_path: Path) -> None:
    file = packed(tmp_path, "games.pgn", PGN)
    before = positions_in(file)
    merge_packed(file, [file])
    assert positions_in(file) == before


WANTED = Search.of(BOARD, "Fish", 10_000, 2)

SMALL = Verdict(0, "Fish", 1_000, 2, None, "1 e2e4;0 d2d4")
EXACT = Verdict(0, "Fish", 10_000, 2, None, "2 e2e4;1 d2d4")
LARGE = Verdict(0, "Fish", 200_000, 3, None, "3 e2e4;2 d2d4;1 c2c4")
HUGE = Verdict(0, "Fish", 1_000_000, 2, None, "4 e2e4;3 d2d4")
NARROW = Verdict(0, "Fish", 1_000_000, 1, None, "5 e2e4")


def found(folder: Path, verdicts: list[Verdict], search: Search = WANTED) -> str | None:
    write_packed(folder / "x.pos", [PackedEntry(BOARD, verdicts)], workers=1)
    with PackedFile(folder / "x.pos") as file:
        return packed_lookup(file)([search]).get(search)


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
    damage(tmp_path / "x.pos")
    with PackedFile(tmp_path / "x.pos") as file:
        assert packed_lookup(file)([WANTED]) == {}


@pytest.mark.parametrize("text", ["", "nonsense", "1 e2e5", "1 e2e4;0 d2d4 d2d4", "1 e2e4;x d2d4"])
def test_a_result_that_cannot_be_one_is_not_found(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, [EXACT._replace(found=text)]) is None
