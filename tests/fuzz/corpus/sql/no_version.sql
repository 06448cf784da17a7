DELETE FROM alembic_version;
