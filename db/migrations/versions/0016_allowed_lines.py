"""The tactic that a move allowed, also where there is no exercise of it."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("opportunities", sa.Column("allowed_line", sa.Text(), nullable=False, server_default=""))
    # An exercise that begins after the move is the tactic.
    line = """
        SELECT solution FROM puzzles
        WHERE puzzles.id = opportunities.puzzle_id AND puzzles.ply = opportunities.ply + 1
    """
    op.execute(
        f"UPDATE opportunities SET allowed_line = COALESCE(({line}), '') WHERE opportunity_kind = 'allowed'"
    )


def downgrade() -> None:
    op.drop_column("opportunities", "allowed_line")
