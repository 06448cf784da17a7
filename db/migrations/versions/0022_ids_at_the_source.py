"""Puzzles are found by their ids at the source without looking at all others."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    known = sa.text("source_id <> ''")
    op.create_index(
        "ix_puzzles_source_id", "puzzles", ["source_id"], sqlite_where=known, postgresql_where=known
    )


def downgrade() -> None:
    op.drop_index("ix_puzzles_source_id", "puzzles")
