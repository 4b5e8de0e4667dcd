"""MT12: a grade that disagrees with the start of the school row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.affiliation import is_technical_college, same_organization
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, described, membership_row
from graphs.rules.membership_timeline.grades import (
    REPEATABLE_STAGES,
    GradedResult,
    GradeRow,
    grade_rows,
    graded_results,
    is_beyond_undergraduate,
)
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.membership_timeline.windows import distance_outside
from graphs.rules.periods import entry_year_of, start_of
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

TRANSFER_GRADE = 3
"""The grade in which graduates of a technical college enter a university."""


@dataclass(frozen=True, slots=True)
class GradeMismatchEvidence(Evidence):
    """The school row with the year of entry that it stores, and the grades that imply another one."""

    membership: MembershipRow
    stored_entry: int
    grades: tuple[GradeRow, ...]
    grade_count: int
    repeated_year: bool


class GradeMismatch(Rule):
    """A grade disagrees with the start of the school membership.

    Detects: a grade at a race implies a year of entry that differs from the start of the stay that covers the race:
    a warning for one year, an error for two and more; information where the race or the start is known
    by its year only, and where a repeated year explains it.

    Why it matters: a start that is off by a year moves every later result into the wrong school year.

    Example: third grade at a race in November 2023 implies entry in 2021; the row starts on 2022-04-01.

    Traps: a repeated year shows as exactly one year later from some race on; a transfer keeps the grade, so the
    entry of an earlier school of that stage counts as well, and a technical college is followed by the third grade;
    graduate students are printed as 5 or counted from 1 again; races of April may print last year's grade. The
    source of the grade and of the row need not be the same.

    What to do: check the printed grade, then correct the start. The script that sets dates from the national high
    school ekiden has neither dry run nor audit, so it is a last resort; universities are checked by hand.
    """

    code = "MT12"
    name = "grade_membership_mismatch"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships", "results")
    severities = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    evidence_type = GradeMismatchEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="fix_high_school_timeline",
        reason=(
            "Grades disagree with the start of a school row; check the printed grade and correct the start by hand. "
            "fix-high-school-membership-timelines-from-ekiden has neither dry run nor audit and knows the national "
            "high school ekiden only, so it is named here as a precedent only."
        ),
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per school row."""
        if athlete.person.type != "athlete":
            return
        thresholds = context.configuration.membership_timeline
        graded = graded_results(athlete, thresholds.highest_grade)
        if not graded:
            return
        for stay in athlete.athlete_memberships:
            entry, stage = entry_year_of(stay), stay.organization.type
            if entry is None or all(entry in g.entries for g in graded if g.stage == stage):
                continue
            covered = [g for g in graded if _covers(athlete, stay, g, thresholds)]
            differing = [g for g in covered if not _explained(athlete, stay, entry, g, thresholds)]
            if not differing:
                continue
            repeated = stay.organization.type in REPEATABLE_STAGES and _repeated_year(entry, covered)
            severity = Severity.INFO if repeated else max((_severity(stay, entry, g) for g in differing), key=_rank)
            years = ", ".join(str(year) for year in sorted({g.entries[0] for g in differing}))
            yield Finding(
                key=(stay.id,),
                severity=severity,
                detail=f"{described(stay)} starts in {entry}, grades imply entry in {years}.",
                evidence=GradeMismatchEvidence(
                    membership=membership_row(stay),
                    stored_entry=entry,
                    grades=grade_rows(differing),
                    grade_count=len(differing),
                    repeated_year=repeated,
                ),
                actionable=severity is not Severity.INFO,
            )


def _rank(severity: Severity) -> int:
    return severity.rank


def _covers(athlete: Athlete, stay: Membership, graded: GradedResult, thresholds: MembershipTimelineThresholds) -> bool:
    organization = graded.result.organization
    return (
        organization is not None
        and same_organization(stay.organization, organization)
        and start_of(stay) is not None
        and distance_outside(athlete, graded.result, [stay], thresholds) is None
    )


def _explained(
    athlete: Athlete, stay: Membership, entry: int, graded: GradedResult, thresholds: MembershipTimelineThresholds
) -> bool:
    """Whether the grade agrees with the start, or differs for a known reason."""
    if entry in graded.entries:
        return True
    if is_beyond_undergraduate(stay, entry, max(graded.race.academic_years), graded.grade, thresholds):
        return True
    earlier = [m for m in athlete.athlete_memberships if (entry_year_of(m) or entry) < entry]
    return any(
        entry_year_of(m) in graded.entries for m in earlier if m.organization.type == stay.organization.type
    ) or (
        stay.organization.type == "university"
        and entry - graded.entries[0] == TRANSFER_GRADE - 1
        and any(is_technical_college(m.organization) for m in earlier)
    )


def _repeated_year(entry: int, covered: Sequence[GradedResult]) -> bool:
    """Whether the grades agree at first and lag by exactly one year from some race on."""
    lags = [0 if entry in g.entries else g.entries[0] - entry for g in covered]
    return lags == sorted(lags) and set(lags) == {0, 1}


def _severity(stay: Membership, entry: int, graded: GradedResult) -> Severity:
    if not graded.exact or stay.start_date is None:
        return Severity.INFO
    return Severity.WARNING if abs(graded.entries[0] - entry) == 1 else Severity.ERROR
