"""Diagnosing one athlete: the service that the command line, the assets and the ops call.

Belongs here: the life of a run around the graph (ledger, checkpoints, lock, result, trace). Stays out: what a
diagnosis consists of (`graphs`), SQL (`keifu_quality.db`), Dagster and the terminal.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import structlog
from langgraph.types import Command
from langsmith import tracing_context, uuid7
from sqlalchemy import Engine

from graphs.contracts import DiagnosisInput, DiagnosisReport, Runtime, Target
from graphs.person_diagnosis.context import DiagnosisContext
from graphs.person_diagnosis.graph import GRAPH_NAME, GRAPH_VERSION, build_graph
from graphs.person_diagnosis.nodes import tool_error_of
from graphs.person_diagnosis.state import initial_state
from graphs.ports import BusinessReader, Clock, RunJournal
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import rule_set_version
from keifu_quality.db.agent import RunOutcome, RunStatus
from keifu_quality.db.business.people import require_usable
from keifu_quality.db.checkpoints import open_saver
from keifu_quality.db.engine import connect_agent_psycopg
from keifu_quality.db.run_lock import run_lock
from keifu_quality.db.runs import NewRun, RunResult, RunStore
from keifu_quality.errors import RequestRefused, RunCutOff, RunNotResumable
from keifu_quality.report import changes_since, report_of_run, report_of_state
from keifu_quality.settings import Settings
from keifu_quality.tracing import Tracing, current_span_id

PAYLOAD_KEPT_BYTES = 65_536
"""A relation cache beyond this size is left out of the stored snapshot; its size is kept."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present instant in UTC."""
        return datetime.now(UTC)


class DatabaseJournal:
    """Tells the run ledger and the log what happens in a run."""

    def __init__(self, store: RunStore, *, traced: bool) -> None:
        self._store = store
        self._traced = traced
        self._log = structlog.get_logger("keifu.run")

    def enter_node(self, run_id: str, node: str) -> None:
        """Shows the node as the current one."""
        self._store.enter_node(run_id, node)

    def record(self, run_id: str, node: str, kind: str, payload: Mapping[str, Any], *, level: str = "info") -> None:
        """Keeps an event with the span that it happened in."""
        span_id = current_span_id() if self._traced else None
        self._store.add_event(run_id, node, kind, payload, level=level, span_id=span_id)
        self._log.debug(kind, run_id=run_id, node=node, milliseconds=payload.get("milliseconds"))


