"""MT18: how an athlete came from one corporate team to another, or from school to a team."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import (
    MembershipRow,
    all_conflicting,
    described,
    membership_rows,
    pair_key,
)
from graphs.rules.membership_timeline.pairs import allowed_together, is_alias, rename_evidence
from graphs.rules.membership_timeline.stays import dated_stays, days_shared
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import end_of, is_school, start_of
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

LINKS = {
    "former_name": "a recorded former name makes them one team",
    "team_mates": "team-mates made the same move, so the team was renamed or moved as a whole",
    "same_inferred_start": "both start on one day and neither has an end",
    "before_end_of_school": "the team was joined long before the end of school",
}
"""What links two rows, in the words of a detail."""


@dataclass(frozen=True, slots=True)
class CorporateTransitionEvidence(Evidence):
    """The two rows and what links them: former_name, team_mates, same_inferred_start or before_end_of_school."""

    memberships: tuple[MembershipRow, ...]
    link: str
    days: int | None
    """Days that the rows share."""


class CorporateTransition(Rule):
    """A change of corporate team is recorded incompletely.

    Detects: as information, two rows that are one team before and after a rename or a transfer of the whole team, by
    a recorded former name or by touching rows and team-mates who made the same move; as a warning, two
    corporate rows with the same start and no end, and a corporate row that starts more than 60 days before the
    end of the school that the athlete then attended.

    Why it matters: the importer gives every corporate team the day after university as its start and no end, so
    after any change two teams look current; only a person can tell a rename from a transfer.

    Example: 架空紡績 until 2022-09-30 and 例示化成 from 2022-10-01, with five team-mates doing the same.

    Traps: renames happen in the middle of a year too. Transfers gather at the turn of the school year and after the
    New Year ekiden. From a team to a university is a legitimate way, and so is graduate school beside a team. A pair
    that is one renamed team is not reported by MT01 and MT04 again.

    What to do: set the end of the previous team, or record the former name of the renamed one.
    """

    code = "MT18"
    name = "corporate_transition"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = CorporateTransitionEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="set_end_of_previous_team",
        reason="A change of corporate team is recorded incompletely; find the end of the previous stay.",
        risk=RiskLevel.MEDIUM,
    )
    judgement = True

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per pair of rows."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        teams = [m for m in athlete.athlete_memberships if m.organization.type == "corporate_team"]
        if not teams:
            return
        thresholds = context.configuration.membership_timeline
        for first, second in combinations(teams, 2):
            link = rename_evidence(athlete, first, second, thresholds)
            days = days_shared(first, second, context.today, thresholds)
            if link:
                yield self._finding(first, second, Severity.INFO, link, days, actionable=bool(days))
            elif _same_inferred_start(first, second) and not is_alias(first, second):
                yield self._finding(first, second, Severity.WARNING, "same_inferred_start", days)
        schools = [m for m in dated_stays(athlete) if is_school(m)]
        for team in teams:
            school = next((s for s in reversed(schools) if _joined_early(team, s, thresholds)), None)
            if school is not None and not allowed_together(athlete, school, team, thresholds):
                days = days_shared(school, team, context.today, thresholds)
                yield self._finding(school, team, Severity.WARNING, "before_end_of_school", days)

    def _finding(
        self,
        first: Membership,
        second: Membership,
        severity: Severity,
        link: str,
        days: int | None,
        *,
        actionable: bool = True,
    ) -> Finding:
        return Finding(
            key=pair_key(first, second),
            severity=severity,
            detail=f"{described(first)} and {described(second)}: {LINKS[link]}.",
            evidence=CorporateTransitionEvidence(memberships=membership_rows((first, second)), link=link, days=days),
            actionable=actionable and not all_conflicting((first, second)),
        )


def _same_inferred_start(first: Membership, second: Membership) -> bool:
    start = start_of(first)
    return (
        first.organization.id != second.organization.id
        and start is not None
        and start == start_of(second)
        and end_of(first) is None
        and end_of(second) is None
    )


def _joined_early(team: Membership, school: Membership, thresholds: MembershipTimelineThresholds) -> bool:
    """Whether the team was joined during the stay at the school, long before its end."""
    joined, entered, left = start_of(team), start_of(school), end_of(school)
    return (
        joined is not None
        and entered is not None
        and left is not None
        and entered <= joined
        and (left - joined).days > thresholds.early_joining_days
    )
