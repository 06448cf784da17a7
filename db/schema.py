"""The schema of the database, which is upgraded when a store is opened."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

# The newest revision in migrations/versions. It is repeated here so that alembic need not be loaded to open
# a store that is up to date.
HEAD = "0005"

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

    Raises `sqlalchemy.exc.SQLAlchemyError` if the database reports an error.
    """
    with engine.connect() as connection:
        if current(connection) == HEAD:
            return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.execution_options(**WRITING).connect() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, HEAD)
            connection.commit()
        except DBAPIError:
            connection.rollback()
            # On a server, another process may have been faster.
            if current(connection) != HEAD:
                raise
