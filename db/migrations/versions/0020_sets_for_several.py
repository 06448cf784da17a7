"""Sets for several students, with a due date; puzzles taken out of one; and homework links."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "set_students",
        sa.Column("set_number", sa.Integer(), nullable=False),
        sa.Column("student", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["set_number"], ["training_sets.number"], name="fk_set_students_set_number"),
        sa.PrimaryKeyConstraint("set_number", "student", name="pk_set_students"),
    )
    op.execute("INSERT INTO set_students SELECT number, solver FROM training_sets WHERE solver <> ''")
    op.drop_column("training_sets", "solver")
    op.add_column("training_sets", sa.Column("due_on", sa.Date(), nullable=True))
    op.add_column("set_puzzles", sa.Column("removed", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "links",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("student", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_links"),
        sa.UniqueConstraint("token", name="uq_links_token"),
    )


def downgrade() -> None:
    op.drop_table("links")
    op.execute("DELETE FROM set_puzzles WHERE removed IS NOT NULL")
    op.drop_column("set_puzzles", "removed")
    op.drop_column("training_sets", "due_on")
    op.add_column("training_sets", sa.Column("solver", sa.Text(), nullable=False, server_default=""))
    first = "SELECT min(student) FROM set_students WHERE set_number = number"
    op.execute(f"UPDATE training_sets SET solver = COALESCE(({first}), '')")
    op.drop_table("set_students")
