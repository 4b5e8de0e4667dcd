"""How this family reads a stay beyond its stored dates: rows that were never closed, and what counts as current.

Belongs here: the end that a forgotten school row is taken to have, and the rows and pairs that the rules compare.
Stays out: what two stays mean together (`graphs.rules.membership_timeline.pairs`).
"""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations
from typing import cast

from graphs.facts import Membership
from graphs.rules.affiliation import is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import DAYS_PER_YEAR, end_of, is_current, is_school, shared_days, start_of
from graphs.text.school_year import STAGE_LENGTHS, Stage


def is_never_closed(membership: Membership, today: date, thresholds: MembershipTimelineThresholds) -> bool:
    """A school row without an end, longer ago than anybody stays: its end is missing, it does not run."""
    if not is_school(membership) or end_of(membership) is not None:
        return False
    start = start_of(membership)
    if start is None:
        return False
    university = membership.organization.type == "university"
    years = thresholds.open_university_years if university else thresholds.open_school_years
    return (today - start).days > years * DAYS_PER_YEAR


def believed_end(membership: Membership, today: date, thresholds: MembershipTimelineThresholds) -> date:
    """The last day for comparing stays: the stored end, today while a row is open.

    A school row that was never closed is taken to have lasted the normal years: it says nothing about today.
    """
    end = end_of(membership)
    if end is not None:
        return end
    start = start_of(membership)
    if start is None or not is_never_closed(membership, today, thresholds):
        return today
    length = STAGE_LENGTHS[cast("Stage", membership.organization.type)]
    return date(start.year + length, 3, 31) if start.month >= 4 else date(start.year + length - 1, 3, 31)


def days_shared(
    first: Membership, second: Membership, today: date, thresholds: MembershipTimelineThresholds
) -> int | None:
    """Days that two stays share by their believed ends; None when a start is unknown."""
    return shared_days(
        start_of(first),
        believed_end(first, today, thresholds),
        start_of(second),
        believed_end(second, today, thresholds),
    )


def current_stays(athlete: Athlete, today: date) -> Sequence[Membership]:
    """The athlete's stays that run today by their dates: no teams for a day, but school rows that were never closed."""
    return [m for m in athlete.athlete_memberships if is_current(m, today) and not is_temporary(m.organization)]


def dated_stays(athlete: Athlete) -> Sequence[Membership]:
    """The athlete's stays with a known start, by start; no teams for a day."""
    return [m for m in athlete.athlete_memberships if start_of(m) is not None and not is_temporary(m.organization)]


def overlapping_pairs(
    athlete: Athlete, today: date, thresholds: MembershipTimelineThresholds
) -> Iterator[tuple[Membership, Membership, int]]:
    """Every pair of stays at one type of organization that overlap, neighbours or not, with the days they share."""
    for first, second in combinations(dated_stays(athlete), 2):
        if first.organization.type != second.organization.type:
            continue
        days = days_shared(first, second, today, thresholds)
        if days is not None and days > thresholds.overlap_tolerance_days:
            yield first, second, days
