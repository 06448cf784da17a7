"""Opportunities of several kinds: those that are known were wins that a blunder gave."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("opportunity_kind", sa.Text(), nullable=False, server_default="win")
    op.add_column("opportunities", column)


def downgrade() -> None:
    # An earlier version would take them for wins.
    others = "SELECT number FROM opportunities WHERE opportunity_kind <> 'win'"
    op.execute(f"DELETE FROM set_puzzles WHERE opportunity_number IN ({others})")
    op.execute("DELETE FROM opportunities WHERE opportunity_kind <> 'win'")
    op.drop_column("opportunities", "opportunity_kind")
