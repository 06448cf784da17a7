"""Building a memory: adding games, interruptions, other models and databases, encoders, damage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from chess_motif.errors import HumanModelError, IndexDamagedError, IndexUnavailableError, InputError
from db.games import GameRecord
from db.store import Store
from engines.human.model import SHIPPED_MODEL, model_file
from motifsearch.positions.archiving import add_games
from motifsearch.retrieval import build
from motifsearch.retrieval.build import build_memory, remember_games
from motifsearch.retrieval.chesscone import chesscone_engine
from motifsearch.retrieval.embedding import load_model
from motifsearch.retrieval.folder import ENCODER, FACTS, MemoryFolder, default_folder
from motifsearch.retrieval.memory import Memory
from tests.helpers.archived_games import GAMES, ROOKS, archive
from tests.helpers.encoder_files import encoder, write_encoder
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.rows import game_row
from tests.helpers.sample_games import ENDGAME_START, PGN, pgn

ANOTHER = pgn("1. d4 Nf6 2. c4 g6 3. Nc3 Bg7", "1-0", White="Carl", Black="Dora")


@pytest.fixture(autouse=True)
def one_game_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of one game each, embedded in this process."""
    monkeypatch.setattr(build, "CHUNK", 1)
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)


Archived = Callable[..., Store]


@pytest.fixture
def archived(sqlite_store: Store, tmp_path: Path) -> Archived:
    """A function that archives games and returns the store."""

    def archive(text: str = PGN) -> Store:
        (tmp_path / "games.pgn").write_text(text)
        add_games([str(tmp_path / "games.pgn")], sqlite_store)
        return sqlite_store

    return archive


def content(store: Store, folder: Path | None = None) -> tuple[list[int], list[int]]:
    """Return what a memory finds: the occurrences near a position, and whether it knows others."""
    memory = Memory(store, folder)
    rows = memory.near(chess.Board(), 50).rows
    known = [memory.contains(chess.Board(fen)) for fen in (chess.STARTING_FEN, ENDGAME_START)]
    return sorted(rows[["game", "ply"]].tolist()), [*map(int, known)]


def test_a_memory_has_all_games(archived: Archived, file: Path) -> None:
    report = build_memory(archived(), model=file)
    assert (report.games, report.added) == (3, 3)


def test_the_last_positions_of_games_are_left_out(archived: Archived, file: Path) -> None:
    assert build_memory(archived(), model=file).occurrences == 30 + 30 + 6


def test_positions_that_occurred_twice_count_once(archived: Archived, file: Path) -> None:
    # The start of two games, and 1. e4.
    assert build_memory(archived(), model=file).positions == 30 + 30 + 6 - 2


def test_games_are_added(archived: Archived, file: Path) -> None:
    build_memory(archived(), model=file)
    report = build_memory(archived(PGN + ANOTHER), model=file)
    assert (report.games, report.added) == (4, 1)


def test_added_games_are_found(archived: Archived, file: Path) -> None:
    build_memory(archived(), model=file)
    store = archived(PGN + ANOTHER)
    build_memory(store, model=file)
    board = chess.Board()
    board.push_san("d4")
    assert Memory(store).contains(board)


def test_only_the_latest_files_are_kept(archived: Archived, file: Path) -> None:
    store = archived()
    build_memory(store, model=file)
    build_memory(archived(PGN + ANOTHER), model=file)
    folder = default_folder(store)
    assert len([*folder.glob("vectors-*"), *folder.glob("table-*")]) == 2


