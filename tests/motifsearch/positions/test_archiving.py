"""Archiving games: all of them once, whatever happens in between."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import textwrap
from itertools import chain
from pathlib import Path

import chess
import pytest
import tantivy
from sqlalchemy import select

from db.games import count_archived
from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.index.directory import Index, index_path, source_growing
from motifsearch.index.shards import OpenShards, counts_of
from motifsearch.positions import archiving, index
from motifsearch.positions.archiving import add_games, add_positions
from motifsearch.positions.index import (
    DIRECTORY,
    OPENING_MOVES,
    STRETCH,
    documents_of,
    number_of,
    set_opening_moves,
    set_shards,
    stretch_of,
    sync_positions,
)
from motifsearch.positions.ranking import Place
from puzzlegen.games.archive import HEAD
from puzzlegen.games.filter import ArchiveFilter
from puzzlegen.games.pgn import Skip
from tests.helpers.archived_games import GAMES as ARCHIVED
from tests.helpers.archived_games import ROOKS
from tests.helpers.archived_games import archive as put
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.rows import game_row

# Thirteen moves of both sides and one more: three positions after the first twelve.
MOVES = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O "
    "9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8"
)
GAMES = 7


def game(number: int, moves: str = MOVES, **headers: str) -> str:
    tags = {"Event": "Club", "White": f"White {number}", "Black": "Black", "Result": "1-0"} | headers
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join([*lines, "", f"{moves} 1-0", "", ""])


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are slow to start; that they do the same is a test of its own."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(archiving, "CHUNK", 2)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return written(tmp_path / "games.pgn", *map(game, range(GAMES)))


@pytest.fixture
def more(tmp_path: Path) -> str:
    return str(written(tmp_path / "more.pgn", game(GAMES)))


def written(path: Path, *games: str) -> Path:
    path.write_text("".join(games), encoding="utf-8")
    return path


def players(store: Store) -> list[str]:
    with store.reading() as session:
        return list(session.scalars(select(Game.white).join(ArchivedGame).order_by(ArchivedGame.number)))


def places(found: OpenShards) -> set[Place]:
    def of_shard(shard: Index, query: tantivy.Query) -> list[Place]:
        addresses = [address for _, address in shard.search(query, 10_000)]
        numbers, plies = shard.values("number", addresses), shard.values("ply", addresses)
        return [Place(number or 0, ply or 0) for number, ply in zip(numbers, plies, strict=True)]

    return set(chain.from_iterable(found.each(of_shard, [tantivy.Query.all_query()])))


EVERYONE = [f"White {number}" for number in range(GAMES)]


def test_every_game_is_archived_in_its_order(store: Store, archive: Path) -> None:
    report = add_games([str(archive)], store)
    assert (report.games, report.archived, report.known) == (GAMES, GAMES, 0)
    assert players(store) == EVERYONE


def test_only_wanted_games_are_archived(sqlite_store: Store, tmp_path: Path) -> None:
    games = (game(number, WhiteElo="2500", BlackElo=f"{1998 + number}") for number in range(4))
    file = written(tmp_path / "rated.pgn", *games)
    progress = RecordingProgress()
    report = add_games([str(file)], sqlite_store, wanted=ArchiveFilter(min_elo=2000), progress=progress)
    assert (report.archived, report.skipped) == (2, {Skip.LOWER_RATED: 2})
    assert players(sqlite_store) == ["White 2", "White 3"]
    assert progress.notices == []


def test_other_games_of_the_same_archive_can_be_wanted_later(sqlite_store: Store, archive: Path) -> None:
    assert add_games([str(archive)], sqlite_store, wanted=ArchiveFilter(min_elo=2000)).archived == 0
    assert add_games([str(archive)], sqlite_store).archived == GAMES


def test_a_game_has_its_moves(sqlite_store: Store, tmp_path: Path) -> None:
    add_games([str(written(tmp_path / "one.pgn", game(1, "1. e4 e5 2. Nf3")))], sqlite_store)
    with sqlite_store.reading() as session:
        found = session.scalars(select(ArchivedGame)).one()
        assert (found.start, found.moves) == ("", "e2e4 e7e5 g1f3")


def test_a_finished_archive_is_not_read_again(sqlite_store: Store, archive: Path) -> None:
    add_games([str(archive)], sqlite_store)
    progress = RecordingProgress()
    report = add_games([str(archive)], sqlite_store, progress=progress)
    assert (report.games, report.archived) == (GAMES, GAMES)
    assert progress.notices == [f"{archive}: {GAMES} games were read before"]


@pytest.mark.parametrize("end", ["\n\n", "\n"])
def test_a_longer_archive_is_read_on(sqlite_store: Store, tmp_path: Path, end: str) -> None:
    # An archive is known by how it begins.
    path = written(tmp_path / "games.pgn", game(0, Annotator="x" * HEAD).rstrip() + end)
    # The second text has a short game after a line that is none.
    for text in ("\n" + game(1), "In all: 1-0\n1. d4 *\n", "\n" + game(2)):
        add_games([str(path)], sqlite_store)
        with path.open("a") as file:
            file.write(text)
    progress = RecordingProgress()
    report = add_games([str(path)], sqlite_store, progress=progress)
    assert (report.games, report.archived, report.skipped) == (4, 4, {})
    assert players(sqlite_store) == ["White 0", "White 1", "", "White 2"]
    assert progress.notices == [f"{path}: 3 games were read before"]


def test_a_truncated_archive_gives_what_comes_before(sqlite_store: Store, tmp_path: Path) -> None:
    packed = gzip.compress("".join(game(number) for number in range(GAMES)).encode(), mtime=0)
    path = tmp_path / "games.pgn.gz"
    path.write_bytes(packed[:-20])
    progress = RecordingProgress()
    report = add_games([str(path)], sqlite_store, progress=progress)
    assert report.damaged == progress.notices
    assert "cut off" in progress.notices[0]
    found = players(sqlite_store)
    assert found == EVERYONE[: len(found)]
    path.write_bytes(packed)
    add_games([str(path)], sqlite_store)
    assert players(sqlite_store) == EVERYONE


def test_what_comes_before_damage_is_not_lost_with_the_workers(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    text = "".join(game(number) for number in range(GAMES))
    cut = tmp_path / "games.pgn.gz"
    # Not compressed, so that what is cut off is the end of the text.
    cut.write_bytes(gzip.compress(text.encode(), compresslevel=0)[:-40])
    report = add_games([str(cut)], sqlite_store)
    assert report.damaged
    assert players(sqlite_store)[: GAMES - 1] == EVERYONE[:-1]


def test_a_bad_game_is_named_and_the_rest_read(sqlite_store: Store, tmp_path: Path) -> None:
    bad = game(1, "1. e4 e4")
    path = written(tmp_path / "games.pgn", game(0), bad, game(2, Variant="Atomic"), game(3))
    progress = RecordingProgress()
    report = add_games([str(path)], sqlite_store, progress=progress)
    assert players(sqlite_store) == ["White 0", "White 3"]
    assert dict(report.skipped) == {"illegal move": 1, "variant": 1}
    assert progress.notices[0].startswith(f"{path}: game 2 (byte {len(game(0))}): illegal move")
    assert report.examples["variant"] == f"{path}: game 3"


def test_a_missing_archive_does_not_keep_the_next_from_being_read(sqlite_store: Store, archive: Path) -> None:
    report = add_games(["missing.pgn", str(archive)], sqlite_store)
    assert [line.split(":")[0] for line in report.damaged] == ["missing.pgn"]
    assert players(sqlite_store) == EVERYONE


@pytest.mark.parametrize("text", ["", "\n\n", "Read me -- it is short.\n", "\0" * 5_000_000])
def test_a_file_without_a_game_is_an_error_each_time(
    sqlite_store: Store, archive: Path, tmp_path: Path, text: str
) -> None:
    path = written(tmp_path / "readme.md", text)
    for _ in range(2):
        report = add_games([str(path), str(archive)], sqlite_store)
        assert report.damaged == [f"{path}: has no games"]
        assert report.games == GAMES


def test_the_number_of_opening_moves_can_be_changed(sqlite_store: Store, archive: Path) -> None:
    add_games([str(archive)], sqlite_store)
    sync_positions(sqlite_store)
    set_opening_moves(sqlite_store, OPENING_MOVES + 1)
    found, report = sync_positions(sqlite_store)
    assert places(found) == {Place(number, 26) for number in range(1, GAMES + 1)}
    assert report.rebuilt


def test_a_game_from_another_position_has_no_opening() -> None:
    ((document,),) = documents_of([(5, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "")], OPENING_MOVES)
    assert document[:3] == (5, 0, "KP-K")


def test_the_first_position_of_a_stretch_has_the_terms_of_all() -> None:
    board = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    moves = ["e1d1", "e8d8", "d1e1", "d8e8"] * STRETCH
    (documents,) = documents_of([(5, board.fen(), " ".join(moves[: STRETCH + 1]))], OPENING_MOVES)
    first, *others = documents[:STRETCH]
    every = {word for document in (first, *others) for family in document.families for word in family.split()}
    assert sorted(first.stretch_terms) == sorted(map(number_of, every))
    assert {"Ke1", "Kd1", "ke8", "kd8"} < every
    assert not any(document.stretch_terms for document in others)
    assert [stretch_of(5, document.ply) for document in documents] == [
        *[stretch_of(5, 0)] * STRETCH,
        *[stretch_of(5, STRETCH)] * 2,
    ]
    # The next one begins with the position after so many plies.
    assert documents[STRETCH].stretch_terms


def test_a_short_game_is_known_to_be_indexed(sqlite_store: Store, tmp_path: Path) -> None:
    add_games([str(written(tmp_path / "short.pgn", game(1), game(2, "1. e4 e5")))], sqlite_store)
    sync_positions(sqlite_store)
    _, report = sync_positions(sqlite_store)
    assert (report.games, report.indexed) == (0, 3)


def test_workers_read_and_encode_the_same(
    sqlite_store: Store, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(index, "WORTH_WORKERS", 0)
    monkeypatch.setattr(index, "CHUNK", 2)
    add_games([str(archive)], sqlite_store)
    assert players(sqlite_store) == EVERYONE
    found, _ = sync_positions(sqlite_store)
    assert len(places(found)) == counts_of(found).count == 3 * GAMES


@pytest.mark.parametrize("shards", [1, 2, 3, 16])
def test_shards_have_all_positions_after_the_opening(
    store: Store, archive: Path, more: str, shards: int
) -> None:
    add_games([str(archive)], store)
    set_shards(store, shards)
    _, report = sync_positions(store)
    assert (report.games, report.positions, report.indexed) == (GAMES, 3 * GAMES, 3 * GAMES)
    add_games([more], store)
    found, report = sync_positions(store)
    assert places(found) == {Place(number, ply) for number in range(1, GAMES + 2) for ply in (24, 25, 26)}
    assert (report.games, report.positions, report.rebuilt) == (1, 3, False)
    assert counts_of(found).count == report.indexed == 3 * (GAMES + 1)
    for number in range(1, GAMES + 2):
        assert found.shards[number % shards].contains(number)


def indexes(store: Store) -> Path:
    return index_path(store, DIRECTORY).parent


def folders(store: Store) -> list[str]:
    return sorted(folder.name for folder in indexes(store).iterdir() if folder.is_dir())


def test_the_archive_outgrows_its_shards(
    sqlite_store: Store, archive: Path, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "SHARD_GAMES", GAMES + 1)
    add_positions([str(archive)], sqlite_store)
    assert folders(sqlite_store) == ["positions"]
    progress = RecordingProgress()
    _, report = add_positions([more], sqlite_store, progress=progress)
    assert progress.notices == ["from now on, the index has 2 shards; it is rebuilt"]
    assert folders(sqlite_store) == ["positions-1of2", "positions-2of2"]
    assert report.indexed == 3 * (GAMES + 1)


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_a_number_of_shards_that_was_set_stays(
    sqlite_store: Store, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int
) -> None:
    # By itself, the archive would have two shards before, and four after it has grown.
    monkeypatch.setattr(index, "SHARD_GAMES", GAMES)
    add_positions([str(archive)], sqlite_store, shards=shards)
    others = written(tmp_path / "others.pgn", *map(game, range(GAMES, 2 * GAMES)))
    add_positions([str(others)], sqlite_store)
    assert len(folders(sqlite_store)) == shards


def test_other_folders_beside_the_shards_are_left_alone(sqlite_store: Store, archive: Path) -> None:
    add_positions([str(archive)], sqlite_store)
    for name in ("positions-old", "positions-1of9"):
        folder = indexes(sqlite_store) / name
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
    add_positions([str(archive)], sqlite_store, shards=2)
    assert folders(sqlite_store) == ["positions-1of2", "positions-1of9", "positions-2of2", "positions-old"]


def test_games_are_added_to_shards_while_others_search(sqlite_store: Store, archive: Path) -> None:
    add_positions([str(archive)], sqlite_store, shards=2)
    with source_growing(index_path(sqlite_store, DIRECTORY)):
        put(sqlite_store, *ARCHIVED)
        progress = RecordingProgress()
        found, _ = sync_positions(sqlite_store, allow_stale=True, progress=progress)
    assert counts_of(found).count == 3 * GAMES
    assert len(progress.notices) == 2


KILLED = """
    import os, signal, sys
    from db.store import Store
    from motifsearch.positions import archiving, index

    os.cpu_count = lambda: 1
    archiving.CHUNK, index.CHUNK, index.COMMIT_EVERY = 2, 1, 2
    calls = []

    def dying(function):
        def call(*arguments):
            calls.append(function)
            if len(calls) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments)
        return call

    if sys.argv[3] == "add":
        archiving.archive_games = dying(archiving.archive_games)
        archiving.add_games([sys.argv[2]], Store(sys.argv[1]))
    else:
        index.ArchivedPositions._add = dying(index.ArchivedPositions._add)
        store = Store(sys.argv[1])
        index.set_shards(store, int(sys.argv[4]))
        index.sync_positions(store)
