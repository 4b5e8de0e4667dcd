"""Diagnosing many athletes: the service that sweeps and imports call, one chunk at a time.

Belongs here: the life of a chunk around the graph (one trace, the ledger's rows, the published JSON, made once). Stays
out: one athlete with checkpoints and questions (`keifu_quality.diagnosis`), who is due (`keifu_quality.sweep`), SQL.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import structlog
from langsmith import tracing_context, uuid7
from pydantic import TypeAdapter

from graphs.contracts import (
    DiagnosisInput,
    DiagnosisIssue,
    DiagnosisSummary,
    FamilyReport,
    Severity,
    SuggestedAction,
    ToolError,
    TriggeredBy,
)
from graphs.person_diagnosis.graph import GRAPH_NAME, GRAPH_VERSION
from graphs.person_diagnosis.roster import ChunkContext, RosterDiagnosis, build_roster_graph, diagnose_chunk
from graphs.ports import BusinessReader, Clock
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import rule_set_version
from keifu_quality.db.agent import RunOutcome, RunStatus
from keifu_quality.db.chunk_results import ChunkHeader, ChunkResult, ChunkRun
from keifu_quality.diagnosis import SystemClock
from keifu_quality.garbage import collections_paused
from keifu_quality.settings import Settings
from keifu_quality.tracing import Tracing

FINDINGS = TypeAdapter(tuple[DiagnosisIssue, ...])
ACTIONS = TypeAdapter(tuple[SuggestedAction, ...])

NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""The escape of U+0000 in JSON text; a backslash before it is text of its own when there are an even number."""

UNSTORABLE = ToolError(
    code="unstorable_text", message="a finding quotes the character U+0000, which the agent database cannot store"
)


class ChunkJournal:
    """Tells the log how long the nodes of a chunk took; the ledger has rows for athletes, not for nodes."""

    def __init__(self) -> None:
        self._log = structlog.get_logger("keifu.roster")

    def enter_node(self, run_id: str, node: str) -> None:
        """Nothing: a chunk is in the ledger when it is done."""

    def record(self, run_id: str, node: str, kind: str, payload: Mapping[str, Any], *, level: str = "info") -> None:
        """A line at debug level."""
        self._log.debug(kind, chunk_id=run_id, node=node, level_of_event=level, **payload)


class RosterDiagnostician:
    """Diagnoses athletes in chunks, without checkpoints and without asking anybody. Serves one thread."""

    def __init__(
        self,
        settings: Settings,
        *,
        reader: BusinessReader,
        configuration: RuleConfiguration,
        clock: Clock | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._reader = reader
        self._configuration = configuration
        self._clock = clock or SystemClock()
        self._stack = ExitStack()
        self._tracing = tracing or self._stack.enter_context(Tracing(settings))
        self._graph = build_roster_graph()
        self.rule_set_version = rule_set_version(configuration)

    def close(self) -> None:
        """Lets traces leave."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def diagnose(
        self, requests: Sequence[DiagnosisInput], *, triggered_by: TriggeredBy, dagster_run_id: str | None = None
    ) -> tuple[ChunkHeader, Sequence[ChunkRun]]:
        """Diagnoses these athletes and gives their rows for the ledger, in the same order; nothing is written.

        Every athlete has a run, whatever its end. Raises what the database raises when a transient fault stays.
        """
        chunk_id = uuid7()
        header = ChunkHeader(
            graph_name=GRAPH_NAME,
            graph_version=GRAPH_VERSION,
            rule_set_version=self.rule_set_version,
            triggered_by=triggered_by,
            trace_id=str(chunk_id) if self._tracing.enabled else None,
            dagster_run_id=dagster_run_id,
            started_at=self._clock.now(),
        )
        with collections_paused():
            athletes = self._run_graph(requests, chunk_id)
            ended_at = self._clock.now()
            return header, [_run_of(athlete, ended_at) for athlete in athletes]

    def _run_graph(self, requests: Sequence[DiagnosisInput], chunk_id: UUID) -> Sequence[RosterDiagnosis]:
        context = ChunkContext(
            reader=self._reader,
            journal=ChunkJournal(),
            clock=self._clock,
            configuration=self._configuration,
            chunk_id=str(chunk_id),
        )
        with tracing_context(enabled=self._tracing.enabled):
            return diagnose_chunk(self._graph, requests, context, self._tracing.run_config(chunk_id))


def _run_of(athlete: RosterDiagnosis, ended_at: datetime) -> ChunkRun:
    target = athlete.diagnosis.target
    result, error, error_node = None, athlete.error, athlete.error_node
    if error is None and athlete.summary is not None:
        try:
            result = stored_form(athlete.summary, athlete.diagnosis.findings, athlete.actions)
        except ValueError:
            error, error_node = UNSTORABLE, athlete.last_node
    return ChunkRun(
        run_id=str(uuid7()),
        input_json=athlete.diagnosis.input.model_dump_json(by_alias=True, exclude_none=True),
        asked_id=athlete.diagnosis.input.person_id,
        status=RunStatus.COMPLETED if error is None else RunStatus.FAILED,
        outcome=RunOutcome.FAILED if error is not None else _outcome(athlete),
        person_id=target.person_id,
        person_slug=target.person_slug,
        ended_at=ended_at,
        result=result,
        error=error,
        error_node=error_node,
        families=athlete.diagnosis.input.families,
    )


def _outcome(athlete: RosterDiagnosis) -> RunOutcome:
    if athlete.status == "need_clarification":
        return RunOutcome.AMBIGUOUS
    if not athlete.diagnosis.target.resolved:
        return RunOutcome.NOT_FOUND
    return outcome_of(athlete.diagnosis.families)


def outcome_of(families: Sequence[FamilyReport]) -> RunOutcome:
    """What a finished diagnosis with these reports came to."""
    complete = all(family.status == "evaluated" for family in families)
    return RunOutcome.COMPLETED if complete else RunOutcome.INCOMPLETE


def stored_form(
    summary: DiagnosisSummary, findings: Sequence[DiagnosisIssue], actions: Sequence[SuggestedAction]
) -> ChunkResult:
    """The published JSON of a finished diagnosis. Raises ValueError when it holds text that cannot be stored."""
    counts = summary.severity_counts
    texts = (
        summary.model_dump_json(by_alias=True, exclude_none=True),
        FINDINGS.dump_json(tuple(findings), by_alias=True, exclude_none=True).decode(),
        ACTIONS.dump_json(tuple(actions), by_alias=True, exclude_none=True).decode(),
    )
    if any("\\u0000" in text and NUL.search(text) for text in texts):
        raise ValueError(UNSTORABLE.message)
    return ChunkResult(
        summary=texts[0],
        findings=texts[1],
        actions=texts[2],
        counts=(
            counts[Severity.INFO],
            counts[Severity.WARNING],
            counts[Severity.ERROR],
            counts[Severity.CRITICAL],
        ),
    )
