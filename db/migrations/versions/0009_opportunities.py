"""Opportunities: what a player had in a game is no longer called a chance.

The tables are made again, because SQLite cannot rename a constraint. The opportunities keep their numbers.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rename("chances", "chance", "opportunities", "opportunity")


def downgrade() -> None:
    _rename("opportunities", "opportunity", "chances", "chance")


def _rename(old_table: str, old: str, new_table: str, new: str) -> None:
    op.create_table(
        new_table,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("game_number", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("white", sa.Boolean(), nullable=False),
        sa.Column("fen", sa.Text(), nullable=False),
        sa.Column("blunder", sa.Text(), nullable=False),
        sa.Column("solution", sa.Text(), nullable=False),
        sa.Column("played", sa.Text(), nullable=False),
        sa.Column("taken", sa.Boolean(), nullable=False),
        sa.Column("before", sa.Double(), nullable=False),
        sa.Column("after", sa.Double(), nullable=False),
        sa.Column("reply", sa.Double(), nullable=False),
        sa.Column("clock", sa.Double(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("puzzle_id", sa.String(length=8), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["game_number"], ["games.number"], name=op.f(f"fk_{new_table}_game_number")),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{new_table}")),
        sa.UniqueConstraint("game_number", "ply", name=op.f(f"uq_{new_table}_game_number")),
    )
    op.execute(f"INSERT INTO {new_table} SELECT * FROM {old_table}")
    with op.batch_alter_table("set_puzzles") as batch:
        batch.drop_constraint(f"fk_set_puzzles_{old}_number", type_="foreignkey")
        batch.alter_column(f"{old}_number", new_column_name=f"{new}_number")
    with op.batch_alter_table("set_puzzles") as batch:
        name = op.f(f"fk_set_puzzles_{new}_number")
        batch.create_foreign_key(name, new_table, [f"{new}_number"], ["number"])
    op.drop_table(old_table)
    if op.get_bind().dialect.name == "postgresql":
        # Rows that are inserted with their numbers do not move the sequence on.
        sequence = f"pg_get_serial_sequence('{new_table}', 'number')"
        last = "COALESCE(MAX(number), 1), MAX(number) IS NOT NULL"
        op.execute(f"SELECT setval({sequence}, {last}) FROM {new_table}")
