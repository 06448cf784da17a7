"""How far off an estimate of a puzzle's difficulty may be, and how many people find its first move."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COLUMNS = ("difficulty_margin", "first_move_chance")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("puzzles", sa.Column(name, sa.Double(), nullable=True))


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("puzzles", name)
