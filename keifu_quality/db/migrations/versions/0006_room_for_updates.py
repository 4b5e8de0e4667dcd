"""Room on the pages of the index of athletes, so that a diagnosis does not write into all of its indexes."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Every diagnosis updates a row in columns without an index; with room beside it no index is touched.
    op.execute("ALTER TABLE athlete_index SET (fillfactor = 50)")


def downgrade() -> None:
    op.execute("ALTER TABLE athlete_index RESET (fillfactor)")
