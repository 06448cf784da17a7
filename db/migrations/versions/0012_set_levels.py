"""The level of a player at which a training set was made."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("training_sets", sa.Column("level", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("training_sets", "level")
