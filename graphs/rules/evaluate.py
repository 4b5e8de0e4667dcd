"""Runs the rules of one family on one athlete.

Belongs here: the border between a rule that fired and a rule that broke. Stays out: what any rule decides.
"""

from graphs.contracts import AuditData, Category, DiagnosisIssue, UnevaluatedRule
from graphs.facts import FactsUnavailableError
from graphs.rules.athlete import Athlete
from graphs.rules.registry import rules_to_ask
from graphs.rules.rule import Finding, Rule, RuleContext, evidence_hash, evidence_json, fingerprint

SOURCE_TOOLS = {
    Category.PROFILE_COVERAGE: "audit_profile_coverage_tool",
    Category.MEMBERSHIP_TIMELINE: "audit_membership_timeline_tool",
    Category.PERSON_NORMALIZATION: "audit_person_normalization_risk_tool",
    Category.PERSONAL_BEST_CONSISTENCY: "audit_personal_best_consistency_tool",
    Category.RELATION_CACHE: "check_relation_cache_tool",
}
"""The tool that a family's findings name as their source."""

NOTHING_FOUND = AuditData()
"""The answer of a family that ran to its end and found nothing, the same object every time: most answers are this."""


def evaluate_family(category: Category, athlete: Athlete, context: RuleContext) -> AuditData:
    """The findings of a family, and the rules of it that could not finish with the cause.

    A rule that raises loses its own findings only; it is named, and the others still run.
    """
    findings: list[DiagnosisIssue] = []
    unevaluated: list[UnevaluatedRule] = []
    for rule in rules_to_ask(category, context.configuration, athlete.empty_sections):
        try:
            found = [_issue(rule, athlete, finding) for finding in rule.check(athlete, context)]
        except FactsUnavailableError as error:
            unevaluated.append(UnevaluatedRule(rule=rule.code, code=error.code, message=error.message))
        except Exception as error:  # noqa: BLE001 a broken rule must not silence the others, nor pass for clean
            message = f"{rule.code} {rule.name} raised {type(error).__name__}: {error}"
            unevaluated.append(UnevaluatedRule(rule=rule.code, code="rule_raised", message=message))
        else:
            findings.extend(found)
    if not findings and not unevaluated:
        return NOTHING_FOUND
    return AuditData(findings=tuple(findings), not_evaluated=tuple(unevaluated))


def _issue(rule: Rule, athlete: Athlete, finding: Finding) -> DiagnosisIssue:
    if finding.severity not in rule.severities:
        raise ValueError(f"{rule.code} gave the severity {finding.severity}, which it does not declare")
    if not isinstance(finding.evidence, rule.evidence_type):
        raise TypeError(f"{rule.code} gave evidence of an undeclared type")
    evidence = evidence_json(finding.evidence)
    return DiagnosisIssue(
        category=rule.category,
        severity=finding.severity,
        title=rule.title(),
        detail=finding.detail,
        evidence=evidence,
        source_tool=SOURCE_TOOLS[rule.category],
        code=rule.code,
        rule=rule.name,
        fingerprint=fingerprint(rule.code, athlete.person.id, finding.key),
        evidence_hash=evidence_hash(evidence),
        actionable=finding.actionable,
    )
