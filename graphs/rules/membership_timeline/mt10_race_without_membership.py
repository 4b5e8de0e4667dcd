"""MT10: a race for an organization without a stay there."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import (
    MembershipRow,
    ResultRow,
    count,
    described,
    membership_rows,
    result_rows,
)
from graphs.rules.membership_timeline.windows import races_of_members
from graphs.rules.periods import SCHOOL_STAGES
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class RaceWithoutMembershipEvidence(Evidence):
    """The organization as the results name it, the results, and the memberships of that type."""

    organization: str
    organization_id: str
    organization_type: str
    results: tuple[ResultRow, ...]
    result_count: int
    memberships_of_type: tuple[MembershipRow, ...]


class RaceWithoutMembership(Rule):
    """A race was run for an organization without a membership there.

    Detects: results, finished or only entered, for a school or a corporate team at which the athlete has no
    membership, dated or not. A warning; an error where the athlete has other schools of that stage and none is it.

    Why it matters: either the membership is missing, or the results belong to another athlete, or they were
    attached to a team whose name only contains the right one.

    Example: results for 例日本体育大学 on an athlete whose only university is 例日本大学.

    Traps: teams for a day, companies, clubs and prefectures ask for no membership; two rows or spellings of one
    organization count as one, but a name that merely contains another does not. No grade is needed: some lists print
    none.

    What to do: add the membership from the source of the results, or move the results to their athlete. The
    back-fill script covers two competitions only, has no dry run and writes rows without dates.
    """

    code = "MT10"
    name = "race_organization_without_membership"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("results",)
    severities = (Severity.WARNING, Severity.ERROR)
    evidence_type = RaceWithoutMembershipEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="backfill_school_memberships",
        reason=(
            "Results name an organization at which the athlete has no membership; check whose results they are. "
            "backfill-school-memberships-from-race-results covers two competitions, writes undated rows and has no "
            "dry run, so it is named here as a precedent only."
        ),
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per organization."""
        if athlete.person.type != "athlete":
            return
        for organization, results, stays in races_of_members(athlete):
            if stays:
                continue
            same_type = [m for m in athlete.athlete_memberships if m.organization.type == organization.type]
            mistaken = bool(same_type) and organization.type in SCHOOL_STAGES
            known = f"; known are {', '.join(described(m) for m in same_type)}" if same_type else ""
            yield Finding(
                key=(organization.id,),
                severity=Severity.ERROR if mistaken else Severity.WARNING,
                detail=f"{count(len(results), 'result')} for {organization.name_ja} without a membership there{known}.",
                evidence=RaceWithoutMembershipEvidence(
                    organization=organization.name_ja,
                    organization_id=organization.id,
                    organization_type=organization.type,
                    results=result_rows(results),
                    result_count=len(results),
                    memberships_of_type=membership_rows(same_type),
                ),
            )
