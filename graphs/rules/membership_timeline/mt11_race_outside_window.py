"""MT11: a race outside the stays at its organization."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import RaceResult
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import (
    MembershipRow,
    ResultRow,
    count,
    described,
    membership_rows,
    result_row,
)
from graphs.rules.membership_timeline.windows import Distance, distance_outside, races_of_members
from graphs.rules.periods import is_undated
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class OutsideResult(Evidence):
    """A result outside every stay, with its distance from the nearest one."""

    result: ResultRow
    nearest_membership_id: str
    gap_days: int
    academic_years_out: int


@dataclass(frozen=True, slots=True)
class RaceOutsideWindowEvidence(Evidence):
    """The organization, its stays, and the results that none of them covers."""

    organization: str
    organization_id: str
    memberships: tuple[MembershipRow, ...]
    results: tuple[OutsideResult, ...]
    result_count: int


class RaceOutsideWindow(Rule):
    """A race lies outside the membership that it was run for.

    Detects: results for a school or a corporate team at which the athlete has dated memberships, none of which
    holds the day of the race. A warning up to one academic year out, an error beyond; information where the
    race or the edge of the stay is known by its year only.

    Why it matters: the stay is too short, or the results belong to a namesake of another year.

    Example: 例示大学 2018-04-01 to 2022-03-31 and a race for it on 2024-01-02.

    Traps: a grade of five and above, or one of graduate school counted from 1 again, extends a stay that was
    projected to four years; races of April may be listed with last year's team; athletes join and leave employers
    within a year, so 1 April and 31 March mean only that year there. A row without any date has no window (MT08),
    one without a start reaches back without limit.

    What to do: extend the stay, or split it where the athlete left and came back.
    """

    code = "MT11"
    name = "race_outside_membership_window"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships", "results")
    severities = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    evidence_type = RaceOutsideWindowEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="extend_or_split_window",
        reason="Results lie outside the dates of their membership; correct the dates or move the results.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per organization, as severe as its worst result."""
        if athlete.person.type != "athlete":
            return
        thresholds = context.configuration.membership_timeline
        for organization, results, known_stays in races_of_members(athlete):
            stays = [m for m in known_stays if not is_undated(m)]
            if not stays:
                continue
            outside = [
                (result, distance)
                for result in results
                if (distance := distance_outside(athlete, result, stays, thresholds)) is not None
            ]
            if not outside:
                continue
            severity = max((_severity(athlete, *item) for item in outside), key=lambda s: s.rank)
            yield Finding(
                key=(organization.id,),
                severity=severity,
                detail=(
                    f"{count(len(outside), 'result')} for {organization.name_ja} outside "
                    f"{', '.join(described(m) for m in stays)}, the first on "
                    f"{athlete.race_dates[outside[0][0].id].value}."
                ),
                evidence=RaceOutsideWindowEvidence(
                    organization=organization.name_ja,
                    organization_id=organization.id,
                    memberships=membership_rows(stays),
                    results=_rows(outside),
                    result_count=len(outside),
                ),
                actionable=severity is not Severity.INFO,
            )


def _severity(athlete: Athlete, result: RaceResult, distance: Distance) -> Severity:
    if athlete.race_dates[result.id].precision == "year":
        return Severity.INFO
    if distance.academic_years > 1:
        return Severity.ERROR
    return Severity.INFO if distance.edge_is_year else Severity.WARNING


def _rows(outside: Sequence[tuple[RaceResult, Distance]]) -> tuple[OutsideResult, ...]:
    return tuple(
        OutsideResult(
            result=result_row(result),
            nearest_membership_id=distance.stay.id,
            gap_days=distance.days,
            academic_years_out=distance.academic_years,
        )
        for result, distance in outside[:EVIDENCE_ROWS]
    )
