"""Sweeps of the roster and their chunks."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

COUNTS = ("diagnosed", "incomplete", "failed", "info", "warning", "error", "critical")


def upgrade() -> None:
    op.create_table(
        "sweeps",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("rule_set_version", sa.Text(), nullable=False),
        sa.Column("triggered_by", sa.Text(), nullable=False),
        sa.Column("is_full", sa.Boolean(), nullable=False),
        sa.Column("most_athletes", sa.Integer(), nullable=True),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("shards", sa.Integer(), nullable=False),
        sa.Column("due_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unchanged_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "started_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_sweeps"),
    )
    op.create_index("ix_sweeps_open", "sweeps", ["started_at"], postgresql_where=sa.text("ended_at IS NULL"))
    op.create_table(
        "sweep_chunks",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("sweep_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("person_ids", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("digests", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        *(sa.Column(f"{name}_count", sa.Integer(), server_default="0", nullable=False) for name in COUNTS),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweeps.id"], name="fk_sweep_chunks_sweep_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_sweep_chunks"),
        sa.UniqueConstraint("sweep_id", "number", name="uq_sweep_chunks_sweep_id_number"),
    )
    op.create_index(
        "ix_sweep_chunks_open", "sweep_chunks", ["sweep_id", "number"], postgresql_where=sa.text("ended_at IS NULL")
    )


def downgrade() -> None:
    op.drop_table("sweep_chunks")
    op.drop_table("sweeps")
