"""The run ledger, its events and the results, in the agent database.

Belongs here: every read and write of agent_runs, agent_events and diagnosis_results by single runs, which also name
themselves in the index of athletes. Each write is keyed by the run and idempotent, so that a repeated node or a second
answer changes nothing. Times are aware and in UTC.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from graphs.contracts import (
    DiagnosisInput,
    DiagnosisIssue,
    DiagnosisSummary,
    Severity,
    SuggestedAction,
    Target,
    ToolError,
)
from keifu_quality.db.agent import (
    LOOKED_AT,
    RunOutcome,
    RunStatus,
    agent_events,
    agent_runs,
    athlete_index,
    diagnosis_results,
)
from keifu_quality.errors import RunNotFound

_CHECKPOINTS = text(
    "SELECT id, node_name, created_at FROM agent_checkpoints WHERE run_id = :run_id ORDER BY created_at, id"
)
_CANDIDATES = text(
    "SELECT state_json -> 'candidates' FROM agent_checkpoints WHERE run_id = :run_id"
    " ORDER BY created_at DESC, id DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """What is known of a run before its first node."""

    run_id: str
    graph_name: str
    graph_version: str
    rule_set_version: str
    request: DiagnosisInput
    started_at: datetime
    trace_id: str | None = None
    dagster_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a finished run found; `snapshot_hash` identifies the facts that it saw."""

    summary: DiagnosisSummary
    findings: Sequence[DiagnosisIssue]
    actions: Sequence[SuggestedAction]
    snapshot: Mapping[str, Any] | None
    snapshot_hash: str | None


