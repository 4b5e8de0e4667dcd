"""The results of one record as a career, and where no single person could have had it.

Belongs here: the order of stages and schools in time. An order counts only where days or years prove it. Stays out:
memberships as such (family membership_timeline) and comparisons of two records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Literal, cast

from graphs.facts import Membership, Organization, RaceResult
from graphs.rules.affiliation import belongs_to_same, is_technical_college
from graphs.rules.periods import SCHOOL_STAGES, end_of, start_of
from graphs.rules.person_normalization.cohorts import entry_by_year
from graphs.rules.person_normalization.record import Record
from graphs.text.school_year import STAGE_LENGTHS, RaceDate, Stage

Kind = Literal["stages_inverted", "schools_interleaved", "two_schools_in_one_year", "entry_years_differ", "too_long"]

_RANKS = {"junior_high_school": 1, "high_school": 2, "university": 3, "corporate_team": 3}
"""Order of the stages. A corporate runner may enter a university, so neither of the two comes after the other."""


@dataclass(frozen=True, slots=True)
class Start:
    """A result with its team, its date and the entry years that it allows at its school, both ends included."""

    result: RaceResult
    organization: Organization
    date: RaceDate
    entry: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Impossibility:
    """Something in a career that one person cannot have done; `years` by how much it is out."""

    kind: Kind
    text: str
    years: int
    starts: tuple[Start, ...]


def career_of(record: Record) -> Sequence[Start]:
    """Results for schools and corporate teams in the order of time."""
    starts: list[Start] = []
    for result, organization, _ in record.team_results:
        if organization.type in _RANKS:
            day = record.race_dates[result.id]
            starts.append(Start(result, organization, day, _entry(result, organization, day.academic_years)))
    return sorted(starts, key=lambda s: (s.date.value, s.result.race.slug, s.result.id))


def may_be_impossible(record: Record, *, gap_years: int, longest_years: int) -> bool:
    """Whether the career of a record deserves the long look of `impossibilities`; False only where that finds nothing.

    Told from the order of stages and the widest span of entry years alone, which settles nearly every career.
    """
    highest = 0
    raced: list[tuple[int, ...]] = []
    stages: dict[str, tuple[str, list[tuple[int, int]]]] = {}
    for result, organization, years in record.team_results:
        rank = _RANKS.get(organization.type)
        if rank is None:
            continue
        if rank < highest:
            return True
        highest = rank
        raced.append(years)
        school, entries = stages.setdefault(organization.type, (organization.id, []))
        if school != organization.id and organization.type in SCHOOL_STAGES:
            return True
        entry = _entry(result, organization, years)
        if entry is not None:
            entries.append(entry)
    # A year of a race is its academic year or the one after.
    if raced and raced[-1][-1] + 1 - raced[0][0] > longest_years:
        return True
    return any(
        max(low for low, _ in entries) - min(high for _, high in entries) >= gap_years
        for _, entries in stages.values()
        if len(entries) > 1
    )


def impossibilities(
    career: Sequence[Start], memberships: Sequence[Membership], *, gap_years: int, longest_years: int
) -> Iterator[Impossibility]:
    """What no single person can have done, each kind at most once per stage."""
    inverted = _inversion(career)
    if inverted is not None:
        yield inverted
    for stage in cast(tuple[Stage, ...], SCHOOL_STAGES):
        starts = [s for s in career if s.organization.type == stage]
        if len(starts) > 1:
            yield from _within_stage(starts, stage, memberships, gap_years)
    if career:
        years = career[-1].date.value.year - career[0].date.value.year
        if years > longest_years:
            yield Impossibility("too_long", f"{years} years from first to last result", years, (career[0], career[-1]))


def _entry(result: RaceResult, organization: Organization, years: tuple[int, ...]) -> tuple[int, int] | None:
    if organization.type not in SCHOOL_STAGES or is_technical_college(organization):
        return None
    first, last = min(years), max(years)
    grade = result.grade_at_race
    if grade is not None and grade >= 1:
        return first - grade + 1, last - grade + 1
    return entry_by_year(first, organization.type)[0], last


def _within_stage(
    starts: Sequence[Start], stage: Stage, memberships: Sequence[Membership], gap_years: int
) -> Iterator[Impossibility]:
    schools = _schools(starts)
    if len(schools) > 1:
        interleaved = _interleaving(starts)
        if interleaved is not None:
            yield interleaved
        else:
            both = _two_in_one_year(starts, memberships)
            if both is not None:
                yield both
    entries = _entry_gap(starts, stage, gap_years)
    if entries is not None:
        yield entries


def _inversion(career: Sequence[Start]) -> Impossibility | None:
    """The result at a school that follows a later stage by the longest time."""
    worst: tuple[int, Start, Start] | None = None
    for start in career:
        for later in career:
            if _RANKS[later.organization.type] > _RANKS[start.organization.type] and _is_before(later, start):
                days = (start.date.value - later.date.value).days
                if worst is None or days > worst[0]:
                    worst = (days, later, start)
    if worst is None:
        return None
    days, later, start = worst
    text = f"{later.organization.name_ja} in {_when(later)}, then {start.organization.name_ja} in {_when(start)}"
    # Whole years: an inversion of exactly one year is not yet beyond one.
    return Impossibility("stages_inverted", text, max(days - 1, 0) // 365, (later, start))


def _interleaving(starts: Sequence[Start]) -> Impossibility | None:
    for i, first in enumerate(starts):
        for j in range(i + 1, len(starts)):
            between = starts[j]
            if belongs_to_same(first.organization, between.organization) or not _is_before(first, between):
                continue
            for again in starts[j + 1 :]:
                if belongs_to_same(first.organization, again.organization) and _is_before(between, again):
                    names = f"{first.organization.name_ja}, {between.organization.name_ja} and back"
                    return Impossibility("schools_interleaved", names, 0, (first, between, again))
    return None


def _two_in_one_year(starts: Sequence[Start], memberships: Sequence[Membership]) -> Impossibility | None:
    for i, first in enumerate(starts):
        for second in starts[i + 1 :]:
            if belongs_to_same(first.organization, second.organization):
                continue
            years = first.date.academic_years
            if len(years) != 1 or years != second.date.academic_years or _has_transfer(first, second, memberships):
                continue
            names = f"{first.organization.name_ja} and {second.organization.name_ja} in school year {years[0]}"
            return Impossibility("two_schools_in_one_year", names, 0, (first, second))
    return None


def _has_transfer(first: Start, second: Start, memberships: Sequence[Membership]) -> bool:
    """Whether stays are recorded that end at the first school before they begin at the second."""
    ends = [end_of(m) for m in memberships if belongs_to_same(m.organization, first.organization)]
    begins = [start_of(m) for m in memberships if belongs_to_same(m.organization, second.organization)]
    return any(
        end is not None and begin is not None and first.date.value <= end <= begin <= second.date.value
        for end in ends
        for begin in begins
    )


def _entry_gap(starts: Sequence[Start], stage: Stage, gap_years: int) -> Impossibility | None:
    """Two results of a stage that imply entries too far apart, the furthest pair."""
    dated = [(s, s.entry) for s in starts if s.entry is not None]
    worst: tuple[int, Start, Start] | None = None
    for i, (first, ours) in enumerate(dated):
        for second, theirs in dated[i + 1 :]:
            gap = max(theirs[0] - ours[1], ours[0] - theirs[1])
            if gap >= gap_years and (worst is None or gap > worst[0]):
                worst = (gap, first, second)
    if worst is None or _repeats_years(dated) or (stage == "university" and _went_on_to_graduate_school(dated)):
        return None
    gap, first, second = worst
    text = f"{first.organization.name_ja} in {_when(first)} and {second.organization.name_ja} in {_when(second)}"
    return Impossibility("entry_years_differ", text, gap, (first, second))


def _repeats_years(dated: Sequence[tuple[Start, tuple[int, int]]]) -> bool:
    """Whether the entry moves on by one year at a time at one school: somebody who repeated a year, and again."""
    same_school = all(belongs_to_same(dated[0][0].organization, start.organization) for start, _ in dated)
    steps = [later[0] - earlier[0] for (_, earlier), (_, later) in pairwise(dated)]
    graded = all(low == high for _, (low, high) in dated)
    return same_school and graded and all(0 <= step <= 1 for step in steps)


def _went_on_to_graduate_school(dated: Sequence[tuple[Start, tuple[int, int]]]) -> bool:
    """Whether grades start again at 1 or 2 right after a course of normal length: M1 and M2 are printed as 1 and 2."""
    entries = [low for _, (low, high) in dated if low == high]
    if len(entries) != len(dated):
        return False
    first = entries[0]
    second = [(start, entry) for (start, _), entry in zip(dated, entries, strict=True) if entry != first]
    finished = first + STAGE_LENGTHS["university"]
    return all(finished <= entry <= finished + 1 and (start.result.grade_at_race or 0) <= 2 for start, entry in second)


def _is_before(first: Start, second: Start) -> bool:
    if first.date.precision == second.date.precision == "day":
        return first.date.value < second.date.value
    return max(first.date.academic_years) < min(second.date.academic_years)


def _schools(starts: Sequence[Start]) -> Sequence[Organization]:
    schools: list[Organization] = []
    for start in starts:
        if not any(belongs_to_same(start.organization, known) for known in schools):
            schools.append(start.organization)
    return schools


def _when(start: Start) -> str:
    value: date = start.date.value
    grade = f" (grade {start.result.grade_at_race})" if start.result.grade_at_race is not None else ""
    return (value.isoformat() if start.date.precision == "day" else str(value.year)) + grade
