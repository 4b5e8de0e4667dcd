"""Runs, their events and results, and the index of athletes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agent_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("graph_name", sa.Text(), nullable=False),
        sa.Column("graph_version", sa.Text(), nullable=False),
        sa.Column("rule_set_version", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("triggered_by", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=True),
        sa.Column("person_slug", sa.Text(), nullable=True),
        sa.Column("input_json", JSONB(), nullable=False),
        sa.Column("current_node", sa.Text(), nullable=True),
        sa.Column("trace_id", sa.Text(), nullable=True),
        sa.Column("dagster_run_id", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_node", sa.Text(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "CASE status WHEN 'running' THEN outcome IS NULL "
            "WHEN 'need_clarification' THEN true ELSE outcome IS NOT NULL END",
            name=op.f("ck_agent_runs_outcome_of_status"),
        ),
        sa.CheckConstraint(
            "outcome IN ('completed', 'incomplete', 'not_found', 'ambiguous', 'failed', 'unchanged')",
            name=op.f("ck_agent_runs_outcome"),
        ),
        sa.CheckConstraint(
            "status IN ('running', 'need_clarification', 'completed', 'failed', 'unchanged')",
            name=op.f("ck_agent_runs_status"),
        ),
        sa.CheckConstraint(
            "triggered_by IN ('cli', 'admin_api', 'dagster_partition', 'import_sensor', 'schedule')",
            name=op.f("ck_agent_runs_triggered_by"),
        ),
        sa.PrimaryKeyConstraint("id", name="pk_agent_runs"),
        sa.UniqueConstraint("run_id", name="uq_agent_runs_run_id"),
    )
    op.create_index(
        "ix_agent_runs_dagster_run_id",
        "agent_runs",
        ["dagster_run_id"],
        postgresql_where=sa.text("dagster_run_id IS NOT NULL"),
    )
    op.create_index(
        "ix_agent_runs_open",
        "agent_runs",
        ["started_at"],
        postgresql_where=sa.text("status IN ('running', 'need_clarification')"),
    )
    op.create_index("ix_agent_runs_person_id_started_at", "agent_runs", ["person_id", "started_at"])
    op.create_index("ix_agent_runs_person_slug_started_at", "agent_runs", ["person_slug", "started_at"])
    op.create_index("ix_agent_runs_started_at", "agent_runs", ["started_at"])
    op.create_table(
        "athlete_index",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_slug", sa.Text(), nullable=False),
        sa.Column("display_name_ja", sa.Text(), nullable=False),
        sa.Column("site_key", sa.Text(), nullable=True),
        sa.Column("strict_key", sa.Text(), nullable=True),
        sa.Column("variant_key", sa.Text(), nullable=True),
        sa.Column("loose_key", sa.Text(), nullable=True),
        sa.Column("kana_key", sa.Text(), nullable=True),
        sa.Column("roman_key", sa.Text(), nullable=True),
        sa.Column("foreign_key", sa.Text(), nullable=True),
        sa.Column("is_placeholder", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=True),
        sa.Column("rule_set_version", sa.Text(), nullable=True),
        sa.Column("last_run_id", sa.Text(), nullable=True),
        sa.Column("last_diagnosed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("source_updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("person_id", name="pk_athlete_index"),
    )
    op.create_index("ix_athlete_index_foreign_key", "athlete_index", ["foreign_key"])
    op.create_index("ix_athlete_index_kana_key", "athlete_index", ["kana_key"])
    op.create_index("ix_athlete_index_loose_key", "athlete_index", ["loose_key"])
    op.create_index("ix_athlete_index_person_slug", "athlete_index", ["person_slug"])
    op.create_index("ix_athlete_index_roman_key", "athlete_index", ["roman_key"])
    op.create_index("ix_athlete_index_site_key", "athlete_index", ["site_key"])
    op.create_index("ix_athlete_index_strict_key", "athlete_index", ["strict_key"])
    op.create_index("ix_athlete_index_variant_key", "athlete_index", ["variant_key"])
    op.create_table(
        "athlete_index_state",
        sa.Column("id", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("names_digest", sa.Text(), nullable=False),
        sa.Column("athlete_count", sa.Integer(), nullable=False),
        sa.Column("refreshed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_athlete_index_state_one_row")),
        sa.PrimaryKeyConstraint("id", name="pk_athlete_index_state"),
    )
    op.create_table(
        "athlete_names",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("site_key", sa.Text(), nullable=True),
        sa.Column("strict_key", sa.Text(), nullable=True),
        sa.Column("variant_key", sa.Text(), nullable=True),
        sa.Column("loose_key", sa.Text(), nullable=True),
        sa.Column("kana_key", sa.Text(), nullable=True),
        sa.Column("roman_key", sa.Text(), nullable=True),
        sa.Column("foreign_key", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('display', 'kana', 'roman', 'english', 'chinese', 'variant')", name=op.f("ck_athlete_names_kind")
        ),
        sa.PrimaryKeyConstraint("person_id", "kind", "value", name="pk_athlete_names"),
    )
    op.create_index("ix_athlete_names_foreign_key", "athlete_names", ["foreign_key"])
    op.create_index("ix_athlete_names_kana_key", "athlete_names", ["kana_key"])
    op.create_index("ix_athlete_names_loose_key", "athlete_names", ["loose_key"])
    op.create_index("ix_athlete_names_roman_key", "athlete_names", ["roman_key"])
    op.create_index("ix_athlete_names_site_key", "athlete_names", ["site_key"])
    op.create_index("ix_athlete_names_strict_key", "athlete_names", ["strict_key"])
    op.create_index("ix_athlete_names_value", "athlete_names", ["value"])
    op.create_index("ix_athlete_names_variant_key", "athlete_names", ["variant_key"])
    op.create_table(
        "agent_events",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("node", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("span_id", sa.Text(), nullable=True),
        sa.Column("event_payload_json", JSONB(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("level IN ('debug', 'info', 'warning', 'error')", name=op.f("ck_agent_events_level")),
        sa.ForeignKeyConstraint(["run_id"], ["agent_runs.run_id"], name="fk_agent_events_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_agent_events"),
    )
    op.create_index("ix_agent_events_run_id_id", "agent_events", ["run_id", "id"])
    op.create_table(
        "diagnosis_results",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_slug", sa.Text(), nullable=False),
        sa.Column("summary_json", JSONB(), nullable=False),
        sa.Column("findings_json", JSONB(), nullable=False),
        sa.Column("actions_json", JSONB(), nullable=False),
        sa.Column("snapshot_json", JSONB(), nullable=True),
        sa.Column("snapshot_hash", sa.Text(), nullable=True),
        sa.Column("info_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("warning_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("critical_count", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["agent_runs.run_id"], name="fk_diagnosis_results_run_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_diagnosis_results"),
        sa.UniqueConstraint("run_id", name="uq_diagnosis_results_run_id"),
    )
    op.create_index("ix_diagnosis_results_person_id_id", "diagnosis_results", ["person_id", "id"])
    op.create_index("ix_diagnosis_results_person_slug_id", "diagnosis_results", ["person_slug", "id"])


def downgrade() -> None:
    for table in (
        "diagnosis_results",
        "agent_events",
        "agent_runs",
        "athlete_names",
        "athlete_index_state",
        "athlete_index",
    ):
        op.drop_table(table)
