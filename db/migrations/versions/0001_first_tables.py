"""Games, puzzles, runs and checkpoints."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("archive", sa.String(length=64), nullable=False),
        sa.Column("settings", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("before", sa.String(length=64), nullable=False),
        sa.Column("finished_size", sa.BigInteger(), nullable=True),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_checkpoints")),
        sa.UniqueConstraint("archive", "settings", name=op.f("uq_checkpoints_archive")),
    )
    op.create_table(
        "games",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=16), nullable=False),
        sa.Column("white", sa.Text(), nullable=False),
        sa.Column("black", sa.Text(), nullable=False),
        sa.Column("white_elo", sa.Integer(), nullable=True),
        sa.Column("black_elo", sa.Integer(), nullable=True),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("date", sa.Text(), nullable=False),
        sa.Column("round", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("eco", sa.Text(), nullable=False),
        sa.Column("opening", sa.Text(), nullable=False),
        sa.Column("time_control", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_games")),
        sa.UniqueConstraint("key", name=op.f("uq_games_key")),
    )
    op.create_table(
        "runs",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_runs")),
    )
    op.create_table(
        "store_facts",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_store_facts")),
    )
    op.create_table(
        "puzzles",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=8), nullable=False),
        sa.Column("fen", sa.Text(), nullable=False),
        sa.Column("blunder", sa.Text(), nullable=False),
        sa.Column("puzzle_fen", sa.Text(), nullable=False),
        sa.Column("solution", sa.Text(), nullable=False),
        sa.Column("ends", sa.Text(), nullable=False),
        sa.Column("stable", sa.Boolean(), nullable=True),
        sa.Column("found", sa.Boolean(), nullable=True),
        sa.Column("gap", sa.Double(), nullable=True),
        sa.Column("evaluations", sa.JSON(), nullable=True),
        sa.Column("nodes", sa.JSON(), nullable=True),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("difficulty", sa.Double(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=True),
        sa.Column("rating_deviation", sa.Integer(), nullable=True),
        sa.Column("popularity", sa.Integer(), nullable=True),
        sa.Column("plays", sa.Integer(), nullable=True),
        sa.Column("themes", sa.Text(), nullable=False),
        sa.Column("opening_tags", sa.Text(), nullable=False),
        sa.Column("game_url", sa.Text(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("game_number", sa.Integer(), nullable=True),
        sa.Column("run_number", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_number"], ["games.number"], name=op.f("fk_puzzles_game_number")),
        sa.ForeignKeyConstraint(["run_number"], ["runs.number"], name=op.f("fk_puzzles_run_number")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_puzzles")),
        sa.UniqueConstraint("id", name=op.f("uq_puzzles_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("puzzles", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_puzzles_game_number"), ["game_number"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("puzzles", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_puzzles_game_number"))

    op.drop_table("puzzles")
    op.drop_table("store_facts")
    op.drop_table("runs")
    op.drop_table("games")
    op.drop_table("checkpoints")
