"""Puzzles that somebody is solving one after the other, and how far she is."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rounds",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("solver", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("set_name", sa.Text(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_rounds"),
    )
    op.create_index("ix_rounds_solver", "rounds", ["solver"])


def downgrade() -> None:
    op.drop_index("ix_rounds_solver", "rounds")
    op.drop_table("rounds")
