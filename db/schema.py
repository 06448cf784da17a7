"""The schema of the database, which is upgraded when a store is opened."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from chess_motif import __version__
from chess_motif.errors import StoreError
from db.facts import get_fact, set_fact

# The newest revision in migrations/versions. It is repeated here so that alembic need not be loaded to open
# a store that is up to date.
HEAD = "0008"

# The fact that says which version of chess-motif made the schema. Every later version can be read by this one
# as far as this fact and the revision.
VERSION = "version"

# Execution option of a connection that will write.
WRITING = {"writing": True}

MIGRATIONS = Path(__file__).parent / "migrations"


def current(connection: Connection) -> str | None:
    """Return the schema revision of the database, None if it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def upgrade(engine: Engine) -> None:
    """Upgrade the database to `HEAD` if necessary. Several processes may do so at once.

    Raises `StoreError` if a newer version has made the database, and `sqlalchemy.exc.SQLAlchemyError` if the
    database reports an error.
    """
    with engine.connect() as connection:
        if current(connection) == HEAD:
            return
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.execution_options(**WRITING).connect() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, HEAD)
            with Session(connection) as session, session.begin():
                set_fact(session, VERSION, __version__)
            connection.commit()
        except CommandError as error:
            # Alembic does not know the revision.
            connection.rollback()
            raise StoreError(_newer(connection)) from error
        except DBAPIError:
            connection.rollback()
            # On a server, another process may have been faster.
            if current(connection) != HEAD:
                raise


def _newer(connection: Connection) -> str:
    with Session(connection) as session:
        version = get_fact(session, VERSION)
    maker = f"chess-motif {version}" if version else "a newer version of chess-motif"
    return f"made by {maker}, and this is {__version__}; pip install --upgrade chess-motif"
