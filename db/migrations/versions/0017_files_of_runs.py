"""The files that each mining run read: until now, only the last run that read a file was known."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("mining_runs", sa.Column("files", sa.JSON(), nullable=False, server_default="[]"))
    connection = op.get_bind()
    known = sa.text("SELECT run_number, name FROM checkpoints WHERE run_number IS NOT NULL ORDER BY number")
    files: dict[int, list[str]] = {}
    for number, name in connection.execute(known):
        files.setdefault(number, []).append(name)
    for number, names in files.items():
        change = sa.text("UPDATE mining_runs SET files = :files WHERE number = :number")
        connection.execute(change, {"files": json.dumps(names), "number": number})


def downgrade() -> None:
    op.drop_column("mining_runs", "files")
