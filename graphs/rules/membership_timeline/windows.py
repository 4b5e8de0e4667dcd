"""How far a race lies outside the stays at the organization that it was run for.

Belongs here: which stays belong to an organization, and the one reading of windows whose edges are not exact.
Stays out: severities, and what a grade implies (`graphs.rules.membership_timeline.grades`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from graphs.facts import Membership, Organization, RaceResult
from graphs.rules.affiliation import belongs_to_same, is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.grades import is_beyond_undergraduate
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import SCHOOL_STAGES, covers, end_of, entry_year_of, is_school, start_of
from graphs.text.school_year import RaceDate, academic_year

MEMBER_TYPES = frozenset((*SCHOOL_STAGES, "corporate_team"))
"""Organization types for which only members run."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a race lies outside a stay: in academic years and in days, and whether the edge is only a year."""

    academic_years: int
    days: int
    edge_is_year: bool
    stay: Membership


class MemberRaces(NamedTuple):
    """An organization for which only members run, the athlete's results for it, and its stays there, maybe none."""

    organization: Organization
    results: Sequence[RaceResult]
    stays: Sequence[Membership]


def asks_for_membership(organization: Organization) -> bool:
    """Whether whoever runs for the organization belongs to it: schools and corporate teams, no teams for a day."""
    return organization.type in MEMBER_TYPES and not is_temporary(organization)


def stays_at(athlete: Athlete, organization: Organization) -> Sequence[Membership]:
    """The athlete's memberships of an organization in any role, under any of its rows."""
    return [
        m
        for m in athlete.memberships
        if m.organization.id == organization.id or belongs_to_same(m.organization, organization)
    ]


# Two rules ask for the same athlete in turn.
@lru_cache(maxsize=8)
def races_of_members(athlete: Athlete) -> Sequence[MemberRaces]:
    """The results for organizations that ask for membership, with the stays there, by the organization's id."""
    groups = athlete.results_by_organization
    return [
        MemberRaces(organization, groups[key], stays_at(athlete, organization))
        for key in sorted(groups)
        if (organization := groups[key][0].organization) is not None and asks_for_membership(organization)
    ]


def distance_outside(
    athlete: Athlete, result: RaceResult, stays: Sequence[Membership], thresholds: MembershipTimelineThresholds
) -> Distance | None:
    """How far the race lies outside the nearest of the stays; None where one of them may hold it.

    A race of April may still be listed with last year's team; a grade beyond the fourth extends a stay at a
    university; an edge of which only the year is known (also 1 April and 31 March at an employer) holds that year.
    """
    race = athlete.race_dates[result.id]
    if race.precision == "day":
        for stay in stays:
            if covers(stay, race.value):
                return None
    distances: list[Distance] = []
    for stay in stays:
        distance = _distance(stay, race, result.grade_at_race, thresholds)
        if distance is None:
            return None
        distances.append(distance)
    return min(distances, key=lambda d: (d.academic_years, d.days), default=None)


def _distance(
    stay: Membership, race: RaceDate, grade: int | None, thresholds: MembershipTimelineThresholds
) -> Distance | None:
    start, end = _first_day(stay), _last_day(stay)
    first, last = min(race.academic_years), max(race.academic_years)
    if start is not None and (race.value < start if race.precision == "day" else last < academic_year(start)):
        return Distance(
            academic_years=max(academic_year(stay.start_date or start) - last, 0),
            days=(start - race.value).days,
            edge_is_year=stay.start_date is None,
            stay=stay,
        )
    if end is None or (race.value <= end if race.precision == "day" else first <= academic_year(end)):
        return None
    if race.value.month == 4 and (race.value - end).days <= thresholds.april_grace_days:
        return None
    entry = entry_year_of(stay)
    if grade is not None and entry is not None and is_beyond_undergraduate(stay, entry, last, grade, thresholds):
        return None
    return Distance(
        academic_years=max(first - academic_year(stay.end_date or end), 0),
        days=(race.value - end).days,
        edge_is_year=stay.end_date is None,
        stay=stay,
    )


def _first_day(stay: Membership) -> date | None:
    """The first day on which the stay may have begun."""
    start = start_of(stay)
    if start is None:
        return None
    year_only = stay.start_date is None or (not is_school(stay) and (start.month, start.day) == (4, 1))
    return date(start.year, 1, 1) if year_only else start


def _last_day(stay: Membership) -> date | None:
    """The last day on which the stay may have run. A school's year names the season, so it reaches to its March."""
    end = end_of(stay)
    if end is None or end.year == date.max.year:
        return end
    if is_school(stay):
        return end.replace(year=end.year + 1) if stay.end_date is None else end
    year_only = stay.end_date is None or (end.month, end.day) == (3, 31)
    return date(end.year, 12, 31) if year_only else end
