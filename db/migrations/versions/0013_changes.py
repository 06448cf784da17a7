"""The sequence of changes: in which order puzzles were stored and changed, and which were deleted.

What was exported by the number of a mining run goes on by the same number: it is the first one in the
sequence of the puzzles of that run. Puzzles of no run get the number 1.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deleted_puzzles",
        sa.Column("id", sa.String(length=8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deleted_puzzles")),
    )
    op.create_index(op.f("ix_deleted_puzzles_change"), "deleted_puzzles", ["change"])
    op.add_column("puzzles", sa.Column("change", sa.BigInteger(), nullable=True))
    op.add_column("puzzles", sa.Column("updated", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE puzzles SET change = COALESCE(run_number, 1)")
    op.create_index(op.f("ix_puzzles_change"), "puzzles", ["change"])
    last = "CAST(COALESCE(MAX(number), 1) AS VARCHAR(20))"
    op.execute(f"INSERT INTO store_facts (name, value) SELECT 'last change', {last} FROM mining_runs")


def downgrade() -> None:
    op.execute("DELETE FROM store_facts WHERE name = 'last change'")
    op.drop_index(op.f("ix_puzzles_change"), "puzzles")
    op.drop_column("puzzles", "updated")
    op.drop_column("puzzles", "change")
    op.drop_table("deleted_puzzles")
