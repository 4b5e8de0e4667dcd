"""How the stays of two records at schools and teams meet.

Belongs here: organizations in common, stays that continue one another, schools attended at one time, transfers. Years
are academic years. Stays out: what follows from it for identity (`weighing`).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import cast

from graphs.facts import Organization
from graphs.rules.affiliation import belongs_to_same, same_organization
from graphs.rules.periods import SCHOOL_STAGES, end_of, overlap_days, start_of
from graphs.rules.person_normalization.cohorts import SpanPair
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.thresholds import PersonNormalizationThresholds
from graphs.rules.rule import RuleContext
from graphs.text.school_year import Stage, academic_year

_NEXT_STAGE: Mapping[str, str] = dict(pairwise(SCHOOL_STAGES))


def shared_organizations(first: Record, second: Record) -> Sequence[Organization]:
    """The first record's organizations that are the second's as well, by slug."""
    return [o for o in first.organizations if any(same_organization(o, other) for other in second.organizations)]


def continued_stay(
    first: Record, second: Record, organization: Organization, limits: PersonNormalizationThresholds
) -> bool:
    """Whether one stay at an organization takes up where the other ends, or overlaps it."""
    ours, theirs = _years_at(first, organization), _years_at(second, organization)
    if ours is None or theirs is None:
        return False
    early, late = sorted((ours, theirs))
    return late[0] - early[1] <= limits.adjacent_stay_years


def stays_fit(first: Record, second: Record, organization: Organization, limits: PersonNormalizationThresholds) -> bool:
    """Whether one person's stay could hold both: at a school any two stays of one class, at a team a continued one."""
    return organization.type in SCHOOL_STAGES or continued_stay(first, second, organization, limits)


def concurrent_schools(first: Record, second: Record, context: RuleContext) -> tuple[str, str] | None:
    """Two schools of one stage that the records attended at one time; None where a transfer would explain it.

    Windows of a school are projected to graduation, so that a pupil who changed schools seems to be at both; results
    of one record that all come before those of the other, and one class, leave the transfer possible. Nobody changes
    university like that.
    """
    tolerance = context.configuration.person_normalization.overlap_tolerance_days
    for ours in first.memberships:
        stage = ours.organization.type
        if stage not in SCHOOL_STAGES:
            continue
        for theirs in second.memberships:
            if theirs.organization.type != stage or belongs_to_same(ours.organization, theirs.organization):
                continue
            days = overlap_days(ours, theirs, context.today)
            if days is None or days <= tolerance:
                continue
            if stage == "university" or not _in_turn(first, second, cast(Stage, stage)):
                return ours.organization.name_ja, theirs.organization.name_ja
    return _raced_for_two_schools(first, second)


def consecutive_schools(first: Record, second: Record) -> tuple[str, str] | None:
    """A school that one record left in the year in which the other entered the next stage, the earlier one first."""
    for earlier, later in ((first, second), (second, first)):
        for left in earlier.memberships:
            next_stage = _NEXT_STAGE.get(left.organization.type)
            end = end_of(left) if next_stage is not None else None
            if end is None:
                continue
            for entered in later.memberships:
                start = start_of(entered) if entered.organization.type == next_stage else None
                if start is not None and academic_year(start) == academic_year(end) + 1:
                    return left.organization.name_ja, entered.organization.name_ja
    return None


def transfer(first: Record, second: Record, spans: SpanPair) -> tuple[str, str] | None:
    """Two schools of one stage that one pupil of one class could have attended in turn, the first record's first."""
    for stage in cast(tuple[Stage, ...], SCHOOL_STAGES[:-1]):
        ours, theirs = spans[0].get(stage), spans[1].get(stage)
        if ours is None or theirs is None or not (ours.is_narrow and theirs.is_narrow):
            continue
        if ours.latest < theirs.earliest or theirs.latest < ours.earliest or not _in_turn(first, second, stage):
            continue
        return _schools(first, stage)[-1].name_ja, _schools(second, stage)[0].name_ja
    return None


def _in_turn(first: Record, second: Record, stage: Stage) -> bool:
    """Whether both have results at different schools of a stage, all of one record's in earlier years."""
    if any(same_organization(o, other) for o in _schools(first, stage) for other in _schools(second, stage)):
        return False
    ours, theirs = _result_years(first, stage), _result_years(second, stage)
    return bool(ours and theirs) and (max(ours) < min(theirs) or max(theirs) < min(ours))


def _raced_for_two_schools(first: Record, second: Record) -> tuple[str, str] | None:
    if first.school_seasons.isdisjoint(second.school_seasons):
        return None
    for _, our_school, our_years in first.team_results:
        if our_school.type not in SCHOOL_STAGES:
            continue
        for _, their_school, their_years in second.team_results:
            if their_school.type != our_school.type or belongs_to_same(our_school, their_school):
                continue
            if len(our_years) == len(their_years) == 1 and our_years == their_years:
                return our_school.name_ja, their_school.name_ja
    return None


def _schools(record: Record, stage: Stage) -> Sequence[Organization]:
    return [o for o in record.organizations if o.type == stage]


def _result_years(record: Record, stage: Stage) -> set[int]:
    return {
        year
        for _, organization, academic_years in record.team_results
        if organization.type == stage
        for year in academic_years
    }


def _years_at(record: Record, organization: Organization) -> tuple[int, int] | None:
    years: set[int] = set()
    for membership in record.memberships:
        if same_organization(membership.organization, organization):
            years.update(academic_year(day) for day in (start_of(membership), end_of(membership)) if day is not None)
    for _, team, academic_years in record.team_results:
        if same_organization(team, organization):
            years.update(academic_years)
    return (min(years), max(years)) if years else None
