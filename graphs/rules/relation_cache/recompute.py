"""The one step that mends a relation cache: letting the site build it again."""

from graphs.contracts import ActionType, RiskLevel
from graphs.rules.rule import ActionTemplate


def recompute_relations(reason: str) -> ActionTemplate:
    """The rebuild of one athlete's cache; it touches derived data only."""
    return ActionTemplate(
        type=ActionType.RECOMPUTE,
        name="recompute_player_relations",
        reason=reason,
        risk=RiskLevel.LOW,
        command="pnpm tsx scripts/maintenance/recompute-player-relations.ts --slugs={slug}",
    )