def test_archives_can_be_given(sqlite_store: Store, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(PGN)
    added, report = remember_games([str(tmp_path / "games.pgn")], sqlite_store)
    assert (added.archived, report.games) == (3, 3)


def test_a_game_without_moves_is_no_obstacle(archived: Archived, file: Path) -> None:
    report = build_memory(archived(pgn("", "1-0", White="Nobody") + PGN), model=file)
    assert report.games == 3


class Killed(BaseException):
    pass


@pytest.mark.parametrize("where", ["_embed", "make_table", "index_vectors"])
def test_an_interrupted_build_is_resumed(
    where: str, archived: Archived, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = archived()
    build_memory(store, model=file)
    expected = content(store)
    shutil.rmtree(default_folder(store))
    calls = 0
    work = getattr(build, where)

    def killed(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == (2 if where == "_embed" else 1):
            raise Killed
        return work(*arguments)

    monkeypatch.setattr(build, where, killed)
    with pytest.raises(Killed):
        build_memory(store, model=file)
    build_memory(store, model=file)
    assert content(store) == expected


def test_a_resumed_build_embeds_only_the_rest(
    archived: Archived, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, embedded = archived(), []
    work = build._embed

    def killed_at_the_third(path: Path, games: list[GameRecord]) -> object:
        embedded.append(games[0].number)
        if len(embedded) == 3:
            raise Killed
        return work(path, games)

    monkeypatch.setattr(build, "_embed", killed_at_the_third)
    with pytest.raises(Killed):
        build_memory(store, model=file)
    build_memory(store, model=file)
    assert embedded == [1, 2, 3, 3]


def test_another_model_rebuilds(archived: Archived, tmp_path: Path) -> None:
    store, progress = archived(), RecordingProgress()
    build_memory(store)
    other = tmp_path / "other.onnx"
    # Bytes after the message of a model are a field that nobody knows.
    other.write_bytes(model_file().read_bytes() + b"\xaa\x06\x00")
    report = build_memory(store, model=other, progress=progress)
    assert report.added == 3
    assert "rebuilding" in progress.notices[0]


def test_the_model_of_a_memory_is_kept(archived: Archived, tmp_path: Path) -> None:
    store = archived()
    other = tmp_path / "other.onnx"
    other.write_bytes(model_file().read_bytes() + b"\xaa\x06\x00")
    build_memory(store, model=other)
    other.unlink()
    assert build_memory(store).added == 0


def test_without_games_there_is_nothing_to_build(sqlite_store: Store) -> None:
    with pytest.raises(InputError, match="retrieval build GAMES"):
        build_memory(sqlite_store)


@pytest.mark.parametrize(
    "name", ["parts/0000000002.npz", "parts/0000000003.npz", "table-3.npz", "vectors-3.faiss"]
)
@pytest.mark.parametrize("bytes_left", [None, b"", b"PK\x03\x04 cut off"])
def test_a_build_makes_what_is_damaged_again(
    bytes_left: bytes | None, name: str, sqlite_store: Store, folder: Path
) -> None:
    sound = content(sqlite_store, folder)
    damaged = folder / name
    damaged.unlink() if bytes_left is None else damaged.write_bytes(bytes_left)
    build_memory(sqlite_store, folder)
    assert content(sqlite_store, folder) == sound


@pytest.mark.parametrize("name", ["embedding.npz", "model.onnx", FACTS])
@pytest.mark.parametrize("bytes_left", [None, b"PK\x03\x04 cut off"])
def test_a_build_makes_all_again_if_the_model_or_the_facts_are_damaged(
    bytes_left: bytes | None, name: str, built: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(built, tmp_path / "copy"))
    damaged = copy / "memory" / name
    damaged.unlink() if bytes_left is None else damaged.write_bytes(bytes_left)
    with Store(str(copy / "games.db")) as store, Store(str(built / "games.db")) as sound:
        build_memory(store, copy / "memory")
        assert content(store, copy / "memory") == content(sound, built / "memory")


@pytest.fixture
def put_back(migrated: Path, file: Path, tmp_path: Path) -> str:
    """A database of two games that is older than its memory, which has three."""
    database = Path(shutil.copy(migrated, tmp_path))
    with Store(str(database)) as store:
        archive(store, *GAMES[:2])
        build_memory(store, model=file)
    older = database.read_bytes()
    with Store(str(database)) as store:
        archive(store, GAMES[2])
        build_memory(store)
    database.write_bytes(older)
    return str(database)


def test_games_that_an_older_copy_of_the_database_lacks_are_forgotten(put_back: str) -> None:
    with Store(put_back) as store:
        assert build_memory(store).games == 2


def test_other_games_than_before_an_older_copy_was_put_back(put_back: str, file: Path) -> None:
    with Store(put_back) as store:
        archive(store, game_row("other", ROOKS, "a1a2 g8f8 a2a7"))
        build_memory(store)
        found = content(store)
        shutil.rmtree(default_folder(store))
        build_memory(store, model=file)
        assert found == content(store)


def test_a_part_that_is_missing_is_made_again_also_with_new_games(archived: Archived, file: Path) -> None:
    store = archived()
    build_memory(store, model=file)
    (default_folder(store) / "parts/0000000002.npz").unlink()
    archive(store, game_row("other", ROOKS, "a1a2 g8f8 a2a7"))
    assert build_memory(store, model=file).games == 4


def test_a_memory_that_says_it_has_another_model_is_made_again_with_its_own(
    sqlite_store: Store, folder: Path
) -> None:
    facts = MemoryFolder(folder).facts()
    assert facts is not None
    MemoryFolder(folder).record(replace(facts, digest="another"))
    build_memory(sqlite_store, folder)
    assert Memory(sqlite_store, folder).facts == facts


def test_a_folder_that_cannot_be_made_is_an_error(archived: Archived, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnavailableError, match="cannot be written"):
        build_memory(archived(), tmp_path / "file" / "memory")


def test_other_files_in_the_folder_stay(archived: Archived, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "games.db").write_text("mine")
    build_memory(archived(), folder, model=file)
    assert (folder / "games.db").read_text() == "mine"


def test_an_archive_of_one_position_is_enough(archived: Archived, file: Path) -> None:
    assert build_memory(archived(pgn("1. e4", "1-0", White="Nobody")), model=file).positions == 1


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "network.onnx")


@pytest.fixture
def folder(sqlite_store: Store, file: Path, tmp_path: Path) -> Path:
    """The folder of a memory."""
    archive(sqlite_store, *GAMES)
    build_memory(sqlite_store, tmp_path / "memory", model=file)
    return tmp_path / "memory"


def test_reversed_colours_are_at_distance_0(sqlite_store: Store, folder: Path) -> None:
    found = Memory(sqlite_store, folder).near(chess.Board(ROOKS).mirror(), 1)
    assert [move.uci() for move in found.moves()] == ["a8a2"]
    assert found.distances.tolist() == [0]


def test_the_encoder_may_be_removed(sqlite_store: Store, folder: Path, file: Path) -> None:
    file.unlink()
    assert len(Memory(sqlite_store, folder).near(chess.Board(ROOKS), 1)) == 1


def test_a_process_that_built_with_another_model_uses_the_new_one(
    sqlite_store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(sqlite_store, *GAMES)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    build_memory(sqlite_store, model=file)
    build_memory(sqlite_store, model=SHIPPED_MODEL)
    assert len(Memory(sqlite_store).near(chess.Board(ROOKS), 1)) == 1


def test_an_engine_uses_the_human_move_model_of_the_package(sqlite_store: Store, file: Path) -> None:
    archive(sqlite_store, *GAMES)
    build_memory(sqlite_store, model=file)
    engine = chesscone_engine(sqlite_store.url.render_as_string(hide_password=False))
    engine.prepare()
    board = chess.Board(ROOKS)
    (choice,) = engine.choose(board, [*board.legal_moves], 1).choices
    assert choice.move in board.legal_moves


def test_the_encoder_of_a_memory_is_damaged(sqlite_store: Store, folder: Path) -> None:
    (folder / ENCODER).write_bytes(encoder()[:-20])
    with pytest.raises(IndexDamagedError, match=r"encoder\.onnx: not an encoder of positions"):
        Memory(sqlite_store, folder)


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(b"[Event]")
    with pytest.raises(HumanModelError, match=r"network\.onnx: not a human-move model"):
        load_model(file)
