"""MT03: two stages of schooling at the same time."""

from collections.abc import Iterator
from itertools import combinations

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.affiliation import is_technical_college
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import (
    PairEvidence,
    all_conflicting,
    described,
    membership_rows,
    pair_key,
)
from graphs.rules.membership_timeline.stays import dated_stays, days_shared
from graphs.rules.periods import SCHOOL_STAGES, end_of, is_school
from graphs.rules.rule import ActionTemplate, Finding, Rule, RuleContext


class SchoolStageOverlap(Rule):
    """Two stages of schooling overlap.

    Detects: a stay at a lower stage (junior high school, high school) that ends after a stay at a higher one, or
    that shares more than the days of a hand-over with it.

    Why it matters: nobody attends two stages at once, so at least one date is wrong.

    Example: 架空高校 2019-04-01 to 2023-03-31 and 例示大学 2022-04-01 to 2026-03-31.

    Traps: 31 March and 1 April touch, and one shared day is a hand-over. A row without a start overlaps nothing. A
    school row that was never closed lacks its end (MT09) and is taken to have lasted the normal years here. A
    technical college (高専) takes pupils from 15 for five years and may be stored as either type, so it is compared
    with junior high schools only.

    What to do: find the real end of the lower or the real start of the higher stage.
    """

    code = "MT03"
    name = "school_stage_overlap"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.ERROR,)
    evidence_type = PairEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_school_stages",
        reason="Two stages of schooling overlap; find the real dates of both.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per pair of rows of two stages."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        thresholds = context.configuration.membership_timeline
        schools = [m for m in dated_stays(athlete) if is_school(m)]
        for first, second in combinations(schools, 2):
            if first.organization.type == second.organization.type:
                continue
            lower, higher = sorted((first, second), key=lambda m: SCHOOL_STAGES.index(m.organization.type))
            if lower.organization.type == "high_school" and (
                is_technical_college(lower.organization) or is_technical_college(higher.organization)
            ):
                continue
            days = days_shared(lower, higher, context.today, thresholds)
            overlaps = days is not None and days > thresholds.handover_days
            if overlaps or _ends_after(lower, higher):
                fault = f"share {days} days" if overlaps else "end in the wrong order"
                yield Finding(
                    key=pair_key(lower, higher),
                    severity=Severity.ERROR,
                    detail=f"{described(lower)} and {described(higher)} {fault}.",
                    evidence=PairEvidence(memberships=membership_rows((lower, higher)), overlap_days=days),
                    actionable=not all_conflicting((lower, higher)),
                )


def _ends_after(lower: Membership, higher: Membership) -> bool:
    lower_end, higher_end = end_of(lower), end_of(higher)
    return lower_end is not None and higher_end is not None and lower_end > higher_end
