"""MT07: dates of a stay that contradict themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import all_conflicting
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class InvalidDatesEvidence(Evidence):
    """The row with its dates and year columns as stored, and what is wrong with them."""

    membership_id: str
    organization: str
    start_date: date | None
    end_date: date | None
    start_year: int | None
    end_year: int | None
    problems: tuple[str, ...]


class InvalidDates(Rule):
    """The dates of a membership contradict themselves.

    Detects: an end before its start, by date or by year; a start more than 400 days ahead or before 1900; as
    information, a year column that differs from the year of its date.

    Why it matters: a reversed row covers no race and overlaps nothing, so every other check passes over it.

    Example: 2024-04-01 to 2022-03-31; or startDate 2022-04-01 with startYear 2021.

    Traps: the end of a pupil's or student's row lies in the future: a projected graduation is normal. Where only
    years are known an equal start and end year is one season, not a reversal. A date on the last or first day of a
    year may carry the neighbour year: the importer writes local years, the dates are UTC.

    What to do: look the dates up in the source of the row and correct the wrong one.
    """

    code = "MT07"
    name = "membership_dates_invalid"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships",)
    severities = (Severity.ERROR, Severity.INFO)
    evidence_type = InvalidDatesEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="fix_membership_dates",
        reason="The dates of a membership contradict themselves; look them up in its source.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per row, as severe as its worst problem."""
        if athlete.person.type != "athlete":
            return
        for m in athlete.athlete_memberships:
            if _is_plain(m, context.today, context.configuration.membership_timeline):
                continue
            wrong = _contradictions(m, context.today, context.configuration.membership_timeline)
            problems = wrong + _year_differences(m)
            if not problems:
                continue
            severity = Severity.ERROR if wrong else Severity.INFO
            yield Finding(
                key=(m.id,),
                severity=severity,
                detail=f"{m.organization.name_ja}: {'; '.join(problems)}.",
                evidence=InvalidDatesEvidence(
                    membership_id=m.id,
                    organization=m.organization.name_ja,
                    start_date=m.start_date,
                    end_date=m.end_date,
                    start_year=m.start_year,
                    end_year=m.end_year,
                    problems=problems,
                ),
                actionable=severity is Severity.ERROR and not all_conflicting((m,)),
            )


def _is_plain(m: Membership, today: date, thresholds: MembershipTimelineThresholds) -> bool:
    """Whether an ordinary row is sound at a glance: four values that agree, begun by today."""
    start, end = m.start_date, m.end_date
    return (
        start is not None
        and end is not None
        and thresholds.earliest_start <= start <= today
        and start <= end
        and m.start_year == start.year
        and m.end_year == end.year
    )


def _contradictions(m: Membership, today: date, thresholds: MembershipTimelineThresholds) -> tuple[str, ...]:
    problems: list[str] = []
    if m.start_date is not None and m.end_date is not None and m.end_date < m.start_date:
        problems.append(f"endDate {m.end_date} is before startDate {m.start_date}")
    if m.start_year is not None and m.end_year is not None and m.end_year < m.start_year:
        problems.append(f"endYear {m.end_year} is before startYear {m.start_year}")
    if m.start_date is not None and m.end_date is None and m.end_year is not None and m.end_year < m.start_date.year:
        problems.append(f"endYear {m.end_year} is before startDate {m.start_date}")
    if m.end_date is not None and m.start_date is None and m.start_year is not None and m.end_date.year < m.start_year:
        problems.append(f"endDate {m.end_date} is before startYear {m.start_year}")
    latest = today + timedelta(days=thresholds.far_future_days)
    if m.start_date is not None and m.start_date > latest:
        problems.append(f"startDate {m.start_date} is more than {thresholds.far_future_days} days ahead")
    elif m.start_date is None and m.start_year is not None and m.start_year > latest.year:
        problems.append(f"startYear {m.start_year} is more than {thresholds.far_future_days} days ahead")
    start_year = m.start_year if m.start_date is None else m.start_date.year
    if start_year is not None and start_year < thresholds.earliest_start.year:
        problems.append(f"a start in {start_year} is before {thresholds.earliest_start.year}")
    return tuple(problems)


def _year_differences(m: Membership) -> tuple[str, ...]:
    pairs = (("startDate", m.start_date, "startYear", m.start_year), ("endDate", m.end_date, "endYear", m.end_year))
    return tuple(
        f"{year_name} {year} differs from {date_name} {day}"
        for date_name, day, year_name, year in pairs
        if day is not None and year is not None and year != day.year and not _turn_of_year(day, year)
    )


def _turn_of_year(day: date, year: int) -> bool:
    return ((day.month, day.day) == (12, 31) and year == day.year + 1) or (
        (day.month, day.day) == (1, 1) and year == day.year - 1
    )
