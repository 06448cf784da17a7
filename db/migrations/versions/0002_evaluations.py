"""Evaluations that are kept, and what an audit found in a puzzle."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evaluations",
        sa.Column("key", sa.LargeBinary(length=16), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_evaluations")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("puzzles", schema=None) as batch_op:
        batch_op.add_column(sa.Column("holds", sa.Boolean(), nullable=True))
        batch_op.add_column(sa.Column("audit", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("puzzles", schema=None) as batch_op:
        batch_op.drop_column("audit")
        batch_op.drop_column("holds")
    op.drop_table("evaluations")
