"""MT04: two stays at organizations of one type that overlap."""

from collections.abc import Iterator

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import (
    PairEvidence,
    all_conflicting,
    described,
    membership_rows,
    pair_key,
)
from graphs.rules.membership_timeline.pairs import allowed_together, is_alias, is_duplicate, rename_evidence
from graphs.rules.membership_timeline.stays import overlapping_pairs
from graphs.rules.periods import is_school
from graphs.rules.rule import ActionTemplate, Finding, Rule, RuleContext


class SameTypeOverlap(Rule):
    """Two memberships of the same kind overlap.

    Detects: any two rows, neighbours or not, at organizations of one type that share days; an open end reaches to
    today. A warning for schools, information for employers.

    Why it matters: a long stay hides overlaps with later ones, and relations count team-mates of both teams.

    Example: 架空電気 2015-04-01 to 2020-03-31 beside 例示急便 2018-04-01 to 2019-03-31.

    Traps: a change of school is legitimate when both rows together span the normal years and every result falls
    into its own school's row: the first graduation was only projected. Two spellings of one organization are told
    by MT05, identical rows by MT06, a renamed team by MT18. Graduate school may run beside a university, clubs
    beside one another. Rows with an unknown start overlap nothing.

    What to do: find the real end of the first stay; where both rows are one stay, merge them.
    """

    code = "MT04"
    name = "same_type_membership_overlap"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = PairEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_overlap",
        reason="Two memberships of the same kind overlap; find the real end of the first.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per overlapping pair."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        thresholds = context.configuration.membership_timeline
        for first, second, days in overlapping_pairs(athlete, context.today, thresholds):
            if (
                is_duplicate(first, second)
                or is_alias(first, second)
                or rename_evidence(athlete, first, second, thresholds)
                or allowed_together(athlete, first, second, thresholds)
            ):
                continue
            school = is_school(first)
            yield Finding(
                key=pair_key(first, second),
                severity=Severity.WARNING if school else Severity.INFO,
                detail=f"{described(first)} and {described(second)} share {days} days.",
                evidence=PairEvidence(memberships=membership_rows((first, second)), overlap_days=days),
                actionable=school and not all_conflicting((first, second)),
            )
