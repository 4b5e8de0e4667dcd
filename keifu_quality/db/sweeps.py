"""Sweeps of the roster: who is due, in which chunks, and how far a sweep has come.

Belongs here: the tables sweeps and sweep_chunks and every statement on them. A sweep is planned in one transaction:
athletes whose digest and rule set version are those of their last diagnosis get an `unchanged` run, all others stand in
chunks. A worker holds the row lock of its chunk until the results are committed with it, so a chunk is done once,
whoever dies. Stays out: diagnosing, the writing of results (`keifu_quality.db.chunk_results`), and digests
(`keifu_quality.db.known_digests`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from langsmith import uuid7
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Engine,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from graphs.contracts import Severity, TriggeredBy
from keifu_quality.db.agent import metadata
from keifu_quality.db.known_digests import ArchiveDigests, refresh_digests
from keifu_quality.db.sweep_statements import (
    ABANDON,
    CHUNKS,
    CLAIM,
    COUNTS,
    DUE,
    FINISH_CHUNK,
    FINISH_SWEEP,
    JOIN,
    NEW_SWEEP,
    SET_COUNTS,
    UNCHANGED,
)

OPEN_FOR = timedelta(hours=12)
"""A sweep that was cut off is gone on with for so long; after that its digests are old, and a new plan costs less."""

PLANNING_LOCK = 0x6B65_6966_0002
"""`keif` and a number: one plan at a time, whatever process it is made in."""

UUID7_TIME = 15
"""Characters of a UUID of version 7 that hold its time and version; the rest is random (RFC 9562, 5.7)."""

sweeps = Table(
    "sweeps",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("rule_set_version", Text, nullable=False),
    Column("triggered_by", Text, nullable=False),
    Column("is_full", Boolean, nullable=False),
    Column("most_athletes", Integer),
    Column("shard", Integer, nullable=False),
    Column("shards", Integer, nullable=False),
    Column("due_count", Integer, nullable=False, server_default="0"),
    Column("unchanged_count", Integer, nullable=False, server_default="0"),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("ended_at", DateTime(timezone=True)),
    Index("ix_sweeps_open", "started_at", postgresql_where=text("ended_at IS NULL")),
)

sweep_chunks = Table(
    "sweep_chunks",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("sweep_id", BigInteger, ForeignKey("sweeps.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("person_ids", ARRAY(Text), nullable=False),
    Column("digests", ARRAY(Text), nullable=False),
    Column("ended_at", DateTime(timezone=True)),
    *(
        Column(f"{name}_count", Integer, nullable=False, server_default="0")
        for name in ("diagnosed", "incomplete", "failed", *(severity.value for severity in Severity))
    ),
    UniqueConstraint("sweep_id", "number"),
    Index("ix_sweep_chunks_open", "sweep_id", "number", postgresql_where=text("ended_at IS NULL")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPlan:
    """Which athletes a sweep is about. Two sweeps of one plan are one sweep, which both work on.

    `is_full` diagnoses everybody, not only those whose record changed. `most_athletes` bounds the number of diagnoses.
    `shard` is one of 0 .. `shards` - 1; which one an athlete belongs to depends on its id alone.
    """

    rule_set_version: str
    graph_name: str
    graph_version: str
    triggered_by: TriggeredBy
    is_full: bool = False
    most_athletes: int | None = None
    shard: int = 0
    shards: int = 1
    chunk_size: int = 1_000
    dagster_run_id: str | None = None

    def parameters(self) -> dict[str, Any]:
        """The plan as the statements take it."""
        return {name: getattr(self, name) for name in type(self).__slots__}


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep under way. Times are the agent database's, in UTC. `is_joined` says that it was begun before."""

    id: int
    started_at: datetime
    due: int
    unchanged: int
    is_joined: bool


@dataclass(frozen=True, slots=True)
class Chunk:
    """Athletes that a worker has taken, each with its digest as planned."""

    id: int
    person_ids: tuple[str, ...]
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SweepCounts:
    """What came of the athletes of a sweep so far: `incomplete` are those diagnosed with a rule that did not finish."""

    diagnosed: int = 0
    incomplete: int = 0
    failed: int = 0
    info: int = 0
    warning: int = 0
    error: int = 0
    critical: int = 0
    open_chunks: int = 0


def plan_sweep(agent: Engine, plan: SweepPlan, archive: ArchiveDigests) -> Sweep:
    """Plans a sweep and enters the unchanged athletes into the ledger, all or nothing.

    Gives the unfinished sweep of the same plan where there is one; the archive is not asked then. Refresh the index of
    names before.
    """
    parameters = plan.parameters()
    with agent.begin() as connection:
        connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(key)s)", {"key": PLANNING_LOCK})
        connection.exec_driver_sql(ABANDON, {"open_for": OPEN_FOR})
        found = connection.exec_driver_sql(JOIN, parameters).first()
        if found is not None:
            return Sweep(*found, is_joined=True)
        refresh_digests(connection, archive)
        connection.exec_driver_sql(DUE, parameters)
        sweep_id, started_at = connection.exec_driver_sql(NEW_SWEEP, parameters).one()
        parameters["sweep_id"] = sweep_id
        due = connection.exec_driver_sql(CHUNKS, parameters).one()[0]
        unchanged = 0
        if not plan.is_full and plan.most_athletes is None:
            parameters["run_id_start"] = str(uuid7())[:UUID7_TIME]
            unchanged = connection.exec_driver_sql(UNCHANGED, parameters).rowcount
        connection.exec_driver_sql(SET_COUNTS, {"sweep_id": sweep_id, "due": due, "unchanged": unchanged})
        return Sweep(sweep_id, started_at, due, unchanged, is_joined=False)


def claim_chunk(connection: Connection, sweep_id: int) -> Chunk | None:
    """The next chunk that nobody works on; held until the transaction ends."""
    row = connection.exec_driver_sql(CLAIM, {"sweep_id": sweep_id}).first()
    return None if row is None else Chunk(row[0], tuple(row[1]), tuple(row[2]))


def finish_chunk(connection: Connection, chunk_id: int, counts: SweepCounts) -> None:
    """Marks a chunk as done, in the transaction of its results."""
    parameters = {name: getattr(counts, name) for name in SweepCounts.__slots__}
    connection.exec_driver_sql(FINISH_CHUNK, {"chunk_id": chunk_id, **parameters})


def sweep_counts(connection: Connection, sweep_id: int) -> SweepCounts:
    """How far a sweep has come, whoever works on it."""
    return SweepCounts(*connection.exec_driver_sql(COUNTS, {"sweep_id": sweep_id}).one())


def finish_sweep(agent: Engine, sweep_id: int) -> bool:
    """Closes a sweep that has no open chunk. False where one is left."""
    with agent.begin() as connection:
        return connection.exec_driver_sql(FINISH_SWEEP, {"sweep_id": sweep_id}).rowcount == 1
