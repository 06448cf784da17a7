"""The position of each stored search, and its budget."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBERS = ("clock", "nodes", "lines", "depth")


def upgrade() -> None:
    op.add_column("evaluations", sa.Column("position", sa.LargeBinary(34), nullable=True))
    op.add_column("evaluations", sa.Column("settings", sa.Text(), nullable=True))
    for name in NUMBERS:
        kind = sa.BigInteger() if name == "nodes" else sa.Integer()
        op.add_column("evaluations", sa.Column(name, kind, nullable=True))


def downgrade() -> None:
    for name in ("position", "settings", *NUMBERS):
        op.drop_column("evaluations", name)
