"""What tests share. Tests that need more than Python say so by the fixture they ask for."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from backports import zstd
from hypothesis import settings

from benchmarks.command import run as run_benchmark
from chess_motif import progress as terminal
from chess_motif.errors import EngineMissingError
from db.store import Store
from engines.finding import find_engine
from tests.helpers.commands import Command, CommandOn, Outcome
from tests.helpers.dask_cluster import DaskCluster, cluster_in
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.paths import SAMPLE_GAMES
from tests.helpers.postgresql_server import PostgreSQLServer, program, running
from tests.helpers.windows import files_as_on_windows

# They need `resource`.
collect_ignore = ["benchmarks", "fuzz"] if sys.platform == "win32" else []

# How long a test takes says more about the machine than about the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

FAKE_ENGINE = Path(__file__).parent / "helpers" / "fake_engine.py"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the newest schema, to be copied: migrating takes ten times longer."""
    file = tmp_path_factory.mktemp("migrated") / "puzzles.db"
    Store(str(file)).close()
    return file


@pytest.fixture
def sqlite_store(tmp_path: Path, migrated: Path) -> Iterator[Store]:
    file = shutil.copy(migrated, tmp_path)
    with Store(str(file)) as opened:
        yield opened


@pytest.fixture
def windows_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are open can be neither removed nor replaced nor renamed, as on Windows."""
    files_as_on_windows(monkeypatch)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQLServer]:
    initdb, control = program("initdb"), program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("PostgreSQL's server is not installed")
    with running(initdb, control) as server:
        yield server


@pytest.fixture
def postgresql_store(
    postgresql_server: PostgreSQLServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    # The search index of a store without a file is in the user's cache.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with postgresql_server.database() as url, Store(url) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store, of each kind in turn."""
    empty: Store = request.getfixturevalue(f"{request.param}_store")
    return empty


@pytest.fixture
def command_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandOn:
    """Return a function that returns one which runs a command, given by its first words, on a store.

    Benchmarks are commands, too, such as `benchmarks.themes`.
    """

    def on(store: Store, name: str, *words: str) -> Command:
        if name.startswith("benchmarks."):
            main = partial(run_benchmark, import_module(name).main)
        else:
            main = import_module(f"{name}.cli.main").main
        monkeypatch.setenv("CHESS_MOTIF_DB", store.url.render_as_string(hide_password=False))
        monkeypatch.setenv("COLUMNS", "80")
        # On a slow machine, progress would stand between the lines that tests look at.
        monkeypatch.setattr(terminal, "FIRST_LINE", math.inf)

        def run(*arguments: str) -> Outcome:
            monkeypatch.setattr(sys, "argv", [name, *words, *arguments])
            with pytest.raises(SystemExit) as left:
                main()
            return Outcome(int(left.value.code or 0), *capsys.readouterr())

        return run

    return on


@pytest.fixture(scope="session")
def stockfish() -> str:
    try:
        return find_engine()
    except EngineMissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real games and puzzles, which is not part of the project."""
    folder = os.environ.get("CHESS_MOTIF_DATA")
    if not folder:
        pytest.skip("CHESS_MOTIF_DATA does not name a folder with real games and puzzles")
    return Path(folder)


@pytest.fixture
def dask(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[DaskCluster]:
    """A scheduler; the test adds the workers. Its parameter is how many workers a task may cost."""
    with cluster_in(tmp_path, getattr(request, "param", 3)) as cluster:
        yield cluster


@pytest.fixture
def fake_engine(tmp_path: Path) -> FakeEngine:
    """Return a function that makes an engine with the faults given to it (see fake_engine.py)."""

    def make(*faults: str) -> str:
        windows = sys.platform == "win32"
        script = tmp_path / ("engine.bat" if windows else "engine")
        command = f'"{sys.executable}" "{FAKE_ENGINE}" "{tmp_path / "searches"}" {" ".join(faults)}'
        script.write_text(f"@{command}\n" if windows else f"#!/bin/sh\nexec {command}\n", encoding="utf-8")
        script.chmod(0o755)
        return str(script)

    return make


@pytest.fixture(scope="session")
def games() -> list[bytes]:
    """The first evaluated sample games, one text each."""
    text = zstd.decompress(SAMPLE_GAMES.read_bytes())
    texts = [b'[Event "' + game for game in text.split(b'[Event "')[1:]]
    return [game for game in texts if b"[%eval" in game][:12]


@pytest.fixture
def archive(tmp_path: Path, games: list[bytes]) -> Path:
    file = tmp_path / "games.pgn"
    file.write_bytes(b"".join(games))
    return file
