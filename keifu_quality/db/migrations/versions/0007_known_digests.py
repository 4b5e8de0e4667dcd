"""Digests that are kept from sweep to sweep, and fewer index entries for athletes that a sweep found unchanged."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

PERSON_COLUMNS = ("person_id", "person_slug")


def upgrade() -> None:
    op.create_table(
        "athlete_digests",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("signals", sa.Integer(), nullable=False),
        sa.Column("has_namesakes", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("person_id", name="pk_athlete_digests"),
    )
    op.create_table(
        "athlete_digests_state",
        sa.Column("id", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_athlete_digests_state_one_row")),
        sa.PrimaryKeyConstraint("id", name="pk_athlete_digests_state"),
    )
    # Nearly every row that a nightly sweep writes is of an unchanged athlete, and nobody looks for those one by one.
    for column in PERSON_COLUMNS:
        op.drop_index(f"ix_agent_runs_{column}_started_at", "agent_runs")
        op.create_index(
            f"ix_agent_runs_{column}_started_at",
            "agent_runs",
            [column, "started_at"],
            postgresql_where=sa.text("status <> 'unchanged'"),
        )
    op.drop_index("ix_diagnosis_results_person_slug_id", "diagnosis_results")


def downgrade() -> None:
    op.create_index("ix_diagnosis_results_person_slug_id", "diagnosis_results", ["person_slug", "id"])
    for column in PERSON_COLUMNS:
        op.drop_index(f"ix_agent_runs_{column}_started_at", "agent_runs")
        op.create_index(f"ix_agent_runs_{column}_started_at", "agent_runs", [column, "started_at"])
    op.drop_table("athlete_digests_state")
    op.drop_table("athlete_digests")
