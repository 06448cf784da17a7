"""Databases of other versions: earlier ones are brought to the newest schema, later ones are named."""

from __future__ import annotations

import hashlib
import multiprocessing
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, Table, select, text
from sqlalchemy.orm import Session

from chess_motif import __version__
from chess_motif.errors import StoreError
from db.analyses import Opportunity, OpportunityKind, opportunities_of
from db.connections import WRITING
from db.links import Link
from db.models import Base, Checkpoint, Evaluation, MiningRun, Puzzle
from db.puzzles import add_puzzles, get_puzzle
from db.runs import stored_runs
from db.schema import HEAD, MIGRATIONS, current, upgrade
from db.sets import all_sets, extend_set, set_entries
from db.store import Store
from tests.helpers.missed_opportunities import BACK_RANK, FORK, opportunity_row, store_game

VERSIONS = MIGRATIONS / "versions"
REVISIONS = sorted(file.name[:4] for file in VERSIONS.glob("[0-9]*.py"))

# The digest of each migration, as `sha256sum` writes it in their folder.
LANDED = Path(__file__).with_name("landed_migrations.sha256")

POSITION = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"


def migrate(store: Store, change: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with store.engine.execution_options(**WRITING).connect() as connection:
        config.attributes["connection"] = connection
        change(config, revision)
        connection.commit()


@pytest.fixture
def old(store: Store) -> Store:
    """A store as version 0004 left it, with two puzzles, of which the last was deleted."""
    migrate(store, command.downgrade, "base")
    migrate(store, command.upgrade, "0004")
    with store.engine.execution_options(**WRITING).connect() as connection:
        run = "INSERT INTO runs (number, started, engine, rules) VALUES (1, '2024-01-02', 'Fish', '{}')"
        connection.execute(text(run))
        for name in ("kept", "deleted"):
            connection.execute(
                text(
                    "INSERT INTO puzzles (id, fen, blunder, puzzle_fen, solution, ends, stable, found, holds,"
                    " engine, tags, source, source_id, themes, opening_tags, game_url, run_number, created)"
                    " VALUES (:name, :fen, '', :fen, 'a1a8', 'mate', true, true, false,"
                    " '', '', 'mined', '', '', '', '', 1, '2024-01-02')"
                ),
                {"name": name, "fen": POSITION},
            )
        connection.execute(text("DELETE FROM puzzles WHERE id = 'deleted'"))
        evaluation = text("INSERT INTO evaluations (key, found) VALUES (:key, '1 e2e4')")
        connection.execute(evaluation, {"key": b"a" * 16})
        connection.commit()
    return store


def insert(connection: Connection, name: str, /, **values: Any) -> None:
    """Insert a row into a table as it is; columns that need a value and are not given one get a plain one."""
    table = Table(name, MetaData(), autoload_with=connection)
    plain = {bool: False, int: 0, float: 0.0, str: "", dict: {}, datetime: datetime(2024, 1, 2, tzinfo=UTC)}
    needed = (one for one in table.columns if not (one.nullable or one.server_default or one.primary_key))
    usual = {one.name: plain[one.type.python_type] for one in needed}
    connection.execute(table.insert().values(usual | values))


def at_revision(store: Store, revision: str, fill: Callable[[Connection], None]) -> None:
    """Make a store one of an earlier revision, with what is filled in."""
    migrate(store, command.downgrade, "base")
    migrate(store, command.upgrade, revision)
    with store.engine.execution_options(**WRITING).connect() as connection:
        fill(connection)
        connection.commit()


def insert_puzzle(connection: Connection) -> None:
    values = {"fen": POSITION, "puzzle_fen": POSITION, "solution": "a1a8", "source": "mined"}
    insert(connection, "puzzles", id="kept", **values)


def test_a_migration_that_has_landed_is_not_edited() -> None:
    digests = dict(line.split()[::-1] for line in LANDED.read_text().splitlines())
    files = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in VERSIONS.glob("[0-9]*.py")}
    advice = f"add what is missing in a new migration, and its digest, as sha256sum writes it, to {LANDED}"
    assert files == digests, advice


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_database_of_every_migration_is_opened(store: Store, revision: str) -> None:
    at_revision(store, revision, insert_puzzle)
    with Store(store.address) as opened, opened.reading() as session:
        assert get_puzzle(session, "kept").solution == "a1a8"
        context = MigrationContext.configure(session.connection())
        assert Link.metadata is Base.metadata
        assert compare_metadata(context, Base.metadata) == []


