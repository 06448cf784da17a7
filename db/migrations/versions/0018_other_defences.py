"""What a solution does against the best defences that it does not show."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("puzzles", sa.Column("other_defences", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("puzzles", "other_defences")
