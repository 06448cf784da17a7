"""The store on a real PostgreSQL server, started here where one is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from db.models import Base
from db.puzzles import PuzzleFilter, add_puzzles, find_puzzles, game_number
from db.store import Store
from motifsearch.query import resolve
from motifsearch.search import similar
from puzzlegen.imports import import_puzzles
from puzzlegen.lichess_csv import COLUMNS
from puzzlegen.mine import mine
from puzzlegen.rules import MiningRules, Rung
from puzzlegen.stats import count_store

SAMPLES = Path(__file__).parent.parent.parent / "samples" / "games.pgn.zst"


def server_program(name: str) -> str:
    places = [str(folder) for folder in Path("/usr/lib/postgresql").glob("*/bin")]
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *places]))
    if found is None:
        pytest.skip("PostgreSQL's server is not installed")
    return str(Path(found).resolve())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of an empty database on a server of its own, reached by a socket in its folder."""
    initdb, control = server_program("initdb"), server_program("pg_ctl")
    # The server refuses to run as root, and its user must be able to reach the folder.
    account = None
    if os.getuid() == 0:
        names = {entry.pw_name for entry in pwd.getpwall()}
        account = "postgres" if "postgres" in names else "nobody"
    folder = Path("/tmp" if account else tmp_path_factory.mktemp("server")) / f"pg-{os.getpid()}"
    folder.mkdir(mode=0o700)
    if account:
        shutil.chown(folder, account)
    data = folder / "data"
    try:
        options = {"user": account, "check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
        subprocess.run([initdb, "-D", data, "-A", "trust", "-U", "me", "--no-sync"], **options)
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        subprocess.run([control, "-D", data, "-w", "-o", settings, "-l", folder / "log", "start"], **options)
        try:
            yield f"postgresql+psycopg://me@/postgres?host={folder}"
        finally:
            subprocess.run([control, "-D", data, "-m", "immediate", "stop"], **options)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def store(server: str) -> Iterator[Store]:
    with Store(server) as opened:
        yield opened
        with opened.engine.begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


def test_migrations_make_the_tables_of_the_models(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_store_can_be_opened_again(store: Store, server: str) -> None:
    with Store(server) as again:
        assert again.identity() == store.identity()


def test_filters_and_counts(store: Store) -> None:
    row = {
        "fen": "f",
        "puzzle_fen": "p",
        "solution": "e2e4 e7e5 d2d4",
        "source": "mined",
        "themes": "a fork b",
    }
    with store.session() as session:
        game = game_number(session, {"key": "k", "white": "Ann"})
        rows = [row | {"id": name, "game_number": game} for name in ("one", "two", "one")]
        assert add_puzzles(session, rows) == 2
    with store.reading() as session:
        wanted = PuzzleFilter(tags=("fork",), player="ann")
        assert [puzzle.id for puzzle in find_puzzles(session, wanted)] == ["one", "two"]
    assert count_store(store).lengths == {2: 2}


def test_import(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text(
        f"{','.join(COLUMNS)}\nM,1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1,b8b7 e2e8,900,,,,mate,,\n"
    )
    assert import_puzzles(str(file), store).stored == 1


def test_similar_puzzles_are_found(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#;\n7k/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#;\n")
    import_puzzles(str(file), store)
    query = resolve(store, "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "b1b8")
    (hit,) = similar(store, query, directory=tmp_path / "index")
    assert hit.puzzle.solution == "c1c8"


def test_mining_stores_the_same_as_in_sqlite(store: Store, tmp_path: Path, stockfish: str) -> None:
    rules = MiningRules(
        scan_nodes=300,
        decide_nodes=500,
        ladder=(Rung(500, 0.2, 0.3), Rung(3_000, 0.0, 0.0)),
        reply_nodes=1_000,
        confirm_nodes=5_000,
    )
    found = []
    with Store(f"{tmp_path}/local.db") as local:
        for where in (store, local):
            mine([str(SAMPLES)], where, stockfish, rules=rules, workers=2, limit=8)
            with where.reading() as session:
                found.append([(puzzle.id, puzzle.solution) for puzzle in find_puzzles(session)])
    assert found[0] == found[1]
