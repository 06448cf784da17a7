"""Games with their moves, whose positions can be searched for."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "archived_games",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("game_number", sa.Integer(), nullable=False),
        sa.Column("start", sa.Text(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_number"], ["games.number"], name=op.f("fk_archived_games_game_number")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_archived_games")),
        sa.UniqueConstraint("game_number", name=op.f("uq_archived_games_game_number")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("archived_games")
