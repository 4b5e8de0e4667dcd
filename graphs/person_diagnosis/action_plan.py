"""From findings to suggested actions: one per intent, in the order in which to take them, held where they must be.

Belongs here: merging, ordering and the hold rule. What each rule suggests stands with the rule.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

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


@dataclass(frozen=True, slots=True)
class Intent:
    """What the rules that suggest one step say of it together; the same for every athlete."""

    main: ActionTemplate
    """The riskiest of their templates."""
    reasons: str
    command: str | None
    categories: tuple[Category, ...]
    place: int
    """Where it stands in `ORDER`."""


def plan_actions(person_id: str, slug: str, findings: Sequence[DiagnosisIssue]) -> tuple[SuggestedAction, ...]:
    """The actions for one athlete, first to take first. Findings that are already handled suggest nothing."""
    groups: dict[str, list[DiagnosisIssue]] = {}
    holding: set[str] = set()
    for finding in findings:
        template = _template(finding.code)
        if finding.actionable and template is not None:
            groups.setdefault(template.name, []).append(finding)
        if finding.code in HOLDING_RULES and finding.severity in (Severity.ERROR, Severity.CRITICAL):
            holding.add(finding.code)
    held_because = f"identity is in doubt ({', '.join(sorted(holding))}); settle that first" if holding else None
    ranked: list[tuple[int, int, str, SuggestedAction]] = []
    for name, group in groups.items():
        intent = _intent(tuple(dict.fromkeys([finding.code for finding in group])))
        worst = max([finding.severity.rank for finding in group])
        ranked.append((intent.place, -worst, name, _action(person_id, slug, group, intent, held_because)))
    # Names differ, so that actions themselves are never compared.
    return tuple([action for _, _, _, action in sorted(ranked)])


def action_key(person_id: str, name: str) -> str:
    """Identity of an action over time: athlete and intent; 32 hex digits."""
    return hashlib.sha256(f"{person_id}\x1f{name}".encode()).hexdigest()[:32]


def _action(
    person_id: str, slug: str, findings: Sequence[DiagnosisIssue], intent: Intent, held_because: str | None
) -> SuggestedAction:
    main = intent.main
    held = held_because is not None and main.type in (ActionType.SCRIPT, ActionType.RECOMPUTE)
    return SuggestedAction(
        type=ActionType.DEFER if held else main.type,
        name=main.name,
        reason=f"Held: {held_because}. {intent.reasons}" if held else intent.reasons,
        command=None if held or intent.command is None else intent.command.replace("{slug}", slug),
        risk_level=main.risk,
        related_issue_categories=intent.categories,
        key=action_key(person_id, main.name),
        related_fingerprints=tuple([finding.fingerprint for finding in findings]),
        held_because=held_because if held else None,
    )


@cache
def _template(code: str) -> ActionTemplate | None:
    return rule_by_code(code).action


@lru_cache(maxsize=1024)
def _intent(codes: tuple[str, ...]) -> Intent:
    """Of rules that suggest the same step, in the order in which they fired."""
    rules = [rule_by_code(code) for code in codes]
    templates = list(dict.fromkeys(rule.action for rule in rules if rule.action is not None))
    categories = tuple(dict.fromkeys(rule.category for rule in rules))
    return Intent(
        main=max(templates, key=lambda template: RISK_ORDER.index(template.risk)),
        reasons=" ".join(dict.fromkeys(template.reason for template in templates)),
        command=next((template.command for template in templates if template.command), None),
        categories=categories,
        place=min(ORDER.index(category) for category in categories),
    )
