"""A diagnosis that was asked for some families only, made whole with what an earlier one found of the others.

Belongs here: joining two results of one athlete. Stays out: which families are asked for, and where results are kept. A
finding of a family that did not run is neither resolved nor new; it stays as it was.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graphs.contracts import Category, DiagnosisIssue, DiagnosisSummary, FamilyReport, SuggestedAction
from graphs.person_diagnosis.action_plan import plan_actions
from graphs.person_diagnosis.summary import summary_of
from graphs.rules.registry import all_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run found of one athlete."""

    run_id: str
    families: Sequence[FamilyReport]
    findings: Sequence[DiagnosisIssue]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeResult:
    """What is known of one athlete once two results are joined."""

    summary: DiagnosisSummary
    findings: Sequence[DiagnosisIssue]
    actions: Sequence[SuggestedAction]


def carry_over(
    earlier: Result,
    summary: DiagnosisSummary,
    findings: Sequence[DiagnosisIssue],
    *,
    evaluated: Collection[Category],
    person_id: str,
    slug: str,
) -> WholeResult:
    """The families that were asked for as found now, all others as the earlier run left them.

    Findings of rules that no longer exist are left behind: nothing could be said of what to do about them.
    """
    known = {rule.code for rule in all_rules()}
    stored = {report.category: report for report in earlier.families if report.category not in evaluated}
    reports = [_carried(stored.get(report.category, report), earlier.run_id, evaluated) for report in summary.families]
    reports.sort(key=lambda report: _PLACES[report.category])
    joined = [finding for finding in findings if finding.category in evaluated]
    joined += [f for f in earlier.findings if f.category not in evaluated and f.code in known]
    joined.sort(key=lambda finding: _PLACES[finding.category])
    return WholeResult(
        summary=summary_of(summary.record, joined, reports),
        findings=tuple(joined),
        actions=plan_actions(person_id, slug, joined),
    )


def _carried(report: FamilyReport, run_id: str, evaluated: Collection[Category]) -> FamilyReport:
    if report.category in evaluated or report.carried_from is not None:
        return report
    return report.model_copy(update={"carried_from": run_id})


_PLACES = {category: place for place, category in enumerate(Category)}
