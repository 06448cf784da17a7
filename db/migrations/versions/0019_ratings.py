"""Ratings of students, what they have set for practice, and of which kind a round is."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("attempts", sa.Column("on_clock", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("attempts", sa.Column("motif", sa.Text(), nullable=False, server_default=""))
    for name in ("level", "rating", "deviation"):
        op.add_column("attempts", sa.Column(name, sa.Double(), nullable=True))
    op.create_index("ix_attempts_solver", "attempts", ["solver", "puzzle_id"])
    op.add_column("rounds", sa.Column("kind", sa.Text(), nullable=False, server_default=""))
    # As text, since SQLite returns 1 for true.
    op.execute("UPDATE rounds SET kind = 'cycle' WHERE CAST(state ->> 'is_cycle' AS TEXT) IN ('true', '1')")
    op.create_table(
        "student_ratings",
        sa.Column("student", sa.Text(), nullable=False),
        sa.Column("motif", sa.Text(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("deviation", sa.Double(), nullable=False),
        sa.Column("volatility", sa.Double(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("student", "motif", name="pk_student_ratings"),
    )
    op.create_table(
        "students",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("practice", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_students"),
    )
    # The next puzzle of a level is looked up in it, from a random id on.
    op.create_index("ix_puzzles_level", "puzzles", [sa.text("coalesce(rating, difficulty)"), "id"])


def downgrade() -> None:
    op.drop_index("ix_puzzles_level", "puzzles")
    op.drop_table("students")
    op.drop_table("student_ratings")
    op.drop_column("rounds", "kind")
    op.drop_index("ix_attempts_solver", "attempts")
    for name in ("deviation", "rating", "level", "motif", "on_clock"):
        op.drop_column("attempts", name)
