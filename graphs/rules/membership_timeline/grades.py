"""Which year of entry a grade in a result implies.

Belongs here: the arithmetic of grades with its known doubts. Stays out: comparing it with stored rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from graphs.facts import Membership, RaceResult
from graphs.rules.affiliation import is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import SCHOOL_STAGES
from graphs.rules.rule import EVIDENCE_ROWS, Evidence
from graphs.text.school_year import STAGE_LENGTHS, RaceDate, Stage

APRIL = 4
REPEATABLE_STAGES = frozenset({"high_school", "university"})
"""Stages in which a year may be repeated; nobody repeats one in compulsory schooling in Japan."""
HIGHEST_GRADUATE_GRADE = 3
"""Grades of graduate school that are counted from 1 again: two of a master's, three of a doctoral course."""


class GradedResult(NamedTuple):
    """A result at a school with a grade, and the academic years of entry that it allows, the likeliest first.

    There are two where the day of the race is unknown, and for races of April, which may print last year's grade.
    """

    result: RaceResult
    race: RaceDate
    stage: Stage
    grade: int
    entries: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the day of the race is known."""
        return self.race.precision == "day"


@dataclass(frozen=True, slots=True)
class GradeRow(Evidence):
    """A grade in a result and the academic year of entry that it implies."""

    race: str
    edition: str
    on: date
    precision: str
    organization: str
    grade: int
    implied_entry: int


# Two rules ask for the same athlete in turn, and reading grades is most of their work.
@lru_cache(maxsize=8)
def graded_results(athlete: Athlete, highest_grade: int) -> Sequence[GradedResult]:
    """The athlete's results at schools that state a believable grade, in the order of `Athlete.results`."""
    graded: list[GradedResult] = []
    for result in athlete.results:
        grade, organization = result.grade_at_race, result.organization
        if grade is None or organization is None or not 1 <= grade <= highest_grade:
            continue
        if organization.type not in SCHOOL_STAGES or is_temporary(organization):
            continue
        race = athlete.race_dates[result.id]
        graded.append(GradedResult(result, race, organization.type, grade, _implied_entries(race, grade)))
    return graded


def _implied_entries(race: RaceDate, grade: int) -> tuple[int, ...]:
    latest = race.academic_years[-1] - grade + 1
    if race.precision == "day" and race.value.month != APRIL:
        return (latest,)
    return (latest, latest - 1)


def is_beyond_undergraduate(
    stay: Membership, entry: int, race_year: int, grade: int, thresholds: MembershipTimelineThresholds
) -> bool:
    """Whether a grade shows a repeated year, a long faculty or graduate school at the university of the stay.

    A graduate student is printed as 5 or counted from 1 again once the four years since `entry` have passed;
    `race_year` is the academic year of the race.
    """
    if stay.organization.type != "university":
        return False
    return is_counted_on(entry, race_year, grade, thresholds) or is_counted_anew(entry, race_year, grade)


def is_counted_on(entry: int, race_year: int, grade: int, thresholds: MembershipTimelineThresholds) -> bool:
    """Whether a grade above the fourth fits an entry into a university: four years have passed since, or it was one
    into graduate school. A fifth grade in the third year after the entry fits neither."""
    years = race_year - entry
    return grade >= thresholds.graduate_grade and (
        years >= STAGE_LENGTHS["university"] or years <= grade - thresholds.graduate_grade
    )


def is_counted_anew(entry: int, race_year: int, grade: int) -> bool:
    """Whether a low grade so long after the entry into a university can only be one of graduate school."""
    return grade <= HIGHEST_GRADUATE_GRADE and race_year - entry >= STAGE_LENGTHS["university"] + grade - 1


def grade_rows(graded: Sequence[GradedResult]) -> tuple[GradeRow, ...]:
    """Graded results for evidence, in their order, cut to what evidence keeps."""
    return tuple(
        GradeRow(
            race=g.result.race.slug,
            edition=g.result.race.edition_slug,
            on=g.race.value,
            precision=g.race.precision,
            organization=g.result.organization.name_ja if g.result.organization else "",
            grade=g.grade,
            implied_entry=g.entries[0],
        )
        for g in graded[:EVIDENCE_ROWS]
    )
