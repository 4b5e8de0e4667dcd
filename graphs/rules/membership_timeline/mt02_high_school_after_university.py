"""MT02: a high school that starts after a university."""

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
from graphs.rules.membership_timeline.stays import dated_stays, days_shared
from graphs.rules.periods import start_of
from graphs.rules.rule import ActionTemplate, Finding, Rule, RuleContext


class HighSchoolAfterUniversity(Rule):
    """A high school starts after a university.

    Detects: the latest start at a high school lies after the earliest start at a university.

    Why it matters: one of the two rows is wrong, or two people of one name share the record, which spoils every
    result and every relation of both.

    Example: 例示大学 from 2018-04-01 and 架空高校 from 2021-04-01.

    Traps: rows with an unknown start are left out (a query that sorts nothing as 1970 finds them all). A start on
    the same day is no order. Often the cause is a mixed identity: see PN10 before changing a date.

    What to do: compare both rows with the results and grades of each school; correct the row or split the athlete.
    """

    code = "MT02"
    name = "high_school_starts_after_university"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.ERROR,)
    evidence_type = PairEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_school_order",
        reason="A high school starts after a university; check both rows and whether two people are mixed (PN10).",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for the latest high school and the earliest university."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        stays = dated_stays(athlete)
        high_school = next((m for m in reversed(stays) if m.organization.type == "high_school"), None)
        university = next((m for m in stays if m.organization.type == "university"), None)
        if high_school is None or university is None:
            return
        later, earlier = start_of(high_school), start_of(university)
        if later is None or earlier is None or later <= earlier:
            return
        thresholds = context.configuration.membership_timeline
        yield Finding(
            key=pair_key(high_school, university),
            severity=Severity.ERROR,
            detail=f"{described(high_school)} starts after {described(university)}; two people may be mixed (PN10).",
            evidence=PairEvidence(
                memberships=membership_rows((university, high_school)),
                overlap_days=days_shared(university, high_school, context.today, thresholds),
            ),
            actionable=not all_conflicting((high_school, university)),
        )
