"""To whom a puzzle has been shown."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "showings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("puzzle_id", sa.String(length=8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "puzzle_id", name=op.f("pk_showings")),
    )


def downgrade() -> None:
    op.drop_table("showings")
