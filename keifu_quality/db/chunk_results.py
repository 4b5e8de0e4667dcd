"""The results of a chunk of athletes, written as one: runs, results, failures and the index of athletes.

Belongs here: the COPY of rows that a chunk's diagnoses made, in the caller's transaction. Stays out: single runs
(`keifu_quality.db.runs`), and who claimed the chunk (`keifu_quality.db.sweeps`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine

from graphs.contracts import Category, ToolError, TriggeredBy
from keifu_quality.db.agent import RunOutcome, RunStatus
from keifu_quality.db.business.access import run_single, text_array
from keifu_quality.db.copying import copy_rows

RUN_COLUMNS = (
    "run_id",
    "graph_name",
    "graph_version",
    "rule_set_version",
    "status",
    "outcome",
    "triggered_by",
    "person_id",
    "person_slug",
    "input_json",
    "trace_id",
    "dagster_run_id",
    "started_at",
    "ended_at",
    "error_node",
    "error_code",
    "error_message",
)
RESULT_COLUMNS = (
    "run_id",
    "person_id",
    "person_slug",
    "summary_json",
    "findings_json",
    "actions_json",
    "info_count",
    "warning_count",
    "error_count",
    "critical_count",
)
EVENT_COLUMNS = ("run_id", "node", "kind", "level", "event_payload_json")

HAS_RUN = "SELECT EXISTS (SELECT FROM agent_runs WHERE run_id = ANY(%(run_ids)s::text[]))"

# In the order of ids, as everybody who locks several rows of the index takes them.
DONE_MEANWHILE = """
SELECT i.person_id, i.last_diagnosed_at > %(since)s AND i.content_digest = d.digest
    AND i.rule_set_version = %(rule_set_version)s
FROM athlete_index i
JOIN unnest(%(people)s::text[], %(digests)s::text[]) AS d (person_id, digest) ON d.person_id = i.person_id
ORDER BY i.person_id
FOR UPDATE OF i
"""

# A run that did not settle everything leaves no digest, so that the next sweep takes the athlete again.
SETTLE_INDEX = """
UPDATE athlete_index i
SET last_run_id = d.run_id, last_diagnosed_at = clock_timestamp(), rule_set_version = %(rule_set_version)s,
    content_digest = NULLIF(d.digest, '')
FROM unnest(%(people)s::text[], %(runs)s::text[], %(digests)s::text[]) AS d (person_id, run_id, digest)
WHERE i.person_id = d.person_id
"""


# A run that evaluated some families only says nothing of the rest of the content.
SETTLE_PARTLY = """
UPDATE athlete_index i
SET last_run_id = d.run_id
FROM unnest(%(people)s::text[], %(runs)s::text[]) AS d (person_id, run_id)
WHERE i.person_id = d.person_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkHeader:
    """What all runs of a chunk have in common."""

    graph_name: str
    graph_version: str
    rule_set_version: str
    triggered_by: TriggeredBy
    trace_id: str | None
    dagster_run_id: str | None
    started_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """What a diagnosis found, as JSON text in the published shapes; counts from info to critical."""

    summary: str
    findings: str
    actions: str
    counts: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRun:
    """One run of a chunk. `asked_id` is the athlete that was asked for; `person_id` the one that was found.

    `families` are those that it was asked to evaluate, None for all.
    """

    run_id: str
    input_json: str
    asked_id: str | None
    status: RunStatus
    outcome: RunOutcome
    person_id: str | None
    person_slug: str | None
    ended_at: datetime
    result: ChunkResult | None = None
    error: ToolError | None = None
    error_node: str | None = None
    families: tuple[Category, ...] | None = None


def lock_athletes(
    connection: Connection, person_ids: Sequence[str], digests: Sequence[str], *, rule_set_version: str, since: datetime
) -> Collection[str]:
    """Holds the index rows of these athletes until the transaction ends.

    Gives those that somebody else has diagnosed since the time given, by the same rules and with the same content.
    """
    rows = connection.exec_driver_sql(
        DONE_MEANWHILE,
        {
            "people": text_array(person_ids),
            "digests": text_array(digests),
            "since": since,
            "rule_set_version": rule_set_version,
        },
    )
    return {person_id for person_id, is_done in rows if is_done}


def has_run(agent: Engine, run_ids: Sequence[str]) -> bool:
    """Whether one of these runs is in the ledger; of a chunk all are, or none."""
    return bool(run_single(agent, HAS_RUN, {"run_ids": text_array(run_ids)})[0][0])


def write_chunk(connection: Connection, header: ChunkHeader, runs: Sequence[ChunkRun], digests: Sequence[str]) -> None:
    """Writes the runs of a chunk; `digests` are those of the athletes asked for, empty where unknown.

    A run of some families leaves the digest of its athlete alone, so that a sweep looks at the athlete all the same.
    """
    copy_rows(connection, "agent_runs", RUN_COLUMNS, (_run_row(header, run) for run in runs))
    copy_rows(
        connection, "diagnosis_results", RESULT_COLUMNS, (_result_row(run, run.result) for run in runs if run.result)
    )
    copy_rows(connection, "agent_events", EVENT_COLUMNS, (_event_row(run, run.error) for run in runs if run.error))
    settled = [
        (run.person_id or run.asked_id, run.run_id, digest if run.outcome is RunOutcome.COMPLETED else "")
        for run, digest in zip(runs, digests, strict=True)
        if run.families is None
    ]
    partly = [
        (run.person_id, run.run_id)
        for run in runs
        if run.families is not None and run.result is not None and run.person_id is not None
    ]
    known = [(person_id, run_id, digest) for person_id, run_id, digest in settled if person_id is not None]
    connection.exec_driver_sql(
        SETTLE_INDEX,
        {
            "people": text_array(person_id for person_id, _, _ in known),
            "runs": text_array(run_id for _, run_id, _ in known),
            "digests": text_array(digest for _, _, digest in known),
            "rule_set_version": header.rule_set_version,
        },
    )
    if partly:
        connection.exec_driver_sql(
            SETTLE_PARTLY,
            {
                "people": text_array(person_id for person_id, _ in partly),
                "runs": text_array(run_id for _, run_id in partly),
            },
        )


def _run_row(header: ChunkHeader, run: ChunkRun) -> Sequence[Any]:
    error = run.error
    return (
        run.run_id,
        header.graph_name,
        header.graph_version,
        header.rule_set_version,
        run.status.value,
        run.outcome.value,
        header.triggered_by,
        run.person_id,
        run.person_slug,
        run.input_json,
        header.trace_id,
        header.dagster_run_id,
        header.started_at,
        run.ended_at,
        run.error_node,
        None if error is None else error.code,
        None if error is None else error.message,
    )


def _result_row(run: ChunkRun, result: ChunkResult) -> Sequence[Any]:
    return (
        run.run_id,
        run.person_id,
        run.person_slug,
        result.summary,
        result.findings,
        result.actions,
        *result.counts,
    )


def _event_row(run: ChunkRun, error: ToolError) -> Sequence[Any]:
    return (run.run_id, run.error_node, "run_failed", "error", error.model_dump_json(exclude_none=True))
