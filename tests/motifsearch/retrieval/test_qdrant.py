"""A memory whose vectors are on a Qdrant server.

The server is the local mode of Qdrant's client, which does what a server does in this process; only what
becomes of requests that fail is tested over HTTP.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import chess
import numpy as np
import numpy.typing as npt
import pytest
from qdrant_client import QdrantClient

from chess_motif.errors import IndexUnavailableError, LibraryMissingError
from chess_motif.progress import Progress
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.retrieval import qdrant
from motifsearch.retrieval.build import MemoryReport, build_memory
from motifsearch.retrieval.chesscone import chesscone_engine
from motifsearch.retrieval.engine import MemoryEngine
from motifsearch.retrieval.folder import default_folder
from motifsearch.retrieval.memory import Memory
from motifsearch.retrieval.qdrant import QdrantVectors, open_qdrant
from motifsearch.retrieval.vectors import index_vectors
from tests.helpers.encoder_files import encoder, write_encoder
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.sample_games import IN_RUY_LOPEZ, PGN, pgn

# It always compares all vectors, and says so whenever a search asks for that.
pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")

ADDRESS, OTHER = "http://qdrant:6333", "http://other:6333"
ANOTHER = pgn("1. d4 Nf6 2. c4 g6 3. Nc3 Bg7", "1-0", White="Carl", Black="Dora")

POINTS = np.random.default_rng(3).standard_normal((300, 16)).astype(np.float16).astype(np.float32)
QUERY = POINTS[123] + 0.01
THIRDS = np.arange(len(POINTS)) % 3 == 0
FARTHEST = np.isin(np.arange(len(POINTS)), np.argsort(np.square(POINTS - QUERY).sum(axis=1))[-30:])


class ClientKilled(BaseException):
    pass


class FakeServer(QdrantClient):
    """A server that notes which points it got, and ends the client instead of getting some point."""

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.got: list[int] = []
        self.fatal = -1

    def upsert(self, collection_name: str, points: Any, *rest: Any, **options: Any) -> Any:
        if self.fatal in points.ids:
            raise ClientKilled
        self.got += points.ids
        return super().upsert(collection_name, points, *rest, **options)

    def names(self) -> list[str]:
        return [one.name for one in self.get_collections().collections]


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeServer]:
    """The servers by their address."""
    servers = {ADDRESS: FakeServer(), OTHER: FakeServer()}
    monkeypatch.setattr(qdrant, "connect", servers.__getitem__)
    monkeypatch.setattr(qdrant, "BATCH", 10)
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)
    return servers


@pytest.fixture
def server(servers: dict[str, FakeServer]) -> FakeServer:
    return servers[ADDRESS]


def uploaded(count: int = len(POINTS)) -> QdrantVectors:
    """Return the first vectors of a collection of `POINTS`."""
    QdrantVectors(ADDRESS, "points").upload(np.array_split(POINTS, 7), len(POINTS), Progress())
    return open_qdrant(ADDRESS, "points", count)


def test_it_finds_what_faiss_finds() -> None:
    expected, _ = index_vectors(lambda: [POINTS], len(POINTS)).nearest(QUERY, 50)
    assert uploaded().nearest(QUERY, 50)[0].tolist() == expected.tolist()


def test_distances_are_those_of_faiss() -> None:
    _, expected = index_vectors(lambda: [POINTS], len(POINTS)).nearest(QUERY, 50)
    assert uploaded().nearest(QUERY, 50)[1] == pytest.approx(expected, rel=1e-4)


def test_all_vectors_can_be_asked_for() -> None:
    assert sorted(uploaded().nearest(QUERY, 10**6)[0]) == [*range(len(POINTS))]


@pytest.mark.parametrize("allowed", [THIRDS, FARTHEST, ~FARTHEST])
@pytest.mark.parametrize("most", [1, 20, 10_000])
def test_all_that_is_allowed_is_found(
    most: int, allowed: npt.NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qdrant, "MOST", most)
    expected, _ = index_vectors(lambda: [POINTS], len(POINTS)).nearest(QUERY, 25, allowed)
    assert uploaded().nearest(QUERY, 25, allowed)[0].tolist() == expected.tolist()


def test_nothing_may_be_allowed() -> None:
    assert len(uploaded().nearest(QUERY, 5, THIRDS & False)[0]) == 0


def test_vectors_that_are_being_added_are_not_found() -> None:
    expected, _ = index_vectors(lambda: [POINTS[:100]], 100).nearest(QUERY, 30)
    assert uploaded(100).nearest(QUERY, 30)[0].tolist() == expected.tolist()


def test_an_interrupted_upload_is_resumed(server: FakeServer) -> None:
    server.fatal = 150
    with pytest.raises(ClientKilled):
        uploaded()
    server.fatal, before = -1, {*server.got}
    server.got.clear()
    uploaded()
    # The last request may not have been carried out.
    assert (len(before & {*server.got}), max(server.got)) == (10, len(POINTS) - 1)


def test_incomplete_vectors_are_not_opened(server: FakeServer) -> None:
    server.fatal = 150
    with pytest.raises(ClientKilled):
        uploaded()
    with pytest.raises(IndexUnavailableError, match=r"qdrant:6333: \d+ of 300 positions"):
        open_qdrant(ADDRESS, "points", len(POINTS))


Build = Callable[..., MemoryReport]


@pytest.fixture
def build(sqlite_store: Store, tmp_path: Path) -> Build:
    """A function that archives games and builds their memory, with an encoder, which takes no time."""
    model = write_encoder(tmp_path / "encoder.onnx")

    def build(address: str | None = None, games: str = PGN, **options: Any) -> MemoryReport:
        (tmp_path / "games.pgn").write_text(games)
        add_games([str(tmp_path / "games.pgn")], sqlite_store)
        return build_memory(sqlite_store, qdrant=address, **{"model": model, **options})

    return build


def content(memory: Memory) -> list[tuple[float, int, int]]:
    """Return where all positions occurred, with their distances from one of them."""
    found = memory.near(chess.Board(IN_RUY_LOPEZ), 1000)
    rows = found.rows[["game", "ply"]].tolist()
    return sorted((round(float(one), 2), *row) for one, row in zip(found.distances, rows, strict=True))


def test_a_memory_on_a_server_finds_the_same(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "copy")
    folder = tmp_path / "copy" / "memory"
    with Store(str(tmp_path / "copy" / "games.db")) as store:
        expected = content(Memory(store, folder))
        build_memory(store, folder, qdrant=ADDRESS)
        assert content(Memory(store, folder)) == expected


def test_a_memory_on_a_server_has_no_file_of_vectors(build: Build, sqlite_store: Store) -> None:
    build()
    build(ADDRESS)
    assert not [*default_folder(sqlite_store).glob("vectors-*")]


def test_moving_a_memory_adds_no_games(build: Build) -> None:
    build()
    assert build(ADDRESS).added == 0


def test_added_games_are_on_the_server(build: Build, server: FakeServer) -> None:
    build(ADDRESS)
    positions = build(games=PGN + ANOTHER).positions
    (name,) = server.names()
    assert server.count(name).count == positions


def test_only_new_positions_are_uploaded(build: Build, server: FakeServer) -> None:
    known = build(ADDRESS).positions
    server.got.clear()
    count = build(games=PGN + ANOTHER).positions
    # The last request may have been carried out in part.
    assert server.got == [*range(known - qdrant.BATCH, count)]


def test_a_killed_build_is_resumed(build: Build, server: FakeServer) -> None:
    server.fatal = 42
    with pytest.raises(ClientKilled):
        build(ADDRESS)
    server.fatal = -1
    build()
    assert sorted({*server.got}) == [*range(64)]


def test_a_killed_build_has_no_memory_yet(build: Build, sqlite_store: Store, server: FakeServer) -> None:
    build()
    server.fatal = 42
    with pytest.raises(ClientKilled):
        build(ADDRESS)
    with pytest.raises(IndexUnavailableError, match="retrieval build"):
        Memory(sqlite_store)


def test_a_lost_collection_is_named(build: Build, sqlite_store: Store, server: FakeServer) -> None:
    build(ADDRESS)
    (name,) = server.names()
    server.delete_collection(name)
    with pytest.raises(IndexUnavailableError, match=f"{ADDRESS}: 0 of 64 positions in the collection {name}"):
        Memory(sqlite_store)


def test_a_lost_collection_is_uploaded_again(build: Build, sqlite_store: Store, server: FakeServer) -> None:
    build(ADDRESS)
    expected = content(Memory(sqlite_store))
    (name,) = server.names()
    server.delete_collection(name)
    build()
    assert content(Memory(sqlite_store)) == expected


def test_a_memory_that_was_deleted_leaves_nothing_behind(
    build: Build, sqlite_store: Store, server: FakeServer
) -> None:
    build(ADDRESS)
    shutil.rmtree(default_folder(sqlite_store))
    server.got.clear()
    build(ADDRESS)
    assert server.got == [*range(64)]


def test_another_model_gets_another_collection(build: Build, server: FakeServer, tmp_path: Path) -> None:
    build(ADDRESS)
    before = server.names()
    other = tmp_path / "other.onnx"
    # Bytes after the message of a model are a field that nobody knows.
    other.write_bytes(encoder() + b"\xaa\x06\x00")
    build(model=other)
    (after,) = server.names()
    assert after not in before


@pytest.mark.parametrize("address", [OTHER, ""])
def test_a_memory_that_moves_leaves_nothing_behind(address: str, build: Build, server: FakeServer) -> None:
    build(ADDRESS)
    build(address)
    assert server.names() == []


@pytest.mark.parametrize("address", [OTHER, ""])
def test_a_memory_that_moved_finds_the_same(address: str, build: Build, sqlite_store: Store) -> None:
    build(ADDRESS)
    expected = content(Memory(sqlite_store))
    build(address)
    assert content(Memory(sqlite_store)) == expected


def gone(address: str) -> QdrantClient:
    """Return the client of a server that nobody can reach, whatever its address."""
    return QdrantClient("http://127.0.0.1:1", check_compatibility=False)


def test_a_server_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant, "connect", gone)
    with pytest.raises(
        IndexUnavailableError, match=f"^{ADDRESS}: the Qdrant server cannot be used: .*refused$"
    ):
        open_qdrant(ADDRESS, "points", 1)


def test_a_memory_stays_if_the_new_server_cannot_be_reached(
    build: Build, sqlite_store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(ADDRESS)
    expected = content(Memory(sqlite_store))
    monkeypatch.setattr(qdrant, "connect", {ADDRESS: server, OTHER: gone(OTHER)}.__getitem__)
    with pytest.raises(IndexUnavailableError):
        build(OTHER)
    assert content(Memory(sqlite_store)) == expected


def test_a_memory_can_leave_a_server_that_is_gone(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = RecordingProgress()
    build(ADDRESS)
    monkeypatch.setattr(qdrant, "connect", gone)
    build("", progress=progress)
    assert "stays on its server" in progress.notices[0]


@pytest.fixture
def engine(build: Build, sqlite_store: Store) -> MemoryEngine:
    build(ADDRESS)
    return chesscone_engine(str(sqlite_store.url.database))


def said(engine: MemoryEngine) -> str:
    """Let an engine choose a move and return the first thing it says."""
    return engine.choose(chess.Board(), [*chess.Board().legal_moves], 1).notes[0]


def test_engines_play_without_a_server(engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant, "connect", gone)
    engine.prepare()
    assert said(engine).startswith(f"playing from the human-move model alone: {ADDRESS}")


def test_engines_play_on_if_the_server_goes(engine: MemoryEngine, server: FakeServer) -> None:
    engine.prepare()
    (name,) = server.names()
    server.delete_collection(name)
    assert said(engine).startswith(f"playing from the human-move model alone: {ADDRESS}")


class Refusing(BaseHTTPRequestHandler):
    """Refuses every request, unless it has a key."""

    def do_GET(self) -> None:
        self.send_response(404 if self.headers["api-key"] else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an HTTP server that is none of Qdrant's, with the real client."""
    monkeypatch.undo()
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_what_a_server_answers_is_named(refusing: str) -> None:
    with pytest.raises(IndexUnavailableError, match=r"401 \(Unauthorized\)$"):
        open_qdrant(refusing, "points", 1)


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection:UserWarning")
def test_a_server_gets_its_key(refusing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_API_KEY", "a key")
    monkeypatch.setenv("QDRANT_URL", refusing)
    with pytest.raises(IndexUnavailableError, match=r"404 \(Not Found\)$"):
        open_qdrant(refusing, "points", 1)


def test_another_server_does_not_get_the_key(refusing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_API_KEY", "a key")
    monkeypatch.setenv("QDRANT_URL", "https://own.example:6333")
    with pytest.raises(IndexUnavailableError, match=r"401 \(Unauthorized\); QDRANT_API_KEY is only sent to"):
        open_qdrant(refusing, "points", 1)


@pytest.mark.parametrize("address", ["ftp://qdrant", "http://[qdrant"])
def test_what_is_no_address_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(IndexUnavailableError) as raised:
        open_qdrant(address, "points", 1)
    assert str(raised.value).startswith(f"{address}: ")


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    monkeypatch.delitem(sys.modules, "motifsearch.retrieval.qdrant")
    with pytest.raises(LibraryMissingError, match=r"chess-motif\[.*qdrant\]"):
        import_module("motifsearch.retrieval.qdrant")
