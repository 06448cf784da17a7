"""Exercises beside puzzles, the chances of a player's games, training sets, and who solved what when."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("puzzles", sa.Column("kind", sa.Text(), nullable=False, server_default="puzzle"))
    op.add_column("puzzles", sa.Column("accepted", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "analysed_games",
        sa.Column("game_number", sa.Integer(), nullable=False),
        sa.Column("run_number", sa.Integer(), nullable=False),
        sa.Column("searches", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_number"], ["games.number"], name=op.f("fk_analysed_games_game_number")
        ),
        sa.ForeignKeyConstraint(
            ["run_number"], ["mining_runs.number"], name=op.f("fk_analysed_games_run_number")
        ),
        sa.PrimaryKeyConstraint("game_number", name=op.f("pk_analysed_games")),
    )
    op.create_table(
        "chances",
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
        sa.ForeignKeyConstraint(["game_number"], ["games.number"], name=op.f("fk_chances_game_number")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_chances")),
        sa.UniqueConstraint("game_number", "ply", name=op.f("uq_chances_game_number")),
    )
    op.create_table(
        "training_sets",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("solver", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_training_sets")),
        sa.UniqueConstraint("name", name=op.f("uq_training_sets_name")),
    )
    op.create_table(
        "set_puzzles",
        sa.Column("set_number", sa.Integer(), nullable=False),
        sa.Column("puzzle_id", sa.String(length=8), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("chance_number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["set_number"], ["training_sets.number"], name=op.f("fk_set_puzzles_set_number")
        ),
        sa.ForeignKeyConstraint(
            ["chance_number"], ["chances.number"], name=op.f("fk_set_puzzles_chance_number")
        ),
        sa.PrimaryKeyConstraint("set_number", "puzzle_id", name=op.f("pk_set_puzzles")),
    )
    op.create_table(
        "attempts",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("solver", sa.Text(), nullable=False),
        sa.Column("puzzle_id", sa.String(length=8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_attempts")),
    )
    op.create_table(
        "cards",
        sa.Column("solver", sa.Text(), nullable=False),
        sa.Column("puzzle_id", sa.String(length=8), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("solver", "puzzle_id", name=op.f("pk_cards")),
    )


def downgrade() -> None:
    tables = ("cards", "attempts", "set_puzzles", "training_sets", "chances", "analysed_games")
    for name in tables:
        op.drop_table(name)
    for name in ("accepted", "kind"):
        op.drop_column("puzzles", name)
