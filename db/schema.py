"""The schema of the store: brought to the newest version when a store is opened."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

# The newest revision in migrations/versions. Kept here so that opening an up-to-date store does not
# have to load alembic.
HEAD = "0005"

# Execution option of a connection that is going to write.
WRITING = {"writing": True}

MIGRATIONS = Path(__file__).parent / "migrations"


def current(connection: Connection) -> str | None:
    """Return the schema revision of the connected database; None when it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def upgrade(engine: Engine) -> None:
    """Bring the database to `HEAD`; does nothing when it is there. Safe when several processes do it.

    Raises `sqlalchemy.exc.SQLAlchemyError` when the database refuses.
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
            # On a server another process may have been quicker.
            if current(connection) != HEAD:
                raise
