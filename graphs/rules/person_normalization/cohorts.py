"""What a record says about when somebody was born.

Belongs here: the span of birth cohorts that a birthday, school years, grades, years of work and races allow, and
when two spans cannot be one person. A cohort is the year in which a school class starts on 2 April
(`graphs.text.school_year`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from graphs.facts import Membership, RaceResult
from graphs.rules.periods import SCHOOL_STAGES, end_of, start_of
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.thresholds import PersonNormalizationThresholds
from graphs.text.names import has_kanji
from graphs.text.school_year import ENTRY_OFFSETS, STAGE_LENGTHS, Stage, academic_year, cohort

Ground = Literal["birth", "junior_high_school", "high_school", "university", "work", "race"]

_LONGEST_STAYS: Mapping[Stage, int] = {"junior_high_school": 3, "high_school": 4, "university": 6}
"""Years that a stay whose entry is not known may have lasted already: part-time high schools take four years,
some faculties six."""


@dataclass(frozen=True, slots=True)
class CohortSpan:
    """The birth cohorts that one ground allows, had everything gone by the normal school career; both ends count."""

    ground: Ground
    earliest: int
    latest: int

    @property
    def is_narrow(self) -> bool:
        """Whether the span names a class, give or take a year."""
        return self.latest - self.earliest <= 1

    def __str__(self) -> str:
        years = str(self.earliest) if self.earliest == self.latest else f"{self.earliest} to {self.latest}"
        return f"born {years} by {self.ground.replace('_', ' ')}"


Spans = Mapping[Ground, CohortSpan]
"""The spans of one record by ground; a ground that says nothing is absent."""

SpanPair = tuple[Spans, Spans]
"""The spans of the two records that are compared."""


def cohort_spans(record: Record, limits: PersonNormalizationThresholds) -> Spans:
    """The spans of a record; the ages of the limits bound what years of work and of any race say."""
    return _spans(
        record,
        limits.youngest_worker_years,
        limits.oldest_competitor_years,
        limits.youngest_racer_years,
        limits.oldest_racer_years,
    )


@lru_cache(maxsize=256)
def _spans(
    record: Record,
    youngest_worker_years: int,
    oldest_competitor_years: int,
    youngest_racer_years: int,
    oldest_racer_years: int,
) -> Spans:
    spans: dict[Ground, CohortSpan] = {}
    if record.person.birth_date is not None:
        born = cohort(record.person.birth_date)
        spans["birth"] = CohortSpan("birth", born, born)
    entries, worked = _entries_and_work(record)
    for stage in cast(tuple[Stage, ...], SCHOOL_STAGES):
        if stage in entries:
            offset = ENTRY_OFFSETS[stage]
            earliest, latest = _narrowed(entries[stage])
            spans[stage] = CohortSpan(stage, earliest - offset, latest - offset)
    if worked:
        latest = min(worked) - youngest_worker_years
        spans["work"] = CohortSpan("work", min(max(worked) - oldest_competitor_years, latest), latest)
    raced = [year for years in record.academic_years.values() for year in years]
    if raced:
        # A record may be mixed itself, so its races count only for what every single one of them says.
        earliest, latest = min(raced) - oldest_racer_years, max(raced) - youngest_racer_years
        spans["race"] = CohortSpan("race", earliest, latest)
    return spans


def contradiction(
    first: Spans,
    second: Spans,
    limits: PersonNormalizationThresholds,
    *,
    foreign: bool = False,
) -> tuple[CohortSpan, CohortSpan] | None:
    """The two spans that lie furthest beyond what one person allows, first's and second's; None without such spans.

    Of foreign students only the same stage is compared: they enter at any age.
    """
    worst: tuple[int, CohortSpan, CohortSpan] | None = None
    for ours in first.values():
        for theirs in second.values():
            if foreign and ours.ground != theirs.ground:
                continue
            early, late = (ours, theirs) if ours.latest < theirs.earliest else (theirs, ours)
            allowed = limits.cohort_gap_years
            if late.earliest - early.latest < allowed:
                continue
            if late.ground == "university" and early.ground != "university":
                allowed += limits.university_delay_years
            excess = late.earliest - early.latest - allowed
            if excess >= 0 and (worst is None or excess > worst[0]):
                worst = (excess, ours, theirs)
    return worst[1:] if worst is not None else None


def same_class(first: Spans, second: Spans) -> tuple[CohortSpan, CohortSpan] | None:
    """Two narrow spans that name one school class, first's and second's; None where nothing does.

    Two birthdays are compared as such, not as classes.
    """
    for ours in first.values():
        for theirs in second.values():
            meets = ours.earliest <= theirs.latest and theirs.earliest <= ours.latest
            birthdays = ours.ground == theirs.ground == "birth"
            if meets and ours.is_narrow and theirs.is_narrow and not birthdays:
                return ours, theirs
    return None


def is_foreign(name: str, nationality: str | None) -> bool:
    """Whether school years say little of the age: a foreign athlete, by nationality or by a name without kanji."""
    return not has_kanji(name) if nationality is None else nationality not in ("JPN", "JP", "日本")


def entry_by_stay(membership: Membership, stage: Stage) -> tuple[int, int] | None:
    """Earliest and latest entry year that a stay allows; None without a start.

    A stay of the normal length, or with a known first day and no end, starts with the entry. A shorter one may have
    been inferred from the years in which results are known.
    """
    start, end = start_of(membership), end_of(membership)
    if start is None or (end is not None and end < start):
        return None
    first = academic_year(start)
    if end is None:
        return (first, first) if membership.start_date is not None else (first - _LONGEST_STAYS[stage] + 1, first)
    last = academic_year(end)
    if last - first + 1 >= STAGE_LENGTHS[stage]:
        return first, first
    return min(last - _LONGEST_STAYS[stage] + 1, first), first


def entry_by_year(year: int, stage: Stage) -> tuple[int, int]:
    """Earliest and latest entry year of somebody who was at a stage in an academic year, grade unknown."""
    return year - _LONGEST_STAYS[stage] + 1, year


def _entries_and_work(record: Record) -> tuple[Mapping[str, Sequence[tuple[int, int]]], Sequence[int]]:
    """Entry years that every stay and result at a school allows, by stage, and the academic years of work."""
    entries: dict[str, list[tuple[int, int]]] = {}
    worked: list[int] = []
    for membership in record.memberships:
        kind = membership.organization.type
        if kind == "corporate_team":
            start = start_of(membership)
            if start is not None:
                worked.append(academic_year(start))
        elif kind in SCHOOL_STAGES:
            entry = entry_by_stay(membership, kind)
            if entry is not None:
                entries.setdefault(kind, []).append(entry)
    for result, organization, years in record.team_results:
        kind = organization.type
        if kind == "corporate_team":
            worked.extend(years)
        elif kind in SCHOOL_STAGES:
            entries.setdefault(kind, []).append(_entry_by_result(result, kind, years))
    return entries, worked


def _entry_by_result(result: RaceResult, stage: Stage, years: tuple[int, ...]) -> tuple[int, int]:
    grade = result.grade_at_race
    if grade is not None and grade >= 1:
        return min(years) - grade + 1, max(years) - grade + 1
    return entry_by_year(min(years), stage)[0], max(years)


def _narrowed(entries: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """What all entries allow; where they contradict one another, the whole range that any of them allows."""
    earliest, latest = max(low for low, _ in entries), min(high for _, high in entries)
    if earliest <= latest:
        return earliest, latest
    return min(low for low, _ in entries), max(high for _, high in entries)
