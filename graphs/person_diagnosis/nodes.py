"""The nodes of the diagnosis graph: each a function from the diagnosis so far to what it adds.

Belongs here: what happens in each step. Stays out: wiring (`graph`), JSON (`state`), decisions of rules. The same
functions serve one athlete and a chunk of many.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from graphs.contracts import (
    AuditData,
    Category,
    FamilyReport,
    RelationCacheData,
    Severity,
    Target,
    ToolError,
    ToolResult,
    UnevaluatedRule,
)
from graphs.person_diagnosis.action_plan import plan_actions
from graphs.person_diagnosis.context import DiagnosisContext
from graphs.person_diagnosis.state import Diagnosis, Update
from graphs.person_diagnosis.summary import summarize
from graphs.rules.athlete import Athlete
from graphs.rules.evaluate import SOURCE_TOOLS
from graphs.rules.rule import RuleContext
from graphs.tools.audit_membership_timeline import audit_membership_timeline_tool
from graphs.tools.audit_person_normalization_risk import audit_person_normalization_risk_tool
from graphs.tools.audit_personal_best_consistency import audit_personal_best_consistency_tool
from graphs.tools.audit_profile_coverage import audit_profile_coverage_tool
from graphs.tools.check_relation_cache import check_relation_cache_tool
from graphs.tools.failure import failure_of
from graphs.tools.load_person_snapshot import load_person_snapshot_tool
from graphs.tools.resolve_person import resolve_person_tool

NOT_REQUESTED = "not_requested"
"""Code of a family that a request left out."""

Node = Callable[[Diagnosis, DiagnosisContext], Update]


class ToolFailedError(Exception):
    """A tool without which a diagnosis cannot go on returned an error."""

    def __init__(self, tool: str, error: ToolError) -> None:
        super().__init__(f"{tool}: {error.message}")
        self.tool = tool
        self.error = error


def tool_error_of(error: Exception) -> ToolError:
    """The error with which a diagnosis ends that raised this exception."""
    if isinstance(error, ToolFailedError):
        return error.error
    code, message = failure_of(error)
    return ToolError(code=code, message=message)


def resolve_person(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Settles on one athlete, or says that there are several or none."""
    data = _require("resolve_person_tool", resolve_person_tool(diagnosis.input, context.reader))
    if data.match_type == "unique" and data.person is not None:
        return {
            "target": Target(person_id=data.person.person_id, person_slug=data.person.person_slug, resolved=True),
            "person": data.person,
            "candidates": (),
            "candidate_count": 1,
            "status": "running",
        }
    if data.match_type == "multiple":
        return {
            "candidates": data.candidates,
            "candidate_count": data.candidate_count,
            "status": "need_clarification",
        }
    return {"candidates": (), "candidate_count": 0, "status": "completed"}


def load_person_snapshot(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Reads the athlete's facts."""
    result = load_person_snapshot_tool(diagnosis.require_person_id(), context.reader)
    return {"snapshot": _require("load_person_snapshot_tool", result)}


def check_profile_coverage(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Runs the rules on the profile."""
    return _check(Category.PROFILE_COVERAGE, audit_profile_coverage_tool, diagnosis, context)


def check_membership_timeline(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Runs the rules on the memberships."""
    return _check(Category.MEMBERSHIP_TIMELINE, audit_membership_timeline_tool, diagnosis, context)


def check_person_normalization_risk(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Runs the rules on the identity of the record."""
    return _check(Category.PERSON_NORMALIZATION, audit_person_normalization_risk_tool, diagnosis, context)


def check_personal_best_consistency(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Runs the rules on the personal bests."""
    return _check(Category.PERSONAL_BEST_CONSISTENCY, audit_personal_best_consistency_tool, diagnosis, context)


def check_relation_cache_status(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Runs the rules on the relation cache and judges its status."""
    if _is_left_out(Category.RELATION_CACHE, diagnosis):
        return _left_out(Category.RELATION_CACHE)
    result = check_relation_cache_tool(diagnosis.require_athlete(), context.rule_context())
    update = _family_update(Category.RELATION_CACHE, result)
    update["cache_status"] = result.data.cache_status if result.data is not None else None
    return update


def summarize_findings(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Puts the state of the record into numbers and words."""
    del context
    summary = summarize(
        diagnosis.require_athlete(), diagnosis.findings, diagnosis.families, cache_status=diagnosis.cache_status
    )
    return {"summary": summary}


def build_action_plan(diagnosis: Diagnosis, context: DiagnosisContext) -> Update:
    """Turns findings into suggested actions in the order in which to take them."""
    del context
    person = diagnosis.require_athlete().person
    return {"actions": plan_actions(person.id, person.slug, diagnosis.findings), "status": "completed"}


def _require(tool: str, result: ToolResult[Any]) -> Any:
    if result.data is None:
        raise ToolFailedError(tool, result.error or ToolError(code="no_data", message="the tool returned no data"))
    return result.data


def _check(
    category: Category,
    tool: Callable[[Athlete, RuleContext], ToolResult[AuditData]],
    diagnosis: Diagnosis,
    context: DiagnosisContext,
) -> Update:
    if _is_left_out(category, diagnosis):
        return _left_out(category)
    return _family_update(category, tool(diagnosis.require_athlete(), context.rule_context()))


def _is_left_out(category: Category, diagnosis: Diagnosis) -> bool:
    requested = diagnosis.input.families
    return requested is not None and category not in requested


def _left_out(category: Category) -> Update:
    return {"findings": (), "families": (_left_out_report(category),)}


def _family_update(category: Category, result: ToolResult[AuditData] | ToolResult[RelationCacheData]) -> Update:
    """Findings and report of a family; a tool that failed leaves the whole family not evaluated."""
    if result.data is None:
        error = result.error or ToolError(code="no_data", message="the tool returned no data")
        tool = SOURCE_TOOLS[category]
        report = FamilyReport(
            category=category,
            status="not_evaluated",
            not_evaluated=(UnevaluatedRule(rule=tool, code=error.code, message=error.message),),
        )
        return {"findings": (), "families": (report,)}
    if not result.data.findings and not result.data.not_evaluated:
        return {"findings": (), "families": (_clean_report(category),)}
    counts: dict[Severity, int] = {}
    for finding in result.data.findings:
        counts[finding.severity] = counts.get(finding.severity, 0) + 1
    report = FamilyReport(
        category=category,
        status="not_evaluated" if result.data.not_evaluated else "evaluated",
        finding_counts=counts,
        not_evaluated=result.data.not_evaluated,
    )
    return {"findings": result.data.findings, "families": (report,)}


@cache
def _clean_report(category: Category) -> FamilyReport:
    return FamilyReport(category=category, status="evaluated")


@cache
def _left_out_report(category: Category) -> FamilyReport:
    cause = UnevaluatedRule(
        rule=SOURCE_TOOLS[category], code=NOT_REQUESTED, message="the run was not asked to evaluate this family"
    )
    return FamilyReport(category=category, status="not_evaluated", not_evaluated=(cause,))


PIPELINE: tuple[Node, ...] = (
    load_person_snapshot,
    check_profile_coverage,
    check_membership_timeline,
    check_person_normalization_risk,
    check_personal_best_consistency,
    check_relation_cache_status,
    summarize_findings,
    build_action_plan,
)
"""The nodes after resolution, in order."""
