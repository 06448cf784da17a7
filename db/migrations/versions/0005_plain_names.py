"""Plain names: what a puzzle's columns and the table of mining runs are called.

Columns are renamed and dropped in place: otherwise SQLite would copy the table of puzzles, and forget
which numbers were used in it. `stable` goes because it was true for every mined puzzle. Evaluations are
deleted: the keys under which they are kept have changed, so that nothing would find them again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

RENAMED = {"ends": "outcome", "found": "solver_found", "holds": "audit_passed"}


def upgrade() -> None:
    for old, new in RENAMED.items():
        op.alter_column("puzzles", old, new_column_name=new)
    op.drop_column("puzzles", "stable")
    op.rename_table("runs", "mining_runs")
    op.execute("DELETE FROM evaluations")


def downgrade() -> None:
    op.execute("DELETE FROM evaluations")
    op.rename_table("mining_runs", "runs")
    op.add_column("puzzles", sa.Column("stable", sa.Boolean(), nullable=True))
    for old, new in RENAMED.items():
        op.alter_column("puzzles", new, new_column_name=old)
