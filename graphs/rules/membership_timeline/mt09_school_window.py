"""MT09: a stay at a school of an unlikely length, or one that was never closed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.affiliation import is_abroad, is_technical_college, is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, all_conflicting, described, membership_row
from graphs.rules.membership_timeline.pairs import is_graduate_stay
from graphs.rules.membership_timeline.stays import is_never_closed
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import DAYS_PER_YEAR, end_of, is_school, start_of
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

PART_TIME_WORDS = ("定時", "通信")
TECHNICAL_COLLEGE_YEARS = 5
PART_TIME_YEARS = 4
SCHOOL_YEARS = 3
UNIVERSITY_YEARS = 4


@dataclass(frozen=True, slots=True)
class SchoolWindowEvidence(Evidence):
    """The row, its length in years (to today where it is open), and what is unusual about it."""

    membership: MembershipRow
    years: float
    problem: str


class SchoolWindow(Rule):
    """A stay at a school has an unlikely length.

    Detects: a junior high or high school that does not last three years, a university of under one or over six
    years, a school row still without an end four (university: seven) years after its start; as information, a
    school row that does not run from 1 April to 31 March.

    Why it matters: windows decide which results count for which school, and a row without an end counts as present.

    Example: 架空高校 2019-04-01 to 2023-03-31; or 架空高校 from 2010-04-01 with no end.

    Traps: two high schools that together last three years are a change of school. Part-time and correspondence
    courses last four years, technical colleges five. Graduate school is folded into the university, so with a sign
    of it nine years are believed. Schools abroad keep other calendars and are left out. Where only years are known
    they are the seasons in which an athlete was seen, so a shorter stay means nothing. A graduation in September and
    the days of the ceremonies are information, a day beside the boundary is nothing. Dropping out
    cannot be told from a wrong date.

    What to do: look up the years of entry and graduation.
    """

    code = "MT09"
    name = "school_window_length"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = SchoolWindowEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="verify_school_years",
        reason="A stay at a school has an unlikely length or no end; look up entry and graduation.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per school row."""
        if athlete.person.type != "athlete":
            return
        thresholds = context.configuration.membership_timeline
        for m in athlete.athlete_memberships:
            start, end = start_of(m), end_of(m)
            if start is None or not is_school(m) or _is_normal(m.organization.type, start, end):
                continue
            if is_temporary(m.organization) or is_abroad(m.organization):
                continue
            if is_never_closed(m, context.today, thresholds):
                days, severity, problem = (context.today - start).days, Severity.WARNING, "has no end"
            elif end is None:
                if _near(start, 4, 1):
                    continue
                days, severity, problem = (context.today - start).days, Severity.INFO, "does not start on 1 April"
            elif end <= start:
                continue
            else:
                days = (end - start).days + 1
                judged = _judge(athlete, m, start, end, thresholds)
                if judged is None:
                    continue
                severity, problem = judged
            years = round(days / DAYS_PER_YEAR, 1)
            yield Finding(
                key=(m.id,),
                severity=severity,
                detail=f"{described(m)} {problem}; {years} years.",
                evidence=SchoolWindowEvidence(membership=membership_row(m), years=years, problem=problem),
                actionable=severity is Severity.WARNING and not all_conflicting((m,)),
            )


def _is_normal(stage: str, start: date, end: date | None) -> bool:
    """Whether a closed stay runs the normal years from 1 April to 31 March."""
    return (
        end is not None
        and end.year - start.year == (UNIVERSITY_YEARS if stage == "university" else SCHOOL_YEARS)
        and (start.month, start.day, end.month, end.day) == (4, 1, 3, 31)
    )


def _judge(
    athlete: Athlete, m: Membership, start: date, end: date, thresholds: MembershipTimelineThresholds
) -> tuple[Severity, str] | None:
    """What is unusual about a closed stay."""
    length = ((end - start).days + 1) / DAYS_PER_YEAR
    if m.organization.type == "university":
        problem = _university_problem(athlete, m, length, thresholds)
    else:
        problem = _school_problem(athlete, m, length, thresholds)
    if problem:
        return Severity.WARNING, problem
    if not (_near(start, 4, 1) and _near(end, 3, 31)):
        return Severity.INFO, "does not run from 1 April to 31 March"
    return None


def _university_problem(
    athlete: Athlete, m: Membership, length: float, thresholds: MembershipTimelineThresholds
) -> str | None:
    tolerance = thresholds.school_length_tolerance_days / DAYS_PER_YEAR
    if length < thresholds.university_years_min - tolerance and not _seasons_only(m):
        return f"lasts under {thresholds.university_years_min} year"
    if length <= thresholds.university_years_max + tolerance:
        return None
    if length <= thresholds.graduate_years_max + tolerance and is_graduate_stay(athlete, m, thresholds):
        return None
    return f"lasts over {thresholds.university_years_max} years"


def _school_problem(
    athlete: Athlete, m: Membership, length: float, thresholds: MembershipTimelineThresholds
) -> str | None:
    tolerance = thresholds.school_length_tolerance_days / DAYS_PER_YEAR
    expected = {SCHOOL_YEARS}
    if is_technical_college(m.organization):
        expected.add(TECHNICAL_COLLEGE_YEARS)
    texts = (m.organization.name_ja, m.faculty, m.department, m.notes)
    if any(word in text for text in texts if text for word in PART_TIME_WORDS):
        expected.add(PART_TIME_YEARS)
    if any(abs(length - years) <= tolerance for years in expected):
        return None
    if length < SCHOOL_YEARS and (_seasons_only(m) or _completed_elsewhere(athlete, m, thresholds)):
        return None
    return f"does not last {SCHOOL_YEARS} years"


def _seasons_only(m: Membership) -> bool:
    return m.start_date is None or m.end_date is None


def _completed_elsewhere(athlete: Athlete, m: Membership, thresholds: MembershipTimelineThresholds) -> bool:
    """Whether this and the other rows of the stage together span the normal years."""
    rows = [other for other in athlete.athlete_memberships if other.organization.type == m.organization.type]
    starts = [day for day in map(start_of, rows) if day is not None]
    ends = [day for day in map(end_of, rows) if day is not None]
    if len(rows) < 2 or not starts or not ends:
        return False
    days = (max(ends) - min(starts)).days + 1
    return abs(days - SCHOOL_YEARS * DAYS_PER_YEAR) <= thresholds.school_length_tolerance_days


def _near(day: date, month: int, day_of_month: int) -> bool:
    return abs((day - date(day.year, month, day_of_month)).days) <= 1
