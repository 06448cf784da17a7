"""The schema of a database: its revision, and the upgrade to the newest one.

Migrations are never edited: `tests/db/test_schema.py` keeps their digests. Two were edited before that rule;
what their earlier forms lacked is added before a database is upgraded.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.orm import Session

from chess_motif import __version__
from chess_motif.errors import StoreError, reason_of
from chess_motif.output import note, rename
from db.address import shown_address
from db.connections import WRITING, beside
from db.models import StoreFact

MIGRATIONS = Path(__file__).parent / "migrations"

# The newest revision, by the names of the files, because alembic takes a while to load.
HEAD = max(file.name[:4] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))

# The name of the fact with the version of chess-motif that made the schema. In databases of all later
# versions, at least this fact and the revision stay readable.
VERSION = "version"

# The key of the PostgreSQL lock that a process holds to change the tables.
UPGRADE_LOCK = 1994

# The message of a command that does not create a database.
NO_DATABASE = (
    "there is no database of chess-motif yet; "
    "'puzzlegen mine', 'puzzlegen import' or 'motifsearch positions add' creates one"
)


def current(connection: Connection) -> str | None:
    """Return the schema revision of the database, None if it has no schema yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def is_newest(engine: Engine, *, create: bool, read_only: bool) -> bool:
    """Return whether a database has the newest schema; if not, it may be upgraded.

    Raises `StoreError` for a missing schema without `create`, for a read-only database that would have to be
    upgraded, and for a database of a newer version of chess-motif.
    """
    with engine.connect() as connection:
        revision = current(connection)
        if revision is not None and revision > HEAD:
            raise StoreError(_newer(connection))
        if revision is None and inspect(connection).has_table("alembic_version"):
            raise StoreError("damaged: its table alembic_version, which says what is in the others, is empty")
    if revision is None and not create:
        raise StoreError(NO_DATABASE)
    if revision != HEAD and read_only:
        raise StoreError(
            "made by an earlier version of chess-motif, and cannot be upgraded because it is read-only; "
            "copy it to another folder"
        )
    return revision == HEAD


def upgrade(engine: Engine, file: Path | None = None) -> None:
    """Upgrade a database to `HEAD`, or create its tables. Several processes may do so at once.

    A SQLite database with tables is copied first, if its `file` is given. Raises `StoreError` if it cannot be
    copied, and `sqlalchemy.exc.SQLAlchemyError` if the upgrade fails, which leaves the database unchanged.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    copy = None
    with engine.execution_options(**WRITING).connect() as connection:
        if engine.dialect.name == "postgresql":
            # SQLite needs no lock: it has one writer at a time.
            connection.execute(text(f"SELECT pg_advisory_xact_lock({UPGRADE_LOCK})"))
        revision = current(connection)
        if revision == HEAD:
            return
        if revision is not None:
            copy = None if file is None else _copy(file, revision)
            kept = f"; as it was, it is kept in {copy}" if copy else ""
            note(f"{shown_address(engine.url)}: upgrading the tables from {revision} to {HEAD}{kept}")
            _mend(connection, revision)
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, HEAD)
            with Session(connection) as session, session.begin():
                session.merge(StoreFact(name=VERSION, value=__version__))
            connection.commit()
        except BaseException:
            if copy is not None:
                copy.unlink()
            raise


def _copy(file: Path, revision: str) -> Path:
    """Copy a SQLite file to a file beside it that is named after the revision; return the copy's path."""
    names = (beside(file, f".{revision}{f'-{n}' if n > 1 else ''}") for n in count(1))
    copy = next(name for name in names if not name.exists())
    part = beside(copy, ".part")
    try:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
        shutil.copymode(file, part)
        rename(part, copy)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        reason = reason_of(error) if isinstance(error, OSError) else error
        raise StoreError(f"it cannot be copied before its upgrade: {reason}") from error
    return copy


def _mend(connection: Connection, revision: str) -> None:
    """Add what earlier forms of two migrations did not create: 0002 of 2026-11-21 and 0008 of 2026-11-22."""

    def lacks(table: str, column: str) -> bool:
        return all(known["name"] != column for known in inspect(connection).get_columns(table))

    def run(statement: str) -> None:
        connection.execute(text(statement))

    if "0002" <= revision < "0005" and lacks("puzzles", "holds"):
        run("ALTER TABLE puzzles ADD COLUMN holds BOOLEAN")
    if revision == "0008" and lacks("chances", "kind"):
        # Migration 0009 copies the columns in their order, in which `reason` is the last.
        run("ALTER TABLE chances RENAME COLUMN reason TO kind")
        run("ALTER TABLE chances ADD COLUMN reason TEXT NOT NULL DEFAULT ''")
        run("UPDATE chances SET reason = kind")
        made = "SELECT puzzles.kind FROM puzzles WHERE puzzles.id = chances.puzzle_id"
        run(f"UPDATE chances SET kind = COALESCE(({made}), '')")


def _newer(connection: Connection) -> str:
    with Session(connection) as session:
        version = session.get(StoreFact, VERSION)
    maker = f"chess-motif {version.value}" if version else "a newer version of chess-motif"
    return f"made by {maker}, and this is {__version__}; pip install --upgrade chess-motif"
