"""From findings to suggested actions: one per intent, in the order in which to take them, held where they must be.

Belongs here: merging, ordering and the hold rule. What each rule suggests stands with the rule.
"""

import hashlib
from collections.abc import Sequence

from graphs.contracts import ActionType, Category, DiagnosisIssue, RiskLevel, Severity, SuggestedAction
from graphs.rules.registry import rule_by_code
from graphs.rules.rule import ActionTemplate

ORDER = (
    Category.PERSON_NORMALIZATION,
    Category.MEMBERSHIP_TIMELINE,
    Category.PERSONAL_BEST_CONSISTENCY,
    Category.PROFILE_COVERAGE,
    Category.RELATION_CACHE,
)
"""Identity first, since everything else builds on it; derived data last, since it builds on everything else."""

HOLDING_RULES = frozenset({"PN01", "PN08", "PN09", "PN10", "PN11", "PN14"})
"""Rules that put the identity of the record in doubt: open at error or critical, they hold the whole bundle."""

RISK_ORDER = (RiskLevel.LOW, RiskLevel.MEDIUM, RiskLevel.HIGH)


def plan_actions(person_id: str, slug: str, findings: Sequence[DiagnosisIssue]) -> tuple[SuggestedAction, ...]:
    """The actions for one athlete, first to take first. Findings that are already handled suggest nothing."""
    groups: dict[str, list[DiagnosisIssue]] = {}
    for finding in findings:
        action = rule_by_code(finding.code).action
        if finding.actionable and action is not None:
            groups.setdefault(action.name, []).append(finding)
    holding = sorted(
        {f.code for f in findings if f.code in HOLDING_RULES and f.severity in (Severity.ERROR, Severity.CRITICAL)}
    )
    actions = [_action(person_id, slug, group, holding) for group in groups.values()]
    ranked = sorted(
        zip(actions, groups.values(), strict=True),
        key=lambda pair: (
            min(ORDER.index(finding.category) for finding in pair[1]),
            -max(finding.severity.rank for finding in pair[1]),
            pair[0].name,
        ),
    )
    return tuple(action for action, _ in ranked)


def action_key(person_id: str, name: str) -> str:
    """Identity of an action over time: athlete and intent; 32 hex digits."""
    return hashlib.sha256(f"{person_id}\x1f{name}".encode()).hexdigest()[:32]


def _action(person_id: str, slug: str, findings: Sequence[DiagnosisIssue], holding: Sequence[str]) -> SuggestedAction:
    templates: list[ActionTemplate] = []
    for finding in findings:
        template = rule_by_code(finding.code).action
        if template is not None and template not in templates:
            templates.append(template)
    main = max(templates, key=lambda template: RISK_ORDER.index(template.risk))
    held = bool(holding) and main.type in (ActionType.SCRIPT, ActionType.RECOMPUTE)
    reasons = " ".join(dict.fromkeys(template.reason for template in templates))
    held_because = f"identity is in doubt ({', '.join(holding)}); settle that first" if held else None
    command = next((template.command for template in templates if template.command), None)
    return SuggestedAction(
        type=ActionType.DEFER if held else main.type,
        name=main.name,
        reason=f"Held: {held_because}. {reasons}" if held else reasons,
        command=None if held or command is None else command.replace("{slug}", slug),
        risk_level=main.risk,
        related_issue_categories=tuple(dict.fromkeys(finding.category for finding in findings)),
        key=action_key(person_id, main.name),
        related_fingerprints=tuple(finding.fingerprint for finding in findings),
        held_because=held_because,
    )
