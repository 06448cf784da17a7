"""Sets that a coach makes: a title, puzzles that are there for no missed opportunity, and hints."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("training_sets", sa.Column("title", sa.Text(), nullable=False, server_default=""))
    op.add_column("attempts", sa.Column("hinted", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("set_puzzles") as batch:
        batch.alter_column("opportunity_number", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM set_puzzles WHERE opportunity_number IS NULL")
    with op.batch_alter_table("set_puzzles") as batch:
        batch.alter_column("opportunity_number", existing_type=sa.Integer(), nullable=False)
    op.drop_column("attempts", "hinted")
    op.drop_column("training_sets", "title")
