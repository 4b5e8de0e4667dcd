"""MT15: a team for a day recorded as a stay."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.affiliation import is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, all_conflicting, described, membership_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class TemporaryTeamEvidence(Evidence):
    """The row."""

    membership: MembershipRow


class TemporaryTeam(Rule):
    """A temporary team is recorded as a membership.

    Detects: a membership at a prefecture team, a student union selection or another selection.

    Why it matters: nobody belongs to a team of one day; it makes team-mates of rivals and hides the school.

    Example: a membership at 関東学生連合 for the spring of 2023.

    Traps: older imports gave these teams the type club, so the slug and the name count as well as the type.

    What to do: remove the membership and keep the team in the result. An unknown home university stays empty.
    """

    code = "MT15"
    name = "temporary_team_as_membership"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships",)
    severities = (Severity.ERROR,)
    evidence_type = TemporaryTeamEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="remove_temporary_membership",
        reason="A temporary team is recorded as a membership; keep it in the results only.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per row."""
        if athlete.person.type != "athlete":
            return
        for m in athlete.athlete_memberships:
            if is_temporary(m.organization):
                yield Finding(
                    key=(m.id,),
                    severity=Severity.ERROR,
                    detail=f"{described(m)} is a temporary team.",
                    evidence=TemporaryTeamEvidence(membership=membership_row(m)),
                    actionable=not all_conflicting((m,)),
                )
