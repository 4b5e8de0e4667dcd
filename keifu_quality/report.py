"""Reports out of states and out of the ledger.

Belongs here: the one way from what is stored to the published `DiagnosisReport`. Stays out: storing.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from graphs.contracts import (
    ChangesSince,
    DiagnosisInput,
    DiagnosisIssue,
    DiagnosisReport,
    DiagnosisSummary,
    PersonRef,
    SuggestedAction,
    Target,
    ToolError,
)
from keifu_quality.db.agent import RunStatus

Outcome = Literal["completed", "incomplete", "not_found", "ambiguous", "failed"]


def report_of_state(row: Mapping[str, Any], values: Mapping[str, Any], *, ended_at: datetime) -> DiagnosisReport:
    """The report of a run whose graph has come to an end or to a question."""
    waiting = "__interrupt__" in values
    target = Target.model_validate(values["target"])
    summary = DiagnosisSummary.model_validate(values["summary"]) if values.get("summary") else None
    person = values.get("person")
    return DiagnosisReport(
        run_id=row["run_id"],
        status="need_clarification" if waiting else "completed",
        outcome=_outcome(waiting=waiting, target=target, summary=summary),
        graph_version=row["graph_version"],
        rule_set_version=row["rule_set_version"],
        input=DiagnosisInput.model_validate(row["input_json"]),
        target=target,
        person=PersonRef.model_validate(person) if person else None,
        summary=summary,
        findings=tuple(DiagnosisIssue.model_validate(finding) for finding in values["findings"]),
        actions=tuple(SuggestedAction.model_validate(action) for action in values["actions"]),
        candidates=tuple(PersonRef.model_validate(c) for c in values["candidates"]) if waiting else (),
        trace_id=row["trace_id"],
        started_at=row["started_at"],
        ended_at=None if waiting else ended_at,
    )


def report_of_run(
    row: Mapping[str, Any], result: Mapping[str, Any] | None, candidates: Sequence[Mapping[str, Any]]
) -> DiagnosisReport:
    """The report of a run as the ledger has it; `candidates` matter only while it waits for an answer."""
    waiting = row["status"] == RunStatus.NEED_CLARIFICATION
    error = ToolError(code=row["error_code"], message=row["error_message"] or "") if row["error_code"] else None
    return DiagnosisReport(
        run_id=row["run_id"],
        status="completed" if row["status"] == RunStatus.UNCHANGED else row["status"],
        outcome=row["outcome"],
        graph_version=row["graph_version"],
        rule_set_version=row["rule_set_version"],
        input=DiagnosisInput.model_validate(row["input_json"]),
        target=Target(
            person_id=row["person_id"], person_slug=row["person_slug"], resolved=row["person_id"] is not None
        ),
        summary=DiagnosisSummary.model_validate(result["summary_json"]) if result else None,
        findings=tuple(DiagnosisIssue.model_validate(f) for f in result["findings_json"]) if result else (),
        actions=tuple(SuggestedAction.model_validate(a) for a in result["actions_json"]) if result else (),
        candidates=tuple(PersonRef.model_validate(c) for c in candidates) if waiting else (),
        trace_id=row["trace_id"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        error=error,
    )


def changes_since(previous: Mapping[str, Any] | None, report: DiagnosisReport) -> ChangesSince | None:
    """Which findings are new and which are gone since an earlier result; None when there is none.

    A finding is gone only when the rules of its family all ran to their end this time.
    """
    if previous is None or report.summary is None:
        return None
    evaluated = {family.category.value for family in report.summary.families if family.status == "evaluated"}
    before = {f["fingerprint"]: f["category"] for f in previous["findings_json"]}
    now = {finding.fingerprint for finding in report.findings}
    return ChangesSince(
        run_id=previous["run_id"],
        new=tuple(f.fingerprint for f in report.findings if f.fingerprint not in before),
        gone=tuple(p for p, category in before.items() if p not in now and category in evaluated),
    )


def _outcome(*, waiting: bool, target: Target, summary: DiagnosisSummary | None) -> Outcome:
    if waiting:
        return "ambiguous"
    if not target.resolved:
        return "not_found"
    complete = summary is not None and all(family.status == "evaluated" for family in summary.families)
    return "completed" if complete else "incomplete"