@pytest.mark.parametrize("revision", ["0002", "0003", "0004"])
def test_a_database_of_the_first_form_of_0002_is_mended(store: Store, revision: str) -> None:
    def fill(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE puzzles DROP COLUMN holds"))
        insert_puzzle(connection)

    at_revision(store, revision, fill)
    with Store(store.address) as opened, opened.reading() as session:
        assert get_puzzle(session, "kept").audit_passed is None


def test_a_database_of_the_first_form_of_0008_is_mended(store: Store) -> None:
    def fill(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE chances DROP COLUMN kind"))
        insert_puzzle(connection)
        connection.execute(text("UPDATE puzzles SET kind = 'exercise'"))
        insert(connection, "games", number=1, key="game", white="Ann")
        for number, (name, reason) in enumerate([("kept", ""), ("", "no gain")], 1):
            facts = {"puzzle_id": name, "reason": reason, "white": True, "fen": POSITION}
            insert(connection, "chances", number=number, game_number=1, ply=number, **facts)

    at_revision(store, "0008", fill)
    with Store(store.address) as opened, opened.reading() as session:
        stored = session.scalars(select(Opportunity).order_by(Opportunity.ply))
        found = [(one.puzzle_id, one.kind, one.reason) for one in stored]
        assert found == [("kept", "exercise", ""), ("", "", "no gain")]
        context = MigrationContext.configure(session.connection())
        assert compare_metadata(context, Base.metadata) == []


def test_an_upgrade_says_what_it_does(old: Store, capfd: pytest.CaptureFixture[str]) -> None:
    Store(old.address).close()
    said = capfd.readouterr().err
    assert f"upgrading the tables from 0004 to {HEAD}" in said
    Store(old.address).close()
    assert capfd.readouterr().err == ""


def open_store(url: str) -> None:
    Store(url).close()


def test_several_processes_may_upgrade_at_once(old: Store) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(open_store, [old.address] * 4)
    with old.reading() as session:
        assert get_puzzle(session, "kept").outcome == "mate"
    if old.path is not None:
        assert [copy.name for copy in old.path.parent.glob("puzzles.db.0*")] == ["puzzles.db.0004"]


@pytest.fixture
def old_file(old: Store) -> Path:
    old.close()
    assert old.path is not None
    return old.path


only_sqlite = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@only_sqlite
def test_a_sqlite_file_is_copied_before_its_upgrade(old_file: Path) -> None:
    for copy in ("puzzles.db.0004", "puzzles.db.0004-2"):
        Store(str(old_file)).close()
        kept = old_file.with_name(copy)
        with closing(sqlite3.connect(kept)) as database:
            assert database.execute("SELECT id, ends FROM puzzles").fetchall() == [("kept", "mate")]
        # As a user does who goes back.
        kept.rename(old_file)
        kept.write_bytes(b"in the way")
    assert not list(old_file.parent.glob("*.part"))


@only_sqlite
def test_an_upgrade_that_fails_leaves_the_file_as_it_was(old_file: Path) -> None:
    with closing(sqlite3.connect(old_file)) as database:
        database.execute("DROP TABLE evaluations")
    with pytest.raises(StoreError, match="no such table: evaluations"):
        Store(str(old_file))
    with closing(sqlite3.connect(old_file)) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("0004",)]
        assert database.execute("SELECT id, ends FROM puzzles").fetchall() == [("kept", "mate")]
    assert list(old_file.parent.glob("puzzles.db.*")) == []


@only_sqlite
def test_a_file_that_cannot_be_copied_is_not_upgraded(old_file: Path) -> None:
    resource = pytest.importorskip("resource", reason="only POSIX limits the size of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # As on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (old_file.stat().st_size // 2, hard))
    try:
        with pytest.raises(StoreError, match="cannot be copied before its upgrade"):
            Store(str(old_file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(old_file.parent.glob("puzzles.db.*")) == []
    with closing(sqlite3.connect(old_file)) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("0004",)]


def test_an_old_database_keeps_its_puzzles_and_runs(old: Store) -> None:
    upgrade(old.engine)
    with old.engine.connect() as connection:
        assert current(connection) == HEAD
    with old.reading() as session:
        puzzle, (run,) = get_puzzle(session, "kept"), stored_runs(session)
        assert (puzzle.outcome, puzzle.solver_found, puzzle.audit_passed) == ("mate", True, False)
        assert (run.number, run.engine) == (puzzle.run_number, "Fish")


def test_numbers_from_before_the_upgrade_are_not_used_again(old: Store) -> None:
    upgrade(old.engine)
    with old.session() as session:
        new = Puzzle(id="new", fen=POSITION, puzzle_fen=POSITION, solution="a1a8", source="mined")
        add_puzzles(session, [new])
        assert (get_puzzle(session, "kept").number, get_puzzle(session, "new").number) == (1, 3)


def test_evaluations_under_keys_of_old_are_dropped(old: Store) -> None:
    upgrade(old.engine)
    with old.reading() as session:
        assert session.scalars(select(Evaluation.key)).all() == []


def plies_in(session: Session, name: str) -> list[int | None]:
    return [entry.opportunity.ply if entry.opportunity else None for entry in set_entries(session, name)]


def test_training_sets_from_before_the_upgrade_keep_their_opportunities(store: Store) -> None:
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*BACK_RANK, ply=30))
    with store.session() as session:
        missed = [(one.puzzle_id, one.number) for one in opportunities_of(session, ["Ann"])]
        extend_set(session, "evening", "Ann", missed)
    migrate(store, command.downgrade, "0008")
    upgrade(store.engine)
    store_game(store, opportunity_row(*FORK, ply=9), key="later", date="2025.01.01")
    with store.reading() as session:
        assert plies_in(session, "evening") == [20, 30]
        assert [one.number for one in opportunities_of(session, ["Ann"])] == [1, 2, 3]


def test_opportunities_from_before_there_were_kinds_are_wins(store: Store) -> None:
    allowed = opportunity_row(*BACK_RANK, ply=30, opportunity_kind=OpportunityKind.ALLOWED.value)
    store_game(store, opportunity_row(*FORK, ply=20), allowed)
    with store.session() as session:
        missed = opportunities_of(session, ["Ann"], OpportunityKind)
        extend_set(session, "evening", "Ann", [(one.puzzle_id, one.number) for one in missed])
    migrate(store, command.downgrade, "0009")
    upgrade(store.engine)
    with store.reading() as session:
        kept = opportunities_of(session, ["Ann"], OpportunityKind)
        assert [(one.ply, one.opportunity_kind) for one in kept] == [(20, "win")]
        assert plies_in(session, "evening") == [20]


def test_runs_from_before_their_files_were_kept_have_those_that_they_were_the_last_to_read(
    store: Store,
) -> None:
    with store.session() as session:
        session.add_all(MiningRun(engine="Fish", rules={}) for _ in range(2))
        session.add_all(
            Checkpoint(archive=name, settings="", name=name, run_number=2) for name in ("a.pgn", "b.pgn")
        )
    migrate(store, command.downgrade, "0016")
    upgrade(store.engine)
    with store.reading() as session:
        assert [run.files for run in stored_runs(session)] == [["a.pgn", "b.pgn"], []]


def test_whom_a_set_was_for_is_one_student(store: Store) -> None:
    def fill(connection: Connection) -> None:
        for number, solver in ((1, "Anna, Ben"), (2, "")):
            insert(connection, "training_sets", number=number, name=f"set {number}", solver=solver)

    at_revision(store, "0018", fill)
    with Store(store.address) as opened, opened.reading() as session:
        assert [each.students for each in all_sets(session)] == [("Anna, Ben",), ()]


NEWER = "UPDATE alembic_version SET version_num = '9999'"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [NEWER, f"UPDATE store_facts SET value = '99.1' WHERE value = '{__version__}'"],
            rf"made by chess-motif 99\.1, and this is {__version__}",
        ),
        ([NEWER, "DELETE FROM store_facts"], "made by a newer version of chess-motif"),
        (["DELETE FROM alembic_version"], "damaged: its table alembic_version"),
    ],
)
def test_a_database_that_cannot_be_read_says_why(
    sqlite_store: Store, changes: Sequence[str], said: str
) -> None:
    with sqlite_store.session() as session:
        for change in changes:
            session.execute(text(change))
    with pytest.raises(StoreError, match=said):
        Store(sqlite_store.address)
