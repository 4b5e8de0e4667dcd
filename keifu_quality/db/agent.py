"""The tables of the agent database that keep runs, their events and results, the index of athletes and imports.

What belongs here: table definitions, which the migrations follow (a test compares them). What stays out: reading
and writing (the store modules), LangGraph's tables (schema `langgraph`, made by LangGraph) and the view over them
(the migrations).

Times are timestamptz in UTC. Columns whose name ends in _json are JSONB in the published camelCase shapes.
"""

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class RunStatus(StrEnum):
    """Where a run stands."""

    RUNNING = "running"
    NEED_CLARIFICATION = "need_clarification"
    COMPLETED = "completed"
    FAILED = "failed"
    UNCHANGED = "unchanged"


class RunOutcome(StrEnum):
    """What a run came to; null while it runs. `incomplete` means that at least one family was not evaluated."""

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    FAILED = "failed"
    UNCHANGED = "unchanged"


class NameKind(StrEnum):
    """Where a name of an athlete was written: a display column of the person, or a row of name variants."""

    DISPLAY = "display"
    KANA = "kana"
    ROMAN = "roman"
    ENGLISH = "english"
    CHINESE = "chinese"
    VARIANT = "variant"


class ImportKind(StrEnum):
    """How a run of an import batch ended; a stuck one has not."""

    COMPLETED = "completed"
    FAILED = "failed"
    STUCK = "stuck"


class ImportStatus(StrEnum):
    """Where an import event stands: its athletes wait, are handed over, are diagnosed, are all gone, or were none.

    Events from before the watch began are skipped.
    """

    PENDING = "pending"
    REQUESTED = "requested"
    DONE = "done"
    SKIPPED = "skipped"
    NO_ATHLETES = "no_athletes"


class ImportRole(StrEnum):
    """How an import concerns an athlete: an opponent shares a race with somebody that it touched."""

    TOUCHED = "touched"
    OPPONENT = "opponent"


class ImportOutcome(StrEnum):
    """What came of an athlete that an import concerns; `skipped` is one that is no longer there."""

    DIAGNOSED = "diagnosed"
    SKIPPED = "skipped"
    FAILED = "failed"


KEY_COLUMNS = ("site_key", "strict_key", "variant_key", "loose_key", "kana_key", "roman_key", "foreign_key")

_TRIGGERS = "'cli', 'admin_api', 'dagster_partition', 'import_sensor', 'schedule'"


def _one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _time(name: str, *, nullable: bool = True) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


LOOKED_AT = "status <> 'unchanged'"
"""Tells the runs that looked at their athlete from those that a sweep enters for unchanged ones, which are most of all
and stand in no index of people."""