class RunStore:
    """Reads and writes runs through one engine of the agent database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def open_run(self, run: NewRun) -> None:
        """Enters a run as running, before anything else happens in it."""
        with self._engine.begin() as connection:
            connection.execute(
                insert(agent_runs).values(
                    run_id=run.run_id,
                    graph_name=run.graph_name,
                    graph_version=run.graph_version,
                    rule_set_version=run.rule_set_version,
                    status=RunStatus.RUNNING,
                    triggered_by=run.request.triggered_by,
                    input_json=run.request.to_json(),
                    trace_id=run.trace_id,
                    dagster_run_id=run.dagster_run_id,
                    started_at=run.started_at,
                )
            )

    def enter_node(self, run_id: str, node: str) -> None:
        """Shows a node as the current one of a running run."""
        with self._engine.begin() as connection:
            connection.execute(
                update(agent_runs)
                .where(agent_runs.c.run_id == run_id)
                .values(current_node=node, status=RunStatus.RUNNING, outcome=None, ended_at=None)
            )

    def add_event(
        self, run_id: str, node: str | None, kind: str, payload: Mapping[str, Any], *, level: str, span_id: str | None
    ) -> None:
        """Keeps something that happened in a run; `payload` is JSON."""
        with self._engine.begin() as connection:
            connection.execute(
                insert(agent_events).values(
                    run_id=run_id, node=node, kind=kind, level=level, span_id=span_id, event_payload_json=dict(payload)
                )
            )

    def settle(
        self,
        run_id: str,
        *,
        status: RunStatus,
        outcome: RunOutcome,
        target: Target,
        ended_at: datetime | None,
        result: RunResult | None = None,
        error: ToolError | None = None,
        error_node: str | None = None,
    ) -> None:
        """Says what a run came to, together with its result, in one transaction. May be repeated."""
        with self._engine.begin() as connection:
            connection.execute(
                update(agent_runs)
                .where(agent_runs.c.run_id == run_id)
                .values(
                    status=status,
                    outcome=outcome,
                    person_id=target.person_id,
                    person_slug=target.person_slug,
                    ended_at=ended_at,
                    error_node=error_node,
                    error_code=error.code if error else None,
                    error_message=error.message if error else None,
                )
            )
            if result is not None and target.person_id is not None and target.person_slug is not None:
                # Holds the athlete too: a check of relations takes over the newest result of the other families.
                connection.execute(
                    update(athlete_index)
                    .where(athlete_index.c.person_id == target.person_id)
                    .values(last_run_id=run_id)
                )
                _write_result(connection, run_id, target.person_id, target.person_slug, result)
            elif status is RunStatus.FAILED and target.person_id is not None:
                # As after a failure in a chunk: the roster's state counts the athlete, and the next sweep takes it.
                connection.execute(
                    update(athlete_index)
                    .where(athlete_index.c.person_id == target.person_id)
                    .values(last_run_id=run_id, content_digest=None)
                )

    def fail(self, run_id: str, *, node: str | None, target: Target, reason: ToolError, ended_at: datetime) -> None:
        """Ends a run as failed in the node that it had come to, with the reason as its last event."""
        self.add_event(run_id, node, "run_failed", reason.to_json(), level="error", span_id=None)
        self.settle(
            run_id,
            status=RunStatus.FAILED,
            outcome=RunOutcome.FAILED,
            target=target,
            ended_at=ended_at,
            error=reason,
            error_node=node,
        )

    def run(self, run_id: str) -> dict[str, Any]:
        """The ledger row of a run. Raises RunNotFound."""
        row = self._one(select(agent_runs).where(agent_runs.c.run_id == run_id))
        if row is None:
            raise RunNotFound(f"There is no run {run_id}. `keifu inspect` lists the latest runs.")
        return row

    def result(self, run_id: str) -> dict[str, Any] | None:
        """The result row of a run, if it has one."""
        return self._one(select(diagnosis_results).where(diagnosis_results.c.run_id == run_id))

    def events(self, run_id: str) -> Sequence[dict[str, Any]]:
        """What happened in a run, oldest first."""
        return self._all(select(agent_events).where(agent_events.c.run_id == run_id).order_by(agent_events.c.id))

    def checkpoints(self, run_id: str) -> Sequence[dict[str, Any]]:
        """Where a run stood after each step, oldest first: node_name and created_at."""
        with self._engine.connect() as connection:
            rows = connection.execute(_CHECKPOINTS, {"run_id": run_id}).mappings()
            return [{str(key): value for key, value in row.items()} for row in rows]

    def candidates(self, run_id: str) -> Sequence[dict[str, Any]]:
        """The people that a waiting run asks about; empty for every other run."""
        with self._engine.connect() as connection:
            return connection.execute(_CANDIDATES, {"run_id": run_id}).scalar() or []

    def latest_runs(self, *, limit: int, person_slug: str | None = None) -> Sequence[dict[str, Any]]:
        """The newest runs of all, newest first; or those of one athlete, without the sweeps that found it unchanged."""
        query = select(agent_runs).order_by(agent_runs.c.started_at.desc(), agent_runs.c.id.desc()).limit(limit)
        if person_slug is not None:
            query = query.where(agent_runs.c.person_slug == person_slug, text(LOOKED_AT))
        return self._all(query)

    def previous_result(self, person_id: str, *, other_than: str) -> dict[str, Any] | None:
        """The newest result of an athlete from another run than this one."""
        query = (
            select(diagnosis_results)
            .where(diagnosis_results.c.person_id == person_id, diagnosis_results.c.run_id != other_than)
            .order_by(diagnosis_results.c.id.desc())
            .limit(1)
        )
        return self._one(query)

    def count_runs(self) -> Mapping[str, int]:
        """How many runs there are by status."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(agent_runs.c.status, func.count()).group_by(agent_runs.c.status))
            return {row[0]: row[1] for row in rows}

    def _one(self, query: Select[Any]) -> dict[str, Any] | None:
        rows = self._all(query)
        return rows[0] if rows else None

    def _all(self, query: Select[Any]) -> list[dict[str, Any]]:
        with self._engine.connect() as connection:
            return [{str(key): value for key, value in row.items()} for row in connection.execute(query).mappings()]


def _write_result(connection: Connection, run_id: str, person_id: str, person_slug: str, result: RunResult) -> None:
    counts = result.summary.severity_counts
    values = {
        "person_id": person_id,
        "person_slug": person_slug,
        "summary_json": result.summary.to_json(),
        "findings_json": [finding.to_json() for finding in result.findings],
        "actions_json": [action.to_json() for action in result.actions],
        "snapshot_json": result.snapshot,
        "snapshot_hash": result.snapshot_hash,
        **{f"{severity.value}_count": counts.get(severity, 0) for severity in Severity},
    }
    statement = upsert(diagnosis_results).values(run_id=run_id, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["run_id"], set_=values))
