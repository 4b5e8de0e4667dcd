"""MT08: a stay without any date."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, membership_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

REPAIRED_TYPES = frozenset({"high_school", "university", "corporate_team"})
"""Organization types whose dates the repair script fills."""


@dataclass(frozen=True, slots=True)
class UndatedMembershipEvidence(Evidence):
    """The row, and the source that it came from where there is one."""

    membership: MembershipRow
    source_name: str | None


class UndatedMembership(Rule):
    """A membership has no date at all.

    Detects: start date, end date, start year and end year are all null.

    Why it matters: such a row is neither current nor past, overlaps nothing and covers no race.

    Example: a club that the importer attached to an athlete without a period.

    Traps: the importer writes such rows for clubs and companies, and the back-fill from race results writes them
    for schools, so it is information.

    What to do: the repair script fills dates of schools and corporate teams from the neighbouring rows; it runs
    dry unless told to apply.
    """

    code = "MT08"
    name = "undated_membership"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships",)
    severities = (Severity.INFO,)
    evidence_type = UndatedMembershipEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="repair_membership_transition",
        reason="A membership has no dates; the dry run shows which can be filled from its neighbours.",
        risk=RiskLevel.LOW,
        command="pnpm tsx scripts/maintenance/repair-membership-transition-timelines.ts",
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per undated row."""
        if athlete.person.type != "athlete":
            return
        for m in athlete.athlete_memberships:
            if m.start_date is None and m.end_date is None and m.start_year is None and m.end_year is None:
                yield Finding(
                    key=(m.id,),
                    severity=Severity.INFO,
                    detail=f"{m.organization.name_ja} has no dates.",
                    evidence=UndatedMembershipEvidence(
                        membership=membership_row(m), source_name=m.source.name if m.source else None
                    ),
                    actionable=m.organization.type in REPAIRED_TYPES,
                )
