"""When a stay at an organization begins and ends, and how two stays meet.

Belongs here: the one reading of startDate, endDate, startYear and endYear. Dates are calendar dates as stored
(midnight UTC); "today" is a date in Japan. Stays out: thresholds and every judgement.
"""

from datetime import date
from functools import lru_cache

from graphs.facts import Membership
from graphs.text.school_year import academic_year

DAYS_PER_YEAR = 365.25

SCHOOL_STAGES = ("junior_high_school", "high_school", "university")
"""Organization types that are stages of schooling, in order."""


def start_of(membership: Membership) -> date | None:
    """First day: startDate, else 1 April of startYear, else unknown."""
    if membership.start_date is not None:
        return membership.start_date
    return _april_first(membership.start_year)


def end_of(membership: Membership) -> date | None:
    """Last day: endDate, else 31 March of endYear, else open."""
    if membership.end_date is not None:
        return membership.end_date
    return _march_last(membership.end_year)


def is_undated(membership: Membership) -> bool:
    """No date and no year at all: such a row is never current, never overlaps and never covers a race."""
    return start_of(membership) is None and end_of(membership) is None


def is_school(membership: Membership) -> bool:
    """Whether the stay is one at a junior high school, a high school or a university."""
    return membership.organization.type in SCHOOL_STAGES


def is_current(membership: Membership, today: date) -> bool:
    """Whether the stay runs today; rows with neither startDate nor endDate are not current, whatever their years.

    That is the site's newer definition: years alone are seasons in which an athlete was seen.
    """
    if membership.start_date is None and membership.end_date is None:
        return False
    start, end = start_of(membership), end_of(membership)
    return (start is None or start <= today) and (end is None or end >= today)


def overlap_days(first: Membership, second: Membership, today: date) -> int | None:
    """Days that two stays share, an open end reaching to today; None when a start is unknown.

    Stays that touch (31 March and 1 April, or one shared day) share nothing.
    """
    return shared_days(start_of(first), end_of(first) or today, start_of(second), end_of(second) or today)


def shared_days(first_start: date | None, first_end: date, second_start: date | None, second_end: date) -> int | None:
    """Days that two spans share; None when a start is unknown. Spans that touch or are reversed share nothing."""
    if first_start is None or second_start is None:
        return None
    return max((min(first_end, second_end) - max(first_start, second_start)).days, 0)


def covers(membership: Membership, day: date) -> bool:
    """Whether a dated stay includes the day; rows with an unknown start cover nothing."""
    start, end = start_of(membership), end_of(membership)
    return start is not None and start <= day and (end is None or day <= end)


def entry_year_of(membership: Membership) -> int | None:
    """The academic year in which the stay starts; unknown where the start is."""
    start = start_of(membership)
    return None if start is None else academic_year(start)


@lru_cache(maxsize=512)
def _april_first(year: int | None) -> date | None:
    return date(year, 4, 1) if year is not None and date.min.year <= year <= date.max.year else None


@lru_cache(maxsize=512)
def _march_last(year: int | None) -> date | None:
    return date(year, 3, 31) if year is not None and date.min.year <= year <= date.max.year else None
