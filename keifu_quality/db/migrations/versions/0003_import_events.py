"""The ledger of import events, whom they concern, and the state of the watch."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "import_events",
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("batch_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("touched_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("opponent_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("hand_over_id", sa.Text(), nullable=True),
        sa.Column("dagster_run_id", sa.Text(), nullable=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("unresolved_json", JSONB(), server_default="[]", nullable=False),
        sa.Column("notice", sa.Text(), nullable=True),
        sa.CheckConstraint("kind IN ('completed', 'failed', 'stuck')", name=op.f("ck_import_events_kind")),
        sa.CheckConstraint(
            "status IN ('pending', 'requested', 'done', 'skipped', 'no_athletes')",
            name=op.f("ck_import_events_status"),
        ),
        sa.PrimaryKeyConstraint("event_key", name="pk_import_events"),
    )
    op.create_index("ix_import_events_batch_id_completed_at", "import_events", ["batch_id", "completed_at"])
    op.create_index("ix_import_events_seen_at", "import_events", ["seen_at"])
    op.create_index("ix_import_events_requested_at", "import_events", ["requested_at"])
    op.create_index(
        "ix_import_events_open",
        "import_events",
        ["status"],
        postgresql_where=sa.text("status IN ('pending', 'requested')"),
    )
    op.create_index(
        "ix_import_events_hand_over_id",
        "import_events",
        ["hand_over_id"],
        postgresql_where=sa.text("hand_over_id IS NOT NULL"),
    )
    op.create_table(
        "import_event_people",
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_slug", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("reasons_json", JSONB(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("replaced_by", sa.Text(), nullable=True),
        sa.CheckConstraint("role IN ('touched', 'opponent')", name=op.f("ck_import_event_people_role")),
        sa.CheckConstraint(
            "outcome IN ('diagnosed', 'skipped', 'failed')", name=op.f("ck_import_event_people_outcome")
        ),
        sa.ForeignKeyConstraint(
            ["event_key"],
            ["import_events.event_key"],
            name="fk_import_event_people_event_key",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("event_key", "person_id", name="pk_import_event_people"),
    )
    op.create_index("ix_import_event_people_person_id", "import_event_people", ["person_id"])
    op.create_table(
        "import_watch",
        sa.Column("id", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("watching_since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("polled_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_digest", sa.Text(), nullable=False),
        sa.Column("reset_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reset_notice", sa.Text(), nullable=True),
        sa.Column("full_sweep_due", sa.Boolean(), server_default="false", nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_import_watch_one_row")),
        sa.PrimaryKeyConstraint("id", name="pk_import_watch"),
    )


def downgrade() -> None:
    for table in ("import_watch", "import_event_people", "import_events"):
        op.drop_table(table)