"""


def die(store: Store, archive: Path, while_: str, shards: int = 1) -> None:
    arguments = [store.url.render_as_string(hide_password=False), str(archive), while_, str(shards)]
    script = textwrap.dedent(KILLED)
    died = subprocess.run([sys.executable, "-c", script, *arguments], check=False)
    assert died.returncode == -9


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_reading_is_resumed(store: Store, archive: Path) -> None:
    die(store, archive, "add")
    with store.reading() as session:
        assert count_archived(session) == 4
    report = add_games([str(archive)], store)
    assert (report.games, report.archived) == (GAMES, GAMES)
    assert players(store) == EVERYONE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("shards", [1, 3])
def test_a_killed_indexing_is_resumed(store: Store, archive: Path, shards: int) -> None:
    add_games([str(archive)], store)
    die(store, archive, "index", shards)
    found, report = sync_positions(store)
    assert places(found) == {Place(number, ply) for number in range(1, GAMES + 1) for ply in (24, 25, 26)}
    assert counts_of(found).count == 3 * GAMES
    assert report.games == GAMES - 2


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_games_that_came_after_an_older_copy_was_put_back(
    tmp_path: Path, migrated: Path, number: int
) -> None:
    file = Path(shutil.copy(migrated, tmp_path))
    with Store(str(file)) as store:
        put(store, ARCHIVED[0])
        sync_positions(store)
    older = file.read_bytes()
    with Store(str(file)) as store:
        put(store, *ARCHIVED[1:])
        sync_positions(store)
    file.write_bytes(older)
    with Store(str(file)) as store:
        others = [game_row(f"other {key}", ROOKS, "a1a7 g8f8 a7a8") for key in range(number)]
        put(store, *others)
        found, _ = sync_positions(store)
    assert places(found) == {Place(1, ply) for ply in range(3)} | {
        Place(2 + key, ply) for key in range(number) for ply in range(4)
    }