class Diagnostician:
    """Diagnoses athletes one at a time. Holds connections of its own, so it serves one thread; close it after use.

    `refresh` brings the index of names up to date; it is called in every run before the athlete is resolved.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        agent: Engine,
        reader: BusinessReader,
        refresh: Callable[[], object] | None = None,
        configuration: RuleConfiguration | None = None,
        clock: Clock | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._reader = reader
        self._refresh = refresh or (lambda: None)
        self._configuration = configuration or RuleConfiguration()
        self._clock = clock or SystemClock()
        self._stack = ExitStack()
        self._tracing = tracing or self._stack.enter_context(Tracing(settings))
        self.store = RunStore(agent)
        self._session = self._stack.enter_context(closing(connect_agent_psycopg(settings, purpose="run lock")))
        self._graph = build_graph(self._stack.enter_context(open_saver(settings)))
        self._log = structlog.get_logger("keifu.diagnosis")

    def close(self) -> None:
        """Gives back the connections and lets traces leave."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def diagnose(
        self, request: DiagnosisInput, *, clarification: str | None = None, dagster_run_id: str | None = None
    ) -> DiagnosisReport:
        """Diagnoses the athlete that the request means. Every end is a report and a row in the ledger.

        `clarification` is the slug that answers the question, should the request mean several people. Raises
        RequestRefused, before there is a run, when the request cannot be kept or names two people.
        """
        require_usable(request)
        self._require_one_person(request)
        run_id = uuid7()
        self.store.open_run(
            NewRun(
                run_id=str(run_id),
                graph_name=GRAPH_NAME,
                graph_version=GRAPH_VERSION,
                rule_set_version=rule_set_version(self._configuration),
                request=request,
                started_at=self._clock.now(),
                trace_id=str(run_id) if self._tracing.enabled else None,
                dagster_run_id=dagster_run_id,
            )
        )
        with run_lock(self._session, str(run_id)):
            runtime = Runtime(run_id=str(run_id), status="running", started_at=self._clock.now())
            report = self._advance(str(run_id), initial_state(request, runtime), trace_id=run_id)
            if report.status == "need_clarification" and clarification is not None:
                answer = self._checked_answer(DiagnosisInput(person_slug=clarification), str(run_id))
                report = self._advance(str(run_id), Command(resume=answer), trace_id=uuid7())
        return report

    def resume(self, run_id: str, *, answer: DiagnosisInput | None = None) -> DiagnosisReport:
        """Goes on with a run that waits for an answer or was cut off; finished nodes are not repeated.

        Raises RunNotFound, RunBusy when another process works on it, and RunNotResumable with what to do instead.
        """
        self.store.run(run_id)
        with run_lock(self._session, run_id):
            row = self.store.run(run_id)
            _require_resumable(run_id, row)
            state = self._graph.get_state({"configurable": {"thread_id": run_id}})
            if "clarification" in state.next:
                if answer is None:
                    raise RunNotResumable(
                        f"Run {run_id} waits for an answer. Say whom you mean: keifu resume {run_id} --person-slug SLUG"
                    )
                return self._advance(run_id, Command(resume=self._checked_answer(answer, run_id)), trace_id=uuid7())
            if answer is not None:
                raise RunNotResumable(
                    f"Run {run_id} does not wait for an answer any more. To let it go on: keifu resume {run_id}"
                )
            if not state.values:
                # Cut off before its first step, when the names or the databases could not be reached.
                runtime = Runtime(run_id=run_id, status="running", started_at=row["started_at"])
                request = DiagnosisInput.model_validate(row["input_json"])
                return self._advance(run_id, initial_state(request, runtime), trace_id=uuid7())
            if not state.next:
                # Every step is done; the process ended before the ledger could be told.
                return self._settle(run_id, state.values)
            # A checkpoint with an unknown pending node would be resumed without an error and without doing anything.
            if not set(state.next) <= set(self._graph.nodes):
                raise RunNotResumable(f"Run {run_id} left no step to go on with. Diagnose the athlete again.")
            return self._advance(run_id, None, trace_id=uuid7())

    def show(self, run_id: str) -> DiagnosisReport:
        """The report of an earlier run as it was stored. Raises RunNotFound."""
        return report_of_run(self.store.run(run_id), self.store.result(run_id), self.store.candidates(run_id))

    def _require_one_person(self, request: DiagnosisInput) -> None:
        """Raises RequestRefused when slug, id and name are not all of one athlete."""
        if sum(bool(part) for part in (request.person_slug, request.person_id, request.person_name)) < 2:
            return
        try:
            self._refresh()
            self._reader.find_people(request, limit=1)
        except RequestRefused:
            raise
        except Exception as error:  # noqa: BLE001 the run meets the fault again, and its end is a row in the ledger
            self._log.debug("request_not_checked", error=type(error).__name__)

    def _checked_answer(self, answer: DiagnosisInput, run_id: str) -> dict[str, Any]:
        """The answer as the graph takes it; one that means nobody is refused, so that the run keeps waiting."""
        _, count = self._reader.find_people(answer, limit=1)
        if count == 0:
            named = answer.person_slug or answer.person_id or answer.person_name
            raise RunNotResumable(
                f"Nobody is called {named}. Run {run_id} still waits: keifu resume {run_id} --person-slug SLUG"
            )
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"triggered_by"})

    def _advance(self, run_id: str, payload: Any, *, trace_id: UUID) -> DiagnosisReport:
        """Lets the graph run to its end or to the next question, and settles the run by what came of it."""
        config: Any = {"configurable": {"thread_id": run_id}, **self._tracing.run_config(trace_id)}
        context = DiagnosisContext(
            reader=self._reader,
            journal=self._journal(),
            clock=self._clock,
            configuration=self._configuration,
        )
        try:
            self._refresh()
            with tracing_context(enabled=self._tracing.enabled):
                values: Any = self._graph.invoke(payload, config, context=context, durability="sync")
        except Exception as error:  # noqa: BLE001 every end of a run is a row in the ledger
            return self._fail_or_tell(run_id, error)
        return self._settle(run_id, values)

    def _journal(self) -> RunJournal:
        return DatabaseJournal(self.store, traced=self._tracing.enabled)

    def _settle(self, run_id: str, values: Mapping[str, Any]) -> DiagnosisReport:
        report = report_of_state(self.store.run(run_id), values, ended_at=self._clock.now())
        result = None
        summary, person_id = report.summary, report.target.person_id
        if summary is not None and person_id is not None:
            previous = self.store.previous_result(person_id, other_than=run_id)
            report = report.model_copy(update={"changes": changes_since(previous, report)})
            snapshot = values["snapshot"]
            result = RunResult(
                summary=summary,
                findings=report.findings,
                actions=report.actions,
                snapshot=_trimmed(snapshot),
                snapshot_hash=_snapshot_hash(snapshot),
            )
        self.store.settle(
            run_id,
            status=RunStatus(report.status),
            outcome=RunOutcome(report.outcome),
            target=report.target,
            ended_at=report.ended_at,
            result=result,
        )
        self._log.info(
            "diagnosis_settled",
            run_id=run_id,
            status=report.status,
            outcome=report.outcome,
            person_slug=report.target.person_slug,
            findings=len(report.findings),
        )
        return report

    def _fail_or_tell(self, run_id: str, error: Exception) -> DiagnosisReport:
        """Settles a run as failed; where not even the ledger can be reached, says how to go on."""
        try:
            return self._fail(run_id, error)
        except Exception as second:
            message = tool_error_of(error).message
            raise RunCutOff(
                f"Run {run_id} was cut off, and the agent database cannot be told: {message}. When the database is "
                f"back: keifu resume {run_id}"
            ) from second

    def _fail(self, run_id: str, error: Exception) -> DiagnosisReport:
        reason = tool_error_of(error)
        row = self.store.run(run_id)
        resolved = self._graph.get_state({"configurable": {"thread_id": run_id}}).values.get("target", {})
        target = Target.model_validate(resolved)
        self.store.fail(run_id, node=row["current_node"], target=target, reason=reason, ended_at=self._clock.now())
        self._log.error("diagnosis_failed", run_id=run_id, node=row["current_node"], code=reason.code)
        return report_of_run(self.store.run(run_id), None, [])


def _require_resumable(run_id: str, row: Mapping[str, Any]) -> None:
    if row["status"] in (RunStatus.COMPLETED, RunStatus.UNCHANGED):
        raise RunNotResumable(f"Run {run_id} is finished. See what it found: keifu show {run_id}")
    if row["graph_version"] != GRAPH_VERSION:
        raise RunNotResumable(
            f"Run {run_id} was started by version {row['graph_version']} of the graph, this is version "
            f"{GRAPH_VERSION}. Diagnose the athlete again."
        )


def _trimmed(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """The snapshot without a large relation cache payload."""
    cache = snapshot.get("relationCache")
    if not isinstance(cache, dict) or cache.get("payloadBytes", 0) <= PAYLOAD_KEPT_BYTES:
        return dict(snapshot)
    return {**snapshot, "relationCache": {**cache, "payload": None, "payloadOmitted": True}}


def _snapshot_hash(snapshot: Mapping[str, Any]) -> str:
    text = json.dumps(snapshot, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
