"""What mining runs did, how they ended, and which archives they work at."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("mining_runs", sa.Column("updated", sa.DateTime(timezone=True), nullable=True))
    op.add_column("mining_runs", sa.Column("outcome", sa.Text(), nullable=False, server_default=""))
    op.add_column("mining_runs", sa.Column("summary", sa.JSON(), nullable=True))
    op.add_column("checkpoints", sa.Column("run_number", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("checkpoints", "run_number")
    for name in ("summary", "outcome", "updated"):
        op.drop_column("mining_runs", name)
