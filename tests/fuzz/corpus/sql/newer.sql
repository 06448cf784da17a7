UPDATE alembic_version SET version_num = '9999';
