"""Japanese school-year arithmetic.

Belongs here: academic years, birth cohorts, entry years, school windows, grades, and the calendar date of a race.
Stays out: reading dates from text, and every judgement about a membership.

All dates are calendar dates in Japan. An academic year runs from 1 April to 31 March and is named after the year it
starts in. A person gains a year of age at the end of the day before the birthday (Act on Calculation of Ages, 1902),
so a child born on 1 April belongs to the class of the children born in the twelve months before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from types import MappingProxyType
from typing import Final, Literal

Stage = Literal["junior_high_school", "high_school", "university"]

# A fixed offset: Japan has had no daylight saving time since 1951, and the zone database may be absent on a host.
JST: Final = timezone(timedelta(hours=9), "JST")

STAGE_LENGTHS: Final[Mapping[Stage, int]] = MappingProxyType(
    {"junior_high_school": 3, "high_school": 3, "university": 4}
)
"""Years from entry to graduation in the normal case."""

ENTRY_OFFSETS: Final[Mapping[Stage, int]] = MappingProxyType(
    {"junior_high_school": 13, "high_school": 16, "university": 19}
)
"""Years from the birth cohort to the year of entry in the normal case."""


@dataclass(frozen=True, slots=True)
class RaceDate:
    """The day of a race in Japan, and how much of it is known.

    With precision ``year`` only ``value.year`` is a fact (``value`` is its 1 January), and the race may belong to
    either of the two ``academic_years``; with precision ``day`` there is exactly one.
    """

    value: date
    precision: Literal["day", "year"]
    academic_years: tuple[int, ...]


def academic_year(d: date) -> int:
    """Return the academic year a day belongs to: 2025-03-31 is in 2024, 2025-04-01 in 2025."""
    return d.year if d.month >= 4 else d.year - 1


def cohort(birth: date) -> int:
    """Return the birth cohort: the year in which the class of this birthday starts on 2 April."""
    return birth.year if (birth.month, birth.day) >= (4, 2) else birth.year - 1


def entry_year(cohort: int, stage: Stage) -> int:
    """Return the year in which a birth cohort normally enters a stage."""
    return cohort + ENTRY_OFFSETS[stage]


def stage_window(entry_year: int, stage: Stage) -> tuple[date, date]:
    """Return the first and the last day of a normal stay, both inclusive.

    Raises ValueError when the entry year lies outside the calendar of ``datetime.date``.
    """
    return date(entry_year, 4, 1), date(entry_year + STAGE_LENGTHS[stage], 3, 31)


def implied_entry_year(race_date: date, grade: int) -> int:
    """Return the entry year that a grade (1 = first year) on the day of a race implies."""
    return academic_year(race_date) - grade + 1


def grade_at(d: date, entry_year: int) -> int:
    """Return the grade on a day of somebody who entered in ``entry_year``; zero or less before the entry."""
    return academic_year(d) - entry_year + 1


def implied_window(race_date: date, grade: int, stage: Stage) -> tuple[date, date]:
    """Return the stay that a grade on the day of a race implies, long enough to hold the race.

    A grade beyond the normal length (a repeated year, a six-year faculty, a graduate student) moves the end to the
    close of the academic year of the race.
    """
    start, end = stage_window(implied_entry_year(race_date, grade), stage)
    return start, max(end, date(academic_year(race_date) + 1, 3, 31))


def entry_gap(birth: date, entry: int, stage: Stage) -> int:
    """Return how many years after the normal entry of the birth cohort somebody entered; negative is early."""
    return entry - entry_year(cohort(birth), stage)


def jst_date(utc: datetime) -> date:
    """Return the calendar date in Japan of an instant; a naive datetime is UTC, as the archive stores it."""
    return _as_utc(utc).astimezone(JST).date()


def race_date(starts_at: datetime | None, starts_on: date | None, year: int) -> RaceDate:
    """Return the day of a race from the start of the race, else the first day of its edition, else the year alone.

    ``starts_at`` and ``starts_on`` are UTC; a start at exactly midnight UTC is a date without a time of day. Winter
    editions carry the calendar year and autumn ones too, so a year alone leaves two academic years possible.
    """
    if starts_at is not None:
        instant = _as_utc(starts_at)
        return _day(instant.date() if instant.time() == time(0) else jst_date(instant))
    if starts_on is not None:
        return _day(_as_utc(starts_on).date() if isinstance(starts_on, datetime) else starts_on)
    return RaceDate(value=date(year, 1, 1), precision="year", academic_years=(year - 1, year))


def _day(value: date) -> RaceDate:
    return RaceDate(value=value, precision="day", academic_years=(academic_year(value),))


def _as_utc(instant: datetime) -> datetime:
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
