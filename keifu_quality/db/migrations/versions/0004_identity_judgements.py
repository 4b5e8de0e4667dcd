"""What maintainers said of pairs of athletes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity_judgements",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("first_person_id", sa.Text(), nullable=False),
        sa.Column("second_person_id", sa.Text(), nullable=False),
        sa.Column("first_slug", sa.Text(), nullable=False),
        sa.Column("second_slug", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column(
            "decided_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("withdrawn_by", sa.Text(), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            'first_person_id COLLATE "C" < second_person_id', name=op.f("ck_identity_judgements_ascending")
        ),
        sa.CheckConstraint(
            "(withdrawn_at IS NULL) = (withdrawn_by IS NULL)", name=op.f("ck_identity_judgements_withdrawal")
        ),
        sa.CheckConstraint("verdict IN ('same', 'different', 'unsure')", name=op.f("ck_identity_judgements_verdict")),
        sa.PrimaryKeyConstraint("id", name="pk_identity_judgements"),
    )
    op.create_index(
        "uq_identity_judgements_in_force",
        "identity_judgements",
        ["first_person_id", "second_person_id"],
        unique=True,
        postgresql_where=sa.text("withdrawn_at IS NULL"),
    )


def downgrade() -> None:
    op.drop_table("identity_judgements")