agent_runs = Table(
    "agent_runs",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("run_id", Text, nullable=False, unique=True),
    Column("graph_name", Text, nullable=False),
    Column("graph_version", Text, nullable=False),
    Column("rule_set_version", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("outcome", Text),
    Column("triggered_by", Text, nullable=False),
    Column("person_id", Text),
    Column("person_slug", Text),
    Column("input_json", JSONB, nullable=False),
    Column("current_node", Text),
    Column("trace_id", Text),
    Column("dagster_run_id", Text),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    _time("ended_at"),
    Column("error_node", Text),
    Column("error_code", Text),
    Column("error_message", Text),
    _one_of("status", RunStatus),
    _one_of("outcome", RunOutcome),
    CheckConstraint(f"triggered_by IN ({_TRIGGERS})", name="triggered_by"),
    CheckConstraint(
        "CASE status WHEN 'running' THEN outcome IS NULL "
        "WHEN 'need_clarification' THEN true ELSE outcome IS NOT NULL END",
        name="outcome_of_status",
    ),
    Index(None, "person_slug", "started_at", postgresql_where=text(LOOKED_AT)),
    Index(None, "person_id", "started_at", postgresql_where=text(LOOKED_AT)),
    Index(None, "started_at"),
    Index(None, "dagster_run_id", postgresql_where=text("dagster_run_id IS NOT NULL")),
    Index("ix_agent_runs_open", "started_at", postgresql_where=text("status IN ('running', 'need_clarification')")),
)

agent_events = Table(
    "agent_events",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("run_id", Text, ForeignKey("agent_runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("node", Text),
    Column("kind", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("span_id", Text),
    Column("event_payload_json", JSONB),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    CheckConstraint("level IN ('debug', 'info', 'warning', 'error')", name="level"),
    Index(None, "run_id", "id"),
)

diagnosis_results = Table(
    "diagnosis_results",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("run_id", Text, ForeignKey("agent_runs.run_id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("person_id", Text, nullable=False),
    Column("person_slug", Text, nullable=False),
    Column("summary_json", JSONB, nullable=False),
    Column("findings_json", JSONB, nullable=False),
    Column("actions_json", JSONB, nullable=False),
    Column("snapshot_json", JSONB),
    Column("snapshot_hash", Text),
    Column("info_count", Integer, nullable=False, server_default="0"),
    Column("warning_count", Integer, nullable=False, server_default="0"),
    Column("error_count", Integer, nullable=False, server_default="0"),
    Column("critical_count", Integer, nullable=False, server_default="0"),
    Index(None, "person_id", "id"),
)

# Identity keys are derived from names (`graphs.text.names`) and compared for equality; an empty or null key matches
# nothing. The two tables are a copy of what the business database says and are rebuilt from it, so nothing
# references them.
athlete_index = Table(
    "athlete_index",
    metadata,
    Column("person_id", Text, primary_key=True),
    Column("person_slug", Text, nullable=False),
    Column("display_name_ja", Text, nullable=False),
    *(Column(key, Text) for key in KEY_COLUMNS),
    Column("is_placeholder", Boolean, nullable=False, server_default="false"),
    Column("content_digest", Text),
    Column("rule_set_version", Text),
    Column("last_run_id", Text),
    _time("last_diagnosed_at"),
    _time("source_updated_at"),
    Index(None, "person_slug"),
    *(Index(None, key) for key in KEY_COLUMNS),
)

athlete_names = Table(
    "athlete_names",
    metadata,
    Column("person_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    *(Column(key, Text) for key in KEY_COLUMNS),
    PrimaryKeyConstraint("person_id", "kind", "value"),
    _one_of("kind", NameKind),
    Index(None, "value"),
    *(Index(None, key) for key in KEY_COLUMNS),
)

athlete_index_state = Table(
    "athlete_index_state",
    metadata,
    Column("id", SmallInteger, primary_key=True, server_default="1"),
    Column("names_digest", Text, nullable=False),
    Column("athlete_count", Integer, nullable=False),
    Column("refreshed_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

import_events = Table(
    "import_events",
    metadata,
    Column("event_key", Text, primary_key=True),
    Column("batch_id", Text, nullable=False),
    Column("batch_key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    _time("completed_at"),
    _time("seen_at", nullable=False),
    Column("status", Text, nullable=False),
    Column("touched_count", Integer, nullable=False, server_default="0"),
    Column("opponent_count", Integer, nullable=False, server_default="0"),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("hand_over_id", Text),
    Column("dagster_run_id", Text),
    _time("requested_at"),
    _time("settled_at"),
    Column("error_message", Text),
    Column("unresolved_json", JSONB, nullable=False, server_default="[]"),
    Column("notice", Text),
    _one_of("kind", ImportKind),
    _one_of("status", ImportStatus),
    Index(None, "batch_id", "completed_at"),
    Index(None, "seen_at"),
    Index(None, "requested_at"),
    Index("ix_import_events_open", "status", postgresql_where=text("status IN ('pending', 'requested')")),
    Index(None, "hand_over_id", postgresql_where=text("hand_over_id IS NOT NULL")),
)

import_event_people = Table(
    "import_event_people",
    metadata,
    Column("event_key", Text, ForeignKey("import_events.event_key", ondelete="CASCADE"), nullable=False),
    Column("person_id", Text, nullable=False),
    Column("person_slug", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("reasons_json", JSONB, nullable=False),
    Column("outcome", Text),
    Column("replaced_by", Text),
    PrimaryKeyConstraint("event_key", "person_id"),
    _one_of("role", ImportRole),
    _one_of("outcome", ImportOutcome),
    Index(None, "person_id"),
)

import_watch = Table(
    "import_watch",
    metadata,
    Column("id", SmallInteger, primary_key=True, server_default="1"),
    _time("watching_since", nullable=False),
    _time("polled_at", nullable=False),
    _time("last_seen"),
    Column("finished_digest", Text, nullable=False),
    _time("reset_at"),
    Column("reset_notice", Text),
    Column("full_sweep_due", Boolean, nullable=False, server_default="false"),
    CheckConstraint("id = 1", name="one_row"),
)
