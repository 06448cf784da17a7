"""Puzzles of rare openings are found without looking at all others."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    tagged = sa.text("opening_tags <> ''")
    op.create_index(
        "ix_puzzles_opening", "puzzles", ["opening_tags"], sqlite_where=tagged, postgresql_where=tagged
    )


def downgrade() -> None:
    op.drop_index("ix_puzzles_opening", "puzzles")
