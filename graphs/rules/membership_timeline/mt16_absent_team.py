"""MT16: a result for a team that the edition did not have."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Organization, Race
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import ResultRow, result_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class AbsentTeamEvidence(Evidence):
    """The result, its edition and the team."""

    result: ResultRow
    edition: str
    organization_slug: str


class AbsentTeam(Rule):
    """A result names a team that the edition did not have.

    Detects: a result of the 100th Hakone ekiden for the Kanto student union: its qualifying race was open to the
    whole country, and no union team was formed. The list of such teams is configuration.

    Why it matters: the row can only come from a wrong import, and it gives the athlete a race that was not run.

    Example: leg 5 of hakone-ekiden-100 for kanto-student-union.

    Traps: the union ran in every edition around it. The row is wrong, not pending.

    What to do: delete the result with an audit record after looking at the payload that it came from.
    """

    code = "MT16"
    name = "forbidden_student_union_result"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("results",)
    severities = (Severity.ERROR,)
    evidence_type = AbsentTeamEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="delete_wrong_result",
        reason="The edition had no such team; delete the result with an audit record and correct the payload.",
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per result."""
        thresholds = context.configuration.membership_timeline
        for results in athlete.results_by_organization.values():
            organization = results[0].organization
            if organization is None or organization.slug not in thresholds.absent_team_slugs:
                continue
            for result in results:
                if _is_absent(result.race, organization, thresholds.absent_teams):
                    yield Finding(
                        key=(result.race.slug, organization.slug),
                        severity=Severity.ERROR,
                        detail=f"{result.race.edition_name} had no team {organization.name_ja} ({result.race.name}).",
                        evidence=AbsentTeamEvidence(
                            result=result_row(result),
                            edition=result.race.edition_slug,
                            organization_slug=organization.slug,
                        ),
                    )


def _is_absent(race: Race, organization: Organization, absent: tuple[tuple[str, int, str], ...]) -> bool:
    """By the slug of the edition, which carries the number, or by competition and number."""
    return any(
        slug == organization.slug
        and (
            race.edition_slug == f"{competition}-{number}"
            or (race.competition_slug == competition and race.edition_number == number)
        )
        for competition, number, slug in absent
    )
