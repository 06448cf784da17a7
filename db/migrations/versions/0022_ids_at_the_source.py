"""Sources, ids at the source and exercises are found without looking at all puzzles."""

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
    op.create_index("ix_puzzles_source", "puzzles", ["source"])
    exercises = sa.text("kind = 'exercise'")
    op.create_index(
        "ix_puzzles_exercises", "puzzles", ["kind"], sqlite_where=exercises, postgresql_where=exercises
    )


def downgrade() -> None:
    op.drop_index("ix_puzzles_exercises", "puzzles")
    op.drop_index("ix_puzzles_source", "puzzles")
    op.drop_index("ix_puzzles_source_id", "puzzles")
