"""RC01: no relation cache."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import Category, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.recompute import recompute_relations
from graphs.rules.rule import Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class RelationCacheMissingEvidence(Evidence):
    """How much there is to relate: rows of the athlete and athletes met."""

    result_count: int
    opponent_count: int


class RelationCacheMissing(Rule):
    """No relations are cached for the athlete.

    Detects: there is no row, and the athlete shares at least one race with somebody.

    Why it matters: the first visitor of the page waits while the relations are built.

    Example: an athlete imported yesterday ran a leg against nineteen others; nobody has opened the page yet.

    Traps: without a shared race the builder yields an empty list, so nothing is missing; the page builds the row on
    its first view, so this informs and never alarms.

    What to do: build the cache ahead of the first view where that is worth it.
    """

    code = "RC01"
    name = "relation_cache_missing"
    category = Category.RELATION_CACHE
    severities = (Severity.INFO,)
    evidence_type = RelationCacheMissingEvidence
    action = recompute_relations("No relations are cached although the athlete shares races with others.")

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding without a row."""
        if athlete.relation_cache is not None:
            return
        opponents = len(athlete.snapshot.opponents)
        if opponents:
            yield Finding(
                key=(),
                severity=Severity.INFO,
                detail=f"No relations are cached; the athlete shares races with {opponents} others.",
                evidence=RelationCacheMissingEvidence(
                    result_count=len(athlete.snapshot.results), opponent_count=opponents
                ),
            )
