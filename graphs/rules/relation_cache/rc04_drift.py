"""RC04: a relation cache that current results contradict."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from graphs.contracts import Category, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.drift import RelationDifference, relation_differences
from graphs.rules.relation_cache.recompute import recompute_relations
from graphs.rules.rule import EVIDENCE_ROWS, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class RelationCacheDriftEvidence(Evidence):
    """The opponents that differ, by id, at most twenty, and how many there are."""

    differences: tuple[RelationDifference, ...]
    difference_count: int
    generated_at: datetime


class RelationCacheDrift(Rule):
    """The cached relations do not match current results.

    Detects: an entry's number of matchups or its latest match differs from the count over current results, or an
    opponent is absent whose shared races alone earn the builder's minimum score.

    Why it matters: deleted and moved results leave no time stamp; only counting again shows them.

    Example: the cache says seven matchups, the results now say six, because one row was removed as a double.

    Traps: every row counts as the builder counts it, DNS rows and double rows of the opponent included. Points for
    hometown, school and team are left out of the score, so an opponent is called absent only beyond doubt, and only
    where every entry says whom it is about. An entry or a date that cannot be read is RC03 and is not compared. People
    who no longer exist are RC05.

    What to do: rebuild the cache; look first whether the results were meant to change.
    """

    code = "RC04"
    name = "relation_cache_drift"
    category = Category.RELATION_CACHE
    needs = ("relation_caches",)
    severities = (Severity.WARNING,)
    evidence_type = RelationCacheDriftEvidence
    action = recompute_relations("Cached matchups differ from the count over current results.")

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all opponents that differ."""
        cache = athlete.relation_cache
        if cache is None:
            return
        differences = relation_differences(athlete, context)
        if differences:
            yield Finding(
                key=(),
                severity=Severity.WARNING,
                detail=f"{len(differences)} opponents differ, first {_sentence(differences[0])}.",
                evidence=RelationCacheDriftEvidence(
                    differences=tuple(differences[:EVIDENCE_ROWS]),
                    difference_count=len(differences),
                    generated_at=cache.generated_at,
                ),
            )


def _sentence(difference: RelationDifference) -> str:
    who = difference.person_id[:40]
    if difference.kind == "absent":
        return f"{who}: absent with {difference.current_matchups} matchups, at least {difference.score_floor} points"
    if difference.kind == "matchup_count":
        return f"{who}: {difference.stored_matchups} matchups stored, {difference.current_matchups} now"
    stored, current = _instant(difference.stored_latest_match_at), _instant(difference.current_latest_match_at)
    return f"{who}: latest match {stored} stored, {current} now"


def _instant(moment: datetime | None) -> str:
    return "unknown" if moment is None else moment.isoformat(timespec="milliseconds")
